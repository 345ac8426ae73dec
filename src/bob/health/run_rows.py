"""The history of health, and which findings a person does not want to see again."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from bob.health.values import HealthRun, ProjectHealth
from bob.storage.database import Transaction

_KEPT = 500
"""Older runs are dropped: the history is for a trend, and a row is written whenever something changed."""


def add(transaction: Transaction, run: HealthRun) -> None:
    """Keep a run."""
    (run_id,) = transaction.take_ids("health_run", 1)
    projects = {name: health.to_json() for name, health in run.projects.items()}
    transaction.insert(
        "health_runs",
        {"run_id": run_id, "taken_at": run.taken_at.timestamp(), "projects": json.dumps(projects)},
    )
    transaction.execute(
        "DELETE FROM health_runs WHERE org_id = :org AND run_id <= :last", {"last": run_id - _KEPT}
    )


def recent(transaction: Transaction, limit: int) -> list[HealthRun]:
    """The last runs, oldest first."""
    rows = transaction.execute(
        "SELECT taken_at, projects FROM health_runs WHERE org_id = :org ORDER BY run_id DESC LIMIT :limit",
        {"limit": limit},
    ).fetchall()
    return [
        HealthRun(
            datetime.fromtimestamp(taken_at, UTC),
            {name: ProjectHealth(**values) for name, values in json.loads(projects).items()},
        )
        for taken_at, projects in reversed(rows)
    ]


def dismiss(transaction: Transaction, finding_id: str, now: datetime) -> None:
    """Show a finding no more."""
    restore(transaction, finding_id)
    transaction.insert("dismissed_findings", {"finding": finding_id, "dismissed_at": now.timestamp()})


def restore(transaction: Transaction, finding_id: str) -> bool:
    """Show a dismissed finding again; False when it was not dismissed."""
    gone = transaction.execute(
        "DELETE FROM dismissed_findings WHERE org_id = :org AND finding = :finding", {"finding": finding_id}
    )
    return gone.rowcount > 0


def dismissed(transaction: Transaction) -> set[str]:
    """The ids of all findings that were dismissed."""
    return {
        finding
        for (finding,) in transaction.execute("SELECT finding FROM dismissed_findings WHERE org_id = :org")
    }
