"""Reads calendars (iCalendar, RFC 5545) and contacts (vCard, RFC 6350): a section an event, or a contact."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta

from bob.core.document import ParsedDocument, Section
from bob.core.errors import UnreadableError
from bob.core.locator import ElementLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.html.markup import Piece, join_pieces
from bob.documents.formats.lines import with_line_feeds
from bob.documents.formats.metadata import language_of
from bob.text.dates import StatedDate

_FOLD = re.compile(r"\n[ \t]")
_LINE = re.compile(
    r"(?:[\w-]{1,60}\.)?(?P<name>[A-Za-z-]{1,60})(?P<options>(?:;(?:[^\":\n]|\"[^\"\n]*\")*+)?):(?P<value>.*)"
)
_ESCAPED = re.compile(r"\\([nN,;\\:])")
_COMMON_NAME = re.compile(r";CN=(?:\"([^\"]*)\"|([^;:]*))", re.IGNORECASE)
_TYPE = re.compile(r";(?:TYPE=)?(home|work|cell|mobile|fax|main|pager)\b", re.IGNORECASE)
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z?))?")
_READ = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VCARD"})
_OF_EVENT = {
    "ORGANIZER": "organizer",
    "ATTENDEE": "attendee",
    "DUE": "due",
    "RRULE": "repeats",
    "STATUS": "status",
    "URL": "address",
}
_OF_CONTACT = {
    "NICKNAME": "nickname",
    "ORG": "organization",
    "TITLE": "title",
    "ROLE": "role",
    "TEL": "phone",
    "EMAIL": "e-mail",
    "ADR": "address",
    "BDAY": "birthday",
    "ANNIVERSARY": "anniversary",
    "URL": "web",
    "NOTE": "note",
}


@dataclass(frozen=True, slots=True)
class _Property:
    name: str
    options: str
    value: str


@dataclass(slots=True)
class _Component:
    name: str
    properties: list[_Property] = field(default_factory=list)

    def value(self, name: str) -> str:
        """The first value of that name as people read it, "" without one."""
        return next((_readable(item.value) for item in self.properties if item.name == name), "")


class CalendarParser:
    """Reads `.ics`: events, tasks and journals, each with its time, place and description."""

    name = "calendar"
    suffixes = frozenset({".ics", ".ical"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """A section an event.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        return _document("calendar", [_event(item) for item in _components(source.read_text())])


class ContactsParser:
    """Reads `.vcf`: contacts with their numbers, addresses and notes."""

    name = "contacts"
    suffixes = frozenset({".vcf", ".vcard"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """A section a contact.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        return _document("contacts", [_contact(item) for item in _components(source.read_text())])


def _document(source_type: str, read: list[tuple[str, list[Piece]]]) -> ParsedDocument:
    sections: list[Section] = []
    for name, pieces in read:
        if pieces:
            text, blocks = join_pieces(pieces)
            locator = ElementLocator(part=len(sections), end_char=len(text), heading=name or None)
            sections.append(Section(text, locator, (name,) if name else (), blocks))
    if not sections:
        raise UnreadableError("no-text", "nothing is in the file that could be read")
    return ParsedDocument("", source_type, tuple(sections), language=language_of(sections))


def _components(text: str) -> Iterator[_Component]:
    """The events or contacts, without what is nested in them, such as alarms."""
    within: list[_Component] = []
    lines = iter(_FOLD.sub("", with_line_feeds(text)).split("\n"))
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        name, value = match["name"].upper(), match["value"]
        if name == "BEGIN":
            within.append(_Component(value.strip().upper()))
        elif name == "END" and within:
            component = within.pop()
            if component.name in _READ:
                yield component
        elif within:
            if "QUOTED-PRINTABLE" in match["options"].upper():
                value = _unquoted(value, lines)
            within[-1].properties.append(_Property(name, match["options"], value))


def _unquoted(value: str, lines: Iterator[str]) -> str:
    """A value of an old vCard, which goes on in the next line behind "="."""
    parts = [value]
    while parts[-1].endswith("="):
        parts[-1] = parts[-1][:-1]
        parts.append(next(lines, ""))
    return quopri.decodestring("".join(parts).encode()).decode("utf-8", "replace")


def _event(event: _Component) -> tuple[str, list[Piece]]:
    title = event.value("SUMMARY")
    about = ", ".join(filter(None, (_when(event), " ".join(event.value("LOCATION").split()))))
    fields = [
        f"{_OF_EVENT[item.name]}: {_of_property(item)}" for item in event.properties if item.name in _OF_EVENT
    ]
    first = ": ".join(filter(None, (title, about)))
    texts = (first, "\n".join(fields), event.value("DESCRIPTION").strip())
    return title, [Piece(text) for text in texts if text.strip()]


def _contact(contact: _Component) -> tuple[str, list[Piece]]:
    family = [part.strip() for part in contact.value("N").split(";")]
    name = contact.value("FN") or " ".join(filter(None, reversed(family[:2]))) or contact.value("ORG")
    lines = [
        f"{_OF_CONTACT[item.name]}{_kind(item)}: {value}"
        for item in contact.properties
        if item.name in _OF_CONTACT and (value := _of_property(item))
    ]
    return name, [Piece("\n".join((name or "?", *lines)))] if name or lines else []


def _kind(item: _Property) -> str:
    """For which number or address of several it is: " (work)"."""
    kinds = dict.fromkeys(kind.lower() for kind in _TYPE.findall(item.options))
    return f" ({', '.join(kinds)})" if kinds else ""


def _of_property(item: _Property) -> str:
    person = _COMMON_NAME.search(item.options)
    if person and item.name in ("ORGANIZER", "ATTENDEE"):
        return str(person[1] or person[2])
    value = _readable(item.value)
    if item.name in ("DUE", "BDAY", "ANNIVERSARY"):
        return _shown_time(value) or value
    if item.name in ("ADR", "ORG", "N"):
        value = ", ".join(filter(None, (part.strip() for part in value.split(";"))))
    return " ".join(value.removeprefix("mailto:").removeprefix("tel:").split())


def _when(event: _Component) -> str:
    """When an event is: "16 June 2025, 14:00 to 15:30 UTC"."""
    start, end = event.value("DTSTART"), event.value("DTEND")
    first, last = _shown_time(start), _shown_time(end)
    if last and "T" not in end:
        last = _shown_time(end, days=-1)  # the day after the last
    if not last or last == first:
        return first
    day, _, _ = first.partition(",")
    return f"{first.removesuffix(' UTC')} to {last.removeprefix(f'{day}, ')}" if first else ""


def _shown_time(value: str, days: int = 0) -> str:
    match = _DAY.match(value)
    if match is None:
        return ""
    try:
        day = date(int(match[1]), int(match[2]), int(match[3])) + timedelta(days=days)
    except (ValueError, OverflowError):
        return ""
    shown = StatedDate(0, 0, day.year, day.month, day.day).shown
    return f"{shown}, {match[4]}:{match[5]}{' UTC' if match[6] else ''}" if match[4] else shown


def _readable(value: str) -> str:
    return _ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)
