"""The id of the request that is being served, and log lines: plain text, or a JSON object a line."""

from __future__ import annotations

import json
import logging
import re
import secrets
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Literal

from bob.text.visible import LineFormatter, escape_json

_SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")

request_id: ContextVar[str | None] = ContextVar("bob_request_id", default=None)
"""Set for as long as a request is served, also in the threads that serve it."""


def choose_id(sent: list[str]) -> str:
    """The id that a client sent, if it is a plain word, else a new one.

    >>> choose_id(["abc-123"])
    'abc-123'
    >>> len(choose_id(["two words"]))
    16
    """
    if len(sent) == 1 and _SANE.fullmatch(sent[0]):
        return sent[0]
    return secrets.token_hex(8)


_FIELDS = ("method", "route", "status", "seconds")
_OURS = "bob"


class TextFormatter(LineFormatter):
    """The message, and the id of the request that it is about."""

    def format(self, record: logging.LogRecord) -> str:
        """One record as a line."""
        current_id = request_id.get()
        line = super().format(record)
        return line if current_id is None else f"{line} [{current_id}]"


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """One record as a line."""
        fields = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": request_id.get(),
        }
        fields |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)
        fields = {key: value for key, value in fields.items() if value is not None}
        return escape_json(json.dumps(fields, ensure_ascii=False))


def set_up(form: Literal["text", "json"]) -> None:
    """Have Bob's log lines written to standard error: as text what failed or was slow, as JSON every
    request."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    own = logging.getLogger(_OURS)
    own.handlers = [handler]
    own.propagate = False
    own.setLevel(logging.INFO if form == "json" else logging.WARNING)
