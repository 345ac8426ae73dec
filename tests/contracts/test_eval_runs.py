"""Runs of the evaluation, in a real database with two organizations."""

from dataclasses import replace
from datetime import UTC, datetime

from small_memory import ORG

from bob.evaluation import rows as evaluation_rows
from bob.evaluation.values import EvalRun, QuestionResult

RESULT = QuestionResult(
    id="hedge",
    question="When is the hedge cut?",
    unanswerable=False,
    found=True,
    answer="After 15 August. [1]",
    measures={"passed": 1.0, "ndcg": 0.630930},
    first_rank=2,
    cited=[{"path": "/n/hedge.md", "locator": {"kind": "lines", "start_line": 3, "end_line": 3}}],
    missing_phrases=["x"],
    said_forbidden=[],
    claims=1,
    unsupported=0,
    seconds=0.25,
)
RUN = EvalRun(
    started_at=datetime(2025, 6, 1, 12, tzinfo=UTC),
    name="main",
    golden="/g.jsonl",
    golden_hash="0" * 64,
    k=10,
    models={"embedder": "m@1"},
    settings={"search.limit": 10, "embedder.model": None},
    metrics={"passed": 1.0},
    results=[RESULT, replace(RESULT, id="a", first_rank=None)],
)


def save(database, *runs, org_id=ORG):
    with database.for_organization(org_id).write() as connection:
        return [evaluation_rows.save(connection, run).run_id for run in runs]


def test_a_run_comes_back_as_it_was_with_its_results_in_order(database):
    assert save(database, RUN) == [1]
    with database.read() as connection:
        found = evaluation_rows.by_id(connection, 1)
        assert evaluation_rows.by_id(connection, 2) is None
    assert found == replace(RUN, run_id=1, results=tuple(RUN.results))


def test_runs_are_listed_newest_first_by_set_and_name(database):
    other = replace(RUN, golden="/h.jsonl", name=None)
    assert save(database, RUN, other, replace(RUN, name="two")) == [1, 2, 3]
    with database.read() as connection:

        def listed(limit=9, **wanted):
            return [each.run_id for each in evaluation_rows.recent(connection, limit, **wanted)]

        assert listed() == [3, 2, 1] and listed(2) == [3, 2]
        assert listed(golden="/g.jsonl") == [3, 1] and listed(golden="/g.jsonl", before=3) == [1]
        assert listed(name="main") == [1] and listed(name="none") == []


def test_each_organization_has_its_own_runs(database):
    save(database, RUN, RUN)
    assert save(database, RUN, org_id="other") == [1]
    with database.for_organization("other").read() as connection:
        assert [each.run_id for each in evaluation_rows.recent(connection, 9)] == [1]
        assert evaluation_rows.by_id(connection, 2) is None
        found = evaluation_rows.by_id(connection, 1)
    assert len(found.results) == 2
