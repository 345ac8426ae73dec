"""Reads calendars (iCalendar, RFC 5545) and contacts (vCard, RFC 6350): a section an event, or a contact."""

from __future__ import annotations

import quopri
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from html import unescape

from bob.core.document import ParsedDocument, Section
from bob.core.errors import UnreadableError
from bob.core.locator import ElementLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.html.markup import Piece, html_pieces, join_pieces
from bob.documents.formats.lines import with_line_feeds
from bob.documents.formats.metadata import language_of
from bob.text import lexicon
from bob.text.dates import StatedDate

_FOLD = re.compile(r"\n[ \t]")
_LINE = re.compile(
    r"(?:[\w-]{1,60}\.)?(?P<name>[A-Za-z-]{1,60})(?P<options>(?:;(?:[^\":\n]|\"[^\"\n]*\")*+)?):(?P<value>.*)"
)
_ESCAPED = re.compile(r"\\([nN,;\\:])")
_COMMON_NAME = re.compile(r";CN=(?:\"([^\"]*)\"|([^;:]*))", re.IGNORECASE)
_TYPE = re.compile(r";(?:TYPE=)?(home|work|cell|mobile|fax|main|pager)\b", re.IGNORECASE)
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z?))?")
_DURATION = re.compile(
    r"\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?"
)
_ZONE = re.compile(r";TZID=(?:\"([^\"]*)\"|([^;:]*))", re.IGNORECASE)
_STOP_WITHIN = re.compile(r"[.!?]+(?=\s)")
"""A stop in the title of an event, behind which its time and place would be another sentence's."""

_HTML = re.compile(
    r"</?(?:a|b|br|div|em|i|li|ol|p|span|strong|u|ul)\b[^<>]*>|&(?:amp|gt|lt|nbsp|quot|#x?[\da-f]{1,6});",
    re.IGNORECASE,
)
_BLOCK_OF_HTML = re.compile(r"<(?:br|div|li|p)\b", re.IGNORECASE)
_READ = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VCARD"})
_CALENDAR = "VCALENDAR"
_OF_EVENT = {
    "ORGANIZER": "organizer",
    "ATTENDEE": "attendee",
    "DUE": "due",
    "RRULE": "repeats",
    "STATUS": "status",
    "URL": "address",
    "CATEGORIES": "categories",
    "CONTACT": "contact",
}
_ENDED = ("cancelled", "completed")
"""States that are told with the title: such an event does not take place, and such a task is done."""
_PERIODS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_WEEKDAYS = {day[:2].upper(): day.capitalize() for day in lexicon.words("weekdays", "en")}
_ANSWERED = re.compile(r"PARTSTAT=(DECLINED|TENTATIVE)", re.IGNORECASE)
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

    def first_property(self, name: str) -> _Property:
        """The first property of that name; an empty one without any."""
        return next((item for item in self.properties if item.name == name), _Property(name, "", ""))

    def value(self, name: str) -> str:
        """The first value of that name as people read it, "" without one."""
        return _readable(self.first_property(name).value)


