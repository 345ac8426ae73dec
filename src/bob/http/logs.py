"""How a server's log lines look: plain text, or a JSON object a line, each with the request's id."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Literal

from bob.http import request_ids
from bob.text.visible import LineFormatter, escape_json

_FIELDS = ("method", "route", "status", "seconds")
_OURS = "bob"


class TextFormatter(LineFormatter):
    """The message, and the id of the request that it is about."""

    def format(self, record: logging.LogRecord) -> str:
        """One record as a line."""
        request_id = request_ids.current.get()
        line = super().format(record)
        return line if request_id is None else f"{line} [{request_id}]"


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """One record as a line."""
        found = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": request_ids.current.get(),
        }
        found |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info:
            found["error"] = self.formatException(record.exc_info)
        fields = {key: each for key, each in found.items() if each is not None}
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
