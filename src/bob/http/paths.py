"""Paths that the user of this machine names in a request."""

from __future__ import annotations

from pathlib import Path

from bob.core.errors import RequestError
from bob.storage.paths import absolute


def existing(text: str, field: str) -> Path:
    """The file or folder that a request names in `field`.

    Raises:
        RequestError: it does not begin at the root or the home folder, or nothing is there.
    """
    path = named(text, field)
    try:
        path.stat()
    except OSError as error:
        raise RequestError(field, f"{path}: no such file or folder") from error
    return path


def named(text: str, field: str) -> Path:
    """The path that a request names in `field`, whether or not anything is there.

    Raises:
        RequestError: it does not begin at the root or the home folder.
    """
    if not text.startswith(("/", "~/")) or not text.isprintable():
        raise RequestError(field, f"{field} must be an absolute path, or begin with ~/")
    return absolute(Path(text))
