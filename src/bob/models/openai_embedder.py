"""Turns texts into vectors with any server that speaks OpenAI's /v1/embeddings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from bob.core.errors import MissingExtraError, ModelError, SettingsError
from bob.core.retries import FIRST_PAUSE, TRIES, may_pass, retry_after
from bob.core.storable import encodable

if TYPE_CHECKING:
    import httpx  # type: ignore[import-not-found, unused-ignore]
    import numpy as np
    import numpy.typing as npt

_LONGEST_PAUSE = 20.0
"""Seconds. A server may ask for more in Retry-After; nobody waits longer than this for it."""

BATCH_TEXTS = 64
"""Texts in one request."""

_TIMEOUT_SECONDS = 60.0

_QUOTED = 200
"""Characters of a server's answer that go into an error."""


class OpenAICompatibleEmbedder:
    """An `Embedder` over `POST {base_url}/embeddings`. Constructing costs nothing and contacts nobody."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`sleep` waits between tries. Raises SettingsError for a key that no HTTP header can hold; found
        later, the error would come from below and show it."""
        if api_key and not (api_key.isascii() and api_key.isprintable()):
            raise SettingsError("embedder.api_key has invalid characters (perhaps a line break)")
        self._url = base_url.rstrip("/") + "/embeddings"
        self._model = model
        self._api_key = api_key
        self._dimension: int | None = None
        self._sleep = sleep

    @property
    def model_id(self) -> str:
        """The server's name of the model; a server that changes it silently cannot be noticed."""
        return f"openai:{self._model}"

    @property
    def dimension(self) -> int:
        """The length of a vector; the first use asks the server. No request states it, as many servers refuse
        the parameter. Raises ModelError."""
        if self._dimension is None:
            self.embed(["dimension"])
        assert self._dimension is not None
        return self._dimension

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row of length 1 a text, shape (len(texts), dimension).

        Raises ModelError (no answer, refused, or not what was asked for) and MissingExtraError.
        """
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        with _client(self._api_key) as client:
            rows: npt.NDArray[np.float32] = np.array(list(self._rows(client, texts)), np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.all(lengths > 0) or not np.all(np.isfinite(lengths)):
            raise ModelError(f"{self._url} returned a zero vector")
        rows /= lengths
        return rows

    def _rows(self, client: httpx.Client, texts: Sequence[str]) -> Iterator[list[float]]:
        for start in range(0, len(texts), BATCH_TEXTS):
            batch = [_sendable(text) for text in texts[start : start + BATCH_TEXTS]]
            for row in self._vectors(self._answer(client, batch), len(batch)):
                if self._dimension is None:
                    self._dimension = len(row)
                if len(row) != self._dimension:
                    raise ModelError(f"{self._url} gave {len(row)} dimensions, expected {self._dimension}")
                yield row

    def _answer(self, client: httpx.Client, batch: list[str]) -> httpx.Response:
        import httpx

        body = {"model": self._model, "input": batch, "encoding_format": "float"}
        pause, problem = FIRST_PAUSE, ""
        for attempt in range(TRIES):
            if attempt:
                self._sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            try:
                response = client.post(self._url, json=body)
            except httpx.HTTPError as error:
                problem = self._hidden(f"{type(error).__name__}: {error}")
                continue
            except httpx.InvalidURL as error:
                raise ModelError(self._hidden(f"{self._url} cannot be reached ({error})")) from None
            if response.is_success:
                return response
            problem = f"HTTP {response.status_code}: {self._hidden(response.text)[:_QUOTED]}"
            if not may_pass(response.status_code):
                break
            pause = min(retry_after(response.headers.get("retry-after")) or pause, _LONGEST_PAUSE)
        # The cause is left out on purpose: its request holds the key.
        raise ModelError(f"{self._url} returned no embeddings ({problem})") from None

    def _vectors(self, response: httpx.Response, count: int) -> list[list[float]]:
        try:
            entries: list[dict[str, Any]] = response.json()["data"]
            ordered = sorted(entries, key=lambda entry: int(entry["index"]))
            vectors = [[float(value) for value in entry["embedding"]] for entry in ordered]
            if [int(entry["index"]) for entry in ordered] != list(range(count)):
                raise ValueError(f"{len(ordered)} vectors for {count} texts")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = self._hidden(f"{type(error).__name__}: {error}")[:_QUOTED]
            raise ModelError(f"{self._url} did not answer with embeddings ({problem})") from None
        return vectors

    def _hidden(self, message: str) -> str:
        return message.replace(self._api_key, "***") if self._api_key else message


def _client(api_key: str | None) -> httpx.Client:
    try:
        import httpx
    except ImportError as error:
        raise MissingExtraError("an embedding server", "openai") from error
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    return httpx.Client(timeout=_TIMEOUT_SECONDS, headers=headers)


def _sendable(text: str) -> str:
    """OpenAI refuses an empty input, and UTF-8 a lone surrogate; every text has to have its row."""
    return encodable(text) or " "
