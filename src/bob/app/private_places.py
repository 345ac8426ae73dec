"""Which files and folders of these settings are Bob's own, so that only their owner may read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bob.app.settings import Settings
from bob.app.settings_groups import ServerSettings
from bob.core.private_files import Exposed, correct_files_of, correct_folder, correct_mode, kept_beside
from bob.personas.values import CACHE_NAME
from bob.search.snapshot import files_of
from bob.storage.database import Database


class PrivatePlaces:
    """Takes Bob's files and folders from all accounts but their owner's, and remembers which were open.

    These are the database with what Bob keeps beside it, uploads, and what is derived. A folder that the
    settings name instead of Bob's own may hold other things: of it only what Bob made in it is corrected.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._exposed: dict[Exposed, None] = {}

    def correct(self) -> None:
        """Correct what is open; what is in a folder that nobody else may enter is passed over."""
        self._exposed.update(dict.fromkeys(_corrected(self._settings, below=False)))

    def correct_all(self) -> list[Exposed]:
        """Correct what is open, and say what was, now or before in this process."""
        self._exposed.update(dict.fromkeys(_corrected(self._settings, below=True)))
        return list(self._exposed)


def files_beside(settings: Settings, database: Database) -> list[Path]:
    """The files beside the database that Bob writes: the index of the log, snapshots, the log of what agents
    did, copies, and the caches of personas."""
    path = database.path
    found = [*kept_beside(path), *files_of(database)]
    personas = _absolute(settings.persona.folder)
    return [*dict.fromkeys(found), *sorted(personas.glob(f"*/{CACHE_NAME}"))]


def uploaded_files(settings: Settings) -> list[Path]:
    """The files that users of the organization sent."""
    folder = _absolute(settings.server.uploads) / settings.organization
    return sorted(each for each in folder.rglob("*") if each.is_file())


def _corrected(settings: Settings, *, below: bool) -> Iterator[Exposed]:
    home = _absolute(Path(Settings.model_fields["database"].default)).parent
    if not settings.on_server:
        database = settings.database_path
        if database.parent == home and (exposed := correct_mode(home)):
            yield exposed
        yield from correct_files_of(database, below=below)
    elif settings.cache_folder == _absolute(Settings.model_fields["cache"].default):
        yield from correct_folder(settings.cache_folder, below=below)
    uploads = _absolute(settings.server.uploads)
    if uploads != _absolute(ServerSettings.model_fields["uploads"].default):
        uploads /= settings.organization
    yield from correct_folder(uploads, below=below)


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError:  # No home folder: what uses the path says so.
        return path.absolute()
