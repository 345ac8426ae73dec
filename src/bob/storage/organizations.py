"""The organizations of a database: each sees only its own rows."""

from __future__ import annotations

from bob.storage.database import Database

_WAIT_SECONDS = 120


def is_known(database: Database, org_id: str) -> bool:
    """Whether there is such an organization."""
    with database.search() as connection:
        row = connection.execute("SELECT 1 FROM organizations WHERE org_id = ?", (org_id,)).fetchone()
    return row is not None


def every_organization(database: Database) -> list[str]:
    """The names of all of them, in order."""
    with database.search() as connection:
        rows = connection.execute("SELECT org_id FROM organizations ORDER BY org_id").fetchall()
    return [str(org_id) for (org_id,) in rows]


def ensure_organization(database: Database, org_id: str) -> None:
    """Make sure that the organization exists."""
    if is_known(database, org_id):
        return
    with database.keep(_WAIT_SECONDS) as connection:
        connection.execute(
            "INSERT INTO organizations (org_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING", (org_id, org_id)
        )
