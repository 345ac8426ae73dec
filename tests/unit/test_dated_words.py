"""Months and days are found in whatever form they are written, and what a question names has to be there."""

from datetime import date

import pytest
from recorded_prompts import chunk
from small_memory import engine_over, write_files

from bob.answers.question import Question
from bob.answers.units.unit import units_of
from bob.core.search import Query

MEETING = "# Council meeting {}\n\nThe treasurer told the council what is in the budget.\n"
FUND = "# Fund\n\nThe fund, through {}:\n\n| Fund | Amount |\n| --- | --- |\n| Repair | {} |\n"
FILES = {
    "minutes/a.md": MEETING.format("2026-03-27"),
    "minutes/b.md": MEETING.format("10 April 2026"),
    "minutes/2026-05-08.md": "# Council meeting\n\nThe treasurer told the council what is in the budget.\n",
    "fund/2026-05-09.md": FUND.format("March 2026", 70),
    "fund/2026-06-19.md": FUND.format("the end of May", 90),
    "updates/2021-11-update.md": "# November 8\n\nThe group spoke of snow.\n\n"
    "# November 22\n\nThe removal of the ferry needs to wait another 6 months.\n",
    "updates/2022-11-update.md": "# November 7\n\nThe removal of the ferry took 2 days.\n",
    "CHANGES.md": "# Changes\n\n"
    "## 1.2 (2025-09-21)\n\nThe lock is a file.\n\n## 1.1 (2025-04-02)\n\nThe lock is a port.\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    place = tmp_path_factory.mktemp("dated")
    made = engine_over(place / "bob.db")
    made.index_files.index_folder(write_files(place / "files", FILES))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("What was in the budget in March 2026?", "a.md"),
        ("budget on 27 March 2026", "a.md"),
        ("budget of 2026-04-10", "b.md"),
        ("the budget in April 2026", "b.md"),
        ("What did the council hear in May 2026?", "2026-05-08.md"),
    ],
)
def test_a_month_or_day_finds_its_file(engine, asked, path):
    assert engine.search.search_chunks(Query(asked), 1).hits[0].chunk.path.endswith(path)


def test_a_month_finds_its_section(engine):
    (hit,) = engine.search.search_chunks(Query("What changed in September 2025?"), 1).hits
    assert hit.chunk.heading_path[-1] == "1.2 (2025-09-21)"


@pytest.mark.parametrize(
    ("asked", "text", "missing"),
    [
        ("I am 16. Must I vote?", "Who is 16 may vote.", ()),
        ("He left. Did Anna stay?", "Anna stayed.", ()),
        ("He left. Did Anna stay?", "Nobody stayed.", ("Anna",)),
        ("What replaced the 18-month cycle?", "The cycle of 18 months is over.", ()),
        ("What replaced the 18-month cycle?", "The cycle of 17 months is over.", ("18-month",)),
        ("Tell me. What is PEP 20?", "PEP-0020 is the Zen.", ()),
        ("What is PEP 20?", "There are 20 of each PEP.", ("PEP 20",)),
        ("Ab wann beträgt die Miete 850 Euro?", "Die Miete beträgt monatlich 850 Euro.", ()),
        ("Ab wann beträgt die Miete 850 Euro?", "Die Miete beträgt 820 Euro.", ("850",)),
        ("Who signs for £300?", "£100 to £500: a director", ()),
        ("Who signs for £300?", "Between 250 and 350: a director", ()),
        ("Who signs for £300?", "Over £250: a director", ()),
        ("Who signs for £300?", "Over £500: a director", ("300",)),
        ("Who signs for £300?", "250 or 350: a director", ("300",)),
        ("Who signs for £15?", "Minutes of 2026-11-26: a director", ("15",)),
        ("Who signed in 2021?", "The house was built over 1900 days from 2019 to 2023.", ("2021",)),
        ("Which rule holds since March 2026?", "The rule of 3 July 2026 holds.", ()),
        ("Which rule holds since March 2026?", "The rule of 3 July 2025 holds.", ("March 2026",)),
        ("Which rule held before 2022?", "The rule of July 2021 held.", ()),
        ("Which rule held before 2022?", "The rule of July 2023 held.", ("2022",)),
        ("Qual regra valia antes de maio de 2022?", "A regra de 3 de abril de 2022 valia.", ()),
    ],
)
def test_what_a_question_names_and_a_text_lacks(asked, text, missing):
    assert Question(asked).missing_in(text) == missing


def test_what_other_rows_of_a_table_have_is_missing_of_a_row():
    text = "Crew of 2026, as Ana has it:\n\n| Name | Role |\n| --- | --- |\n| Ben | cook |\n| Tom | mate |\n"
    rows = [unit for unit in units_of(text) if unit.kind == "row"]
    assert Question("What is the role of Tom?").missing(chunk(1, text), rows) == [("Tom",), ()]
    assert Question("Who has the role of mate for Ana in 2026?").missing(chunk(1, text), rows) == [(), ()]


def test_what_is_of_another_time_is_not_read(engine):
    answer = engine.ask.answer_question("What was in the budget in April 2026?", today=date(2026, 6, 1))
    assert {hit["path"].rpartition("/")[2] for hit in answer.audit["retrieved"]} == {"b.md"}


def test_what_is_asked_for_before_or_after_a_date_is_of_another_time(engine):
    for question in ("What was in the budget after April 2026?", "Was war im Budget bis Ende April 2026?"):
        answer = engine.ask.answer_question(question, today=date(2026, 6, 1))
        assert len({hit["path"] for hit in answer.audit["retrieved"]}) > 1


def test_what_is_asked_for_since_a_date_is_of_its_time_or_later(engine):
    answer = engine.ask.answer_question("What was in the budget since April 2026?", today=date(2026, 6, 1))
    found = {hit["path"].rpartition("/")[2] for hit in answer.audit["retrieved"]}
    assert {"b.md", "2026-06-19.md"} <= found and not {"a.md", "CHANGES.md"} & found


def test_an_amount_is_that_of_the_time_beside_it(engine):
    for question, paths in (
        ("How much was in the fund in May 2026?", ["2026-06-19.md"]),
        ("What was said of the fund in May 2026?", ["2026-05-09.md", "2026-06-19.md"]),
    ):
        answer = engine.ask.answer_question(question, today=date(2026, 6, 30))
        found = {hit["path"].rpartition("/")[2] for hit in answer.audit["retrieved"]}
        assert sorted(path for path in found if "fund" not in path and path in paths) == paths
        assert ("2026-05-09.md" in found) == ("2026-05-09.md" in paths)


def test_a_day_in_a_file_of_a_month_has_its_year(engine):
    """ "2021-11-update.md" has no day, and "November 22" in it no year."""
    asked = "How long must the removal of the ferry wait, as of November 2021?"
    answer = engine.ask.answer_question(asked, today=date(2026, 6, 30))
    assert {hit["path"].rpartition("/")[2] for hit in answer.audit["retrieved"]} == {"2021-11-update.md"}
    assert "another 6 months" in answer.text


def test_that_month_is_a_date():
    assert Question("Was it accepted that September?").dates_said == ("September",)
