"""The memory of work items in a Hippocampus service: an `OrganizationMemory` over its HTTP protocol.

Whoever asks is told in words that hold nothing of the service; what went wrong is logged. Another Bob is such
a service too (`bob.http.hippocampus`).
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from bob.core.errors import MemoryServiceError, MissingExtraError, SettingsError
from bob.core.retries import FIRST_PAUSE, TRIES, may_pass, retry_after
from bob.core.storable import encodable
from bob.work.items import collection_name


class UnusableAnswerError(Exception):
    """An answer is none of the forms; the message is for a log."""


def parsed(content: bytes) -> Any:
    """The JSON of an answer. Raises UnusableAnswerError."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UnusableAnswerError(f"it is not JSON ({type(error).__name__})") from error


def collection_id(answer: Any) -> str:
    """The id of a collection that was made or found. Raises UnusableAnswerError.

    >>> collection_id({"data": {"_id": "c1", "name": "org:acme"}})
    'c1'
    """
    return _identifier(_unwrapped(answer, "collectionId"), "collectionId")


def check_resource(answer: Any, resource_id: str) -> None:
    """Raises UnusableAnswerError: a resource was saved under another id, so it would not be found again."""
    kept = _identifier(_unwrapped(answer, "resourceId"), "resourceId")
    if kept != resource_id:
        raise UnusableAnswerError(f"{resource_id} was saved under another id")


def results(answer: Any) -> list[tuple[str, float]]:
    """The ids found and their scores, brought into the range from 0 to 1. Raises UnusableAnswerError.

    >>> results({"data": [{"id": "workItem:8", "score": 0.75}]})
    [('workItem:8', 0.75)]
    """
    if not isinstance(answer, dict):
        raise UnusableAnswerError("it has no results")
    results = _unwrapped(answer, "results")
    listed = results.get("results") if isinstance(results, dict) else results
    if not isinstance(listed, list):
        raise UnusableAnswerError("it has no list of results")
    return [(_identifier(result, "resourceId"), _score(result)) for result in listed]


def _unwrapped(answer: Any, expected: str) -> Any:
    if isinstance(answer, dict) and expected not in answer and "data" in answer:
        return answer["data"]
    return answer


def _identifier(found: Any, name: str) -> str:
    if not isinstance(found, dict):
        raise UnusableAnswerError(f"it has no {name}")
    value = next((found[key] for key in (name, "_id", "id") if key in found), None)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise UnusableAnswerError(f"it has no {name}")
    return value


def _score(result: dict[str, Any]) -> float:
    value = result.get("score")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UnusableAnswerError("a result has no score")
    return min(max(float(value), 0.0), 1.0)


log = logging.getLogger(__name__)

_LONGEST_PAUSE = 10.0
"""Seconds. The pause doubles; a service may ask for another in Retry-After, up to the longest."""

_MOST_BYTES = 4 * 1024 * 1024
"""No answer of the protocol comes near this."""

_LOGGED = 200
"""Characters of an answer that go into the log."""

_COLLECTION_HEADER = "x-collection-id"
"""Names the collection where the protocol's path names a resource alone. Another Bob reads it, so that the
same id in two collections is no question; other services take no notice."""

_NOT_FOUND = 404

_Value = TypeVar("_Value")

UNREACHABLE = "The semantic index of your organization cannot be reached; try again later."
REFUSED = "The semantic index of your organization refused the request."
UNUSABLE = "The semantic index of your organization gave an invalid answer."


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    content: bytes
    retry_after: str | None


