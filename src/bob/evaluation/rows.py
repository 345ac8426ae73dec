"""Runs of the evaluation, and the result of each question (SPEC N1)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bob.evaluation.values import EvalRun, QuestionResult
from bob.storage.database import Transaction


def save(transaction: Transaction, run: EvalRun) -> EvalRun:
    """Store a run with its results; it comes back with its id."""
    (run_id,) = transaction.take_ids("eval_run", 1)
    transaction.insert(
        "eval_runs",
        {
            "run_id": run_id,
            "started_at": run.started_at.timestamp(),
            "name": run.name,
            "golden": run.golden,
            "golden_hash": run.golden_hash,
            "k": run.k,
            "models": json.dumps(dict(run.models)),
            "settings": json.dumps(dict(run.settings)),
            "metrics": json.dumps(dict(run.metrics)),
        },
    )
    transaction.insert(
        "eval_results",
        *(
            {
                "run_id": run_id,
                "ordinal": ordinal,
                "question_id": result.id,
                "result": json.dumps(result.to_json()),
            }
            for ordinal, result in enumerate(run.results)
        ),
    )
    return replace(run, run_id=run_id)


def by_id(transaction: Transaction, run_id: int) -> EvalRun | None:
    """The run with this id and the results of its questions; None when there is none."""
    row = transaction.execute(
        f"{_SELECT} WHERE org_id = :org AND run_id = :run_id", {"run_id": run_id}
    ).fetchone()
    if row is None:
        return None
    results = transaction.execute(
        "SELECT result FROM eval_results WHERE org_id = :org AND run_id = :run_id ORDER BY ordinal",
        {"run_id": run_id},
    )
    return replace(_run(row), results=tuple(QuestionResult(**json.loads(line)) for (line,) in results))


def recent(
    transaction: Transaction,
    limit: int,
    *,
    golden: str | None = None,
    name: str | None = None,
    before: int | None = None,
) -> list[EvalRun]:
    """The last runs without their results, newest first: those of one golden set, of one name, or started
    before a run."""
    conditions = ["org_id = :org"]
    if golden is not None:
        conditions.append("golden = :golden")
    if name is not None:
        conditions.append("name = :name")
    if before is not None:
        conditions.append("run_id < :before")
    rows = transaction.execute(
        f"{_SELECT} WHERE {' AND '.join(conditions)} ORDER BY run_id DESC LIMIT :limit",
        {"golden": golden, "name": name, "before": before, "limit": limit},
    )
    return [_run(row) for row in rows]


_SELECT = """
SELECT started_at, name, golden, golden_hash, k, models, settings, metrics, run_id FROM eval_runs
"""


def _run(row: tuple[Any, ...]) -> EvalRun:
    started_at, name, golden, golden_hash, k, models, settings, metrics, run_id = row
    return EvalRun(
        started_at=datetime.fromtimestamp(started_at, UTC),
        name=name,
        golden=golden,
        golden_hash=golden_hash,
        k=k,
        models=json.loads(models),
        settings=json.loads(settings),
        metrics=json.loads(metrics),
        run_id=run_id,
    )
