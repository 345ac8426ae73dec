"""API keys: one row each, with the hash of the secret and never the secret (SPEC L2)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from bob.access.api_key import ApiKey
from bob.core.principal import Role
from bob.storage.database import Transaction

_COLUMNS = "key_id, name, user_id, role, scopes, created_at, expires_at, last_used_at, revoked_at"


def add(transaction: Transaction, key: ApiKey, secret_hash: str) -> None:
    """Keep a new key."""
    transaction.insert(
        "api_keys",
        {
            "key_id": key.key_id,
            "name": key.name,
            "secret_hash": secret_hash,
            "user_id": key.user_id,
            "role": key.role.value,
            "scopes": json.dumps(sorted(key.scopes)),
            "created_at": key.created_at.timestamp(),
            "expires_at": key.expires_at and key.expires_at.timestamp(),
            "last_used_at": key.last_used_at and key.last_used_at.timestamp(),
            "revoked_at": key.revoked_at and key.revoked_at.timestamp(),
        },
    )


def by_id(transaction: Transaction, key_id: str) -> tuple[ApiKey, str] | None:
    """A key and the hash of its secret."""
    statement = f"SELECT {_COLUMNS}, secret_hash FROM api_keys WHERE org_id = :org AND key_id = :key_id"
    row = transaction.execute(statement, {"key_id": key_id}).fetchone()
    return None if row is None else (_key(row[:-1]), str(row[-1]))


def every(transaction: Transaction) -> list[ApiKey]:
    """All keys, the first one first."""
    statement = f"SELECT {_COLUMNS} FROM api_keys WHERE org_id = :org ORDER BY created_at, key_id"
    return [_key(row) for row in transaction.execute(statement)]


def exist(transaction: Transaction) -> bool:
    """Whether a key was ever made, also one that opens nothing any more."""
    found = transaction.execute("SELECT 1 FROM api_keys WHERE org_id = :org LIMIT 1")
    return found.fetchone() is not None


def revoke(transaction: Transaction, key_id: str, now: datetime) -> None:
    """End a key; one that was revoked before keeps its time."""
    transaction.execute(
        "UPDATE api_keys SET revoked_at = :now"
        " WHERE org_id = :org AND key_id = :key_id AND revoked_at IS NULL",
        {"now": now.timestamp(), "key_id": key_id},
    )


def note_use(transaction: Transaction, key_id: str, now: datetime) -> None:
    """Note when a key was used last."""
    transaction.execute(
        "UPDATE api_keys SET last_used_at = :now WHERE org_id = :org AND key_id = :key_id",
        {"now": now.timestamp(), "key_id": key_id},
    )


def _key(row: Any) -> ApiKey:
    key_id, name, user_id, role, scopes, created_at, *moments = row
    return ApiKey(
        key_id,
        name,
        user_id,
        Role(role),
        frozenset(json.loads(scopes)),
        datetime.fromtimestamp(created_at, UTC),
        *(None if moment is None else datetime.fromtimestamp(moment, UTC) for moment in moments),
    )
