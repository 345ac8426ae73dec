"""Bookmarks as browsers export them: Netscape's HTML, Chrome's `Bookmarks`, Firefox's JSON backup.

Sources: Microsoft's «Netscape Bookmark File Format» (aa753582) for the HTML; Chromium's
components/bookmarks/browser/bookmark_codec.cc; Firefox's toolkit/components/places/BookmarkJSONUtils.sys.mjs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from typing import Any

from bob.extensions import Bookmark, BookmarkForm, MissingExtraError, UsageError, decode

MAGIC = b"mozLz40\0"
_MAX_BYTES = 500_000_000
_MOST_TIMES = 255
"""LZ4 packs nothing into less than this part of it."""


def decompressed(data: bytes) -> bytes:
    """What the file holds.

    Raises:
        UsageError: it is damaged.
        MissingExtraError: a subclass of it; the library for LZ4 is not installed.
    """
    try:
        from lz4.block import LZ4BlockError, decompress
    except ImportError as error:
        raise MissingExtraError("a .jsonlz4 of Firefox", "firefox") from error

    head, packed = len(MAGIC) + 4, data[len(MAGIC) + 4 :]
    size = int.from_bytes(data[len(MAGIC) : head], "little")
    if len(data) < head or size > min(_MAX_BYTES, _MOST_TIMES * len(packed)):
        raise _damaged()
    try:
        content: bytes = decompress(packed, uncompressed_size=size)
    except LZ4BlockError as error:
        raise _damaged() from error
    if len(content) != size:
        raise _damaged()
    return content


def _damaged() -> UsageError:
    return UsageError("the file is a damaged .jsonlz4")


_CHROME_EPOCH = 11_644_473_600
"""Seconds from 1601, where Chrome begins to count, to 1970."""
_FIRST_YEAR, _LAST_YEAR = 1990, 2099
"""Before there were bookmarks, and beyond, a clock was wrong."""
_CHROME_ROOTS = {"bookmark_bar": "Bookmarks bar", "other": "Other bookmarks", "synced": "Mobile bookmarks"}
_FIREFOX_ROOTS = {
    "bookmarksMenuFolder": "Bookmarks menu",
    "toolbarFolder": "Bookmarks toolbar",
    "unfiledBookmarksFolder": "Other bookmarks",
    "mobileFolder": "Mobile bookmarks",
}
_DESCRIPTION = "bookmarkProperties/description"


def read_bookmarks(data: bytes, form: BookmarkForm | None = None) -> list[Bookmark]:
    """All bookmarks of an export, in its order; `form` is guessed when it is None.

    Raises:
        UsageError: the file is none of the known forms, or not of the given one, or damaged.
        UnreadableError: it is no text.
    """
    if data.startswith(MAGIC):
        data = decompressed(data)
    text = decode(data)
    if form is None:
        form = _guessed(text)
    if form == "netscape":
        if "<a" not in text[:2_000_000].lower() and "netscape-bookmark" not in text[:1_000].lower():
            raise UsageError("not a bookmark export: the file has no links")
        return _netscape(text)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not valid JSON: {error}") from error
    found = list(_chrome(content) if form == "chrome" else _firefox(content))
    if not found and not _is_tree(content, form):
        raise UsageError(f"not a bookmark file of {form.capitalize()}")
    return found


def _guessed(text: str) -> BookmarkForm:
    begin = text[:10_000].lstrip()
    if begin.startswith("{"):
        return "chrome" if '"roots"' in text else "firefox"
    if begin.startswith("<"):
        return "netscape"
    raise UsageError(
        "unknown bookmark format; use an HTML export, Chrome's file Bookmarks or Firefox's backup"
    )


def _is_tree(content: Any, form: BookmarkForm) -> bool:
    key = "roots" if form == "chrome" else "children"
    return isinstance(content, dict) and isinstance(content.get(key), dict | list)


def _chrome(content: Any) -> Iterator[Bookmark]:
    roots = content.get("roots") if isinstance(content, dict) else None
    if not isinstance(roots, dict):
        return
    waiting: list[tuple[Any, tuple[str, ...]]] = []
    for key, root in roots.items():
        if isinstance(root, dict):
            waiting.append((root | {"name": _CHROME_ROOTS.get(key) or root.get("name")}, ()))
    waiting.reverse()
    while waiting:
        node, path = waiting.pop()
        if not isinstance(node, dict):
            continue
        name = _line(node.get("name"))
        if isinstance(node.get("url"), str):
            day = _moment(node.get("date_added"), 1_000_000, _CHROME_EPOCH)
            yield Bookmark(node["url"].strip(), name, path, day)
        elif isinstance(node.get("children"), list):
            below = (*path, name) if name else path
            waiting += [(each, below) for each in reversed(node["children"])]


def _firefox(content: Any) -> Iterator[Bookmark]:
    waiting: list[tuple[Any, tuple[str, ...]]] = [(content, ())]
    while waiting:
        node, path = waiting.pop()
        if not isinstance(node, dict) or node.get("root") == "tagsFolder":
            continue  # the old folder of tags lists the same bookmarks again
        name = _FIREFOX_ROOTS.get(str(node.get("root"))) or _line(node.get("title"))
        if isinstance(node.get("uri"), str):
            yield Bookmark(
                node["uri"].strip(),
                name,
                path,
                _moment(node.get("dateAdded"), 1_000_000),
                _tags(node.get("tags")),
                _description(node.get("annos")),
            )
        elif isinstance(node.get("children"), list):
            below = (*path, name) if name and node.get("root") != "placesRoot" else path
            waiting += [(each, below) for each in reversed(node["children"])]


def _description(annotations: Any) -> str:
    for each in annotations if isinstance(annotations, list) else ():
        if isinstance(each, dict) and each.get("name") == _DESCRIPTION:
            return _line(each.get("value"))
    return ""


def _netscape(text: str) -> list[Bookmark]:
    reader = _Netscape()
    reader.feed(text)
    reader.close()
    return reader.finished()


class _Netscape(HTMLParser):
    """The HTML of bookmarks: a list (DL) for each folder, whose name (H3) stands before it; no end tags for
    DT, DD and P. A description (DD) belongs to the link or folder before it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._found: list[Bookmark] = []
        self._path: list[str | None] = []
        self._folder: str | None = None
        self._link: dict[str, str | None] | None = None
        self._words: list[str] | None = None
        self._describes_link = False

    def finished(self) -> list[Bookmark]:
        """All bookmarks, when the text is at its end."""
        self._end_words("dt")
        return self._found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a folder, a link or a description."""
        if tag in ("dt", "dl", "dd", "h3", "a", "hr"):
            self._end_words(tag)
        if tag == "dl":
            self._path.append(self._folder)
            self._folder = None
        elif tag in ("h3", "a"):
            self._link = dict(attrs) if tag == "a" else None
            self._words = []
        elif tag == "dd":
            self._words = [] if self._describes_link else None

    def handle_endtag(self, tag: str) -> None:
        """End a name, or a folder."""
        if tag in ("h3", "a"):
            self._end_words(tag)
        elif tag == "dl":
            self._end_words(tag)
            if self._path:
                self._path.pop()

    def handle_data(self, data: str) -> None:
        """Collect the words of a name or a description."""
        if self._words is not None:
            self._words.append(data)

    def _end_words(self, tag: str) -> None:
        if self._words is None:
            if tag != "dd":
                self._describes_link = False
            return
        words = " ".join("".join(self._words).split())
        self._words = None
        if self._link is not None:
            self._add(self._link, words)
            self._link = None
            self._describes_link = True
        elif self._describes_link:
            last = self._found[-1]
            self._found[-1] = Bookmark(last.address, last.title, last.folder, last.added, last.tags, words)
            self._describes_link = False
        else:
            self._folder = words

    def _add(self, link: dict[str, str | None], title: str) -> None:
        address = (link.get("href") or "").strip()
        if address:
            path = tuple(each for each in self._path if each)
            day = _moment(link.get("add_date"), 1)
            self._found.append(Bookmark(address, title, path, day, _tags(link.get("tags"))))


def _tags(value: Any) -> tuple[str, ...]:
    words = value.split(",") if isinstance(value, str) else ()
    return tuple(dict.fromkeys(tag for tag in (_line(each) for each in words) if tag))


def _line(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _moment(value: Any, per_second: int, epoch: int = 0) -> date | None:
    """The day (UTC) of a count of seconds or of parts of them; None when it is no such count."""
    try:
        seconds = int(value) / per_second - epoch
        # Some programs write milliseconds or microseconds where seconds belong.
        for _ in range(2):
            if per_second == 1 and seconds > 100_000_000_000:
                seconds /= 1_000
        day = datetime.fromtimestamp(seconds, UTC).date()
        return day if _FIRST_YEAR <= day.year <= _LAST_YEAR else None
    except (TypeError, ValueError, OverflowError, OSError):
        return None
