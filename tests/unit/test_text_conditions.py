"""Phrases, excluded words and filters alone: what is found does not hang on how many others are like it."""

import unicodedata
from pathlib import Path

import pytest
from small_memory import engine_over, write_files

from bob.core.search import Filters, Query
from bob.search.query import parse_query
from bob.search.text_conditions import TextConditions

NOTES = {
    "a/port.md": "# Ports\n\nThe admin console of the host listens on port 8080.\n",
    "a/port80.md": "# Plain\n\nThe public site of the host listens on port 80.\n",
    "a/version.md": "# Release\n\nVersion 1.20 removed the old importer.\n",
    "a/older.md": "# Older\n\nVersion 1.2 added the old importer.\n",
    "a/curly.md": "# Guide\n\nThe manual says don’t panic when the pump stops.\n",
    "a/bold.md": "# Limits\n\nThe **retry** limit of the queue is an import of _emphatic_ five.\n",
    "a/paulo.md": "# Viagem\n\nA reunião em São Paulo foi adiada.\n",
    "a/apart.md": unicodedata.normalize("NFD", "# Pausa\n\nO café da manhã é servido às oito.\n"),
    "a/c.md": "# One\n\nThe parser is written in C and runs fast.\n",
    "a/cpp.md": "# Another\n\nThe parser is written in C++ and runs faster.\n",
    "b/queue.md": "# Queue\n\nThe queue is important to everyone.\n",
    "b/imports.md": "# Feed\n\nThe queue of imports is long.\n",
    "b/janssen.md": "# Payroll\n\nJansen approved the payroll.\n",
    "c/janssen.md": "# Budget\n\nJanssen rejected the budget.\n",
    "c/kovacs.md": "# Meeting\n\nThe meeting was led by Kovacs.\n",
    "c/kovacz.md": "# Review\n\nThe review was led by Kovacz.\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    place = tmp_path_factory.mktemp("phrases")
    made = engine_over(place / "bob.db")
    write_files(place / "notes", NOTES)
    for project in ("a", "b", "c"):
        made.index_files.index_folder(place / "notes" / project)
    yield made
    made.close()


def found(engine, typed, limit=20, mode="words", filters=Filters()):  # noqa: B008 - it is frozen
    hits = engine.search.search_chunks(parse_query(typed, filters), limit, mode=mode).hits
    return [Path(hit.chunk.path).name for hit in hits]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ('"port 80"', {"port80.md"}),
        ('host -"port 80"', {"port.md"}),
        ("“port 8080”", {"port.md"}),
        ('"version 1.2"', {"older.md"}),
        ('removed old -"version 1.2"', {"version.md"}),
        ('"don\'t panic"', {"curly.md"}),
        ('"retry limit"', {"bold.md"}),
        ("five", {"bold.md"}),
        ("emphatic", {"bold.md"}),
        ('"sao paulo"', {"paulo.md"}),
        ('"SÃO PAULO"', {"paulo.md"}),
        ("café", {"apart.md"}),
        (unicodedata.normalize("NFD", "manhã"), {"apart.md"}),
        ('"cafe da manha"', {"apart.md"}),
        ("queue -import", {"queue.md"}),
        ("queue -imports", {"queue.md", "bold.md"}),
        ("limit -emphatic", set()),
        ("parser -C++", {"c.md"}),
        ("parser -C", {"cpp.md"}),
        ("queue -project:b", {"bold.md"}),
        ("parser -path:a/c.md", {"cpp.md"}),
        ("-project:a -project:b", {"janssen.md", "kovacs.md", "kovacz.md"}),
    ],
)
@pytest.mark.parametrize("mode", ["words", "hybrid"])
def test_a_phrase_is_compared_as_words_are_and_has_borders(engine, typed, names, mode):
    hits = found(engine, typed, mode=mode)
    # By meaning all is found that may be.
    assert set(hits) == names if mode == "words" else names <= set(hits)


@pytest.mark.parametrize("typed", ["Janssen -rejected", "Kovacs -meeting", '"the review" Kovacs'])
def test_a_word_that_a_file_has_is_not_corrected_wherever_it_is_looked_for(engine, typed):
    result = engine.search.search_chunks(parse_query(typed), 5)
    assert result.corrections == () and not any("No file has the word" in each for each in result.notices)


def test_a_word_is_corrected_by_the_files_of_the_project(engine):
    result = engine.search.search_chunks(parse_query("Janssen project:b"), 5)
    assert result.notices == ("No file of project b has the word 'Janssen'; searched for 'jansen'.",)


def test_what_a_search_may_not_see_has_no_part_in_a_correction(engine):
    seen = Filters(within=Filters(projects=("b",)))
    assert engine.search.search_chunks(parse_query("Jansenn approved", seen), 5).corrections


@pytest.mark.parametrize("settings", [{}, {"threshold": 0.5}, {"recency_half_life_days": 30}])
def test_filters_alone_list_everything_and_the_newest_first(tmp_path, settings):
    engine = engine_over(tmp_path / "bob.db", search=settings)
    words = "alder birch cedar elm fir hazel juniper larch maple oak pine rowan spruce willow yew"
    words = words.split()
    texts = {
        f"{n:03}.md": f"# Tree {n}\n\n{words[n % 15]} {n} {words[n // 15]} {n * 7}\n" for n in range(220)
    }
    for name in sorted(texts):
        write_files(tmp_path / "notes", {name: texts[name]})
    engine.index_files.index_folder(tmp_path / "notes")
    write_files(tmp_path / "notes", {"000 the last.md": "# The last one\n\nIt came late.\n"})
    engine.index_files.index_folder(tmp_path / "notes")
    names = found(engine, "type:markdown", limit=1000, mode="hybrid")
    assert names[0] == "000 the last.md" and len(names) == 221
    engine.close()


def test_a_phrase_is_found_behind_any_number_of_passages_with_its_words_apart(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    notes = {
        f"{n}.md": f"# Code {n}\n\nThis code of number {n} gives an error, {n * 13}.\n" for n in range(260)
    }
    long = "# Long\n\n" + "Much is said here of other matters. " * 12 + "The error code is in the log.\n"
    write_files(tmp_path / "notes", notes | {"long.md": long})
    engine.index_files.index_folder(tmp_path / "notes")
    for mode in ("words", "vectors", "hybrid"):
        assert found(engine, '"error code"', mode=mode) == ["long.md"], mode
    assert found(engine, 'error code -"gives an error"', limit=5) == ["long.md"]
    engine.close()


def test_what_is_said_once_is_found_behind_what_is_said_hundreds_of_times(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    notes = {f"{n}.md": "# Log\n\nThe backup failed, the disk is full.\n" for n in range(260)}
    other = "# Report\n\n" + "Nothing else happened in this long week. " * 12 + "A backup was made.\n"
    write_files(tmp_path / "notes", notes | {"other.md": other})
    engine.index_files.index_folder(tmp_path / "notes")
    assert "other.md" in found(engine, "backup failed")
    engine.close()


def contains_phrase(texts, phrase):
    return TextConditions(Query("", (phrase,))).are_met(texts)


def test_phrases_of_scripts_without_spaces_have_no_borders():
    assert contains_phrase(["全文検索機能"], "検索") and contains_phrase(["서울에서 만나요"], "서울")
    assert not contains_phrase(["a cats b"], "cat") and not contains_phrase(["1.20"], "1.2")
