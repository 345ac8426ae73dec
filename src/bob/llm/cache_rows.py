"""What providers keep for us under names, in the database: a later process uses it too (SPEC I1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bob.core.caching import KnownCache
from bob.storage.database import Database


class StoredCaches:
    """A `ProviderCaches` of one organization."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, provider: str, model: str, key: str) -> KnownCache | None:
        """What was kept last for this key, perhaps expired by now."""
        with self._database.read() as transaction:
            row = transaction.execute(
                f"SELECT name, expires_at FROM provider_caches WHERE {_THIS}", _this(provider, model, key)
            ).fetchone()
        return None if row is None else KnownCache(row[0], datetime.fromtimestamp(row[1], UTC))

    def keep(self, provider: str, model: str, key: str, name: str, expires_at: datetime) -> None:
        """Remembers the name and when it expires, in place of what was known before."""
        this = _this(provider, model, key)
        with self._database.write() as transaction:
            transaction.execute(f"DELETE FROM provider_caches WHERE {_THIS}", this)
            transaction.insert("provider_caches", this | {"name": name, "expires_at": expires_at.timestamp()})

    def drop(self, provider: str, model: str, key: str) -> None:
        """Forgets the key. It need not be known."""
        with self._database.write() as transaction:
            transaction.execute(f"DELETE FROM provider_caches WHERE {_THIS}", _this(provider, model, key))


_THIS = "org_id = :org AND provider = :provider AND model = :model AND content_key = :content_key"


def _this(provider: str, model: str, key: str) -> dict[str, Any]:
    return {"provider": provider, "model": model, "content_key": key}
