"""Hands a request in OpenAI's form on to a server that speaks it, and gives back what it says as it comes.

Nothing is tried twice: a client of such a server tries again by itself.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bob.core.errors import UpstreamError
from bob.llm.endpoint import Endpoint, missing
from bob.llm.failure import Failure, explained, failure_of

if TYPE_CHECKING:
    import httpx2

_BAD_GATEWAY, _GATEWAY_TIMEOUT = 502, 504
_ERRORS = range(400, 600)


class Forward:
    """Chat completions of one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def name(self) -> str:
        """Provider and model, such as `openai:gpt-5`."""
        return self._endpoint.name

    def forward_request(self, request: Mapping[str, Any]) -> Generator[dict[str, Any]]:
        """What the server answers to the request, but for the model, which is the endpoint's: one completion,
        or its chunks when the request has `stream`. Raises UpstreamError and MissingExtraError."""
        try:
            import httpx2
        except ImportError as error:
            raise missing(self._endpoint.provider) from error
        body = {**request, "model": self._endpoint.model}
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            with (
                self._endpoint.http_client("Authorization", "Bearer ") as http,
                http.stream(
                    "POST",
                    f"{self._endpoint.base_url}/chat/completions",
                    content=content,
                    headers={"Content-Type": "application/json"},
                ) as response,
            ):
                if response.status_code != httpx2.codes.OK:
                    response.read()
                    response.raise_for_status()
                if request.get("stream"):
                    yield from _chunks(response)
                else:
                    response.read()
                    yield _answer(response.content)
                return
        except httpx2.HTTPStatusError as error:
            failure, said = failure_of(error), _error_in(error.response)
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            failure, said = failure_of(error), {}
        except _BrokenOffError as broken:
            failure, said = broken.failure, {}
        # Raised out here, the error has no context: that would hold the request with the key.
        raise self._error(failure, said)

    def _error(self, failure: Failure, said: Mapping[str, Any]) -> UpstreamError:
        def word(name: str) -> str | None:
            value = said.get(name)
            return self._endpoint.redacted(value) if isinstance(value, str) else None

        status = _GATEWAY_TIMEOUT if failure.kind == "silent" else failure.status
        return UpstreamError(
            status if status is not None and status in _ERRORS else _BAD_GATEWAY,
            explained(failure, self._endpoint),
            kind=word("type") or "upstream_error",
            field=word("param"),
            code=word("code"),
            wait=failure.wait,
        )


class _BrokenOffError(Exception):
    """A stream that did not come to its end."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.kind)
        self.failure = failure


def _chunks(response: httpx2.Response) -> Iterator[dict[str, Any]]:
    whole = False
    for line in _lines(response):
        if not line.startswith(b"data:"):
            continue
        data = line.removeprefix(b"data:").strip()
        if data == b"[DONE]":
            return
        chunk = _answer(data)
        error = chunk.get("error")
        if error:
            words = error.get("message") if isinstance(error, dict) else error
            raise _BrokenOffError(Failure("reported", str(words)))
        whole = whole or any(each.get("finish_reason") for each in chunk.get("choices") or ())
        yield chunk
    if not whole:  # Some servers leave out the mark of the end.
        raise _BrokenOffError(Failure("cut"))


def _lines(response: httpx2.Response) -> Iterator[bytes]:
    """The lines of a stream; only a line feed ends one, whatever Unicode thinks of other characters."""
    rest: list[bytes] = []
    for part in response.iter_bytes():
        first, *lines = part.split(b"\n")
        rest.append(first)
        for line in lines:
            yield b"".join(rest)
            rest = [line]
    yield b"".join(rest)


def _answer(data: bytes) -> dict[str, Any]:
    """What a server answers. Raises ValueError: its choices are not of OpenAI's form."""
    found = _object(data)
    choices = found.get("choices") or []
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise ValueError("its choices are not objects")
    messages = (choice.get(name) or {} for choice in choices for name in ("delta", "message"))
    if not all(isinstance(message, dict) for message in messages):
        raise ValueError("its message is no object")
    return found


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except RecursionError as error:
        raise ValueError("its JSON is nested too deep") from error
    if not isinstance(found, dict):
        raise ValueError("no JSON object")
    return found


def _error_in(response: httpx2.Response) -> dict[str, Any]:
    try:
        error = _object(response.content).get("error")
    except ValueError:
        return {}
    return error if isinstance(error, dict) else {}
