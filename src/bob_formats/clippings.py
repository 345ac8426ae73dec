"""Kindle's «My Clippings.txt»: passages, notes and bookmarks of all books, one after another.

The device writes them in its own language, and other forms in other years: known here are English, German,
French, Spanish, Portuguese, Italian and Dutch. A note follows or precedes the passage that it belongs to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from bob.extensions import Highlight, Work, read_date

_RULE = re.compile(r"^={8,}\s*$", re.MULTILINE)
_ABOUT = re.compile(r"^-\s.*\|", re.MULTILINE)
_TITLE = re.compile(r"^(?P<title>(?:.*?\S)??)\s*+(?:\((?P<author>[^()]*(?:\([^()]*\)[^()]*)*)\))?\s*+$")
_HIGHLIGHT = re.compile(
    r"highlight|markierung|surlignement|surlign|subrayado|destaque|evidenziazione|markering|clip",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\bnote?\b|notiz|\bnota\b|notitie|commentaire|comentário", re.IGNORECASE)
_PAGE = re.compile(r"(?:page|seite|página|pagina|pág\.?)\s+(?P<place>[\divxlc]+(?:-\d+)?)", re.IGNORECASE)
_LOCATION = re.compile(
    r"(?:loc(?:ation|\.)?|position|pos\.|posición|posição|posizione|emplacement|locatie)\s*(?P<place>\d+(?:-\d+)?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Clipping:
    work: Work
    is_note: bool
    place: str
    end: int
    added: date | None
    text: str


def is_clippings(text: str) -> bool:
    """Whether a text is of this form."""
    return bool(_RULE.search(text[:100_000]) and _ABOUT.search(text[:10_000]))


def read_clippings(text: str) -> tuple[list[Highlight], list[str]]:
    """The passages in their order, each with the note that belongs to it; and what was left out, and why."""
    clippings: list[_Clipping] = []
    problems: list[str] = []
    for number, block in enumerate(_RULE.split(text.replace("\r\n", "\n")), 1):
        lines = [line.strip("\ufeff\u200e\u200f ") for line in block.strip("\n\ufeff ").split("\n")]
        if len(lines) < 2 or not lines[1].startswith("-"):
            if any(lines):
                problems.append(f"entry {number}: has no line that says where it is from")
            continue
        words = "\n".join(lines[2:]).strip()
        if _HIGHLIGHT.search(lines[1]) or _NOTE.search(lines[1]):
            if words:
                clippings.append(_clipping(lines[0], lines[1], words))
            else:
                problems.append(f"entry {number}: has no text")
        elif words:
            problems.append(f"entry {number}: is of an unknown kind: {lines[1][:60]}")
        # What is left is a bookmark: a place without words.
    return _joined(clippings), problems


def _clipping(title: str, about: str, words: str) -> _Clipping:
    named = _TITLE.match(title)
    work = Work(named["title"], named["author"] or "") if named else Work(title)
    page, location = _PAGE.search(about), _LOCATION.search(about)
    place = ", ".join(
        f"{kind} {found['place']}" for kind, found in (("page", page), ("location", location)) if found
    )
    found = location or page
    end = found["place"].rpartition("-")[2] if found else ""
    is_note = not _HIGHLIGHT.search(about)
    return _Clipping(work, is_note, place, int(end) if end.isdigit() else -1, _added(about), words)


def _added(about: str) -> date | None:
    return read_date(about.rpartition("|")[2])


def _joined(clippings: list[_Clipping]) -> list[Highlight]:
    """The passages with their notes: a note belongs to the passage of its work that ends where it stands."""
    found: list[Highlight] = []
    ends: dict[tuple[Work, int], int] = {}
    notes: list[_Clipping] = []
    for each in clippings:
        if each.is_note:
            notes.append(each)
            continue
        ends[each.work, each.end] = len(found)
        found.append(Highlight(each.work, each.text, place=each.place, added=each.added))
    for each in notes:
        at = ends.get((each.work, each.end)) if each.end >= 0 else None
        if at is None:
            found.append(Highlight(each.work, "", each.text, each.place, each.added))
        else:
            comment = f"{found[at].comment}\n{each.text}".strip()
            found[at] = replace(found[at], comment=comment)
    return found
