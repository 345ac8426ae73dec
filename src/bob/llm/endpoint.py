"""Where a model is reached, and the HTTP client for it, which sends what is listed here and nothing else."""

from __future__ import annotations

import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from bob.core.caching import PromptRules
from bob.core.errors import MissingExtraError, SettingsError
from bob.llm.prices import prompt_rules
from bob.llm.providers import Provider

if TYPE_CHECKING:
    import httpx2

PLACEHOLDER = "set-by-bob"
"""What the SDKs get for a key: without one they look into the environment, and they would keep and log it."""

_CONNECT_SECONDS = 10.0
"""A server that is there accepts a connection much sooner, however long it thinks afterwards."""

_PATIENCE = 10
"""An answer may take so many times as long as the server may be silent."""

_SENT = frozenset(
    {"accept", "accept-encoding", "anthropic-version", "connection", "content-length", "content-type"}
    | {"host", "transfer-encoding", "user-agent"}
)
"""The SDKs add more: particulars of the machine, and headers, keys and organizations that they find in the
environment. Those are not Bob's to give, least of all to a server that is not the provider's own."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at a server. `timeout_seconds`: how long the server may be silent."""

    provider: Provider
    model: str
    base_url: str
    api_key: SecretStr | None
    timeout_seconds: float

    def __post_init__(self) -> None:
        key = self.key
        if key is None and self.own:
            raise SettingsError(f"{self.provider.name} requires a key; set {self.key_place}")
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
            raise SettingsError("llm.api_key has invalid characters (perhaps a line break)")

    @property
    def name(self) -> str:
        """Provider and model, such as `openai:gpt-5`."""
        return f"{self.provider.name}:{self.model}"

    @property
    def own(self) -> bool:
        """Whether the server is the provider's own."""
        return self.provider.owns(self.base_url)

    @property
    def rules(self) -> PromptRules:
        """How the server caches prompts for the model."""
        return prompt_rules(self.provider.name, self.model, None if self.own else self.base_url)

    @property
    def key(self) -> str | None:
        """The key in plain text, or None."""
        return (self.api_key.get_secret_value().strip() or None) if self.api_key else None

    @property
    def key_place(self) -> str:
        """Where a person sets the key for this server."""
        variables = self.provider.key_variables if self.own else ()
        return " or ".join(["llm.api_key", *variables])

    @property
    def longest_seconds(self) -> float:
        """How long an answer may take in all."""
        return self.timeout_seconds * _PATIENCE

    def redacted(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self.key, "***") if self.key else text

    def http_client(
        self, key_header: str, key_prefix: str = "", *, max_tokens: int | None = None
    ) -> httpx2.Client:
        """A client that sends the key in `key_header`. It follows no redirect: a key is for one server.

        An answer is bounded: what is compressed is not read, nor what is far longer than `max_tokens` (64 MB
        without one) or is not done after ten times `timeout_seconds`.

        Proxies of the environment are used, but not for this machine: what is asked of a local model stays.
        """
        import httpx2

        from bob.llm import limits
        from bob.llm.limited_stream import LimitedStream, check_uncompressed

        wait = httpx2.Timeout(self.timeout_seconds, connect=min(_CONNECT_SECONDS, self.timeout_seconds))
        key = self.key
        most_bytes = limits.MOST_BYTES if max_tokens is None else limits.most_bytes(max_tokens)

        def prepare(request: httpx2.Request) -> None:
            for name in [name for name in request.headers if name.lower() not in _SENT]:
                del request.headers[name]
            if key is not None:
                request.headers[key_header] = f"{key_prefix}{key}"
            # Some bytes that are compressed can be any number of bytes that are not.
            request.headers["Accept-Encoding"] = "identity"
            request.extensions["timeout"] = wait.as_dict()
            request.extensions["deadline"] = time.monotonic() + self.longest_seconds

        def limit(response: httpx2.Response) -> None:
            check_uncompressed(response)
            assert isinstance(response.stream, httpx2.SyncByteStream)
            response.stream = LimitedStream(
                response.stream, most_bytes, response.request.extensions["deadline"]
            )

        address = urlsplit(self.base_url)
        local = address.hostname in _LOOPBACK
        # Without encryption no authority is needed, and to read the system's takes longer than a request.
        plain = local and address.scheme == "http"
        return httpx2.Client(
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True,
            event_hooks={"request": [prepare], "response": [limit]},
            follow_redirects=False,
            trust_env=not local,
            timeout=wait,
        )


def missing(provider: Provider) -> MissingExtraError:
    """The error when a provider's SDK is not installed."""
    return MissingExtraError(f"a model of {provider.name}", provider.name)
