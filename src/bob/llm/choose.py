"""Makes the model of a provider; each provider's library is imported only where it is chosen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from bob.llm.endpoint import Endpoint
from bob.llm.providers import PROVIDERS

if TYPE_CHECKING:
    from pydantic import SecretStr

    from bob.core.protocols import LanguageModel, ProviderCaches


def language_model(
    provider: str,
    model: str,
    *,
    base_url: str | None,
    api_key: SecretStr | None,
    timeout_seconds: float,
    pause: Callable[[float], None],
    now: Callable[[], datetime],
    caches: ProviderCaches | None = None,
) -> LanguageModel:
    """The provider's model, at its own server without `base_url`; `pause` waits, in seconds, between tries.

    `caches` remembers, by the clock `now` (with its time zone), what the provider keeps under a name; without
    it that is forgotten with this model.

    Raises:
        SettingsError: it needs a key and has none.
    """
    endpoint = endpoint_of(provider, model, base_url, api_key, timeout_seconds)
    if provider == "anthropic":
        from bob.llm.anthropic import AnthropicModel

        return AnthropicModel(endpoint, pause)
    if provider == "gemini":
        from bob.llm.gemini import GeminiModel
        from bob.llm.gemini_cache import CachedContents
        from bob.llm.providers import KnownCaches

        return GeminiModel(endpoint, pause, CachedContents(endpoint, caches or KnownCaches(), now))
    from bob.llm.openai import OpenAIModel

    return OpenAIModel(endpoint, pause)


def endpoint_of(
    provider: str, model: str, base_url: str | None, api_key: SecretStr | None, timeout_seconds: float
) -> Endpoint:
    """Where a provider's model is reached. Raises SettingsError: it needs a key and has none."""
    chosen = PROVIDERS[provider]
    return Endpoint(chosen, model, (base_url or chosen.base_url).rstrip("/"), api_key, timeout_seconds)
