"""What of this machine's disk is Bob's: the database of the settings, its private places, the named disks."""

from __future__ import annotations

import logging
import platform
import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bob.app.settings import Settings
from bob.app.settings_groups import ServerSettings
from bob.core.errors import StoreError, UsageError
from bob.core.private_files import Exposed, correct_files_of, correct_folder, correct_mode, kept_beside
from bob.documents.disks import LocalDisks, kept_name
from bob.personas.corpus import CACHE_NAME
from bob.search.snapshot import files_of
from bob.storage.database import Database
from bob.storage.organizations import ensure_organization

if TYPE_CHECKING:
    from bob.app.engine import Engine

log = logging.getLogger(__name__)

_KEPT = Path("~/.local/share/bob/disk")
_LONGEST = 40
_REGISTER_SECONDS = 10


def local_disks(settings: Settings) -> LocalDisks:
    """Those of this machine; one without a name where the database is a file. Raises UsageError: a name
    cannot be kept."""
    if not settings.on_server:
        return LocalDisks()
    machine = settings.disk or kept_name(_KEPT.expanduser(), _new_name)
    uploads = settings.server.uploads.expanduser().absolute()
    return LocalDisks(machine, uploads, lambda: _new_name("uploads-"))


def _new_name(kind: str = "") -> str:
    """One that a person knows the machine by, and that no other has."""
    host = re.sub(r"[^\w.-]", "-", platform.node())[:_LONGEST] or "machine"
    return f"{host}-{kind}{uuid.uuid4().hex[:8]}"


def tell_of_other_servers(engine: Engine) -> None:
    """Register this server's folder for uploads with the database, and log what it cannot see of others'."""
    if not engine.settings.on_server:
        return
    from bob.documents import upload_rows

    try:
        own = engine.sources.disks.name_uploads()
        with engine.database.keep(_REGISTER_SECONDS) as connection:
            others = upload_rows.register(connection, own, datetime.now(UTC).date())
    except (StoreError, UsageError) as error:
        log.warning("the folder for uploads is not registered with the database: %s", error)
        return
    if others:
        log.warning(
            "this server keeps uploads on a disk of its own (%s), and other servers of this database keep "
            "theirs elsewhere (%s): what was uploaded there is found here, but cannot be opened or indexed "
            "again here. To change that, let server.uploads be one folder that all servers share",
            own,
            ", ".join(f"{name}, started {day}" for name, day in others),
        )


def open_database(settings: Settings) -> Database:
    """The database, of the newest schema, with the organization of the settings in it."""
    database: Database
    if settings.on_server:
        from bob.storage.postgres import PostgresDatabase

        database = PostgresDatabase(settings.database, settings.organization, settings.cache_folder)
    else:
        from bob.storage.sqlite import SqliteDatabase

        database = SqliteDatabase(settings.database_path)
    ensure_organization(database, settings.organization)
    return database


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
