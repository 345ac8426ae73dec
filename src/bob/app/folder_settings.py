"""What a folder's own `bob.yaml` may set: it may have come with somebody else's folder.

Without the user's trust only settings take effect with which the file's author can harm nobody. All others
wait until the user trusted this content of the file at this place.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import stat
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bob.app.settings_layers import leaves, read_layer
from bob.core.errors import SettingsError, UsageError
from bob.text.visible import visible_line

_USER_RECORDS_MOST_BYTES = 64 * 1024
"""A record is a few lines. Nothing larger is one of ours."""

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class UserRecords:
    """Records by name, a file each: two commands at once, or one damaged file, lose nothing else."""

    def __init__(self, folder: Path) -> None:
        """`folder` is made, for the user alone, when the first record is written."""
        self.folder = folder

    def read(self, name: str) -> dict[str, Any] | None:
        """The record of that name; None: there is none that can be relied on."""
        record = _read(self._path(name))
        return record if record and record.get("name") == name else None

    def every(self) -> list[dict[str, Any]]:
        """All records that can be relied on, by name."""
        paths = sorted(self.folder.glob("*.json")) if self.folder.is_dir() else []
        records = [record for record in map(_read, paths) if record and isinstance(record.get("name"), str)]
        # A file that was renamed or copied by hand is not the record that `read` would find.
        own = [record for record in records if self._path(record["name"]) in paths]
        return sorted(own, key=lambda record: str(record["name"]))

    def write(self, name: str, values: dict[str, Any]) -> None:
        """Keep a record, in place of an earlier one of that name. Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Written beside, for the user alone, and moved into place: a reader sees all or nothing, and a link
        # at the name is replaced and not followed.
        written, beside = tempfile.mkstemp(prefix=".", dir=self.folder)
        try:
            with os.fdopen(written, "wb") as file:
                file.write(json.dumps({"name": name, **values}, indent=2).encode("ascii"))
            Path(beside).replace(self._path(name))
        except OSError:
            with suppress(OSError):
                Path(beside).unlink()
            raise

    def delete(self, name: str) -> bool:
        """Take a record away; False: there was none. Raises OSError."""
        try:
            self._path(name).unlink()
        except FileNotFoundError:
            return False
        return True

    def _path(self, name: str) -> Path:
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
        return self.folder / f"{digest[:40]}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        # Without O_NONBLOCK a pipe at this name would be waited for.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(file, "rb") as opened:
        about = os.fstat(file)
        own = about.st_uid == os.geteuid() and not about.st_mode & _OTHERS_MAY_WRITE
        if not own or not stat.S_ISREG(about.st_mode) or about.st_size > _USER_RECORDS_MOST_BYTES:
            return None
        try:
            record = json.loads(opened.read(_USER_RECORDS_MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return None
    return record if isinstance(record, dict) else None


FILE_NAME = "bob.yaml"

HARMLESS: Mapping[str, str] = {
    "chunk.min_tokens": "cuts what is indexed from here on; bounded",
    "chunk.max_tokens": "cuts what is indexed from here on; bounded",
    "search.limit": "how much is shown; bounded",
    "search.vector_weight": "the order of results",
    "search.threshold": "how much is shown; whoever runs the command sees that less comes",
    "search.rerank": "the order of results, by the model that comes with Bob; its costly bound is not here",
    "search.rerank_weight": "the order of results",
    "search.recency_half_life_days": "the order of results",
    "search.duplicate_similarity": "which of two results with the same words is shown",
    "answer.max_sentences": "how long an answer is; bounded",
    "context.locale": "one of two languages of headings",
    "lint.ignore": "which findings on notes are shown; plain names, never patterns",
    "work.relevance_floor": "how many work items are shown; bounded",
    "work.recency_half_life_days": "the order of work items",
}
"""The only settings that a folder's file may set without trust, each with why it can do no harm.

Not here, though they look harmless: `ingest.ignore` would take documents of other folders out of the index
(a folder's own `.bobignore` reaches no further than the folder), and its patterns could take for ever;
`ingest.hidden` reads what nobody meant to index; `search.bm25_*` and `search.heading_weight` make the whole
index anew; `search.rerank_candidates` and all `*_tokens` cost time, memory or money, and decide how much
private text a model gets; `context.assistant` stands in every prompt in the author's words;
`context.similarity` and its like bring other projects into a prompt; `answer.unsupported`,
`answer.outdated_after_days`, `answer.judge`, `context.check_replies`, `health.*` switch checks off;
`answer.keep` and `memory.*` decide what is kept of what the user says."""

_MOST_BYTES = 256 * 1024
"""All settings at once are a tenth of it."""

_MOST_NAMED = 8
"""Settings that a message names before it counts."""


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A folder's settings file as it was read, once: what is shown, trusted and used are the same bytes."""

    path: Path
    content: bytes

    @property
    def folder(self) -> Path:
        """The folder's real path."""
        return Path(os.path.realpath(self.path.parent))

    @property
    def name(self) -> str:
        """What trust is kept under: the place itself. A link to a file that is trusted elsewhere is not."""
        return trust_name(self.path.parent)

    @property
    def sha256(self) -> str:
        """The content's hash."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def values(self) -> dict[str, Any]:
        """The values by key with dots, as they take effect. Raises SettingsError: it is not YAML.

        An empty group says nothing, and must not empty the user's own.
        """
        layer = read_layer(self.path, self.content)
        return {key: value for key, value in leaves(layer) if value != {}}


@dataclass(frozen=True, slots=True)
class IgnoredSettings:
    """Settings of a folder's file that are not in force, by key, and whether the file was trusted before it
    changed."""

    file: FolderFile
    values: Mapping[str, Any]
    changed: bool

    @property
    def reason(self) -> str:
        """Why they are not in force."""
        return "it changed since you trusted it" if self.changed else "you have not trusted it"

    @property
    def command(self) -> str:
        """What to type to accept them."""
        folder = str(self.file.folder)
        # A name with a line break or the like could be read as another command: then by its short name.
        return f"bob trust {shlex.quote(folder)}" if folder.isprintable() else "bob trust ."

    @property
    def message(self) -> str:
        """One line for the user."""
        keys = [visible_line(key) for key in self.values]
        named = ", ".join(keys[:_MOST_NAMED])
        if len(keys) > _MOST_NAMED:
            named += f" and {len(keys) - _MOST_NAMED} more"
        return (
            f"{visible_line(str(self.file.path))}: ignored {named}, because {self.reason}. "
            f"To see and accept them: {self.command}"
        )


def trust_name(folder: Path) -> str:
    """What trust in a folder's file is kept under."""
    return str(Path(os.path.realpath(folder)) / FILE_NAME)


def read_folder_file(folder: Path) -> FolderFile | None:
    """The settings file of a folder; None: there is none. A pipe or device of that name is none either.

    Raises SettingsError: it cannot be read, or is larger than any settings file.
    """
    path = folder / FILE_NAME
    try:
        # Looked at before it is opened: opening alone does something to some devices.
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            content = file.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"{visible_line(str(path))}: cannot be read: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise SettingsError(f"{visible_line(str(path))}: is larger than {_MOST_BYTES // 1024} KiB")
    return FolderFile(path, content)


def split_settings(values: Mapping[str, Any], known: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values that need no trust, and those that do.

    An unknown key is among the first, so that it is told as the mistake that it is.
    """
    harmless, others = {}, {}
    known = set(known)
    for key, value in values.items():
        if key in HARMLESS or not _concerns(key, known):
            harmless[key] = value
        else:
            others[key] = value
    return harmless, others


def _concerns(key: str, known: set[str]) -> bool:
    """Whether the key is a known one, a group of them, or below one: `database: {"x": 1}` is the key
    `database.x`, and would set the database."""
    return any(
        key == setting or setting.startswith(f"{key}.") or key.startswith(f"{setting}.") for setting in known
    )


class FolderTrust:
    """Which settings files of folders the user trusts: one content of each."""

    def __init__(self, state: Path) -> None:
        """`state`: the user's state folder."""
        self._records = UserRecords(state / "bob" / "trusted-folders")

    def trusts(self, file: FolderFile) -> bool:
        """Whether the user trusts this content at this place."""
        return self._hash_of(file.name) == file.sha256

    def knows(self, file: FolderFile) -> bool:
        """Whether the user trusts, or trusted, a content at this place."""
        return self._hash_of(file.name) is not None

    def trust(self, file: FolderFile, now: datetime) -> None:
        """Trust this content at this place. Raises UsageError: the record cannot be written."""
        record = {"sha256": file.sha256, "trusted_at": now.isoformat(timespec="seconds")}
        try:
            self._records.write(file.name, record)
        except OSError as error:
            raise UsageError(f"{self._records.folder}: cannot be written: {error.strerror}") from error

    def revoke(self, folder: Path) -> bool:
        """Trust the folder's file no longer; False: it was not trusted. Raises UsageError."""
        try:
            return self._records.delete(trust_name(folder))
        except OSError as error:
            raise UsageError(f"{self._records.folder}: cannot be written: {error.strerror}") from error

    def every(self) -> list[dict[str, Any]]:
        """All records: `name` is the file, beside `sha256` and `trusted_at`."""
        return self._records.every()

    def _hash_of(self, name: str) -> str | None:
        record = self._records.read(name)
        digest = record.get("sha256") if record else None
        return digest if isinstance(digest, str) else None
