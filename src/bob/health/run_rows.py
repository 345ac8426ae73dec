"""The history of health, and which findings a person does not want to see again."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select

from bob.health.values import HealthRun, ProjectHealth
from bob.storage.counters import next_ids
from bob.storage.schema_knowledge import dismissed_findings, health_runs

_KEPT = 500
"""Older runs are dropped: the history is for a trend, and a row is written whenever something changed."""


def add(connection: Connection, org_id: str, run: HealthRun) -> None:
    """Keep a run."""
    (run_id,) = next_ids(connection, org_id, "health_run", 1)
    projects = {name: health.to_json() for name, health in run.projects.items()}
    values = {"run_id": run_id, "taken_at": run.taken_at.timestamp(), "projects": projects}
    connection.execute(insert(health_runs).values(org_id=org_id, **values))
    connection.execute(
        delete(health_runs).where(health_runs.c.org_id == org_id, health_runs.c.run_id <= run_id - _KEPT)
    )


def recent(connection: Connection, org_id: str, limit: int) -> list[HealthRun]:
    """The last runs, oldest first."""
    rows = connection.execute(
        select(health_runs.c.taken_at, health_runs.c.projects)
        .where(health_runs.c.org_id == org_id)
        .order_by(health_runs.c.run_id.desc())
        .limit(limit)
    ).all()
    return [
        HealthRun(
            datetime.fromtimestamp(taken_at, UTC),
            {name: ProjectHealth(**values) for name, values in projects.items()},
        )
        for taken_at, projects in reversed(rows)
    ]


def dismiss(connection: Connection, org_id: str, finding_id: str, now: datetime) -> None:
    """Show a finding no more."""
    restore(connection, org_id, finding_id)
    connection.execute(
        insert(dismissed_findings).values(org_id=org_id, finding=finding_id, dismissed_at=now.timestamp())
    )


def restore(connection: Connection, org_id: str, finding_id: str) -> bool:
    """Show a dismissed finding again; False when it was not dismissed."""
    gone = connection.execute(
        delete(dismissed_findings).where(
            dismissed_findings.c.org_id == org_id, dismissed_findings.c.finding == finding_id
        )
    )
    return gone.rowcount > 0


def dismissed(connection: Connection, org_id: str) -> set[str]:
    """The ids of all findings that were dismissed."""
    rows = connection.execute(
        select(dismissed_findings.c.finding).where(dismissed_findings.c.org_id == org_id)
    )
    return {row[0] for row in rows}
