"""What models see of candidates: their text under its headings, with what it needs to be understood, and
what stands around it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bob.answers.candidates import Candidate
from bob.answers.choose_candidates import by_place, needed_before
from bob.text.names import version_heading

_MOST_OF_INTRODUCTION = 160
"""Characters of the end of an introduction: it stands before what is read, of which there is little."""

EMBEDDED_CHARACTERS = 300
"""Of a longer unit only the beginning is embedded: time grows with length, and the beginning tells."""

READ_CHARACTERS = 500
"""Of a longer unit only the beginning is read."""

_MOST_NAMES = 2
"""A field of settings under more is told by the first and the last: a reader takes a path for text."""

AROUND_CHARACTERS = 700
"""Of a chunk so much is read around a candidate."""


def read_after(question: str, before: str = "") -> str:
    """A question as a reader is given it: with the one before it that it goes on from, if any.

    >>> read_after("And for guests?", "How long may members stay?")
    'And for guests? How long may members stay?'
    """
    return f"{question} {before}" if before else question


def texts_to_embed(candidates: Sequence[Candidate]) -> list[str]:
    """The candidates under their headings, since «It is 5 MB» says little alone."""
    return [
        f"{_headings_of(candidate)[-1]}: {candidate.text[:EMBEDDED_CHARACTERS]}" for candidate in candidates
    ]


def texts_to_read(candidates: Sequence[Candidate], places: Sequence[int]) -> list[str]:
    """The candidates at these places behind their title, their heading, the time that is asked for and that
    they are of, and the sentence that opens their list or that they refer back to; the other candidates say
    what each needs."""
    by_chunk = by_place(candidates)
    read = []
    for candidate in (candidates[index] for index in places):
        before = [
            opener.unit.line[-_MOST_OF_INTRODUCTION:].rstrip(":,")
            for opener in needed_before(candidate, by_chunk)
        ]
        read.append(": ".join((_heads(candidate), *before, _text_of(candidate)[:READ_CHARACTERS])))
    return read


def _text_of(candidate: Candidate) -> str:
    """The text of a candidate; that of a field under many names stands behind the first and the last."""
    names = candidate.unit.under.split(": ")
    if candidate.unit.kind != "field" or len(names) <= _MOST_NAMES:
        return candidate.text
    return f"{names[0]}: {names[-1]}: {candidate.unit.line}"


def _headings_of(candidate: Candidate) -> list[str]:
    """The title, the closest heading that has a version, and the closest; those that are the same once."""
    path = candidate.chunk.heading_path
    headings = (candidate.chunk.title, version_heading(path[:-1]), *path[-1:])
    return [*dict.fromkeys(heading for heading in headings if heading)] or [""]


def _heads(candidate: Candidate) -> str:
    return ": ".join((*candidate.times, *_headings_of(candidate)))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A stretch of a chunk as it is read, unit by unit behind its headings: where the candidates at `places`
    stand in `text`, by the first character and the one after the last."""

    text: str
    places: tuple[int, ...]
    parts: tuple[tuple[int, int], ...]


def surroundings(candidates: Sequence[Candidate], places: Sequence[int], most: int) -> list[Surroundings]:
    """At most so many stretches with the candidates at these places, the best of which comes first: each
    around the first that stands in none before it, and with all others that begin in it. The other candidates
    say what stands there."""
    units_of = _units_by_chunk(candidates)
    left = list(places)
    stretches: list[Surroundings] = []
    while left and len(stretches) < most:
        chunk_id = candidates[left[0]].chunk.chunk_id
        beside = [index for index in left if candidates[index].chunk.chunk_id == chunk_id]
        stretch = _stretch(candidates, beside, units_of[chunk_id])
        if stretch.places:
            stretches.append(stretch)
        done = {left[0], *stretch.places}
        left = [index for index in left if index not in done]
    return stretches


def _stretch(candidates: Sequence[Candidate], places: Sequence[int], units: Sequence[_Unit]) -> Surroundings:
    """What is read around the first of the candidates at these places, all of one chunk; nothing where it is
    none of the units of the text."""
    candidate = candidates[places[0]]
    within = _within(candidate, units)
    numbers = _around(within, [len(text) for _, text in units]) if within else range(0)
    text, begins, ends = f"{_heads(candidate)}:", {}, {}
    for number in numbers:
        begins[number] = len(text) + 1
        text = f"{text}\n{units[number][1]}"
        ends[number] = len(text)
    parts: dict[int, tuple[int, int]] = {}
    for index in places:
        of_part = _within(candidates[index], units)
        if of_part and of_part[0] in begins:
            parts[index] = (begins[of_part[0]], ends[min(of_part[-1], numbers[-1])])
    return Surroundings(text, tuple(parts), tuple(parts.values()))


_Unit = tuple[Candidate, str]
"""A candidate with its text as it is read among others."""


def _units_by_chunk(candidates: Sequence[Candidate]) -> dict[int, list[_Unit]]:
    """The candidates of each chunk in order, without what stands beside them, as whole lists do."""
    units: defaultdict[int, list[_Unit]] = defaultdict(list)
    for _, candidate in sorted(by_place(candidates).items()):
        text = candidate.quote if candidate.unit.kind == "code" else candidate.unit.line
        units[candidate.chunk.chunk_id].append((candidate, text[:READ_CHARACTERS]))
    return units


def _within(candidate: Candidate, units: Sequence[_Unit]) -> range:
    """The numbers of the units that a candidate is made of: its own, or those of a whole list."""
    numbers = [
        number
        for number, (other, _) in enumerate(units)
        if candidate.unit.start <= other.unit.start and other.unit.end <= candidate.unit.end
    ]
    return range(numbers[0], numbers[-1] + 1) if numbers else range(0)


def _around(within: range, lengths: Sequence[int]) -> range:
    """These units, or as many of them as there is room for, and those on both sides that still fit."""
    first, last = within[0], within[0]
    room = AROUND_CHARACTERS - lengths[first]
    while last < within[-1] and lengths[last + 1] <= room:
        last += 1
        room -= lengths[last]
    while True:
        after = last + 1 < len(lengths) and lengths[last + 1] <= room
        if after:
            last += 1
            room -= lengths[last]
        before = first > 0 and lengths[first - 1] <= room
        if before:
            first -= 1
            room -= lengths[first]
        if not (after or before):
            return range(first, last + 1)
