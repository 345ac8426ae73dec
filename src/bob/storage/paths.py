"""Paths as they are stored, and as a range in an index: a folder and all below it."""

from __future__ import annotations

import os
from pathlib import Path

from bob.core.errors import UsageError
from bob.core.storable import encodable


def absolute(path: Path) -> Path:
    """The path as it is stored: from the root, without "~" and "..", links kept as they are.

    Raises:
        UsageError: the home folder is unknown, or the name is not UTF-8, which the database cannot hold.
    """
    try:
        found = os.path.abspath(path.expanduser())  # noqa: PTH100 - resolve() would follow links
        found.encode()
    except RuntimeError as error:
        raise UsageError(f"{path}: no such home folder") from error
    except UnicodeEncodeError as error:
        readable = encodable(str(path))
        raise UsageError(f"{readable}: the name is not UTF-8; rename it") from error
    return Path(found)


def below(folder: str) -> tuple[str, str]:
    """The range of stored paths below the folder: from the first, and up to but without the second. Unlike
    LIKE it uses the index and needs no escaping."""
    inside = folder.rstrip("/") + "/"
    return inside, inside[:-1] + chr(ord("/") + 1)


BELOW = "({column} = :folder OR ({column} >= :inside AND {column} < :outside))"
"""True for the folder itself and for what lies below it, with the values of `path_values`."""


def path_values(folder: str) -> dict[str, str]:
    """The values of `BELOW`."""
    inside, outside = below(folder)
    return {"folder": folder, "inside": inside, "outside": outside}
