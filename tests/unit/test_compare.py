"""Scores, comparisons and gates: pure functions over results."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from bob.answers.answer import Answer, Claim, DateConfidence, Source
from bob.core.errors import UsageError
from bob.core.locator import LineLocator
from bob.core.search import Explanation, FoundChunk, Hit
from bob.evaluation.compare import compare
from bob.evaluation.gates import failed_losses, failed_values, highest_values, largest_losses, lowest_values
from bob.evaluation.golden import ExpectedSource, GoldenQuestion
from bob.evaluation.scoring import MEASURES, score, summary
from bob.evaluation.values import EvalRun

HEDGE = ExpectedSource("notes/hedge.md", {"heading": "Hedge"})
QUESTION = GoldenQuestion(
    "hedge", "When is the hedge cut?", (HEDGE,), ("after 15 August",), ("in May", "in June")
)
NOTHING = GoldenQuestion("sea", "How deep is the sea?", unanswerable=True)


def chunk(path="/home/you/notes/hedge.md", heading="Hedge", line=1, chunk_id=1):
    return FoundChunk(
        chunk_id=chunk_id,
        document_id=1,
        ordinal=0,
        path=path,
        title="",
        project="notes",
        source_type="markdown",
        language="en",
        source_date=date(2025, 1, 1),
        source_date_kind="mtime",
        heading_path=("Garden", heading),
        context="",
        locator=LineLocator(heading=heading, start_line=line, end_line=line + 1),
        text="text",
        content_hash="",
    )


def hits(*chunks):
    explain = Explanation(0, 0, 0, None, None, None)
    return [Hit(rank, 1 / rank, each, explain) for rank, each in enumerate(chunks, 1)]


OTHER = chunk(path="/home/you/notes/not-the-hedge.md")
ELSEWHERE = chunk(heading="Pump", line=9)


def answer(text, *cited, verdict="supported"):
    sources = tuple(Source(n, each, each.locator, "q", (0, 1)) for n, each in enumerate(cited, 1))
    claims = tuple(Claim(text, verdict, 1.0, (source.n,)) for source in sources)
    return Answer("q", bool(cited), text, claims, sources, DateConfidence("low", ""))


GOOD = answer("The hedge is cut after [1] 15 August. [1]", chunk())
REFUSED = answer("Not found in sources.")


def test_an_answer_as_expected():
    result = score(QUESTION, hits(OTHER, chunk(), ELSEWHERE), GOOD, 10, 0.5)
    assert result.measures == {
        "passed": 1,
        "recall": 1,
        "precision": 0.1,
        "mrr": 0.5,
        "ndcg": pytest.approx(0.6309, abs=1e-4),
        "citation_recall": 1,
        "citation_precision": 1,
        "answered": 1,
        "phrases": 1,
        "forbidden_phrases": 0,
        "unsupported_claims": 0,
    }
    assert result.first_rank == 2 and result.cited[0]["path"] == chunk().path


@pytest.mark.parametrize(
    ("given_answer", "changed"),
    [
        (REFUSED, {"passed": 0, "answered": 0, "phrases": 0, "citation_recall": 0}),
        (
            answer("It is cut after 15 August", OTHER),
            {"passed": 0, "citation_recall": 0, "citation_precision": 0},
        ),
        (answer("cut  AFTER 15 August", chunk(), OTHER), {"passed": 1, "citation_precision": 0.5}),
        (answer("cut in May", chunk()), {"passed": 0, "phrases": 0, "forbidden_phrases": 1}),
        (answer("after 15 August", chunk(), verdict="partly"), {"passed": 1, "unsupported_claims": 1}),
    ],
)
def test_an_answer_not_as_expected(given_answer, changed):
    measures = score(QUESTION, hits(chunk()), given_answer, 10, 0.5).measures
    assert {name: measures[name] for name in changed} == changed


def test_a_question_that_nothing_answers_has_to_be_refused():
    refused, answered = (score(NOTHING, hits(OTHER), each, 10, 0.1).measures for each in (REFUSED, GOOD))
    assert refused == {"passed": 1, "abstained": 1}
    assert answered["passed"] == answered["abstained"] == 0 and "recall" not in answered


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("hedge.md", True),
        ("/home/you/notes/hedge.md", True),
        ("/notes/hedge.md", False),
        ("edge.md", False),
        ("notes", False),
    ],
)
def test_a_path_is_the_whole_or_the_end_of_it(path, same):
    question = replace(QUESTION, sources=(ExpectedSource(path, {}),))
    assert score(question, hits(chunk()), GOOD, 10, 0).measures["recall"] == float(same)


@given(st.lists(st.integers(0, 5), max_size=12), st.integers(1, 10))
def test_the_order_of_sources_is_scored_as_trec_eval_does(found, k):
    """Numbers are hits: 0 to 2 from an expected source with that number, others from elsewhere."""
    expected = [ExpectedSource(f"{n}.md", {}, grade=n + 1) for n in range(3)]
    chunks = [chunk(path=f"/n/{n}.md", chunk_id=at) for at, n in enumerate(found)]
    result = score(replace(QUESTION, sources=tuple(expected)), hits(*chunks), REFUSED, k, 0)
    seen: dict[str, int] = {}
    for at, n in enumerate(found[:k]):
        seen.setdefault(str(n) if n < 3 else f"other {at}", at)
    run = {name: float(-rank) for rank, name in enumerate(seen)} or {"nothing": 0.0}
    judged = {str(n): source.grade for n, source in enumerate(expected)}
    measures = {"ndcg", "recall.1000", "recip_rank"}
    theirs = pytrec_eval.RelevanceEvaluator({"q": judged}, measures).evaluate({"q": run})["q"]
    ours = result.measures
    assert ours["recall"] == pytest.approx(theirs["recall_1000"])
    assert ours["mrr"] == pytest.approx(theirs["recip_rank"])
    if k >= 3:
        assert ours["ndcg"] == pytest.approx(theirs["ndcg"])
    assert ours["precision"] == pytest.approx(sum(n < 3 for n in found[:k]) / k)


def run_of(*results, run_id=1, **values):
    base = {"name": None, "golden": "/g.jsonl", "golden_hash": "h", "k": 10}
    base |= {"models": {"embedder": "m"}, "settings": {"search.limit": 10}}
    made = EvalRun(datetime(2025, 6, 1, tzinfo=UTC), **(base | values), metrics=summary(results))
    return replace(made, results=results, run_id=run_id)


GOOD_RESULT = score(QUESTION, hits(chunk()), GOOD, 10, 0.5)
BAD_RESULT = score(QUESTION, hits(OTHER), REFUSED, 10, 0.25)
REFUSED_RESULT = score(NOTHING, (), REFUSED, 10, 0.1)


def test_the_measures_of_a_run():
    two = replace(GOOD_RESULT, claims=3, unsupported=3, seconds=1.0)
    found = summary([GOOD_RESULT, two, BAD_RESULT, REFUSED_RESULT])
    assert found["passed"] == 0.75 and found["recall"] == pytest.approx(2 / 3, abs=1e-6)
    assert found["unsupported_claims"] == 0.75, "over claims, and not over questions"
    assert (found["abstained"], found["median_seconds"], found["slow_seconds"]) == (1, 0.5, 1.0)
    assert list(found) == [name for name in MEASURES if name in found]


def test_a_regression_comes_first_and_says_what_was_lost():
    more = replace(GOOD_RESULT, id="more")
    before = run_of(REFUSED_RESULT, more, GOOD_RESULT, replace(GOOD_RESULT, id="gone"))
    reworded = replace(more, answer="Differently said.")
    after = run_of(REFUSED_RESULT, reworded, BAD_RESULT, replace(GOOD_RESULT, id="new"), run_id=2)
    found = compare(before, after)
    kinds = [(each.kind, each.id) for each in found.drifts]
    assert kinds == [
        ("regressed", "hedge"),
        ("changed", "more"),
        ("added", "new"),
        ("removed", "gone"),
        ("same", "sea"),
    ]
    drift = found.drifts[0].to_json()
    assert drift["found"] == [True, False] and drift["first_rank"] == [1, None]
    assert drift["sources_lost"] == [chunk().path] and drift["phrases_lost"] == ["after 15 August"]
    assert drift["measures"]["recall"] == [1, 0]
    # Only questions of both runs count: three of three passed before, two of them do now.
    assert (found.measures["passed"].before, found.measures["passed"].after) == (1, pytest.approx(2 / 3))
    (back,) = compare(after, before).of("improved")
    assert back.found == (False, True) and back.phrases_gained == ["after 15 August"]


def test_more_of_what_should_be_little_is_a_regression():
    worse = replace(GOOD_RESULT, measures={**GOOD_RESULT.measures, "forbidden_phrases": 1.0})
    assert compare(run_of(GOOD_RESULT), run_of(worse)).drifts[0].kind == "regressed"
    assert compare(run_of(worse), run_of(GOOD_RESULT)).drifts[0].kind == "improved"


def test_what_differed_between_the_runs_is_named():
    after = run_of(GOOD_RESULT, models={"embedder": "n"}, settings={"search.limit": 9}, golden_hash="i", k=5)
    found = compare(run_of(GOOD_RESULT), after)
    assert found.settings == {"k": (10, 5), "model.embedder": ("m", "n"), "search.limit": (10, 9)}
    assert found.golden_changed and not compare(after, after).settings


def test_gates_of_a_run():
    metrics = {"recall": 0.8, "median_seconds": 0.2}
    assert (
        list(failed_values(metrics, lowest_values(["recall=0.8"]), highest_values(["median_seconds=0.2"])))
        == []
    )
    failed = list(
        failed_values(metrics, lowest_values(["recall=0.81", "mrr=0"]), highest_values(["slow_seconds=1"]))
    )
    assert failed == [
        "recall is 0.8, under 0.81",
        "mrr: no question of the set has it",
        "slow_seconds: no question of the set has it",
    ]
    assert list(failed_values(metrics, [], highest_values(["median_seconds=0.1"]))) == [
        "median_seconds is 0.2, over 0.1"
    ]


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (lowest_values, "0.8", "must be of the form recall=0.8"),
        (lowest_values, "recall", "'' is not a number"),
        (lowest_values, "recal=1", "measures: passed, recall"),
        (lowest_values, "recall=x", "not a number"),
        (lowest_values, "recall=nan", "not a number"),
        (lowest_values, "median_seconds=1", "belongs to --fail-over"),
        (highest_values, "recall=1", "belongs to --fail-under"),
        (largest_losses, "0.02", "use -0.02"),
        (largest_losses, "recall=0.02", "use -0.02"),
        (largest_losses, "inf", "not a number"),
    ],
)
def test_a_wrong_gate_is_told(read, text, said):
    with pytest.raises(UsageError) as caught:
        read([text])
    assert said in str(caught.value)


def lost(before, after, *gates):
    return list(failed_losses(compare(before, after), largest_losses(gates)))


def test_gates_of_a_comparison():
    worse, better = (
        run_of(BAD_RESULT, replace(GOOD_RESULT, id="b")),
        run_of(GOOD_RESULT, replace(BAD_RESULT, id="b")),
    )
    (said,) = lost(better, worse, "0")
    assert said.startswith("hedge: passed 1 → 0"), "means are the same, and yet a question lost"
    assert lost(better, worse, "recall=0") == []
    assert lost(better, better, "0", "recall=0", "median_seconds=0") == []
    assert lost(run_of(GOOD_RESULT), run_of(BAD_RESULT), "-1", "recall=-1", "recall=-0.5") == ["recall 1 → 0"]
    assert lost(run_of(GOOD_RESULT), run_of(GOOD_RESULT), "abstained=0") == [
        "abstained: no question of both runs has it"
    ]
