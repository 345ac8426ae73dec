"""Searches and answers over a small memory: operators, modes, filters, and places that can be opened."""

import shutil
from datetime import date
from pathlib import Path

import pytest
from small_memory import engine_over, write_files

from bob.core.search import Filters, Query
from bob.search.query import parse_query

TODAY = date(2025, 6, 1)
PARTS = Path(__file__).parents[1] / "data" / "parts"
NOTES = {
    "key.md": "# Key\n\nCall getUserName to read the user-name of the owner. The lantern burns all night.\n",
    "user.md": "# User\n\nThe user has a name and a lantern. Nothing else is known of this person today.\n",
    "copy.md": "# User\n\nThe user has a name and a lantern. Nothing else is known of this person today.\n",
    "2020-01-05 tide.txt": "High tide was at noon and the lantern was out.\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    place = tmp_path_factory.mktemp("searches")
    made = engine_over(place / "bob.db")
    folder = write_files(place / "notes", NOTES)
    for name in ("move.docx", "hours.xlsx", "rules.pdf", "season.pptx"):
        shutil.copyfile(PARTS / name, folder / name)
    made.index_files.index_folder(folder)
    yield made
    made.close()


def hits(engine, typed, **more):
    return engine.search.search_chunks(parse_query(typed), 50, today=TODAY, **more).hits


def names(engine, typed, **more):
    found = {Path(hit.chunk.path).name for hit in hits(engine, typed, **more)}
    return {name for name in found if name in NOTES} - {"copy.md", "user.md"} | (
        {"user.md"} if found & {"copy.md", "user.md"} else set()
    )


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ('"the lantern burns"', {"key.md"}),
        ('"burns lantern"', set()),
        ("lantern -getUserName", {"user.md", "2020-01-05 tide.txt"}),
        ("lantern -user-name", {"user.md", "2020-01-05 tide.txt"}),
        ('lantern -"a name and"', {"key.md", "2020-01-05 tide.txt"}),
        ("lantern -user", {"2020-01-05 tide.txt"}),
        ("lantern before:2020-02", {"2020-01-05 tide.txt"}),
        ("lantern after:2020-01-05 before:2020-01-06", {"2020-01-05 tide.txt"}),
        ("after:2020-01-06 before:2020-02", set()),
        ("path:key.md", {"key.md"}),
        ("type:txt", {"2020-01-05 tide.txt"}),
    ],
)
def test_operators_hold(engine, typed, expected):
    assert names(engine, typed) == expected


@pytest.mark.parametrize("as_question", [False, True])
def test_ranks_scores_and_explanations_agree(engine, as_question):
    found = hits(engine, "lantern user name", as_question=as_question)
    assert [hit.rank for hit in found] == list(range(1, len(found) + 1))
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True) and all(0 <= each <= 1 for each in scores)
    for hit in found:
        assert hit.score == pytest.approx(hit.explain.words + hit.explain.vectors, abs=1e-6)


def test_modes_rank_by_one_signal(engine):
    for hit in hits(engine, "lantern", mode="words"):
        assert hit.explain.vectors == 0 and hit.explain.bm25 > 0
    for hit in hits(engine, "lantern", mode="vectors"):
        assert hit.explain.words == 0


def test_near_duplicates_are_one_hit_that_stands_for_both(engine):
    found = [hit for hit in hits(engine, "user lantern name") if "Nothing else" in hit.chunk.text]
    assert len(found) == 1 and len(found[0].explain.duplicates) == 1


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_limit_keeps_the_first(engine, limit):
    everything = [hit.chunk.chunk_id for hit in hits(engine, "lantern")]
    assert [
        hit.chunk.chunk_id for hit in engine.search.search_chunks(Query("lantern"), limit).hits
    ] == everything[:limit]


def test_recency_halves_what_is_old(tmp_path):
    old = engine_over(tmp_path / "bob.db", search={"recency_half_life_days": 30})
    old.index_files.index_folder(
        write_files(
            tmp_path / "n", {"2025-05-02 a.txt": "A red boat sails.", "2025-06-01 b.txt": "A red boat sinks."}
        )
    )
    new, past = old.search.search_chunks(Query("red boat"), 5, today=TODAY).hits
    assert Path(new.chunk.path).name.startswith("2025-06-01")
    assert (new.explain.recency, past.explain.recency) == (1.0, pytest.approx(0.5))
    old.close()


def test_a_threshold_leaves_out_weak_hits(tmp_path):
    strict = engine_over(tmp_path / "bob.db", search={"threshold": 0.9})
    strict.index_files.index_folder(
        write_files(tmp_path / "n", {"a.txt": "A red boat.", "b.txt": "Green grass grows."})
    )
    assert [hit.chunk.text for hit in strict.search.search_chunks(Query("red boat"), 5).hits] == [
        "A red boat."
    ]
    strict.close()


def test_the_place_of_a_quote_lies_within_the_place_of_its_chunk(engine):
    asked = {"move.docx": "word", "hours.xlsx": "excel", "rules.pdf": "pdf", "season.pptx": "powerpoint"}
    seen = set()
    for hit in hits(engine, "path:notes"):
        name = Path(hit.chunk.path).name
        if name not in asked:
            continue
        seen.add(name)
        text, place = hit.chunk.text, hit.chunk.locator
        inner = place.narrowed(text, 1, len(text))
        for first, last in (("paragraph_index", "last_paragraph_index"), ("first_row", "last_row")):
            if hasattr(place, first):
                assert getattr(place, first) <= getattr(inner, first)
                assert getattr(inner, last) <= getattr(place, last)
        assert inner.start_char == place.start_char + 1
    assert seen == set(asked)


def test_an_answer_keeps_to_its_filters(engine):
    answer = engine.ask.answer_question(
        "Is the lantern out at noon?", filters=Filters(source_types=("txt",)), today=TODAY
    )
    assert all(each["path"].endswith(".txt") for each in answer.audit["retrieved"])
