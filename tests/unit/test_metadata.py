from datetime import date
from pathlib import Path

import pytest

from bob.core.document import SourceDate
from bob.documents.formats.front_matter import read_front_matter
from bob.documents.formats.metadata import resolve_source_date


def test_the_source_date_is_the_surest():
    written = SourceDate(date(2020, 1, 1), "front_matter")
    assert resolve_source_date(written, Path("2021-02-03.md"), 0) == written
    assert resolve_source_date(None, Path("2021-02-30/log 2021-02-03.md"), 0).kind == "file_name"
    assert resolve_source_date(None, Path("IMG_20210203_1.md"), 0).value == date(2021, 2, 3)
    assert resolve_source_date(None, Path("2021-11-minutes.md"), 0).value == date(2021, 11, 1)
    assert resolve_source_date(None, Path("2021-13 or 2021.1.md"), 0).kind == "mtime"
    assert resolve_source_date(None, Path("a.md"), 86_400.5) == SourceDate(date(1970, 1, 2), "mtime")


def test_front_matter_in_toml():
    front = read_front_matter(
        ["+++", "title = 'A'", "date = 2025-01-31", "tags = ['x']", "n = 3", "+++", "text"]
    )
    assert (front.lines, front.title, front.tags, front.extra) == (6, "A", ("x",), {"n": "3"})
    assert front.source_date == SourceDate(date(2025, 1, 31), "front_matter")


@pytest.mark.parametrize(
    "lines",
    [[], ["---"], ["---", "a: 1"], ["text", "---", "a: 1", "---"], ["---", "just a paragraph", "---"],
     ["---", "a: [", "---"], ["---", "&a [*a]", "---"]],
)  # fmt: skip
def test_no_front_matter(lines):
    assert read_front_matter(lines).lines == 0


def test_an_impossible_date_is_ignored():
    front = read_front_matter(["---", "title: A", "date: 2025-13-45", "language: en-GB", "---"])
    assert (front.title, front.source_date, front.language) == ("A", None, "en")


@pytest.mark.parametrize("written", ["4 de março de 2021", "4. März 2021", "4 mars 2021", "2021.03.04"])
def test_a_note_has_the_date_that_it_states_in_its_language(written):
    front = read_front_matter(["---", f"date: {written}", "---"])
    assert front.source_date == SourceDate(date(2021, 3, 4), "front_matter")


@pytest.mark.parametrize("name", ["datum", "Data", "erstellt", "publicado"])
def test_the_date_has_its_name_in_the_language_of_the_note(name):
    front = read_front_matter(["---", f"{name}: 2021-03-04", "---"])
    assert front.source_date == SourceDate(date(2021, 3, 4), "front_matter")
    assert read_front_matter(["---", f"{name}: soon", "---"]).extra == {name.lower(): "soon"}


def test_a_month_alone_is_its_first_day_and_an_order_of_numbers_is_not_guessed():
    assert read_front_matter(["---", "date: March 2021", "---"]).source_date == SourceDate(
        date(2021, 3, 1), "front_matter"
    )
    assert read_front_matter(["---", "date: 04/03/2021", "---"]).source_date is None
