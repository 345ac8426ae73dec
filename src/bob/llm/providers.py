"""The providers that Bob knows: where they are, and which variable of the environment holds their key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from bob.core.caching import KnownCache


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider. `key_variables`: the first that is set counts, in the order of the provider's own SDK."""

    name: str
    base_url: str
    key_variables: tuple[str, ...]

    def owns(self, base_url: str) -> bool:
        """Whether the address is the provider's own: its host or one below it, over TLS."""
        own, asked = urlsplit(self.base_url).hostname, urlsplit(base_url)
        host = asked.hostname or ""
        return asked.scheme == "https" and (host == own or host.endswith(f".{own}"))

    def key_in(self, environment: Mapping[str, str], base_url: str | None) -> tuple[str, str] | None:
        """The variable that holds the provider's key, and the key; never for a server of somebody else."""
        if base_url is not None and not self.owns(base_url):
            return None
        found = ((name, environment.get(name, "").strip()) for name in self.key_variables)
        return next((each for each in found if each[1]), None)


PROVIDERS: Mapping[str, Provider] = {
    each.name: each
    for each in (
        Provider("openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",)),
        Provider("anthropic", "https://api.anthropic.com", ("ANTHROPIC_API_KEY",)),
        Provider("gemini", "https://generativelanguage.googleapis.com", ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
    )
}


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
