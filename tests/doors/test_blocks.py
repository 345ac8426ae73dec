"""What is quoted besides sentences: whole lists, fields of front matter, headings that state a figure."""

import pytest
from small_memory import write_files

from bob import Bob
from bob.answers.question import Question
from bob.app.settings import Settings

TOOLS = (
    *("hammer", "saw", "plane", "chisel", "file", "drill", "rasp", "vice", "awl", "square", "level", "clamp"),
    *("brace", "mallet"),
)
OFFICES = (
    "treasurer",
    "keeper of the boats",
    "master of the harbour",
    "second signatory",
    "editor",
    "warden",
)
DUTIES = (
    ", who answers to the assembly for what is done in that office, gives an account of it in writing every "
    "spring, and hands everything over to the next one in good order, with a list that both of them sign and "
    "that the assembly may see at any time, and who is not paid for it but gets back what it costs"
)
ASKED = "which venue did we settle on for the autumn meeting, and what does it cost per day?"
MAILBOX = f"""\
From ana@example.org Mon Mar  2 09:00:00 2026
From: Ana Costa <ana@example.org>
To: Ben Ito <ben@example.org>
Subject: Venue for the autumn meeting
Date: Mon, 02 Mar 2026 09:00:00 +0000

Hi Ben,

{ASKED}

Ana

From ben@example.org Mon Mar  2 10:00:00 2026
From: Ben Ito <ben@example.org>
To: Ana Costa <ana@example.org>
Subject: Re: Venue for the autumn meeting
Date: Mon, 02 Mar 2026 10:00:00 +0000

On Mon, 2 Mar 2026 at 09:00, Ana Costa wrote:
> {ASKED}

The Harbour Hall. They ask 420 euros a day, cleaning included.
We have to confirm by the end of March.

Ben
"""
OWED = "| Boat | Owed |\n|---|---|\n|"
NOTES = {
    "steak.md": "# Hellfire Steak\n\n## Ingredients\n\n- Steak\n- Kosher salt\n- Mustard powder\n"
    "- Tabasco\n\n"
    "## Directions\n\nCoat the steak with mustard powder.\n",
    "kombucha.md": "---\ntitle: Kombucha\nlayout: recipe\ndate: 2022-12-30\nauthor: Elias Pahl\n---\n\n"
    "A guide to brewing the tea.\n",
    "changes.md": "# Firmware of the pump\n\n## Firmware 0.17.0 (2024-07-26)\n\nThe pump starts sooner.\n\n"
    "## Firmware 0.18.1 (2025-09-21)\n\nThe float is read twice.\n",
    "workshop.md": "# Workshop\n\nThese tools hang on the wall of the workshop:\n\n"
    + "".join(f"- {tool}\n" for tool in TOOLS),
    "statute.md": "# Statute of the club\n\nThe following offices are open to members of ten years alone:\n\n"
    + "".join(f"{n}. the office of the {office}{DUTIES};\n\n" for n, office in enumerate(OFFICES, 1))
    + "Members pay by the month.\n",
    "meetings/2026-03-06.md": "# Meeting\n\nThe total assets of the club are 616 euros.\n",
    "meetings/2026-05-08.md": "# Meeting\n\nThe total assets of the club are 505 euros.\n",
    "venue.mbox": MAILBOX,
    "boiler.md": "---\ntitle: Boiler\ninstalled: 2019-10-03\nlast service: 2025-11-12\n---\n\n"
    "# Rules of the boiler\n\nKey: in the red box\nService in the first year: every month\n"
    "Fuel of the boiler: gas\n",
    "orders.csv": "order,status,shipped,total\n1001,shipped,2026-03-04,40\n1002,open,,25\n"
    "1004,shipped,2026-03-09,60\n",
    "power.csv": "Item,January,February,March\nRent of the shed,900,910,950\nPower,88.40,91.20,77.10\n",
    "gate.md": "# The gate\n\nOn 2025-02-11 the gate was painted.\n",
    "plan.md": "# Plan of the pier\n\n| Phase | Owner | Due |\n|---|---|---|\n| Design | Ivo | March 2026 |\n"
    "| Rollout | Nadia | |\n",
    "yard/2026-04-17.md": f"# Yard\n\nAs of the end of March:\n\n{OWED} Heron | 980 euros |\n",
    "yard/2026-06-19.md": f"# Yard\n\nAs of the end of May:\n\n{OWED} Heron | 640 euros |\n",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("blocks")
    with Bob(settings=Settings(database=str(folder / "bob.db"))) as bob:
        bob.index(write_files(folder / "notes", NOTES))
        yield bob


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "Which ingredients does Hellfire Steak have?",
            ["Steak", "Kosher salt", "Mustard powder", "Tabasco"],
        ),
        ("On what date was the recipe for kombucha published?", ["date: 2022-12-30"]),
        ("When was firmware 0.17.0 of the pump released?", ["Firmware 0.17.0 (2024-07-26)"]),
        ("What were the total assets of the club in March 2026?", ["616 euros"]),
        ("How much was owed for the Heron at the end of May 2026?", ["640 euros"]),
        ("How much was power in February?", ["February: 91.20"]),
    ],
)
def test_what_is_no_sentence_is_quoted_too(memory, question, said):
    answer = memory.ask(question)
    assert answer.found and all(each in answer.text for each in said), answer.text
    assert "layout" not in answer.text and "505" not in answer.text and "980" not in answer.text
    for source in answer.sources:
        assert source.chunk.text[slice(*source.quote_range)] == source.quote


