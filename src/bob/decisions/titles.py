"""Reads the title and the number of a record from its heading, its file's name and its fields."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bob.core.decision import DatedDocument
from bob.decisions.fields import Field

_FOLDER = re.compile(
    r"(?:^|/)(?:adrs?|decisions?|(?:architecture|architectural)[-_]decisions?(?:[-_]records?)?|"
    r"decision[-_]?(?:records?|log)|"
    r"madr|rfcs?|peps?)/(?:[^/]+/)?[^/]*$",
    re.IGNORECASE,
)
_FILE = re.compile(r"(?:adr|rfc|pep)?[-_ ]?\d{1,8}[-_. ].*", re.IGNORECASE)
_SERIES = (
    r"adr|rfc|pep|kep|dec|ddr|ard|madr|"
    r"(?:architecture |architectural )?decision(?: record)?"
)
_SERIES_TITLE = re.compile(
    rf"[\W_]*(?:{_SERIES})[\s#:№-]*(?:no\.?\s*)?0*(?P<number>\d{{1,5}})(?!\w)\]?\)?(?:\([^)]*\))?[\s.:|—–-]*",
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
_GENERIC = re.compile(
    r"\W*(?:(?:architecture|architectural) decision records?(?: \(adrs?\))?|decision record|adr|status|"
    r"decision)\W*",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"\s*\[?(?:adr|rfc|decision record)\]?\s*[:—–-]\s*", re.IGNORECASE)
_NUMBER_FIELDS = ("pep", "rfc", "request for comments", "number", "adr", "id", "dec")


@dataclass(frozen=True, slots=True)
class Title:
    """A record's title without its number; `is_of_series` when it calls itself a record ("ADR-12: ...")."""

    text: str
    number: str | None
    is_of_series: bool


def read_title(
    document: DatedDocument, root: tuple[str, ...], fields: Sequence[Field], *, is_alone: bool
) -> Title:
    """The title of the record below `root`; a file's number counts when the record is all there is in it."""
    stem = PurePosixPath(document.path).name.split(".")[0]
    named = next((each.value for each in fields if each.name == "title" and each.value), "")
    heading = root[-1] if root else document.title
    if (_GENERIC.fullmatch(heading) or not heading) and not named:
        named = stem.replace("-", " ").replace("_", " ") if is_alone else ""
    heading = named if named and (_GENERIC.fullmatch(heading) or not root) else heading or named
    series = _SERIES_TITLE.match(heading)
    numbered = series or _PREFIXED_TITLE.match(heading) or _NUMBERED_TITLE.match(heading)
    text = heading[numbered.end() :] if numbered and heading[numbered.end() :].strip() else heading
    number = number_of_file(document.path) if is_alone else None
    number = number or (numbered["number"] if numbered else None) or _number_in(fields)
    is_of_series = series is not None or (numbered is not None and numbered.re is _PREFIXED_TITLE)
    return Title(_PREFIX.sub("", text, count=1).strip(" *_`") or heading, number, is_of_series)


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
    values = (each.value for each in fields if each.name in _NUMBER_FIELDS)
    numbers = (
        re.fullmatch(r"(?:adr|rfc|pep)?[\s#-]*0*(\d{1,5})", each.strip(), re.IGNORECASE) for each in values
    )
    return next((each[1] for each in numbers if each), None)
