"""What is taken over from elsewhere, as notes: one for a folder of bookmarks, one for a work that was read.

A note for each single bookmark would be thousands of files of one line, and one for all of them too long to
read; a folder and a work are what a person has gathered under one name already.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import yaml

from bob.notes.imported import Bookmark, Highlight, import_id

_LINKED = ("http://", "https://", "ftp://")
_PROGRAMS = ("javascript:", "vbscript:", "data:", "blob:")
_BROWSERS = (
    *("place:", "about:", "chrome:", "edge:", "brave:", "opera:", "vivaldi:", "resource:", "view-source:"),
    *("moz-extension:", "chrome-extension:", "feed:place:", "wyciwyg:"),
)
_MOST_CHARACTERS = 8_000
"""Of an address: browsers take no longer ones."""
_CREDENTIALS = re.compile(r"(?<=://)[^/?#@\s]*@")
_IN_ADDRESS = re.compile(r"[\s()<>\[\]\\`|\"\x00-\x1f\x7f]")
_MARKUP = re.compile(
    r"([\\`\[\]]|\*(?=\S)|(?<=\S)\*|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)|<(?=[A-Za-z/!?])|~(?=~)|(?<=~)~|&(?=#?\w+;))"
)
"""What Markdown takes for more than a character, and nothing else: to a search, escapes are words."""
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\ud800-\udfff\ufffe\uffff]"
)
_TARGET = re.compile(r"(?<!\\)(?:\\\\)*\]\((\S+?)\)")
_CODE = re.compile(r"(?<!\\)(?:\\\\)*`([^`\n]+)`")
_SHORT = 80


@dataclass(frozen=True, slots=True)
class Entry:
    """A piece of a note: its Markdown, the ids that tell it again, and the `marks` by which `marks_in` finds
    it in a note."""

    ids: tuple[str, ...]
    text: str
    marks: tuple[str, ...]
    added: date | None = None


@dataclass(frozen=True, slots=True)
class ImportedNote:
    """A note to be: `name` in words for its file, `values` for its front matter, and its entries."""

    note_id: str
    name: str
    title: str
    intro: str
    values: Mapping[str, str]
    tag: str
    entries: tuple[Entry, ...]
    is_list: bool

    def text(
        self,
        entries: Sequence[Entry],
        title: str,
        note_id: str,
        tags: Sequence[str],
        project: str | None,
        day: date,
    ) -> str:
        """The note with these entries; it is as old as the newest of them, or of `day` if none has a date."""
        newest = max((entry.added for entry in entries if entry.added), default=day)
        front: dict[str, object] = {"title": title, "date": newest}
        front |= {"project": project} if project else {}
        front |= {key: value for key, value in self.values.items() if value}
        front |= {"tags": list(dict.fromkeys([self.tag, *tags])), "import_id": note_id}
        dumped = yaml.safe_dump(
            front, allow_unicode=True, sort_keys=False, width=float("inf"), default_flow_style=None
        )
        heading = f"# {_escaped(title)}\n\n{self.intro}"
        return f"---\n{dumped}---\n\n{heading}\n\n{self._joined(entries)}\n"

    def extended(self, text: str, entries: Sequence[Entry]) -> str:
        """A note as it is now with further entries at its end; all that is there stays to the letter."""
        newline = "\r\n" if "\r\n" in text else "\n"
        last = text.rstrip().rpartition("\n")[2]
        goes_on = self.is_list and last.startswith(("- ", "  "))
        # A list goes on in the next line; all else begins behind an empty one.
        missing = "" if text.endswith("\n\n") or (goes_on and text.endswith("\n")) else "\n"
        if not goes_on and not text.endswith("\n"):
            missing = "\n\n"
        return text + (missing + self._joined(entries) + "\n").replace("\n", newline)

    def _joined(self, entries: Sequence[Entry]) -> str:
        return ("\n" if self.is_list else "\n\n").join(entry.text for entry in entries)


def bookmark_notes(
    bookmarks: Iterable[Bookmark], source: str, withheld: dict[str, int]
) -> list[ImportedNote]:
    """A note a folder, in the order of the export. `source` is the exported file's name; `withheld` is told
    how many are not taken over as they are, by reason."""
    folders: dict[tuple[str, ...], list[Entry]] = {}
    for bookmark in bookmarks:
        entry = _bookmark(bookmark, withheld)
        if entry is not None:
            folders.setdefault(bookmark.folder, []).append(entry)
    return [_folder(path, entries, source) for path, entries in folders.items()]


def _folder(path: tuple[str, ...], entries: list[Entry], source: str) -> ImportedNote:
    named = " / ".join(path)
    return ImportedNote(
        import_id("bookmarks", *path),
        " ".join(path) or "bookmarks",
        _clean(f"Bookmarks: {named}" if named else "Bookmarks"),
        f"Bookmarks of the folder {_escaped(named)}." if named else "Bookmarks without a folder.",
        {"source": _clean(source), "kind": "bookmarks"},
        "bookmark",
        tuple(entries),
        is_list=True,
    )


def _bookmark(bookmark: Bookmark, withheld: dict[str, int]) -> Entry | None:
    address = _clean(bookmark.address)
    lower = "".join(address.split()).lower()
    if not address:
        _count(withheld, "left out: no address")
        return None
    if lower.startswith(_PROGRAMS):
        _count(withheld, "left out: a program or data, and no address")
        return None
    if lower.startswith(_BROWSERS):
        _count(withheld, "left out: a page of the browser itself")
        return None
    if len(address) > _MOST_CHARACTERS:
        _count(withheld, f"left out: an address of more than {_MOST_CHARACTERS:,} characters")
        return None
    if _CREDENTIALS.search(address):
        address = _CREDENTIALS.sub("", address)
        _count(withheld, "without the user's name and password in the address")
    title = _escaped(bookmark.title)
    if lower.startswith(_LINKED):
        target = _IN_ADDRESS.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), address)
        line = f"- [{title or _escaped(address)}]({target})"
        mark = target
    else:
        _count(withheld, "kept as text without a link, because it is not a web page")
        plain = address.replace("`", "'")
        line = f"- {title + ': ' if title else ''}`{plain}`"
        mark = plain
    about = [f"added {bookmark.added}"] if bookmark.added else []
    tags = [tag for tag in map(_escaped, bookmark.tags) if tag]
    about += [f"tags: {', '.join(tags)}"] if tags else []
    line += f" ({'; '.join(about)})" if about else ""
    note = f"\n  {_escaped(bookmark.note)}" if bookmark.note else ""
    # The same address is the same bookmark, whatever its title and folder.
    return Entry((import_id("bookmark", mark),), line + note, (mark,), bookmark.added)


def highlight_notes(highlights: Iterable[Highlight], source: str) -> list[ImportedNote]:
    """A note a work, in the order of the export. `source` is the exported file's name."""
    works: dict[str, list[Highlight]] = {}
    for highlight in highlights:
        works.setdefault(highlight.work.work_id, []).append(highlight)
    return [_work(note_id, works_found, source) for note_id, works_found in works.items()]