def test_whom_a_mail_is_to_is_not_told_beside_what_it_says(memory):
    answer = memory.ask("Which venue did we settle on for the autumn meeting?")
    assert "The Harbour Hall." in answer.text and "To: " not in answer.text, answer.text


def test_fields_are_told_one_by_one(memory):
    answer = memory.ask("What is the fuel of the boiler?")
    assert answer.text == "Fuel of the boiler: gas [1]"


def test_a_row_that_is_named_by_its_number_is_not_passed_over_for_another(memory):
    answer = memory.ask("When was order 1002 shipped?")
    assert "2026-03" not in answer.text, answer.text
    answer = memory.ask("When is the rollout due?")
    assert "March 2026" not in answer.text, answer.text
    answer = memory.ask("When was order 1001 shipped?")
    assert "order: 1001; status: shipped; shipped: 2026-03-04" in answer.text and "1004" not in answer.text


def test_a_long_list_says_how_much_is_left_out(memory):
    answer = memory.ask("Which tools hang on the wall of the workshop?")
    assert all(tool in answer.text for tool in TOOLS[:12]) and TOOLS[-1] not in answer.text
    assert answer.text.count("… and 2 more") == 1
    assert len(answer.sources) == 1, "a list is one place"
    assert [claim.to_json().get("more") for claim in answer.claims[-2:]] == [None, 2]


def test_a_list_goes_on_where_its_passage_ends(memory):
    answer = memory.ask("Which offices are open to members of ten years alone?")
    assert all(f"the office of the {office}" in answer.text for office in OFFICES), answer.text
    assert len({source.chunk.chunk_id for source in answer.sources}) > 1, "the list is cut into two passages"
    assert "by the month" not in answer.text
    for source in answer.sources:
        assert source.chunk.text[slice(*source.quote_range)] == source.quote


@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("When was PEP 20 created?", "Created: 20-Sep-2012", ("PEP 20", "PEP")),
        ("When was PEP 20 created?", "pep-0020.rst Created: 19-Aug-2004", ()),
        ("What was spent in March 2026?", "2026-03-06.md Travel: 115 euros", ()),
        ("What was spent in March 2026?", "2026-05-08.md Travel: 115 euros", ("March 2026",)),
        ("What was spent on 6 March 2026?", "the meeting of 6.3.2026", ()),
        ("Welche Fassung galt im Juni 2026?", "Stand: 2026-06-01, Fassung 3", ()),
        ("What was read at 9 am?", "Read: 2021-06-01 09:00", ()),
        ("What was read at 9 am?", "Read: 2021-06-01 10:00", ("09:00",)),
        ("Does 3.9 have it?", "Python 3.12 has it", ("3.9",)),
        ("Who may sue under the AGG?", "The flagged staggered.", ("AGG",)),
        ("Who may sue under the AGG?", "AGG § 1", ()),
        ("Which of them speak HTTP?", "Both are HTTPs.", ()),
    ],
)
def test_dates_and_numbered_names_are_read_as_what_they_are(question, text, missing):
    assert Question(question).missing_in(text) == missing
