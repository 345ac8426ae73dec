"""Searches with a reranker: the order it gives, what the hits say of it, and what stays as it was."""

import subprocess
import sys
from pathlib import Path

import pytest
from small_memory import engine_over, write_files

from bob.app.settings import load_settings
from bob.core.errors import SettingsError
from bob.core.search import Filters, Query
from bob.search.late_interaction import LateInteraction
from bob.search.query import parse_query

NOTES = {
    "loan.txt": "The bank by the river lends money, and the bank asks for the deed of the house.\n",
    "walk.txt": "We walked along the stream and rested on its grassy shore, the river bank, at noon.\n",
    "bread.txt": "Bread needs a river of patience; a bank of ovens helps as well.\n",
    "copy.txt": "Bread needs a river of patience; a bank of ovens helps as well.\n",
    "tide.txt": "High tide was at noon, and the river ran upwards for an hour.\n",
    "deed.txt": "A deed is kept at the bank.\n",
}
QUERY = "resting on the grass of the river bank"
ON = {"rerank": "late-interaction", "rerank_weight": 1.0}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("reranked")
    engine = engine_over(place / "bob.db")
    engine.index_files.index_folder(write_files(place / "notes", NOTES))
    engine.close()
    return place


@pytest.fixture
def search(place):
    opened = []

    def searched(typed=QUERY, limit=10, mode="hybrid", **settings):
        engine = engine_over(place / "bob.db", search=settings)
        opened.append(engine)
        return engine.search.search_chunks(parse_query(typed), limit, mode=mode).hits

    yield searched
    for engine in opened:
        engine.close()


def names(hits):
    return [Path(hit.chunk.path).name for hit in hits]


def test_the_order_is_that_of_the_reranker_and_explained(place, search):
    plain, reranked = search(), search(**ON)
    assert names(plain) != names(reranked) and set(names(plain)) - {"copy.txt"} == set(names(reranked)) - {
        "copy.txt"
    }
    opinions = [hit.explain.rerank_score for hit in reranked]
    assert opinions == sorted(opinions, reverse=True)
    engine = engine_over(place / "bob.db", search=ON)
    own = engine.reranker.scores(QUERY, [hit.chunk for hit in reranked])
    assert opinions == pytest.approx(own.tolist(), abs=1e-5)
    for hit in reranked:
        explain = hit.explain
        assert hit.score == pytest.approx(explain.words + explain.vectors + explain.rerank, abs=1e-5)
        assert hit.to_json()["explain"]["rerank_score"] == round(explain.rerank_score, 4)
    engine.close()


def test_without_one_nothing_is_said_of_it(search):
    for hit in search():
        assert (hit.explain.rerank, hit.explain.rerank_score) == (0, None)


def test_scores_fall_and_no_candidate_sinks_below_the_rest(search):
    plain = search()
    hits = search(**ON, rerank_candidates=3)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert max(scores) == pytest.approx(plain[0].score)
    assert {hit.chunk.chunk_id for hit in hits[:3]} == {hit.chunk.chunk_id for hit in plain[:3]}
    assert [hit.explain.rerank_score is None for hit in hits] == [False] * 3 + [True] * (len(hits) - 3)
    assert names(hits[3:]) == names(plain[3:])


def test_a_weight_of_nothing_keeps_the_order(search):
    assert names(search(rerank="late-interaction", rerank_weight=0)) == names(search())


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_a_limit_keeps_the_first_and_again_gives_the_same(search, limit):
    everything = search(**ON)
    assert names(search(limit=limit, **ON)) == names(everything[:limit])
    assert [hit.score for hit in search(**ON)] == [hit.score for hit in everything]


def test_near_duplicates_are_still_one_hit(search):
    found = [hit for hit in search(**ON) if hit.chunk.text.startswith("Bread")]
    assert len(found) == 1 and len(found[0].explain.duplicates) == 1


@pytest.mark.parametrize("mode", ["words", "vectors"])
def test_one_signal_is_shown_as_it_is(search, mode):
    assert [(hit.chunk.path, hit.score) for hit in search(mode=mode, **ON)] == [
        (hit.chunk.path, hit.score) for hit in search(mode=mode)
    ]


def test_conditions_hold_and_need_no_reranker(search):
    assert names(search('bank "the bank asks"', **ON)) == ["loan.txt"]
    assert "loan.txt" not in names(search('bank -"the bank asks"', **ON))
    assert search('"ovens by the river"', **ON) == []
    alone = search("path:walk.txt", **ON)
    assert names(alone) == ["walk.txt"] and alone[0].explain.rerank_score is None


def test_nothing_found_is_nothing(place):
    engine = engine_over(place / "bob.db", search=ON)
    assert engine.search.search_chunks(Query("bank", filters=Filters(projects=("none",))), 5).hits == []
    engine.close()


def test_it_reads_by_the_shipped_model_whichever_embeds(place):
    engine = engine_over(place / "bob.db", search=ON)
    assert isinstance(engine.reranker, LateInteraction)
    assert engine_over(place / "bob.db").reranker is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("RERANK", "cross"), ("RERANK_CANDIDATES", "1"), ("RERANK_CANDIDATES", "201"), ("RERANK_WEIGHT", "1.1")],
)
def test_a_wrong_setting_is_named(tmp_path, name, value):
    environment = {f"BOB_SEARCH__{name}": value}
    with pytest.raises(SettingsError, match=f"search.{name.lower()}: "):
        load_settings(environment=environment, home=tmp_path, folder=tmp_path)


def test_a_search_without_one_does_not_import_it(bob, tmp_path):
    assert bob("index", write_files(tmp_path / "notes", NOTES)).returncode == 0
    code = f"""
import sys
from bob.cli.main import main
sys.argv[1:] = ["search", {QUERY!r}, "--explain"]
try:
    main()
except SystemExit:
    pass
print("bob.search.late_interaction" in sys.modules, file=sys.stderr)
"""
    for value, imported in (("none", "False\n"), ("late-interaction", "True\n")):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=bob.environment | {"BOB_SEARCH__RERANK": value},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == imported
        assert (" by reranking (0." in done.stdout) is (value != "none")
