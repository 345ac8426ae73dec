from datetime import date
from pathlib import Path

import pytest

from bob.domain.document import SourceDate
from bob.ingest.front_matter import read_front_matter
from bob.ingest.metadata import detect_language, resolve_source_date


def test_the_source_date_is_the_surest():
    written = SourceDate(date(2020, 1, 1), "front_matter")
    assert resolve_source_date(written, Path("2021-02-03.md"), 0) == written
    assert resolve_source_date(None, Path("2021-02-30/log 2021-02-03.md"), 0).kind == "file_name"
    assert resolve_source_date(None, Path("IMG_20210203_1.md"), 0).value == date(2021, 2, 3)
    assert resolve_source_date(None, Path("a.md"), 86_400.5) == SourceDate(date(1970, 1, 2), "mtime")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The boiler was serviced today and it is the second time that this has been done.", "en"),
        ("A caldeira foi reparada hoje e não é a primeira vez que isso acontece na nossa casa.", "pt"),
        (
            "La caldera fue reparada hoy y no es la primera vez que esto pasa en nuestra casa, pero está.",
            "es",
        ),
        (
            "La chaudière a été réparée et ce n'est pas la première fois que nous avons des soucis.",
            "fr",
        ),
        ("Der Kessel wurde heute gewartet und es ist nicht das erste Mal, dass wir das haben.", "de"),
        ("La caldaia è stata riparata e non è la prima volta che questo succede nella nostra casa.", "it"),
        ("De ketel is vandaag nagekeken en het is niet de eerste keer dat we dat hebben.", "nl"),
        ("Котёл сегодня проверили", None),
        ("valve 34.50", None),
        ("a a a a o o o o e e", None),
        ("", None),
    ],
)
def test_language(text, language):
    assert detect_language(text) == language


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