class CalendarParser:
    """Reads `.ics`: events, tasks and journals, each with its time, place and description."""

    name = "calendar"
    suffixes = frozenset({".ics", ".ical"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """A section an event.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        components = list(_components(source.read_text()))
        calendar = next((item for item in components if item.name == _CALENDAR), _Component(_CALENDAR))
        events = [item for item in components if item.name != _CALENDAR]
        zone = calendar.value("X-WR-TIMEZONE") or _most_common_zone(events)
        title = " ".join((calendar.value("X-WR-CALNAME") or calendar.value("NAME")).split())
        return _document("calendar", [_event(item, zone) for item in events], title)


class ContactsParser:
    """Reads `.vcf`: contacts with their numbers, addresses and notes."""

    name = "contacts"
    suffixes = frozenset({".vcf", ".vcard"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """A section a contact.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        contacts = (item for item in _components(source.read_text()) if item.name != _CALENDAR)
        return _document("contacts", [_contact(item) for item in contacts])


def _document(source_type: str, read: list[tuple[str, list[Piece]]], title: str = "") -> ParsedDocument:
    sections: list[Section] = []
    for name, pieces in read:
        if pieces:
            text, blocks = join_pieces(pieces)
            locator = ElementLocator(part=len(sections), end_char=len(text), heading=name or None)
            sections.append(Section(text, locator, (name,) if name else (), blocks))
    if not sections:
        raise UnreadableError("no-text", "nothing is in the file that could be read")
    return ParsedDocument(title, source_type, tuple(sections), language=language_of(sections))


def _components(text: str) -> Iterator[_Component]:
    """The events or contacts, without what is nested in them, such as alarms; and the calendar, behind its
    events."""
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
            if component.name in _READ or component.name == _CALENDAR:
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


def _most_common_zone(events: list[_Component]) -> str:
    zones = Counter(zone for event in events if (zone := _zone(event.first_property("DTSTART"))))
    return zones.most_common(1)[0][0] if zones else ""


def _event(event: _Component, zone: str) -> tuple[str, list[Piece]]:
    title = unescape(event.value("SUMMARY"))
    place = " ".join(event.value("LOCATION").split())
    repeats = _repeats(event.value("RRULE"))
    about = ", ".join(filter(None, (_when(event, zone), repeats, f"location: {place}" if place else "")))
    fields = [
        f"{_OF_EVENT[item.name]}: {_of_property(item)}"
        for item in event.properties
        if item.name in _OF_EVENT and not (item.name == "RRULE" and repeats)
    ]
    state = event.value("STATUS").lower()
    named = f"{_STOP_WITHIN.sub('', title)} ({state})" if state in _ENDED else _STOP_WITHIN.sub("", title)
    first = ": ".join(filter(None, (named, about)))
    told = [Piece(text) for text in (first, "\n".join(fields)) if text.strip()]
    return title, [*told, *_described(event.value("DESCRIPTION").strip())]


def _repeats(rule: str) -> str:
    """How often an event repeats (RFC 5545, 3.3.10): "every 2 weeks on Tuesday and Thursday until 17 December
    2026"; "" for a rule that says more than this."""
    parts = dict(part.partition("=")[::2] for part in rule.upper().split(";") if part)
    parts.pop("WKST", None)
    period, each = _PERIODS.get(parts.pop("FREQ", "")), parts.pop("INTERVAL", "1")
    days = [_WEEKDAYS.get(day) for day in parts.pop("BYDAY", "").split(",") if day]
    until, count = parts.pop("UNTIL", ""), parts.pop("COUNT", "")
    if period is None or parts or not all(days) or not each.isdigit():
        return ""
    *others, last = days or [""]
    on = f" on {' and '.join(filter(None, (', '.join(map(str, others)), last)))}" if last else ""
    every = f"every {period}" if each == "1" else f"every {each} {period}s"
    end = f" until {_shown_time(until).partition(',')[0]}" if until else f", {count} times" if count else ""
    return f"{every}{on}{end}"


def _described(description: str) -> list[Piece]:
    """A description, which many programs write as HTML."""
    if not _HTML.search(description):
        return [Piece(description)] if description else []
    if not _BLOCK_OF_HTML.search(description):
        description = description.replace("\n", "<br>")
    return [
        Piece(piece.text, "paragraph" if piece.level else piece.kind) for piece in html_pieces(description)
    ]


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
        answered = _ANSWERED.search(item.options)
        return f"{person[1] or person[2]}{f' ({answered[1].lower()})' if answered else ''}"
    value = _readable(item.value)
    if item.name in ("DUE", "BDAY", "ANNIVERSARY"):
        return f"{_shown_time(value)}{_shown_zone(item, '')}" or value
    if item.name in ("ADR", "ORG", "N"):
        value = ", ".join(filter(None, (part.strip() for part in value.split(";"))))
    return " ".join(value.removeprefix("mailto:").removeprefix("tel:").split())


def _when(event: _Component, zone: str) -> str:
    """When an event is: "16 June 2025, 14:00 to 15:30 UTC". A time zone is told that is not the calendar's
    `zone`."""
    start, end = event.first_property("DTSTART"), event.first_property("DTEND")
    if not end.value:
        end = _end_by_duration(start, event.value("DURATION"))
    # The end of whole days is the day after the last.
    last = _shown_time(end.value, days=0 if "T" in end.value else -1)
    first = _shown_time(start.value)
    first_zone, last_zone = _shown_zone(start, zone), _shown_zone(end, zone)
    if not last or (last, last_zone) == (first, first_zone):
        return f"{first}{first_zone}"
    day, _, _ = first.partition(",")
    begin = first if first_zone == last_zone else f"{first}{first_zone or _shown_zone(start, '')}"
    return f"{begin} to {last.removeprefix(f'{day}, ')}{last_zone}" if first else ""


def _end_by_duration(start: _Property, duration: str) -> _Property:
    """The end of what begins then and takes so long, written as the start is; empty without a duration."""
    parts, begin = _DURATION.fullmatch(duration.strip()), _DAY.match(start.value)
    if parts is None or begin is None or not any(parts.groups()):
        return _Property("DTEND", "", "")
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in parts.groups())
    try:
        year, month, day, hour, minute = (int(part or 0) for part in begin.groups()[:5])
        moment = datetime(year, month, day, hour, minute) + timedelta(
            weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds
        )
    except (ValueError, OverflowError):
        return _Property("DTEND", "", "")
    time = f"T{moment:%H%M}00{begin[6]}" if begin[4] else ""
    return _Property("DTEND", start.options, f"{moment.year:04}{moment:%m%d}{time}")


def _zone(item: _Property) -> str:
    zone = _ZONE.search(item.options)
    return (zone[1] or zone[2] or "").strip() if zone else ""


def _shown_zone(item: _Property, own: str) -> str:
    """What is told of a time's zone: " UTC", or " (Europe/Lisbon)"; "" for a day, and in the `own` zone."""
    time = _DAY.match(item.value)
    if time is None or not time[4]:
        return ""
    zone = _zone(item)
    return " UTC" if time[6] else f" ({zone})" if zone not in ("", own) else ""


def _shown_time(value: str, days: int = 0) -> str:
    match = _DAY.match(value)
    if match is None:
        return ""
    try:
        day = date(int(match[1]), int(match[2]), int(match[3])) + timedelta(days=days)
    except (ValueError, OverflowError):
        return ""
    shown = StatedDate(0, 0, day.year, day.month, day.day).shown
    return f"{shown}, {match[4]}:{match[5]}" if match[4] else shown


def _readable(value: str) -> str:
    return _ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)
