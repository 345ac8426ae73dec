"""What models see of candidates: their text under its headings, with what it needs to be understood."""

from __future__ import annotations

from collections.abc import Sequence

from bob.answers.candidates import BACKWARD, Candidate, best_first, opens
from bob.answers.units import Unit

_INTRODUCED = ("item", "list", "clauses", "code")
_MOST_OF_INTRODUCTION = 160
"""Characters of the end of an introduction: it stands before what is read, of which there is little."""


def introduction(text: str, units: Sequence[Unit], position: int, unit: Unit) -> str:
    """The sentence that opens the list or the code that a unit of this text is, or is an item of; or the one
    that it refers back to. `position` is its place among `units`, of a whole list that of its first item."""
    before = reversed(units[:position])
    if unit.kind in _INTRODUCED:
        for other in before:
            if opens(other, text):
                return other.line
            if other.kind != "item" and not other.follows:
                break
        return ""
    if unit.follows and BACKWARD.match(text, unit.start):
        return next((other.line for other in before if other.kind != "term"), "")
    return ""


def best_under_headings(
    candidates: Sequence[Candidate], most: int, to_embed: int, to_read: int
) -> tuple[list[int], list[str], list[str]]:
    """The places of the best candidates in this sequence, and these units as models see them, with as many
    characters of each as are to be embedded and to be read.

    What is embedded stands under its heading, since «It is 5 MB» says little alone. What is read stands
    behind the title, the heading, the time that is asked for and that it is of, and its introduction.
    """
    order = best_first(candidates)[:most]
    embedded, read = [], []
    for candidate in (candidates[index] for index in order):
        chunk, text = candidate.chunk, candidate.text
        heading = chunk.heading_path[-1] if chunk.heading_path else chunk.title
        headings = dict.fromkeys((chunk.title, heading))
        before = candidate.introduction[-_MOST_OF_INTRODUCTION:].rstrip(":,")
        embedded.append(f"{heading}: {text[:to_embed]}")
        read.append(": ".join((*candidate.times, *headings, *filter(None, (before,)), text[:to_read])))
    return order, embedded, read
