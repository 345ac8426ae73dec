"""The organizations of a database: each sees only its own rows."""

from __future__ import annotations

from bob.store.database import Database


def ensure_organization(database: Database, org_id: str) -> None:
    """Make sure that the organization exists."""
    with database.search() as connection:
        known = connection.execute("SELECT 1 FROM organizations WHERE org_id = ?", (org_id,)).fetchone()
    if known is not None:
        return
    from sqlalchemy import insert

    from bob.store.schema import organizations

    with database.write() as connection_:
        connection_.execute(insert(organizations).prefix_with("OR IGNORE").values(org_id=org_id, name=org_id))
