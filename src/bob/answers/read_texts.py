"""What models see of candidates: their text under its headings, with what it needs to be understood."""

from __future__ import annotations

from collections.abc import Sequence

from bob.answers.candidates import Candidate, by_place, needed_before

_MOST_OF_INTRODUCTION = 160
"""Characters of the end of an introduction: it stands before what is read, of which there is little."""


def read_after(question: str, before: str = "") -> str:
    """A question as a reader is given it: with the one before it that it goes on from, if any.

    >>> read_after("And for guests?", "How long may members stay?")
    'And for guests? How long may members stay?'
    """
    return f"{question} {before}" if before else question


def under_headings(
    candidates: Sequence[Candidate], places: Sequence[int], to_embed: int, to_read: int
) -> tuple[list[str], list[str]]:
    """The candidates at these places as models see them, with as many characters of each as are to be
    embedded and to be read; the others say what each needs.

    What is embedded stands under its heading, since «It is 5 MB» says little alone. What is read stands
    behind the title, the heading, the time that is asked for and that it is of, and the sentence that opens
    its list or that it refers back to.
    """
    by_chunk = by_place(candidates)
    embedded, read = [], []
    for candidate in (candidates[place] for place in places):
        chunk, text = candidate.chunk, candidate.text
        heading = chunk.heading_path[-1] if chunk.heading_path else chunk.title
        headings = dict.fromkeys((chunk.title, heading))
        before = [
            each.unit.line[-_MOST_OF_INTRODUCTION:].rstrip(":,")
            for each in needed_before(candidate, by_chunk)
        ]
        embedded.append(f"{heading}: {text[:to_embed]}")
        read.append(": ".join((*candidate.times, *headings, *before, text[:to_read])))
    return embedded, read
