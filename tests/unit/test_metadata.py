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


def test_a_file_is_dated_by_its_name_rather_than_by_what_a_program_noted():
    noted = SourceDate(date(2025, 7, 8), "properties")
    assert resolve_source_date(noted, Path("2025-02-22 Protokoll.pdf"), 0).value == date(2025, 2, 22)
    assert resolve_source_date(noted, Path("2025-02-22 Angebot.eml"), 0, "mail") == noted
    assert resolve_source_date(noted, Path("2025-07 Protokoll.pdf"), 0) == noted
    assert resolve_source_date(noted, Path("2025-06 Protokoll.pdf"), 0).value == date(2025, 6, 1)
    assert resolve_source_date(noted, Path("Protokoll.pdf"), 0) == noted


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("22_10_2024 ata.pdf", date(2024, 10, 22)),
        ("Protokoll 22.10.2024.pdf", date(2024, 10, 22)),
        ("202310-events.csv", date(2023, 10, 1)),
        ("blog/2025/02/19/walk.md", date(2025, 2, 19)),
        ("/srv/2025-02-19/scans/walk.md", date(2025, 2, 19)),
        ("2025-02-19/2025-03-01.md", date(2025, 3, 1)),
    ],
)
def test_dates_in_names_of_files_and_folders(path, day):
    assert resolve_source_date(None, Path(path), 0) == SourceDate(day, "file_name")


@pytest.mark.parametrize(
    "path", ["10_12_2024.md", "202310123.md", "2025/02/walk.md", "a 2025-02-19/walk.md", "2025/13/19/a.md"]
)
def test_what_may_be_another_number_is_no_date_of_a_name(path):
    assert resolve_source_date(None, Path(path), 0).kind == "mtime"


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
