"""Gemini's explicit cached content: the stable beginning of a prompt, kept by the service under a name.

It only ever saves. Whatever goes wrong with it, the request goes on with its whole text, which the service
may still find in the cache that it keeps by itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bob.core.caching import KnownCache
from bob.core.prompt import Prompt
from bob.core.protocols import ProviderCaches
from bob.core.retries import TOO_MANY
from bob.llm.attempts import failures
from bob.llm.endpoint import PLACEHOLDER, Endpoint
from bob.llm.failure import Failure, failure_of

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client

KEY_HEADER = "x-goog-api-key"

_API_VERSION = "v1beta"
"""Where cached content is."""

_BYTES_A_TOKEN = 4
"""In English four letters of a byte each, in Chinese three quarters of a letter. Only a guess of what is too
short: the service counts, and refuses what is."""

_LITTLE_LEFT = 0.4
"""Of its lifetime: below, it is prolonged, so that it lasts through the answer and the reading of it."""

_MOST_SECONDS = 20.0
"""A person waits for the answer, not for the cache."""

_PAUSE_SECONDS = 300.0
"""So long nothing is offered to a service that was asked too often."""

_FOR_EVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CachedStart:
    """The first `segments` of the system prompt are kept under `name`; `created` for this very request."""

    key: str
    name: str
    segments: int
    created: bool


def client_over(endpoint: Endpoint, http: httpx2.Client) -> Client:
    """The SDK's client, which knows neither the key nor the environment."""
    from google.genai import Client, types

    options = types.HttpOptions(base_url=endpoint.base_url, api_version=_API_VERSION, httpx_client=http)
    return Client(api_key=PLACEHOLDER, vertexai=False, http_options=options)


class CachedContents:
    """Creates, finds and prolongs cached content. `caches` remembers it by the clock `now`, which has a time
    zone. What the service refused to keep is not offered again by this object, or not for five minutes where
    it had too many requests."""

    def __init__(self, endpoint: Endpoint, caches: ProviderCaches, now: Callable[[], datetime]) -> None:
        self._endpoint = replace(endpoint, timeout_seconds=min(endpoint.timeout_seconds, _MOST_SECONDS))
        self._provider = endpoint.provider.name
        self._caches = caches
        self._now = now
        self._refused: dict[str, datetime] = {}

    def start(self, prompt: Prompt) -> CachedStart | None:
        """The system prompt up to its last cached segment, kept by the service; None if it cannot be."""
        rules = self._endpoint.rules
        texts = _stable(prompt)
        size = sum(len(text.encode()) for text in texts) // _BYTES_A_TOKEN
        if rules.breakpoints != "created" or not rules.ttl_seconds or size < max(rules.minimum_tokens, 1):
            return None
        model, lifetime = self._endpoint.model, timedelta(seconds=rules.ttl_seconds)
        key = hashlib.sha256(json.dumps([model, texts]).encode()).hexdigest()
        known = self._caches.find(self._provider, model, key)
        now = self._now()
        if known is not None and known.expires_at > now:
            if known.expires_at - now >= lifetime * _LITTLE_LEFT:
                return CachedStart(key, known.name, len(texts), created=False)
            failure = self._prolong(key, known, lifetime)
            if failure is None:
                return CachedStart(key, known.name, len(texts), created=False)
            if not _refusal(failure):
                return None
        if self._refused.get(key, now) > now:
            return None
        name = self._create(key, texts, lifetime)
        return None if name is None else CachedStart(key, name, len(texts), created=True)

    def forget(self, start: CachedStart) -> None:
        """What the service no longer has: the next request creates it anew."""
        self._caches.drop(self._provider, self._endpoint.model, start.key)

    def _prolong(self, key: str, known: KnownCache, lifetime: timedelta) -> Failure | None:
        from google.genai import types

        expires_at = self._now() + lifetime

        def update(client: Client) -> str:
            config = types.UpdateCachedContentConfig(ttl=_seconds(lifetime))
            return client.caches.update(name=known.name, config=config).name or known.name

        said = self._ask(update)
        if isinstance(said, Failure):
            return said
        self._caches.keep(self._provider, self._endpoint.model, key, known.name, expires_at)
        return None

    def _create(self, key: str, texts: list[str], lifetime: timedelta) -> str | None:
        from google.genai import types

        model = self._endpoint.model
        expires_at = self._now() + lifetime
        parts = [types.Part(text=text) for text in texts]

        def create(client: Client) -> str:
            config = types.CreateCachedContentConfig(
                system_instruction=types.Content(parts=parts), ttl=_seconds(lifetime)
            )
            return client.caches.create(model=model, config=config).name or ""

        name = self._ask(create)
        if isinstance(name, Failure):
            if _refusal(name):
                self._refused[key] = _FOR_EVER
                self._caches.drop(self._provider, model, key)
            elif name.status == TOO_MANY:
                # Asked too often, which passes, or a plan without cached content, which does not.
                self._refused[key] = self._now() + timedelta(seconds=max(name.wait or 0, _PAUSE_SECONDS))
            return None
        if not name:
            return None
        self._caches.keep(self._provider, model, key, name, expires_at)
        return name

    def _ask(self, call: Callable[[Client], str]) -> str | Failure:
        from google.genai.errors import APIError

        try:
            with self._endpoint.http_client(KEY_HEADER) as http:
                return call(client_over(self._endpoint, http))
        except failures(APIError) as error:
            return failure_of(error)


def _stable(prompt: Prompt) -> list[str]:
    marked = [at for at, segment in enumerate(prompt.system, 1) if segment.cached]
    return [segment.text for segment in prompt.system[: marked[-1]]] if marked else []


def _seconds(lifetime: timedelta) -> str:
    return f"{int(lifetime.total_seconds())}s"


def _refusal(failure: Failure) -> bool:
    """Whether the service said no: too short, not for this model, or no longer there."""
    return failure.kind == "status" and failure.status is not None and not failure.passing
