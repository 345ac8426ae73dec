from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.answers.units.chunk_units import ChunkText, cut_chunks
from bob.core.errors import UnreadableError
from bob.documents.formats.calendars import CalendarParser, ContactsParser
from bob.documents.formats.source import HeldFile
from bob.search.chunker import StructureChunker


def told(parser, text):
    document = parser.parse(HeldFile(Path("a"), text.encode()))
    chunks = StructureChunker().chunks(document.sections)
    cut = cut_chunks([ChunkText(chunk.text, chunk.context, document.source_type) for chunk in chunks])
    return [unit.said for units, _ in cut for unit in units]


EVENTS = """\
BEGIN:VCALENDAR\r
BEGIN:VEVENT\r
DTSTART:20250616T140000Z\r
DTEND:20250616T153000Z\r
SUMMARY:Review of suppliers\r
LOCATION:Room Heron\\, second floor\r
ORGANIZER;CN="Ida Roth":mailto:ida@example.org\r
DESCRIPTION:Please bring the cards.\\nWe decide whether it st\r
 ays our foundry.\r
BEGIN:VALARM\r
DESCRIPTION:It rings before the event.\r
END:VALARM\r
END:VEVENT\r
BEGIN:VEVENT\r
DTSTART;VALUE=DATE:20250701\r
DTEND;VALUE=DATE:20250704\r
SUMMARY:The office is closed\r
END:VEVENT\r
END:VCALENDAR\r
"""


def test_an_event_is_told_with_its_time_and_place():
    assert told(CalendarParser(), EVENTS) == [
        "Review of suppliers: 16 June 2025, 14:00 to 15:30 UTC, location: Room Heron, second floor",
        "organizer: Ida Roth",
        "Please bring the cards.",
        "We decide whether it stays our foundry.",
        "The office is closed: 1 July 2025 to 3 July 2025",
    ]


@pytest.mark.parametrize(
    ("description", "told"),
    [
        (
            "Doors at six.<br /><br />Bring &quot;old&quot; shoes&nbsp;too.",
            ["Doors at six.", 'Bring "old" shoes too.'],
        ),
        ("Bring <b>shoes</b>.\\nAnd a rope.", ["Bring shoes.", "And a rope."]),
        ("<ul><li>one rope</li><li>two oars</li></ul>", ["one rope", "two oars"]),
        ("Oars &amp; ropes", ["Oars & ropes"]),
        ("a < b, R&D", ["a < b, R&D"]),
    ],
)
def test_a_description_in_html_is_read_as_what_it_shows(description, told):
    event = f"BEGIN:VEVENT\nSUMMARY:Row &amp; rest\nDESCRIPTION:{description}\nEND:VEVENT\n"
    held = HeldFile(Path("a.ics"), event.encode())
    text = CalendarParser().parse(held).sections[0].text
    assert text.startswith("Row & rest")
    assert [" ".join(line.strip(" -").split()) for line in text.split("\n")[1:] if line.strip()] == told


def test_a_calendar_has_a_name_and_times_of_other_zones_are_told():
    calendar = (
        "BEGIN:VCALENDAR\nX-WR-CALNAME:Crew\\, all\nX-WR-TIMEZONE:Europe/Berlin\n"
        "BEGIN:VEVENT\nDTSTART;TZID=Europe/Berlin:20250616T140000\nDURATION:PT1H30M\nSUMMARY:Review\n"
        "LOCATION:XOR\nCATEGORIES:Talks\nEND:VEVENT\n"
        "BEGIN:VEVENT\nDTSTART;TZID=Europe/Lisbon:20250617T233000\nDURATION:PT45M\nSUMMARY:Call\nEND:VEVENT\n"
        "BEGIN:VEVENT\nDTSTART;TZID=Europe/Berlin:20250618T100000\nDTEND;TZID=Europe/Lisbon:20250618T120000\n"
        "SUMMARY:Go! A flight\nEND:VEVENT\n"
        "BEGIN:VEVENT\nDTSTART;VALUE=DATE:20250701\nDURATION:P3D\nSUMMARY:Camp\nEND:VEVENT\n"
        "END:VCALENDAR\n"
    )
    assert CalendarParser().parse(HeldFile(Path("a"), calendar.encode())).title == "Crew, all"
    assert told(CalendarParser(), calendar) == [
        "Review: 16 June 2025, 14:00 to 15:30, location: XOR",
        "categories: Talks",
        "Call: 17 June 2025, 23:30 to 18 June 2025, 00:15 (Europe/Lisbon)",
        "Go A flight: 18 June 2025, 10:00 (Europe/Berlin) to 12:00 (Europe/Lisbon)",
        "Camp: 1 July 2025 to 3 July 2025",
    ]


