"""Makes the model of a provider; each provider's library is imported only where it is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bob.llm.endpoint import Endpoint
from bob.llm.providers import PROVIDERS

if TYPE_CHECKING:
    from pydantic import SecretStr

    from bob.protocols import LanguageModel


def language_model(
    provider: str,
    model: str,
    *,
    base_url: str | None,
    api_key: SecretStr | None,
    timeout_seconds: float,
    pause: Callable[[float], None],
) -> LanguageModel:
    """The provider's model, at its own server without `base_url`; `pause` waits, in seconds, between tries.

    Raises:
        SettingsError: it needs a key and has none.
    """
    chosen = PROVIDERS[provider]
    endpoint = Endpoint(chosen, model, (base_url or chosen.base_url).rstrip("/"), api_key, timeout_seconds)
    if provider == "anthropic":
        from bob.llm.anthropic import AnthropicModel

        return AnthropicModel(endpoint, pause)
    if provider == "gemini":
        from bob.llm.gemini import GeminiModel

        return GeminiModel(endpoint, pause)
    from bob.llm.openai import OpenAIModel

    return OpenAIModel(endpoint, pause)
