"""Months and days are found in whatever form they are written, and what a question names has to be there."""

import pytest
from small_memory import engine_over, write_files

from bob.answers.question import Question
from bob.core.search import Query

MEETING = "# Council meeting {}\n\nThe treasurer told the council what is in the budget.\n"
FILES = {
    "minutes/a.md": MEETING.format("2026-03-27"),
    "minutes/b.md": MEETING.format("10 April 2026"),
    "minutes/2026-05-08.md": "# Council meeting\n\nThe treasurer told the council what is in the budget.\n",
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
    ],
)
def test_what_a_question_names_and_a_text_lacks(asked, text, missing):
    assert Question(asked).missing(text) == missing
