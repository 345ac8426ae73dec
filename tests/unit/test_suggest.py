"""Questions that are drafted from headings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.evaluation.suggest import Heading, suggest


def heading(*headings, path="notes/rules.md", title="Garden rules", source_type="markdown", language="en"):
    return Heading(path, title, source_type, language, headings)


def questions(*found, limit=20):
    return [each["question"] for each in suggest(found, limit)]


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Who keeps the key?", "Who keeps the key?"),
        ("How to wind the clock", "How do I wind the clock?"),
        ("How To Reach GitHub", "How do I Reach GitHub?"),
        ("Quiet hours", "What does «Garden rules» say about quiet hours?"),
        ("3.2 Fires:", "What does «Garden rules» say about fires?"),
        ("VPN access", "What does «Garden rules» say about VPN access?"),
        ("Mill Stream", "What does «Garden rules» say about Mill Stream?"),
    ],
)
def test_a_heading_becomes_a_question(said, question):
    assert questions(heading("Garden rules", said)) == [question]


def test_the_section_is_the_expected_source_and_a_person_has_to_confirm():
    (record,) = suggest([heading("Garden rules", "Quiet hours")], 5)
    assert record == {
        "id": record["id"],
        "question": "What does «Garden rules» say about quiet hours?",
        "sources": [{"path": "notes/rules.md", "locator": {"heading": "Quiet hours"}}],
        "confirmed": False,
    }
    assert record["id"].startswith("rules-quiet-hours-")


def test_titles_are_asked_about_only_where_there_is_nothing_else():
    assert questions(heading("Garden rules")) == ["What do we know about garden rules?"]
    assert questions(heading("Rules"), heading("Rules", "Fires")) == [
        "What does «Garden rules» say about fires?"
    ]
    assert questions(heading("Summary"), heading("Fires"), heading("ii")) == [
        "What does «Garden rules» say about fires?"
    ]


def test_in_another_language_the_heading_asks_in_its_own_words():
    assert questions(heading("Regras", "Horas de silêncio", language="pt")) == ["Horas de silêncio?"]


def test_code_and_tables_are_not_asked_about():
    assert (
        questions(*(heading("a", "count_all", source_type=each) for each in ("code", "csv", "config"))) == []
    )


def test_documents_take_turns_and_no_question_comes_twice():
    found = [heading("R", each, path=f"{path}.md") for path in "abc" for each in ("One thing", "Two things")]
    assert [each["sources"][0]["path"] for each in suggest(found, 3)] == ["a.md", "a.md"]
    found = [
        heading("R", f"{each} of {path}", path=f"{path}.md") for path in "abc" for each in ("One", "Two")
    ]
    assert [each["sources"][0]["path"] for each in suggest(found, 4)] == ["a.md", "b.md", "c.md", "a.md"]


@given(st.lists(st.builds(lambda path, above: heading(*above, path=path), st.text(), st.lists(st.text()))))
def test_any_headings_give_stable_different_ids(found):
    records = suggest(found, 1000)
    assert records == suggest(found, 1000)
    assert len({each["question"].casefold() for each in records}) == len(records)
    assert all(each["question"].strip() and each["id"] for each in records)
