"""API keys: one row each, with the hash of the secret and never the secret (SPEC L2).

They are looked up with every request, so these are statements on the driver itself (ADR 14).
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from bob.access.api_key import ApiKey
from bob.core.principal import Role
from bob.storage.database import DriverConnection

_COLUMNS = "key_id, name, user_id, role, scopes, created_at, expires_at, last_used_at, revoked_at"


def add(connection: DriverConnection, org_id: str, key: ApiKey, secret_hash: str) -> None:
    """Keep a new key."""
    connection.execute(
        f"INSERT INTO api_keys (org_id, secret_hash, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            org_id,
            secret_hash,
            key.key_id,
            key.name,
            key.user_id,
            key.role.value,
            json.dumps(sorted(key.scopes)),
            key.created_at.timestamp(),
            *(each and each.timestamp() for each in (key.expires_at, key.last_used_at, key.revoked_at)),
        ),
    )


def at(connection: DriverConnection, org_id: str, key_id: str) -> tuple[ApiKey, str] | None:
    """A key and the hash of its secret."""
    statement = f"SELECT {_COLUMNS}, secret_hash FROM api_keys WHERE org_id = ? AND key_id = ?"
    row = connection.execute(statement, (org_id, key_id)).fetchone()
    return None if row is None else (_key(row[:-1]), str(row[-1]))


def every(connection: DriverConnection, org_id: str) -> list[ApiKey]:
    """All keys, the first one first."""
    statement = f"SELECT {_COLUMNS} FROM api_keys WHERE org_id = ? ORDER BY created_at, key_id"
    return [_key(row) for row in connection.execute(statement, (org_id,))]


def exist(connection: DriverConnection, org_id: str) -> bool:
    """Whether a key was ever made, also one that opens nothing any more."""
    found = connection.execute("SELECT 1 FROM api_keys WHERE org_id = ? LIMIT 1", (org_id,))
    return found.fetchone() is not None


def revoke(connection: DriverConnection, org_id: str, key_id: str, now: datetime) -> None:
    """End a key; one that was revoked before keeps its time."""
    statement = "UPDATE api_keys SET revoked_at = ? WHERE org_id = ? AND key_id = ? AND revoked_at IS NULL"
    connection.execute(statement, (now.timestamp(), org_id, key_id))


def note_use(connection: DriverConnection, org_id: str, key_id: str, now: datetime) -> None:
    """Note when a key was used last."""
    statement = "UPDATE api_keys SET last_used_at = ? WHERE org_id = ? AND key_id = ?"
    connection.execute(statement, (now.timestamp(), org_id, key_id))


def _key(row: Any) -> ApiKey:
    key_id, name, user_id, role, scopes, created_at, *moments = row
    return ApiKey(
        key_id,
        name,
        user_id,
        Role(role),
        frozenset(json.loads(scopes)),
        datetime.fromtimestamp(created_at, UTC),
        *(None if each is None else datetime.fromtimestamp(each, UTC) for each in moments),
    )
