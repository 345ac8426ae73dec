"""What models see of candidates: their text under its headings, with what it needs to be understood."""

from __future__ import annotations

from collections.abc import Sequence

from bob.answers.candidates import Candidate, best_first, by_place, needed_before

_MOST_OF_INTRODUCTION = 160
"""Characters of the end of an introduction: it stands before what is read, of which there is little."""


def best_under_headings(
    candidates: Sequence[Candidate], most: int, to_embed: int, to_read: int
) -> tuple[list[int], list[str], list[str]]:
    """The places of the best candidates in this sequence, and these units as models see them, with as many
    characters of each as are to be embedded and to be read.

    What is embedded stands under its heading, since «It is 5 MB» says little alone. What is read stands
    behind the title, the heading, the time that is asked for and that it is of, and the sentence that opens
    its list or that it refers back to.
    """
    order = best_first(candidates)[:most]
    places = by_place(candidates)
    embedded, read = [], []
    for candidate in (candidates[index] for index in order):
        chunk, text = candidate.chunk, candidate.text
        heading = chunk.heading_path[-1] if chunk.heading_path else chunk.title
        headings = dict.fromkeys((chunk.title, heading))
        before = [
            each.unit.line[-_MOST_OF_INTRODUCTION:].rstrip(":,") for each in needed_before(candidate, places)
        ]
        embedded.append(f"{heading}: {text[:to_embed]}")
        read.append(": ".join((*candidate.times, *headings, *before, text[:to_read])))
    return order, embedded, read
