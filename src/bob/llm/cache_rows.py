"""What providers keep for us under names, in the database: a later process uses it too (SPEC I1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, insert, select

from bob.core.caching import KnownCache
from bob.storage.database import Database
from bob.storage.schema_conversations import provider_caches


class StoredCaches:
    """A `ProviderCaches` of one organization."""

    def __init__(self, database: Database, org_id: str) -> None:
        self._database = database
        self._org_id = org_id

    def find(self, provider: str, model: str, key: str) -> KnownCache | None:
        """What was kept last for this key, perhaps expired by now."""
        columns = (provider_caches.c.name, provider_caches.c.expires_at)
        with self._database.read() as connection:
            row = connection.execute(select(*columns).where(self._this(provider, model, key))).first()
        return None if row is None else KnownCache(row[0], datetime.fromtimestamp(row[1], UTC))

    def keep(self, provider: str, model: str, key: str, name: str, expires_at: datetime) -> None:
        """Remembers the name and when it expires, in place of what was known before."""
        values: dict[str, Any] = {
            "org_id": self._org_id,
            "provider": provider,
            "model": model,
            "content_key": key,
            "name": name,
            "expires_at": expires_at.timestamp(),
        }
        with self._database.write() as connection:
            connection.execute(delete(provider_caches).where(self._this(provider, model, key)))
            connection.execute(insert(provider_caches).values(values))

    def drop(self, provider: str, model: str, key: str) -> None:
        """Forgets the key. It need not be known."""
        with self._database.write() as connection:
            connection.execute(delete(provider_caches).where(self._this(provider, model, key)))

    def _this(self, provider: str, model: str, key: str) -> ColumnElement[bool]:
        return and_(
            provider_caches.c.org_id == self._org_id,
            provider_caches.c.provider == provider,
            provider_caches.c.model == model,
            provider_caches.c.content_key == key,
        )
