"""The names of decision records: their titles, their numbers, and the folders in which they are kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bob.core.decision import DatedDocument
from bob.decisions.fields import Field
from bob.decisions.passages import Section

_FOLDER = re.compile(
    r"(?:^|/)(?:adrs?|decisions?|(?:architecture|architectural)[-_]decisions?(?:[-_]records?)?|"
    r"decision[-_]?(?:records?|log)|"
    r"madr|rfcs?|rfds?|peps?|keps?|proposals|enhancements)/(?:[^/]+/)?[^/]*$",
    re.IGNORECASE,
)
_FILE = re.compile(r"(?:adr|rfc|pep)?[-_ ]?\d{1,8}[-_. ].*", re.IGNORECASE)
_SERIES = (
    r"adr|rfc|pep|kep|dec|ddr|ard|madr|"
    r"(?:architecture |architectural )?decision(?: record)?"
)
_OWN_SERIES = frozenset({"ADR", "RFC", "PEP", "KEP"})
_SERIES_TITLE = re.compile(
    rf"[\W_]*(?P<series>{_SERIES})[\s#:№-]*(?:no\.?\s*)?0*(?P<number>\d{{1,5}})(?!\w)\]?\)?(?:\([^)]*\))?[\s.:|—–-]*",
    re.IGNORECASE,
)
_PREFIXED_TITLE = re.compile(
    r"[\W_]*(?:[A-Z]{1,6}-|D)0*(?P<number>\d{1,5})\]?(?:\([^)]*\))?\s*(?:[.:|—–-]\s*|\s)"
)
_NUMBERED_TITLE = re.compile(r"[\W_]*0*(?P<number>\d{1,5})\]?(?:\([^)]*\))?(?:\s*[.:|)—–-]+\s*|\s+)(?=\S)")
_FILE_NUMBER = re.compile(
    r"(?:adr|rfc|pep|dec|decision)?[-_ ]?0*(?P<number>\d{1,5})(?:[-_. ]|$)", re.IGNORECASE
)
_DATED_FILE = re.compile(r"(?:19|20)\d\d(?:[-_.]?\d\d[-_.]?\d\d)?(?:[-_. ]|$)")
_DAY_AHEAD = re.compile(r"^\W*(?:19|20)\d\d[-./]\d\d[-./]\d\d\W+(?=\w)")
_UNDERLINE = re.compile(r"={3,}|-{3,}")
_GENERIC = re.compile(
    r"\W*(?:(?:architecture|architectural) decision records?(?: \(adrs?\))?|decision record|adr|status|"
    r"decision)\W*",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"\s*(?:\[(?:adr|rfc)\]\s*[:—–-]?|"
    r"\[?(?:adr|rfc|(?:architectur(?:e|al) )?decision record)\]?\s*[:—–-])\s*",
    re.IGNORECASE,
)
_NUMBER_FIELDS = ("pep", "rfc", "request for comments", "number", "adr", "id", "dec")


@dataclass(frozen=True, slots=True)
class Title:
    """A record's title without its number; `is_of_series` when it calls itself a record ("ADR-12: ..."), then
    with the `series` that is a word of one kind of records."""

    text: str
    number: str | None
    is_of_series: bool
    series: str = ""


def read_title(
    document: DatedDocument, root: tuple[str, ...], first: Section, fields: Sequence[Field], *, is_alone: bool
) -> Title:
    """The title of the record below `root`; a file's number counts when the record is all there is in it."""
    stem = PurePosixPath(document.path).name.split(".")[0]
    named = next((field.value for field in fields if field.name == "title" and field.value), "")
    heading = root[-1] if root else _first_line(document, first) or document.title
    if (_GENERIC.fullmatch(heading) or not heading) and not named:
        named = stem.replace("-", " ").replace("_", " ") if is_alone else ""
    heading = named if named and (_GENERIC.fullmatch(heading) or not root) else heading or named
    heading = _DAY_AHEAD.sub("", heading) or heading
    series = _SERIES_TITLE.match(heading)
    numbered = series or _PREFIXED_TITLE.match(heading) or _NUMBERED_TITLE.match(heading)
    text = heading[numbered.end() :] if numbered and heading[numbered.end() :].strip() else heading
    number = number_of_file(document.path) if is_alone else None
    number = number or (numbered["number"] if numbered else None) or _number_in(fields)
    is_of_series = series is not None or (numbered is not None and numbered.re is _PREFIXED_TITLE)
    prefix = _PREFIX.match(text)
    text = text[prefix.end() :] if prefix else text
    word = series["series"].upper() if series else ""
    return Title(text.strip(" *_`") or heading, number, is_of_series, word if word in _OWN_SERIES else "")


def _first_line(document: DatedDocument, first: Section) -> str:
    """The first line of a text without headings, where it is called a record or has a rule below it."""
    stem = PurePosixPath(document.path).name.split(".")[0]
    if document.title != stem and not _GENERIC.fullmatch(document.title):
        return ""
    lines = [line.text.strip() for line in first.lines if line.role != "front_matter" and line.text.strip()]
    is_underlined = lines[1:] and _UNDERLINE.fullmatch(lines[1])
    return lines[0] if lines and (is_underlined or _SERIES_TITLE.match(lines[0])) else ""


def is_place_of_records(path: str) -> bool:
    """Whether a file lies where records are kept, and is named as one: `docs/adr/0012-queues.md`."""
    name = PurePosixPath(path).name
    return _FOLDER.search(path) is not None and _FILE.fullmatch(name) is not None


def number_of_file(path: str) -> str | None:
    """The number that a file's name begins with, unless it is a date ("20210304-queues.md")."""
    name = PurePosixPath(path).name
    match = _FILE_NUMBER.match(name)
    return None if match is None or _DATED_FILE.match(name) else match["number"]


def _number_in(fields: Sequence[Field]) -> str | None:
    values = (field.value for field in fields if field.name in _NUMBER_FIELDS)
    numbers = (
        re.fullmatch(r"(?:adr|rfc|pep)?[\s#-]*0*(\d{1,5})", value.strip(), re.IGNORECASE) for value in values
    )
    return next((number[1] for number in numbers if number), None)


def is_dated_name(path: str) -> bool:
    """Whether a file's name begins with a year or a day rather than with a number of its own."""
    return _DATED_FILE.match(PurePosixPath(path).name) is not None
