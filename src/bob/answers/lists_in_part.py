"""How much of a list is told: all of it, one item, or an item with what stands under it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from bob.answers.candidates import BEFORE_LIST, Candidate
from bob.answers.units.unit import MOST_CHARACTERS, Unit, unit_at
from bob.text import lexicon

KEEP_WITHIN, KEEP_FACTS_WITHIN = 0.75, 0.85
"""A further unit must score at least this share of the best one; the second where one fact is wanted, or
where it is of another document."""

SURER_OF_ITEM = 2.0
"""By so much more an item of a list answers than the whole, as a difference of logits, to be told alone."""

FAR_SURER = 4.0
"""Where a reader is so much surer of one than of another, as a difference of logits, that adds nothing."""

NEARLY_AS_SURE = 1.0
"""A reader that is surer of a list than of one item by no more is about as sure of both."""

ONE_FACT = ("number", "time", "person", "place")
"""What is wanted of a question that one item of a list answers (`Question.kind`)."""

BRIEF = (*ONE_FACT, "whether")
"""What is told without much beside it."""

MOST_WORDS_OF_FACT = 60
"""An answer to such a question takes no further unit that would make it longer than so many words."""

LISTED_BELOW = ("reason", "way")
"""What is often told by a list below a sentence with a stop."""

TOLD_BY_LISTS = ("way", "list")
"""Of what is told by a whole list, however sure a reader is of one item."""

_JOINS_ITEMS = re.compile(rf"\b(?:{lexicon.any_of('and')}|{lexicon.any_of('or')})\W?; ", re.IGNORECASE)
"""Items of one sentence, none of which says all: "two weeks, or; if …"."""


def without_lists_told_in_part(short: Sequence[Candidate], kind: str) -> list[Candidate]:
    """The candidates without the lists of which a part is enough, which is as good as its list was."""
    parts = {
        id(listed): part
        for listed in short
        if listed.unit.items and (part := _item_enough(listed, short, kind) or _branch_enough(listed, short))
    }
    best_first: list[Candidate] = []
    for candidate in short:
        told = candidate
        while id(told) in parts:
            told = parts[id(told)]
        if not any(told is other for other in best_first):
            best_first.append(told)
    return best_first


def _item_enough(listed: Candidate, short: Sequence[Candidate], kind: str) -> Candidate | None:
    """The item of a list that is told without the rest: one that is near the best and as good as the whole,
    where one fact is wanted, or the list is longer than a fact may be and no other item is near; and one that
    a reader is surer of. There is none where most items answer alike, nor in a short list of an item and what
    stands under it, where only all have the question's words together."""
    items = [item for item in short if not item.unit.items and overlap(item, listed)]
    if kind not in TOLD_BY_LISTS and (surest := _surest_of(items, listed, short[0])):
        return surest
    if listed.unit.is_branch and not longer_than_a_fact([listed]):
        items = [item for item in items if item.context >= listed.context]
    near = [item for item in items if item.score >= least_told(short, kind)]
    if kind in ONE_FACT:
        if _most_answer_alike(items, listed) or _JOINS_ITEMS.search(listed.text):
            return None
        fairly_near = [item for item in items if item.score >= KEEP_WITHIN * short[0].score]
        surer = [item for item in fairly_near if _surer(item, listed) >= SURER_OF_ITEM]
        if surer:
            return surer[0]
    elif kind in LISTED_BELOW or len(listed.text.split()) <= MOST_WORDS_OF_FACT or len(near) != 1:
        return None
    # The only item near may be told where a reader is about as sure of it as of all.
    least_surer = -NEARLY_AS_SURE if len(near) == 1 else 0.0
    as_good = (item for item in near if item.score >= listed.score or _surer(item, listed) >= least_surer)
    return next(as_good, None)


