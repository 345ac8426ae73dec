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
    """What a draft claims."""
    return [claim.text for claim in claims_of(draft)]


def test_of_a_mail_only_its_sentences_claim():
    assert said(MAIL) == [
        "Members can book the two-seater from 8 am.",
        "The fee is 12 euros.",
        "Guests pay 20 euros.",
    ]


def test_of_minutes_only_what_was_said_claims():
    assert said(MINUTES) == ["Der Bestand beträgt 412 Euro.", "Zwei Boote wurden verkauft."]


@pytest.mark.parametrize(
    "draft",
    [
        "12 euros per person\n\nChildren pay half.",
        "About 12 euros",
        "Marc Weber",
        "The hall is open\n\nIt closes at noon.",
        "- SQLite\n- PostgreSQL",
        "1. SQLite\n2. PostgreSQL\n\nBoth are tested.",
        "Opening hours,\nMonday 9 to 17\nTuesday 9 to 12",
        "Fee: 12 euros\nPlace: the hall",
        "Please pay 12 euros.",
        "Thanks to Ana the boat was sold.",
        "Date: 3 May 2026",
    ],
)
def test_what_could_be_taken_for_such_a_line_is_checked(draft):
    first = draft.split("\n")[0].removeprefix("- ").removeprefix("1. ")
    assert said(draft)[0].startswith(first)


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
