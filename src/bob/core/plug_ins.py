"""What installed packages add to Bob, by entry point: see docs/search.md."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

log = logging.getLogger(__name__)

PARSERS = "bob.parsers"
DATA_READERS = "bob.data_readers"
IMPORTERS = "bob.importers"

_BOB = "boring-organizer-bot"


@cache
def plug_ins(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group: other packages' by their names, then those that came with Bob."""
    return tuple(
        sorted(entry_points(group=group), key=lambda point: (is_own(point), origin(point), point.name))
    )


def is_own(point: EntryPoint) -> bool:
    """Whether it came with Bob."""
    return point.dist is not None and point.dist.name == _BOB


def origin(point: EntryPoint) -> str:
    """The package that brings it, with its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


@cache
def functions(group: str, name: str | None = None) -> tuple[Callable[..., Any], ...]:
    """What the entry points of a group are, or those of one name; one that does not load stops no other."""
    found: list[Callable[..., Any]] = []
    for point in plug_ins(group):
        if name is None or point.name == name:
            try:
                found.append(point.load())
            except Exception as error:  # noqa: BLE001 - third-party code may raise anything
                log.warning("%s of %s cannot be loaded: %s", point.name, origin(point), error)
    return tuple(found)
