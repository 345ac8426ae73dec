"""The organizations of a database, and what each has: users, small facts by key."""

from __future__ import annotations

from collections.abc import Iterable

from bob.storage.database import EVERY_ORGANIZATION, Database, Transaction

_WAIT_SECONDS = 120


def is_known(database: Database, org_id: str) -> bool:
    """Whether there is such an organization."""
    with database.for_organization(org_id).read() as transaction:
        row = transaction.execute("SELECT 1 FROM organizations WHERE org_id = :org").fetchone()
    return row is not None


def every_organization(database: Database) -> list[str]:
    """The names of all of them, in order."""
    with database.for_organization(EVERY_ORGANIZATION).read() as transaction:
        rows = transaction.execute("SELECT org_id FROM organizations ORDER BY org_id").fetchall()
    return [str(org_id) for (org_id,) in rows]


def ensure_organization(database: Database) -> None:
    """Make sure that the organization exists."""
    if is_known(database, database.org_id):
        return
    with database.write(_WAIT_SECONDS) as transaction:
        transaction.execute(
            "INSERT INTO organizations (org_id, name) VALUES (:org, :org) ON CONFLICT DO NOTHING"
        )


def ensure_users(transaction: Transaction, user_ids: Iterable[str], now: float) -> None:
    """Make sure that these users exist; a new one is called by its id."""
    transaction.execute_many(
        "INSERT INTO users (org_id, user_id, name, created_at) VALUES (:org, :user_id, :user_id, :now)"
        " ON CONFLICT DO NOTHING",
        [{"user_id": each, "now": now} for each in sorted(set(user_ids))],
    )


def get_config(transaction: Transaction, key: str) -> str | None:
    """The value of a key, None when it was never set."""
    row = transaction.execute(
        "SELECT value FROM app_config WHERE org_id = :org AND key = :key", {"key": key}
    ).fetchone()
    return None if row is None else str(row[0])


def get_configs(transaction: Transaction, prefix: str) -> dict[str, str]:
    """Every value whose key begins so, by key."""
    rows = transaction.execute(
        "SELECT key, value FROM app_config WHERE org_id = :org AND substr(key, 1, length(:prefix)) = :prefix"
        " ORDER BY key",
        {"prefix": prefix},
    )
    return dict(rows)


def set_config(transaction: Transaction, key: str, value: str) -> None:
    """Set the value of a key."""
    transaction.execute(
        "INSERT INTO app_config (org_id, key, value) VALUES (:org, :key, :value)"
        " ON CONFLICT (org_id, key) DO UPDATE SET value = excluded.value",
        {"key": key, "value": value},
    )