def test_each_line_of_a_contact_is_told_under_its_name():
    card = (
        "BEGIN:VCARD\nVERSION:2.1\nFN;ENCODING=QUOTED-PRINTABLE:Ann L=C3=\n=A9e\nTEL;CELL:+44 1\n"
        "item1.ADR;TYPE=home:;;1 Main St;Leeds;;LS1;UK\nBDAY:1980-02-03\nEND:VCARD\n"
        "BEGIN:VCARD\nN:Chan;Bo;;;\nEMAIL;TYPE=work:bo@example.org\nEND:VCARD\n"
    )
    assert told(ContactsParser(), card) == [
        "Ann Lée",
        "Ann Lée: phone (cell): +44 1",
        "Ann Lée: address (home): 1 Main St, Leeds, LS1, UK",
        "Ann Lée: birthday: 3 February 1980",
        "Bo Chan",
        "Bo Chan: e-mail (work): bo@example.org",
    ]


@given(st.text(max_size=200), st.sampled_from([CalendarParser(), ContactsParser()]))
def test_any_text_is_read_or_holds_nothing(text, parser):
    for body in (text, f"BEGIN:VCARD\nFN:{text}\nEND:VCARD", f"BEGIN:VEVENT\nDTSTART:2{text}\nEND:VEVENT"):
        try:
            assert told(parser, body) is not None
        except UnreadableError as error:
            assert error.code in ("no-text", "empty", "binary")


@pytest.mark.parametrize("line", [";" * 1_000_000, "A" + ';"' * 500_000, "FN;" + '"a"' * 300_000 + "b"])
def test_long_lines_take_their_time_once(line):
    assert told(ContactsParser(), f"BEGIN:VCARD\nFN:Ann Lee\n{line}\nEND:VCARD\n") == ["Ann Lee"]


def test_it_is_told_how_often_an_event_repeats_whether_it_takes_place_and_who_does_not_come() -> None:
    text = (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20250107T183000\nDTEND:20250107T200000\n"
        "SUMMARY:Choir practice\n"
        "RRULE:FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20261217T000000Z\n"
        "ATTENDEE;CN=Max Huber;PARTSTAT=DECLINED:mailto:max@example.org\nEND:VEVENT\n"
        "BEGIN:VEVENT\nDTSTART;VALUE=DATE:20260718\nSUMMARY:Summer regatta\nSTATUS:CANCELLED\nEND:VEVENT\n"
        "BEGIN:VEVENT\nDTSTART;VALUE=DATE:20260301\nSUMMARY:Board meeting\nRRULE:FREQ=MONTHLY;BYDAY=1MO\n"
        "END:VEVENT\nEND:VCALENDAR\n"
    )
    said = told(CalendarParser(), text)
    repeats = "every week on Tuesday and Thursday until 17 December 2026"
    assert f"Choir practice: 7 January 2025, 18:30 to 20:00, {repeats}" in said
    assert "Summer regatta (cancelled): 18 July 2026" in said and "attendee: Max Huber (declined)" in said
    # What a rule says beyond that is told as it stands.
    assert "repeats: FREQ=MONTHLY;BYDAY=1MO" in said


@given(st.text(alphabet="FREQ=WKLYDAINTV;UCO,0123456789TH-", max_size=60))
def test_no_rule_of_repeating_is_too_odd(rule: str) -> None:
    told(
        CalendarParser(),
        f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:A\nRRULE:{rule}\nEND:VEVENT\nEND:VCALENDAR\n",
    )
