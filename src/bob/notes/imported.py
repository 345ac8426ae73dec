"""What is taken over from elsewhere into notes: bookmarks, and passages that somebody marked (SPEC B7).

Installed packages read the files; Bob's own is `bob_formats`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from bob.core.errors import UsageError
from bob.core.plug_ins import IMPORTERS, functions

_ID_CHARACTERS = 16
"""64 bits: two of a million entries agree by chance once in 30 million libraries."""


def import_id(*parts: str) -> str:
    """A short name for what the parts say, the same on every machine."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:_ID_CHARACTERS]


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An address with its title, in a folder (names from the top). `note` is a description, "" for none."""

    address: str
    title: str
    folder: tuple[str, ...] = ()
    added: date | None = None
    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """What passages were marked in: a book, an article, a PDF. `address` is where it is, "" if unknown;
    `key` tells it from others of the same title."""

    title: str
    author: str = ""
    address: str = ""
    key: str = ""

    @property
    def work_id(self) -> str:
        """The same for the same work in every export."""
        return import_id("work", self.key or f"{self.title.casefold()}\0{self.author.casefold()}")


@dataclass(frozen=True, slots=True)
class Highlight:
    """A passage of a work, a comment on it, or both. `place` is where it stands, in words ("page 3"); `by` is
    who marked it; `mark` says how, if not as a highlight ("underlined")."""

    work: Work
    text: str
    comment: str = ""
    place: str = ""
    added: date | None = None
    by: str = ""
    mark: str = ""
    tags: tuple[str, ...] = ()

    @property
    def passage_id(self) -> str | None:
        """The same words at the same place are the same passage; None for a comment on no words."""
        words = " ".join(self.text.split())
        return import_id("passage", self.work.work_id, self.place, words) if words else None

    @property
    def comment_id(self) -> str | None:
        """The same comment at the same place is the same; None without one."""
        words = " ".join(self.comment.split())
        return import_id("comment", self.work.work_id, self.place, words) if words else None


BookmarkForm = Literal["netscape", "chrome", "firefox"]
"""What bookmarks may be written in."""


def read_bookmarks(data: bytes, form: BookmarkForm | None) -> list[Bookmark]:
    """All bookmarks of an export, in its order; `form` is guessed when it is None.

    Raises:
        UsageError: the file is none of the known forms, or not of the given one, or damaged.
        UnreadableError: it is no text.
    """
    bookmarks: list[Bookmark] = _read("bookmarks", data, form)
    return bookmarks


def read_highlights(data: bytes, name: str) -> tuple[list[Highlight], list[str]]:
    """The passages of an export in its order, and what of it was left out and why. `name` is the file's.

    Raises:
        UsageError: the file is none of the known forms.
        UnreadableError: it is no text.
    """
    highlights: tuple[list[Highlight], list[str]] = _read("highlights", data, name)
    return highlights


def read_annotations(path: str, max_bytes: int) -> list[Highlight]:
    """The annotations of a PDF that hold words, by page and as they stand on it.

    Raises:
        UnreadableError: the file cannot be read.
    """
    highlights: list[Highlight] = _read("pdf-annotations", path, max_bytes)
    return highlights


def _read(kind: str, *arguments: object) -> Any:
    """What the first reader gives that knows the file; others' are asked before Bob's own."""
    for reader in functions(IMPORTERS, kind):
        items = reader(*arguments)
        if items is not None:
            return items
    raise UsageError(f"no installed package reads these {kind}; Bob's own does: install Bob again")
