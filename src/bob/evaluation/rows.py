"""Runs of the evaluation, and the result of each question (SPEC N1)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from bob.evaluation.values import EvalRun, QuestionResult
from bob.storage.counters import next_ids
from bob.storage.schema import eval_results, eval_runs


def save(connection: Connection, org_id: str, run: EvalRun) -> EvalRun:
    """Store a run with its results; it comes back with its id."""
    run_id = next_ids(connection, org_id, "eval_run", 1)[0]
    connection.execute(
        insert(eval_runs).values(
            org_id=org_id,
            run_id=run_id,
            started_at=run.started_at.timestamp(),
            name=run.name,
            golden=run.golden,
            golden_hash=run.golden_hash,
            k=run.k,
            models=dict(run.models),
            settings=dict(run.settings),
            metrics=dict(run.metrics),
        )
    )
    connection.execute(
        insert(eval_results),
        [
            {
                "org_id": org_id,
                "run_id": run_id,
                "ordinal": ordinal,
                "question_id": each.id,
                "result": each.to_json(),
            }
            for ordinal, each in enumerate(run.results)
        ],
    )
    return replace(run, run_id=run_id)


def at(connection: Connection, org_id: str, run_id: int) -> EvalRun | None:
    """The run with this id and the results of its questions; None when there is none."""
    row = connection.execute(
        select(eval_runs).where(eval_runs.c.org_id == org_id, eval_runs.c.run_id == run_id)
    ).first()
    if row is None:
        return None
    results = connection.execute(
        select(eval_results.c.result)
        .where(eval_results.c.org_id == org_id, eval_results.c.run_id == run_id)
        .order_by(eval_results.c.ordinal)
    )
    return replace(_run(row), results=tuple(QuestionResult(**each) for (each,) in results))


def recent(
    connection: Connection,
    org_id: str,
    limit: int,
    *,
    golden: str | None = None,
    name: str | None = None,
    before: int | None = None,
) -> list[EvalRun]:
    """The last runs without their results, newest first: those of one golden set, of one name, or started
    before a run."""
    wanted = select(eval_runs).where(eval_runs.c.org_id == org_id)
    if golden is not None:
        wanted = wanted.where(eval_runs.c.golden == golden)
    if name is not None:
        wanted = wanted.where(eval_runs.c.name == name)
    if before is not None:
        wanted = wanted.where(eval_runs.c.run_id < before)
    rows = connection.execute(wanted.order_by(eval_runs.c.run_id.desc()).limit(limit))
    return [_run(row) for row in rows]


def _run(row: Any) -> EvalRun:
    return EvalRun(
        started_at=datetime.fromtimestamp(row.started_at, UTC),
        name=row.name,
        golden=row.golden,
        golden_hash=row.golden_hash,
        k=row.k,
        models=row.models,
        settings=row.settings,
        metrics=row.metrics,
        run_id=row.run_id,
    )
