"""The questions about tables: each line is whole, and an answer counts by the row that it tells."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import tables

QUESTION = {"id": "t", "file": "boats.csv", "line": 3, "kind": "lookup", "unanswerable": False}


def test_the_questions_are_whole():
    questions = tables.questions()
    assert len({question["id"] for question in questions}) == len(questions) == 110
    for question in questions:
        assert question["part"] in ("dev", "set aside") and question["question"] and question["kind"]
        assert ("line" in question and "expected" in question) != question["unanswerable"]


def source(line, file="boats.csv"):
    return {"path": f"/somewhere/{file}", "locator": {"start_line": line, "end_line": line}}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"found": False}, "refused"),
        ({"found": True, "sources": [source(3)], "claims": [{}]}, "the row"),
        ({"found": True, "sources": [source(2), source(3)], "claims": [{}, {}]}, "the row and others"),
        ({"found": True, "sources": [source(2), source(3, "crew.csv")], "claims": [{}]}, "another row"),
    ],
)
def test_an_answer_counts_by_the_row_that_it_tells(answer, outcome):
    assert tables.outcome_of(QUESTION, answer) == outcome
    without = QUESTION | {"unanswerable": True}
    assert tables.outcome_of(without, answer) == ("answered" if answer["found"] else "refused")
