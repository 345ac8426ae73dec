"""What providers keep for us, remembered as long as this process lives."""

from __future__ import annotations

from datetime import datetime

from bob.core.caching import KnownCache


class KnownCaches:
    """A `ProviderCaches` in memory."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], KnownCache] = {}

    def find(self, provider: str, model: str, key: str) -> KnownCache | None:
        """What was kept last for this key, perhaps expired by now."""
        return self._known.get((provider, model, key))

    def keep(self, provider: str, model: str, key: str, name: str, expires_at: datetime) -> None:
        """Remembers the name and when it expires, in place of what was known before."""
        self._known[provider, model, key] = KnownCache(name, expires_at)

    def drop(self, provider: str, model: str, key: str) -> None:
        """Forgets the key. It need not be known."""
        self._known.pop((provider, model, key), None)
