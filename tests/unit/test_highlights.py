"""Marked passages as reading programs export them."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from bob.core.errors import UsageError
from bob.notes.imported import Work
from bob_formats.highlights import read_highlights

FILES = Path(__file__).parents[1] / "data" / "imports"
YEAR = Work("The Printing Year", "Ana Prado")


def read(name):
    return read_highlights((FILES / name).read_bytes(), Path(name).stem)


def test_clippings_of_a_kindle():
    found, problems = read("My Clippings.txt")
    assert problems == []
    first, german, portuguese = found
    assert (first.work, first.place, first.added) == (YEAR, "page 12, location 145-147", date(2024, 5, 14))
    assert first.text == "A press that rests for a week needs a morning to wake up."
    assert first.comment == "True of ours as well!"
    assert german.work == Work("Farben (und ihre Namen)", "Rita Kern")
    assert (german.place, german.added) == ("page 7, location 88-90", date(2024, 4, 5))
    assert (portuguese.place, portuguese.added) == ("location 21-22", date(2024, 3, 9))


def test_clippings_that_say_too_little_are_told_and_the_rest_is_read():
    text = (
        "Book (A)\n- Your Highlight at location 5 | Added on Monday\n\n\n==========\n"
        "Alone\n==========\n"
        "Book (A)\n- 位置No. 44 |作成日: 2023年8月10日\n\n憂慮\n==========\n"
        "Book\n- Your Note Location 9 | Added on Monday, 1 January 2024\n\n"
        "A thought on nothing.\n==========\n"
    )
    (note,), problems = read_highlights(text.encode(), "x")
    assert (note.text, note.comment, note.place) == ("", "A thought on nothing.", "location 9")
    assert [each.split(":")[0] for each in problems] == ["entry 1", "entry 2", "entry 3"]


def test_the_csv_of_readwise():
    found, problems = read("readwise.csv")
    first, second, third = found
    assert (first.work, first.place, first.added) == (YEAR, "page 12", date(2024, 5, 14))
    assert first.text == 'A press that rests for a week needs "a morning" to wake up.'
    assert (first.comment, first.tags) == ("True of ours as well!", ("press", "care"))
    assert (second.text, second.place) == ("Two lines\nof a poem.", "location 345")
    assert (third.work, third.place, third.added) == (Work("On paper"), "", None)
    assert problems == ["line 5: has neither a text nor a note"]


def test_json_with_works_and_without():
    found, problems = read("highlights.json")
    first, second, third = found
    assert first.work == second.work == Work("The Printing Year", "Ana Prado", "https://books.example/year")
    assert (first.place, first.tags, first.comment) == ("page 12", ("press",), "True of ours!")
    assert second.place == "location 345"
    assert third.work == Work("On paper", "", "https://paper.example/essay")
    assert problems == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('["one", "two"]', ["one", "two"]),
        ('{"text": "one"}\n{"quote": "two"}\n', ["one", "two"]),
        ('{"highlights": [{"content": "one"}]}', ["one"]),
        ("Quote;Source\none;A\n", ["one"]),
        ("\ufeffText\tPage\none\t3\n", ["one"]),
    ],
)
def test_simpler_forms(text, expected):
    found, problems = read_highlights(text.encode(), "file")
    assert [each.text for each in found] == expected and not problems


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "a CSV with a column text"),
        ("nothing of the kind", "a CSV with a column text"),
        ("[1, 2", "not valid JSON"),
        ('{"a": {"b": 1}}', None),
        ("[" * 100_000, "nested too deeply|no JSON"),
    ],
)
def test_what_is_no_export_is_refused(text, message):
    if message is None:
        assert read_highlights(text.encode(), "x") == ([], ["entry: has neither a text nor a note"])
        return
    with pytest.raises(UsageError, match=message):
        read_highlights(text.encode(), "x")


@given(some.text(alphabet='=-|\n(){}[]",:; Highlgtnoe12', max_size=300))
def test_any_text_is_read_or_refused(text):
    try:
        found, _ = read_highlights(text.encode(), "x")
    except UsageError:
        return
    assert all(each.text or each.comment for each in found)