def _surest_of(items: Sequence[Candidate], listed: Candidate, best: Candidate) -> Candidate | None:
    """The item that a reader takes for the answer and is surer of than of the list and of any other; or about
    as sure as of the list, where it is far surer of it than of any other."""
    if _JOINS_ITEMS.search(listed.text):
        return None
    read = sorted((item for item in items if item.margin is not None), key=lambda item: -(item.margin or 0.0))
    if not read or (read[0].margin or 0.0) <= 0.0 or read[0].score < KEEP_WITHIN * best.score:
        return None
    start, end = _item_around(read[0].unit, listed, items)
    others = [item.margin or 0.0 for item in read if not start <= item.unit.start < end]
    ahead = (read[0].margin or 0.0) - max(others, default=-math.inf)
    least = -SURER_OF_ITEM if ahead >= FAR_SURER else SURER_OF_ITEM
    if ahead < SURER_OF_ITEM or _surer(read[0], listed) < least:
        return None
    if end - start > MOST_CHARACTERS:
        return read[0]
    whole = unit_at(listed.chunk.text, start, end, "item")
    return replace(read[0], unit=replace(whole, under=read[0].unit.under, above=read[0].unit.above))


def _item_around(unit: Unit, listed: Candidate, items: Sequence[Candidate]) -> tuple[int, int]:
    """Where the item of a list begins and ends that a unit is, or a sentence of: between two marks, or, in a
    list of lines without any, between first sentences."""
    text, whole = listed.chunk.text, listed.unit
    marks = [mark.span() for mark in BEFORE_LIST.finditer(text, whole.start, whole.end)]
    firsts = [(item.unit.start, item.unit.start) for item in items if not item.unit.follows]
    start = max((after for _, after in (*marks, *firsts) if after <= unit.start), default=whole.start)
    end = min((before for before, _ in (*marks, *firsts) if before >= unit.end), default=whole.end)
    return start, start + len(text[start:end].rstrip())


def _most_answer_alike(items: Sequence[Candidate], listed: Candidate) -> bool:
    """Whether a reader is about as sure of most items of a list as of the surest, as of all who attended, and
    none has more words of the question; of two items there is no most."""
    read = [(item.margin, item.context) for item in items if item.margin is not None]
    surest = max((margin for margin, _ in read), default=0.0)
    context = max((own for _, own in read), default=0.0)
    alike = [own >= context for margin, own in read if margin > surest - SURER_OF_ITEM]
    return len(listed.unit.items) > 2 and 2 * sum(alike) > len(listed.unit.items)


def _branch_enough(listed: Candidate, short: Sequence[Candidate]) -> Candidate | None:
    """The item of a nested list, with what stands under it, that is told without the others: it has all of
    the question's words that the list has, and is nearly as good, which no other item is."""
    within = [
        other
        for other in short
        if overlap(other, listed) and other.unit.end - other.unit.start < listed.unit.end - listed.unit.start
    ]
    near = [other for other in within if _as_list(other) >= KEEP_FACTS_WITHIN * listed.score]
    best = next((other for other in near if other.unit.is_branch), None)
    if best is None or not best.coverage or best.context < listed.context:
        return None
    others = (other for other in near if other.unit.is_branch or not other.unit.items)
    return best if all(overlap(other, best) for other in others) else None


def _as_list(candidate: Candidate) -> float:
    """What an item would score if it were a list, as an item with what stands under it is."""
    kind = candidate.unit.kind if candidate.unit.items else "list"
    return replace(candidate, unit=replace(candidate.unit, kind=kind)).score


def _surer(item: Candidate, listed: Candidate) -> float:
    """How much surer a reader is of an item than of its list."""
    return -math.inf if item.margin is None or listed.margin is None else item.margin - listed.margin


def least_told(short: Sequence[Candidate], kind: str) -> float:
    """What a unit must score to be told beside the best."""
    return (KEEP_FACTS_WITHIN if kind in ONE_FACT else KEEP_WITHIN) * short[0].score


def overlap(one: Candidate, other: Candidate) -> bool:
    """Whether two units have characters in common."""
    return (
        one.chunk.chunk_id == other.chunk.chunk_id
        and one.unit.start < other.unit.end
        and other.unit.start < one.unit.end
    )


def longer_than_a_fact(units: Sequence[Candidate]) -> bool:
    """Whether units have more words together than an answer that is one fact."""
    return sum(len(unit.text.split()) for unit in units) > MOST_WORDS_OF_FACT
