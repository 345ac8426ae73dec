"""What can go wrong with a request to a model, and how a person is told: what, where, what to do.

The SDKs have an error tree each, but one HTTP client below, so one function reads all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bob.core.retries import TOO_MANY, may_pass, retry_after
from bob.llm.endpoint import Endpoint

if TYPE_CHECKING:
    import httpx2

Kind = Literal["status", "silent", "endless", "connection", "reported", "cut", "excessive", "malformed"]

_QUOTED = 300
"""Characters of a server's words that go into an error."""

_ANSWERED = range(100, 300)


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed request. `reported`: the server told of an error in the middle of its answer; `cut`: its
    answer just ended.

    `status` is the server's, if it gave one; `detail` its words, which may hold the key; `wait` the seconds
    after which it wants to be asked again.
    """

    kind: Kind
    detail: str = ""
    status: int | None = None
    wait: float | None = None

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed a little later."""
        if self.kind == "status":
            return self.status is not None and may_pass(self.status)
        return self.kind in ("connection", "reported")


def failure_of(error: Exception) -> Failure:
    """What an exception of an SDK, or of the HTTP client below it, means."""
    import httpx2

    from bob.llm.limits import EndlessAnswerError, ExcessiveAnswerError

    for cause in _causes(error):
        if isinstance(cause, EndlessAnswerError):
            return Failure("endless")
        if isinstance(cause, ExcessiveAnswerError):
            return Failure("excessive", str(cause))
    response = getattr(error, "response", None)
    if isinstance(response, httpx2.Response) and response.status_code not in _ANSWERED:
        wait = retry_after(response.headers.get("retry-after"))
        return Failure("status", _words(response), response.status_code, wait)
    for cause in _causes(error):
        if isinstance(cause, httpx2.TimeoutException) and not isinstance(cause, httpx2.ConnectTimeout):
            return Failure("silent")
        if isinstance(cause, httpx2.TransportError):
            return Failure("connection", f"{type(cause).__name__}: {cause}")
        if isinstance(cause, (ValueError, TypeError, AttributeError, LookupError, RecursionError)):
            return Failure("malformed", f"{type(cause).__name__}: {cause}")
    code = getattr(error, "code", None)
    if isinstance(code, int) and code not in _ANSWERED:
        return Failure("status", _message(getattr(error, "details", None)) or str(error), code)
    return Failure("reported", _message(getattr(error, "body", None)) or str(error))


def explained(failure: Failure, endpoint: Endpoint) -> str:
    """One line: the model, what went wrong, the server's own words, and what to do. Never the key."""
    said = " ".join(endpoint.redacted(failure.detail).split())[:_QUOTED]
    return f"{endpoint.name} {_what(failure)}{f' ({said})' if said else ''}: {_advice(failure, endpoint)}"


def _what(failure: Failure) -> str:
    match failure.kind:
        case "status":
            return f"answered with HTTP {failure.status}"
        case "silent":
            return "was silent for too long"
        case "endless":
            return "did not finish its answer"
        case "excessive":
            return "sent a longer answer than allowed"
        case "connection":
            return "cannot be reached"
        case "reported":
            return "reported an error"
        case "cut":
            return "stopped before its answer was complete"
        case "malformed":
            return "gave an invalid answer"


def _advice(failure: Failure, endpoint: Endpoint) -> str:
    match failure.kind:
        case "silent":
            return f"raise llm.timeout_seconds ({endpoint.timeout_seconds:g}) if the model needs longer"
        case "endless":
            wait = f"{endpoint.longest_seconds:g} seconds, ten times llm.timeout_seconds"
            return f"an answer may take {wait}; raise it if the model needs longer"
        case "excessive":
            return f"raise llm.max_tokens if this is right; is llm.base_url ({endpoint.base_url})?"
        case "connection":
            return f"is the server running at {endpoint.base_url}?"
        case "malformed":
            return f"is llm.base_url right ({endpoint.base_url})?"
        case "reported" | "cut":
            return "try again later"
        case "status":
            return _advice_for_status(failure, endpoint)


def _advice_for_status(failure: Failure, endpoint: Endpoint) -> str:
    # Gemini calls a wrong key a bad request.
    if failure.status in (401, 403) or (failure.status == 400 and "api key" in failure.detail.lower()):
        return f"check the key in {endpoint.key_place}"
    if failure.status == 404:
        return f"check llm.model and llm.base_url ({endpoint.base_url})"
    if failure.status == TOO_MANY:
        wait = f" in {failure.wait:g} seconds" if failure.wait else " later"
        return f"too many requests, or the quota is used up; try again{wait}"
    if failure.status is not None and failure.status >= 500:
        return "the server has a problem; try again later"
    if failure.status in range(300, 400):
        return f"{endpoint.base_url} redirects to another address; set llm.base_url to it if you trust it"
    return "it refused the request; check the llm settings"


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


def _words(response: httpx2.Response) -> str:
    import httpx2

    try:
        text = response.read().decode("utf-8", "replace")
    except (httpx2.HTTPError, httpx2.StreamError, ValueError):
        return ""
    try:
        return _message(json.loads(text)) or text
    except (ValueError, RecursionError):
        return text


def _message(body: object) -> str:
    """The words in the JSON of an error: `error.message` at the providers, `error` at some other servers."""
    if isinstance(body, list) and len(body) == 1:
        (body,) = body
    inner = body.get("error", body) if isinstance(body, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else inner
    return message if isinstance(message, str) else ""
