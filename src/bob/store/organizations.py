"""The organizations of a database: each sees only its own rows."""

from __future__ import annotations

from bob.store.database import Database

_WAIT_SECONDS = 120


def ensure_organization(database: Database, org_id: str) -> None:
    """Make sure that the organization exists."""
    with database.search() as connection:
        known = connection.execute("SELECT 1 FROM organizations WHERE org_id = ?", (org_id,)).fetchone()
    if known is not None:
        return
    with database.keep(_WAIT_SECONDS) as connection:
        connection.execute(
            "INSERT INTO organizations (org_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING", (org_id, org_id)
        )
