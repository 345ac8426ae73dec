"""Two organizations in one database never see each other's text, whatever is asked (SPEC A2, P3)."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_memory import engine_over, write_files

from bob.search.query import parse_query

TODAY = date(2025, 6, 1)
OURS = {
    "a.md": "# Harbour\n\nThe harbour master keeps the lantern key in the blue box.\n",
    "b.md": "# Tide\n\nHigh tide.",
}
THEIRS = {
    "a.md": "# Harbour\n\nThe rival harbour master hides the lantern key under a stone.\n",
    "c.csv": "a,b\n1,2\n",
}
QUESTIONS = [
    "Where does the harbour master keep the lantern key?",
    "harbour",
    '"lantern key"',
    "tide",
    "-tide",
    "",
]


@pytest.fixture(scope="module")
def engines(tmp_path_factory):
    place = tmp_path_factory.mktemp("organizations")
    made = {}
    for name, files in (("ours", OURS), ("theirs", THEIRS)):
        made[name] = engine_over(place / "bob.db", name)
        made[name].index_files.index_folder(write_files(place / name, files))
    # One with a snapshot, the other read from the database.
    made["ours"].index.compact(force=True)
    yield made
    for engine in made.values():
        engine.close()


def paths(engine, query, **more):
    return {hit.chunk.path for hit in engine.search.search_chunks(parse_query(query), 50, **more).hits}


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(
        st.sampled_from(QUESTIONS),
        st.text(max_size=20),
        st.sampled_from(["project:ours", "project:theirs", "path:/", "type:csv", "path:theirs/ key"]),
    ),
    st.sampled_from(["hybrid", "words", "vectors"]),
)
def test_searches_stay_inside(engines, query, mode):
    for name, engine in engines.items():
        assert all(f"/{name}/" in path for path in paths(engine, query, mode=mode))


def test_answers_and_their_audits_stay_inside(engines):
    for name, engine in engines.items():
        other = {"ours": "theirs", "theirs": "ours"}[name]
        for question in QUESTIONS:
            said = str(engine.ask.answer_question(question, today=TODAY).to_json())
            assert f"/{other}/" not in said


def test_status_counts_only_ones_own(engines):
    ours, theirs = (engines[name].status.report() for name in ("ours", "theirs"))
    assert [each["project"] for each in ours["projects"]] == ["ours"]
    assert (ours["documents"], theirs["documents"]) == (2, 2)
    assert {each["source_type"] for each in ours["source_types"]} == {"markdown"}
    assert len(ours["sources"]) == 1 and "theirs" not in str(ours["sources"])


def test_the_same_folder_can_be_in_both_and_leave_one(engines, tmp_path):
    shared = write_files(tmp_path / "shared", {"s.md": "# Shared\n\nThe shared compass points north.\n"})
    for engine in engines.values():
        assert engine.index_files.index_folder(shared).added == 1
    engines["ours"].index_files.remove(shared)
    assert not any("shared" in path for path in paths(engines["ours"], "compass"))
    assert any("shared" in path for path in paths(engines["theirs"], "compass"))
    engines["theirs"].maintain.drop_index()
    assert paths(engines["theirs"], "compass") == set()
    assert paths(engines["ours"], "tide") != set()
