"""Lists of a chunk that each stand under a name of their own: what one says is not said of the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from bob.answers.units.unit import Unit


class NamedList(NamedTuple):
    """Where a list stands in a chunk's text together with its name."""

    start: int
    end: int


def lists_by_name(text: str, units: Iterable[Unit]) -> list[NamedList]:
    """The lists under names in bold, where there are two of them or more."""
    parts = sorted((unit for unit in units if not unit.items), key=lambda unit: unit.start)
    named: list[NamedList] = []
    for number, (term, first) in enumerate(pairwise(parts)):
        is_named = first.kind == "item" and first.under == term.line.rstrip(":")
        if term.kind == "term" and is_named and text.startswith(("**", "__"), term.start):
            items = takewhile(lambda unit: unit.kind in ("item", "code"), parts[number + 1 :])
            named.append(NamedList(term.start, max(item.end for item in items)))
    return named if len(named) > 1 else []


def list_of(unit: Unit, named: Sequence[NamedList]) -> NamedList | None:
    """The one of these lists in which a unit stands."""
    return next((each for each in named if each.start <= unit.start and unit.end <= each.end), None)


def text_without(text: str, left_out: Iterable[Unit | NamedList]) -> str:
    """A text without these parts of it, which stand apart."""
    parts = sorted((part.start, part.end) for part in left_out)
    ends = [0, *(end for _, end in parts)]
    starts = [*(start for start, _ in parts), len(text)]
    return "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))
