"""Tells a client of Bob: puts the server into its settings, with a copy of the file as it was before."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bob.core.errors import UsageError
from bob.mcp.clients import (
    NAME,
    ClientRecipe,
    Places,
    with_json_entry,
    with_toml_entry,
    without_json_entry,
    without_toml_entry,
)


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a client's file: its text before, None where there is no file, and after."""

    path: Path
    before: str | None
    after: str

    @property
    def backup(self) -> Path:
        """Where the file as it was is kept."""
        return self.path.with_name(f"{self.path.name}.before-bob")

    def write(self) -> None:
        """Put the new text in place at once, the old one beside it. Raises UsageError: the disk refuses."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # A file that is a link, as dotfiles often are, stays one.
            target = Path(os.path.realpath(self.path))
            mode = 0o600 if self.before is None else target.stat().st_mode & 0o777
            # A copy that is there is of the file before Bob was ever in it.
            if self.before is not None and not os.path.lexists(self.backup):
                _replace(self.backup, self.before, mode)
            _replace(target, self.after, mode)
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written: {error.strerror}") from error


def installing(recipe: ClientRecipe, places: Places, command: Sequence[str]) -> Change:
    """The change that makes a client start `command`. Raises UsageError: its file cannot be read."""
    path, before = _read(recipe, places)
    put = with_toml_entry if recipe.form == "toml" else with_json_entry
    try:
        return Change(path, before, put(before or "", recipe.key, NAME, recipe.entry(command)))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def uninstalling(recipe: ClientRecipe, places: Places) -> Change:
    """The change that takes the server out again. Raises UsageError: its file cannot be read."""
    path, before = _read(recipe, places)
    take = without_toml_entry if recipe.form == "toml" else without_json_entry
    try:
        return Change(path, before, take(before or "", recipe.key, NAME))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def snippet(recipe: ClientRecipe, command: Sequence[str]) -> str:
    """The entry as it would stand in an empty file."""
    entry = recipe.entry(command)
    if recipe.form == "toml":
        return with_toml_entry("", recipe.key, NAME, entry)
    return json.dumps({recipe.key: {NAME: entry}}, indent=2, ensure_ascii=False) + "\n"


def _read(recipe: ClientRecipe, places: Places) -> tuple[Path, str | None]:
    path = recipe.path(places)
    try:
        return path, path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return path, None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error


def _replace(path: Path, text: str, mode: int) -> None:
    draft = path.with_name(f".{path.name}.bob-{os.getpid()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with open(descriptor, "wb") as stream:  # noqa: PTH123 - a descriptor, not a path
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(descriptor)
        draft.chmod(mode)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