class RemoteMemory:
    """Collection and owner of an organization are `org:{org_id}`. Safe to share between threads."""

    def __init__(
        self,
        url: str,
        api_key: str | None,
        timeout_seconds: float,
        relevance_floor: float,
        pause: Callable[[float], None],
    ) -> None:
        """`pause` waits between tries, in seconds.

        Raises SettingsError: no HTTP header can hold the key. Raises MissingExtraError.
        """
        if api_key and not (api_key.isascii() and api_key.isprintable()):
            raise SettingsError("hippocampus.api_key has invalid characters")
        try:
            import httpx
        except ImportError as error:
            raise MissingExtraError("a Hippocampus service", "team") from error
        self._url = url.rstrip("/")
        self._key = api_key
        self._floor = relevance_floor
        self._pause = pause
        # Redirects are not followed: the key is for this address alone.
        self._client = httpx.Client(
            timeout=timeout_seconds, headers={"x-api-key": api_key} if api_key else {}
        )
        self._collections: dict[str, str] = {}

    def create_collection(self, org_id: str) -> None:
        """Make the organization's collection; one that is there stays as it is."""
        self._collection(org_id)

    def add_resource(self, org_id: str, resource_id: str, title: str, content: str) -> None:
        """Index a text under an id, in place of what the id had."""
        body = {"title": title, "content": content, "resourceId": resource_id}
        answer = self._in_collection(org_id, "/resource", body)
        self._read(answer, lambda value: check_resource(value, resource_id))

    def update_resource(self, org_id: str, resource_id: str, title: str, content: str) -> None:
        """Index the text anew; an id that is not there is added."""
        answer = self._of_resource(org_id, "PUT", resource_id, {"title": title, "content": content})
        if answer.status == _NOT_FOUND:
            self.add_resource(org_id, resource_id, title, content)

    def delete_resource(self, org_id: str, resource_id: str) -> None:
        """Take an id out. It need not be there."""
        self._of_resource(org_id, "DELETE", resource_id, None)

    def query(self, org_id: str, text: str, limit: int) -> list[tuple[str, float]]:
        """The ids whose texts fit, best first, each with its score from 0 to 1; none that do not fit."""
        if limit < 1:
            return []
        body = {"query": text, "limit": limit, "minScore": self._floor}
        found = self._read(self._in_collection(org_id, "/search", body), results)
        # Kept to even where the service does not: what fits too little, the order, and the limit.
        best: dict[str, float] = {}
        for name, score in sorted(found, key=lambda pair: -pair[1]):
            if score >= self._floor:
                best.setdefault(name, score)
        return list(best.items())[:limit]

    def close(self) -> None:
        """Give back the connections."""
        self._client.close()

    def _collection(self, org_id: str) -> str:
        """The service's id of the collection; making one that exists gives the same."""
        if org_id not in self._collections:
            answer = self._sent("POST", "/collection", {"name": collection_name(org_id)})
            self._collections[org_id] = self._read(answer, collection_id)
        return self._collections[org_id]

    def _in_collection(self, org_id: str, path: str, body: dict[str, Any]) -> _Answer:
        """Post what belongs to a collection. One that the service has lost since is made again, once."""
        for is_known in (org_id in self._collections, False):
            named = {"collectionId": self._collection(org_id), "ownerId": collection_name(org_id)}
            answer = self._sent("POST", path, body | named, may_be_missing=is_known)
            if answer.status != _NOT_FOUND:
                break
            self._collections.pop(org_id, None)
        return answer

    def _of_resource(
        self, org_id: str, method: str, resource_id: str, body: dict[str, Any] | None
    ) -> _Answer:
        headers = {_COLLECTION_HEADER: self._collection(org_id)}
        path = f"/resource/{quote(resource_id, safe=':')}"
        return self._sent(method, path, body, headers, may_be_missing=True)

    def _read(self, answer: _Answer, read: Callable[[Any], _Value]) -> _Value:
        """What is in an answer. Raises MemoryServiceError: it has none of the known forms."""
        try:
            return read(parsed(answer.content))
        except UnusableAnswerError as error:
            log.warning("an answer cannot be used: %s: %s", error, self._described(answer))
            raise MemoryServiceError(UNUSABLE) from None

    def _sent(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        headers: dict[str, str] | None = None,
        *,
        may_be_missing: bool = False,
    ) -> _Answer:
        """The answer to a request, which is a success or, where that may be, a 404.

        Raises MemoryServiceError: the service failed three times, or refused.
        """
        request_name, pause = f"{method} {path}", FIRST_PAUSE
        for left in reversed(range(TRIES)):
            answer = self._tried(method, path, body, headers or {})
            if answer is not None and not may_pass(answer.status):
                if 200 <= answer.status < 300 or (may_be_missing and answer.status == _NOT_FOUND):
                    return answer
                log.warning("%s was refused: %s", request_name, self._described(answer))
                raise MemoryServiceError(REFUSED)
            if answer is not None:
                log.warning("%s failed: %s; tries left: %d", request_name, self._described(answer), left)
            if left:
                wait = retry_after(answer.retry_after) if answer is not None else None
                self._pause(min(pause if wait is None else wait, _LONGEST_PAUSE))
                pause *= 2
        raise MemoryServiceError(UNREACHABLE)

    def _tried(
        self, method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str]
    ) -> _Answer | None:
        """One try; None when the connection fails or nothing comes."""
        import httpx

        sent = None if body is None else {name: _sendable(value) for name, value in body.items()}
        try:
            with self._client.stream(method, self._url + path, json=sent, headers=headers) as response:
                content = b""
                for block in response.iter_bytes():
                    content += block
                    if len(content) > _MOST_BYTES:
                        break
                return _Answer(response.status_code, content, response.headers.get("retry-after"))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            log.warning("%s %s failed: %s", method, path, self._hidden(f"{type(error).__name__}: {error}"))
            return None

    def _described(self, answer: _Answer) -> str:
        return f"HTTP {answer.status}: {self._hidden(answer.content.decode('utf-8', 'replace'))[:_LOGGED]!r}"

    def _hidden(self, message: str) -> str:
        return message.replace(self._key, "***") if self._key else message


def _sendable(value: Any) -> Any:
    """UTF-8 has no lone surrogates, and some texts do."""
    return encodable(value) if isinstance(value, str) else value
