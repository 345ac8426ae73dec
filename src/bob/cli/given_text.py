"""Text that a command is given: a file's, or standard input's for "-"."""

from __future__ import annotations

import sys
from pathlib import Path

from bob.core.errors import UsageError


def text_of(name: str | Path) -> str:
    """The text, without the mark that some editors begin a file with.

    Raises:
        UsageError: the file cannot be read, or it is not UTF-8.
    """
    try:
        if str(name) == "-":
            return sys.stdin.read()
        return Path(name).read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: cannot be read: it is not UTF-8 text") from error
