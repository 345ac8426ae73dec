"""Lines of drafts that claim nothing by what they are, and those that could be taken for such."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.answers.claims.draft_claims import claims_of
from bob.answers.claims.lines_without_claims import lines_without_claims

MAIL = """\
Subject: Boats on Saturday
To: Ana Lima

Hi Ana,

Members can book the two-seater from 8 am. The fee is 12 euros.

Please bring the key.

Best regards,
Marc Weber
Head of Events
Rowing Club Elbe | +49 40 1234567

On Mon, 4 May 2026 at 10:02, Ana Lima wrote:
> Hi Marc,
> Guests pay 20 euros.
> Ana
"""
MINUTES = """\
Protokoll der Sitzung 3
Vereinsheim

Anwesend: Ute Kern, Ali Demir
Entschuldigt: Jo Beck

Tagesordnung
1. Kasse
2. Boote

TOP 1: Kasse
Der Bestand beträgt 412 Euro.

**Boote**
Zwei Boote wurden verkauft.

Nächste Schritte
- [ ] Lack besorgen

Datum: ____________
"""


def said(draft: str) -> list[str]:
    """What a document claims."""
    return [claim.text for claim in claims_of(draft, is_document=True)]


def test_of_a_mail_only_its_sentences_claim():
    assert said(MAIL) == [
        "Members can book the two-seater from 8 am.",
        "The fee is 12 euros.",
        "Guests pay 20 euros.",
    ]


def test_of_minutes_only_what_was_said_claims():
    assert said(MINUTES) == ["Der Bestand beträgt 412 Euro.", "Zwei Boote wurden verkauft."]


LONG = (
    "\n\nThe club was there first. It holds.\n\nMore text is here.\n\nIt goes on.\n\nIt ends.\n\nThis is all."
)


@pytest.mark.parametrize(
    "draft",
    [
        "12 euros per person\n\nChildren pay half.",
        "About 12 euros",
        "Marc Weber",
        "The hall is open\n\nIt closes at noon.",
        "- SQLite\n- PostgreSQL",
        "1. SQLite\n2. PostgreSQL\n\nBoth are tested.",
        "Fee: 12 euros\nPlace: the hall",
        "Please pay 12 euros.",
        "Please note that dogs stay outside.",
        "Vielen Dank, der Verein zahlt keine Gebühr.",
        "Thank you for asking; the club abolished the fee.",
        "Thanks to Ana the boat was sold.",
        "Dogs are not allowed in the hall!",
        "No refunds for bookings behind the deadline:",
        "Date: 3 May 2026",
        "Chair: Marc Weber",
        "Present: 14 of 20 members",
        "License: [MIT]",
        "This is an automated backup. It runs at 3 am.",
        "The fee is 12 euros. In 2020 Ana Lima wrote in the minutes:",
        "Price 4.50 euros" + LONG,
        "Nächste Sitzung am 12. Mai" + LONG,
        "**No, dogs are allowed in the hall**" + LONG,
        "No refunds" + LONG,
        "The club fired Marc Weber" + LONG,
        "About 412 members" + LONG,
    ],
)
def test_what_could_be_taken_for_such_a_line_is_checked(draft):
    first = draft.split("\n")[0].removeprefix("- ").removeprefix("1. ").strip("*")
    claim = said(draft)[0].strip("*")
    assert first.startswith(claim) or claim.startswith(first)


@pytest.mark.parametrize(
    ("draft", "claims"),
    [
        ("From: 9 am\nTo: 5 pm", ["From: 9 am To: 5 pm"]),
        ("Hi Ana,\n\nThe fee per person is this:\n\n12 euros", ["12 euros"]),
        ("Hi Ana,\nThe fee is low\nDogs are out", ["The fee is low Dogs are out"]),
        ("Next steps\n- The hall is closed\n- Paint the boat", ["The hall is closed"]),
        ("The board:\nAna Lima,\nMarc Weber", ["The board: Ana Lima, Marc Weber"]),
        ("Dogs may\ncome in\nName: ____\nand out.", ["Dogs may come in", "and out."]),
        ("boats: 3\nfee is 12 euros a year\nkey with Ana?", ["boats: 3", "fee is 12 euros a year"]),
        ("```\nHi Ana,\n```\n\n12 euros", ["Hi Ana,", "12 euros"]),
    ],
)
def test_lines_are_read_with_what_stands_around_them(draft, claims):
    assert said(draft) == claims


def test_what_a_model_writes_is_all_checked():
    assert len(claims_of(f"**Dogs may come in**\n\nMarc Weber\n\n{MAIL}")) > len(said(MAIL)) + 4


@pytest.mark.parametrize(
    "line",
    [
        "Dear team,",
        "Moin Uwe,",
        "Prezada Ana,",
        "What a day!",
        "Vielen Dank für die Mail.",
        "Qualquer dúvida, escreva.",
    ],
)
def test_a_greeting_or_courtesy_claims_nothing(line):
    assert said(f"{line}\n\nThe fee is 12 euros.") == ["The fee is 12 euros."]


@given(st.lists(st.text(alphabet="ab1 .,:-_*>[]()|#\t", max_size=20), max_size=8))
def test_any_lines_are_read(lines):
    assert lines_without_claims(lines) <= set(range(len(lines)))