def _work(note_id: str, highlights: list[Highlight], source: str) -> ImportedNote:
    work = highlights[0].work
    by = f" by {_escaped(work.author)}" if work.author else ""
    return ImportedNote(
        note_id,
        f"{work.title} {work.author}",
        _clean(f"Highlights: {work.title}"),
        f"What was marked in {_escaped(work.title)}{by}.",
        {"source": _clean(work.address or source), "author": _clean(work.author), "kind": "highlights"},
        "highlight",
        tuple(_highlight(highlight) for highlight in highlights),
        is_list=False,
    )


def _highlight(highlight: Highlight) -> Entry:
    quote = _lines(highlight.text)
    comment = _lines(highlight.comment)
    parts = ["\n".join(f"> {line}".rstrip() for line in quote)] if quote else []
    parts += ["\n".join(comment)] if comment else []
    about = [
        _escaped(highlight.place).capitalize(),
        highlight.mark,
        f"added {highlight.added}" if highlight.added else "",
        f"by {_escaped(highlight.by)}" if highlight.by else "",
        f"tags: {', '.join(_escaped(tag) for tag in highlight.tags)}" if highlight.tags else "",
    ]
    label = "; ".join(part for part in about if part)
    parts += [f"({label})"] if label else []
    ids = tuple(entry_id for entry_id in (highlight.passage_id, highlight.comment_id) if entry_id is not None)
    marks = tuple(_even(" ".join(lines)) for lines in (quote, comment) if lines)
    return Entry(ids, "\n\n".join(parts), marks, highlight.added)


def _count(withheld: dict[str, int], reason: str) -> None:
    withheld[reason] = withheld.get(reason, 0) + 1


def new_part(entry: Entry, known_ids: Container[str]) -> Entry | None:
    """What of an entry is new: all, a comment on a passage that was taken over before, or nothing (None)."""
    new = [entry_id for entry_id in entry.ids if entry_id not in known_ids]
    if not new:
        return None
    return entry if entry.ids[0] in new else _comment_alone(entry)


def _comment_alone(entry: Entry) -> Entry:
    """The comment with the first words of its passage."""
    quote, _, rest = entry.text.partition("\n\n")
    words = " ".join(line.removeprefix(">").strip() for line in quote.split("\n"))
    short = words if len(words) <= _SHORT else words[:_SHORT].rsplit(" ", 1)[0] + " …"
    return Entry(entry.ids[1:], f"On «{short}»:\n\n{rest}", entry.marks[1:], entry.added)


def marks_in(text: str) -> set[str]:
    """What entries in a note can be told by: where its links lead, code in its lines, and its paragraphs."""
    targets = set(_TARGET.findall(text)) | set(_CODE.findall(text))
    for paragraph in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        lines = [line.removeprefix(">").strip() for line in paragraph.strip().split("\n")]
        targets.add(_even(" ".join(lines)))
    return targets


def _even(text: str) -> str:
    return " ".join(text.split()).casefold()


def _lines(text: str) -> list[str]:
    """Lines of Markdown that show the text as it is; none is blank, so that a quotation holds together."""
    cleaned = _UNSEEN.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [" ".join(line.split()) for line in cleaned.split("\n")]
    return [_plain_start(_MARKUP.sub(r"\\\1", line)) for line in lines if line]


def _plain_start(line: str) -> str:
    """The line without a mark at its start that would make a list, a heading, a table or a rule of it."""
    line = re.sub(r"^([-+=>#|:*])", r"\\\1", line)
    return re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", line)


def _escaped(text: str) -> str:
    """One line that Markdown shows as it is."""
    return _plain_start(_MARKUP.sub(r"\\\1", _clean(text)))


def _clean(text: str) -> str:
    return " ".join(_UNSEEN.sub(" ", text).split())
