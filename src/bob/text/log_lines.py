"""Log lines that the text in them cannot forge: the formatter that command line and server share."""

from __future__ import annotations

import logging
from textwrap import indent
from typing import Any

from bob.text.visible import visible_line, visible_text


class LineFormatter(logging.Formatter):
    """Writes each record as one line, with dangerous characters marked; a traceback is indented below it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name that logging calls
        """The line."""
        return visible_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name that logging calls
        """The traceback."""
        return indent(visible_text(super().formatException(ei)), "    ")
