"""Which candidates are told: the best, what they need to be understood, and the lists that they open."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from statistics import fmean

from bob.answers.candidates import BACKWARD, BEFORE_LIST, Candidate
from bob.answers.lists_in_part import (
    BRIEF,
    FAR_SURER,
    KEEP_FACTS_WITHIN,
    LISTED_BELOW,
    ONE_FACT,
    SURER_OF_ITEM,
    TOLD_BY_LISTS,
    least_told,
    longer_than_a_fact,
    overlap,
    without_lists_told_in_part,
)
from bob.answers.units.lists import MOST_LISTED, indent_at, is_deeper
from bob.answers.units.unit import IN_SENTENCES, MOST_CHARACTERS, Unit, leading_items, unit_at
from bob.core.search import FoundChunk
from bob.text.markup import ends_with_colon
from bob.text.negation import denies
from bob.text.sentences import sentences_within
from bob.text.words import stems_of, words_of

GOES_ON_FROM = 0.4
"""A sentence that goes on from the best one is told with it if it scores at least this share; it may be about
another thing, so where one sentence often tells all it also has a word of what is told, or refers to it."""

MOST_PICKS = 4
"""So many units are taken for their own sake; what they bring along does not count."""

SURER = 3.0
"""By so much more a reader takes a unit for the answer than the best one, as a difference of logits, to be
told before it. Of 252 questions for fitting gold is told for 213 instead of 211, in as many words; with 2 for
213, with 4 for 212."""

_LISTED = ("item", "row", "code")
MOST_WORDS_OF_NAME = 12
"""The first sentence of an item of no more words says what the others are about."""

_TOLD_AT_LENGTH = ("definition", *LISTED_BELOW)
"""What is seldom told by one sentence."""

_TO_CODE = re.compile(r"[^.!?…。]\s*\n\s*(?:```|~~~).*\n\s*")

_OPENS_WITHIN = 2

SAME_FROM = 0.6
"""Two units with this share of words in common (Jaccard) say the same where the second adds no word of its
own: "discussed and rejected" is more than "discussed"."""


def chosen(candidates: Sequence[Candidate], limit: int, kind: str = "") -> list[Candidate]:
    """At most `limit` candidates: the best, and others nearly as good that add something.

    A unit brings along what it needs to be understood: one that refers back ("It is …") the one before it,
    an item or a block of code the sentence that introduces it; and a unit that ends with a colon brings
    what it introduces. The best sentence brings along what goes on from it in a short paragraph, unless one
    fact is wanted. `kind` is what the question wants (`Question.kind`): a definition that is found is enough
    alone, and a way is told by the list or the code that follows. The result is ordered by the best unit of
    each chunk, and then as in the text; where one sentence may be the answer it comes first.
    """
    ranked = sorted(
        (candidate for candidate in candidates if candidate.cosine is not None),
        key=lambda candidate: (-candidate.score, candidate.order, candidate.unit.start),
    )
    # A sentence that asks answers nothing; it may be brought along.
    ranked = [unit for unit in ranked if not unit.only_asks] or ranked
    short = _short_enough(ranked, kind)
    least = least_told(short, kind) if short else 0.0
    short = without_lists_told_in_part(_surest_first(short, kind), kind)
    places = by_place(candidates)
    opened_lists = _opened_lists(candidates)
    chosen_candidates: list[Candidate] = []
    told_lists: list[Candidate] = []
    picked, told_in_sentences = 0, False
    for each in short:
        if chosen_candidates and (
            picked >= MOST_PICKS or len(chosen_candidates) >= limit or each.score < least
        ):
            break
        if any(overlap(each, other) for other in (*chosen_candidates, *told_lists)):
            continue
        if any(_says_the_same(each, other) for other in chosen_candidates):
            continue
        if not _is_told_beside(each, short[0], kind):
            continue
        if chosen_candidates and kind in BRIEF and longer_than_a_fact((*chosen_candidates, each)):
            continue
        before = [other for other in needed_before(each, places) if other not in chosen_candidates]
        has_rest = each.unit.kind in IN_SENTENCES and not (told_in_sentences or kind in ONE_FACT)
        rest = _rest_of_paragraph(each, places, kind) if has_rest else []
        after = [
            other for other in _needed_after(each, places, kind) or rest if other not in chosen_candidates
        ]
        code = [other.unit.kind for other in (*chosen_candidates, each)].count("code")
        # A reason is told before its full stop; the list below may be of anything.
        opener = each if each.opens or (kind == "way" and _opens_list(each, kind)) else None
        if opener is None and kind not in ONE_FACT and each.unit.kind == "item":
            # An item is told with the rest of its list where the sentence that opens it is as good.
            opener = next((other for other in before if other.opens and other.score >= least), None)
        opened = None if opener is None else _opened_by(opener, opened_lists)
        items = [other for other in chosen_candidates if opened and overlap(opened, other)]
        if items and (kind in ONE_FACT or any(other.unit.kind not in _LISTED for other in items)):
            opened = None
        room = max(limit - len(chosen_candidates) - 1, 0)
        # "It can be set to …" says nothing without what it refers to.
        refers_to_nothing = each.unit.kind == "prose" and len(before) > room
        before = before[max(len(before) - room, 0) :]
        after = _cut_off(after, room - len(before))
        if chosen_candidates and (
            (each.opens and not after and opened is None) or code > 1 or refers_to_nothing
        ):
            continue
        if opened is not None:
            # A list that is told at all is told whole, however many sentences an answer may have.
            chosen_candidates = [other for other in chosen_candidates if other not in items]
            chosen_candidates += [*before, *([each] if each is opener else []), *_items(opened)]
        else:
            chosen_candidates += [*before, *_items(each), *after]
        # What stands under the items of a list that is told without it is not told beside them.
        told_lists += [each] if each.unit.items else []
        picked += 1
        told_in_sentences = told_in_sentences or each.unit.kind in IN_SENTENCES
        if kind == "definition" and each.fit == 1.0:
            break
    leading = _leading(short, chosen_candidates, places) if kind in (*BRIEF, "") else []
    return _chunk_by_chunk([*chosen_candidates, *_code_behind(chosen_candidates, candidates)], leading)


def _surest_first(ranked: Sequence[Candidate], kind: str) -> list[Candidate]:
    """The candidates, the best first; before it one that a reader takes for the answer and is surer of by
    SURER, which has what the question asks for as much, and is no part of it."""
    if not ranked:
        return []
    best, least = ranked[0], max(_sureness(ranked[0]) + SURER, 0.0)
    surer = (
        other
        for other in ranked
        if _sureness(other) > least
        and not overlap(other, best)
        and _has_as_much(other, best, kind)
        and other.without_outcome <= best.without_outcome
    )
    first = next(surer, best)
    return [first, *(other for other in ranked if other is not first)]


def _short_enough(ranked: Sequence[Candidate], kind: str) -> list[Candidate]:
    """The candidates that are no longer than a quote may be, or else the first; the best list with no more
    than the first sentence of each item where it is too long."""
    cut = [_shortened(each) if _is_best_as_list(each, ranked, kind) else each for each in ranked]
    return [candidate for candidate in cut if candidate.characters_told <= MOST_CHARACTERS] or cut[:1]


def _is_best_as_list(candidate: Candidate, ranked: Sequence[Candidate], kind: str) -> bool:
    """Whether a reader is surer of a list than of all that stands outside it, where lists may answer; and,
    where neither a way nor a list is wanted, no sentence in it is far surer to answer alone."""
    if not candidate.unit.items or kind in BRIEF:
        return False
    own = _sureness(candidate)
    own_of_parts = math.inf if kind in TOLD_BY_LISTS else own + SURER_OF_ITEM
    return all(_sureness(other) < (own_of_parts if overlap(candidate, other) else own) for other in ranked)


def _shortened(candidate: Candidate) -> Candidate:
    """A list that is too long with no more than the first sentence of each item; any other as it is."""
    unit = candidate.unit
    if not unit.items or candidate.characters_told <= MOST_CHARACTERS:
        return candidate
    text = candidate.chunk.text
    places = [(text, item.start, item.end) for item in unit.items]
    items = tuple(
        replace(item, end=first[1], line=unit_at(text, *first, item.kind).line)
        for item, (first, *_) in zip(unit.items, sentences_within(places), strict=True)
    )
    return replace(candidate, unit=replace(unit, items=items))


def _leading(
    ranked: Sequence[Candidate], chosen_ones: Sequence[Candidate], places: dict[tuple[int, int], Candidate]
) -> list[Candidate]:
    """The best unit with what it needs before it, and the sentences it goes on from where they are told, too;
    nothing where it is no sentence, or opens a list."""
    best = ranked[0] if ranked else None
    if best is None or best.unit.kind != "prose" or BEFORE_LIST.match(best.chunk.text, best.unit.end):
        return []
    leading = [best]
    for before in _neighbours(best, places, -1):
        if not leading[0].unit.follows or before not in chosen_ones:
            break
        leading.insert(0, before)
    return [*needed_before(best, places), *leading]


def _chunk_by_chunk(units: Sequence[Candidate], leading: Sequence[Candidate]) -> list[Candidate]:
    """Units in the order of the text, first the chunk whose unit is first, and in it what is leading."""
    first: dict[int, int] = {}
    for index, unit in enumerate(units):
        first.setdefault(unit.chunk.chunk_id, index)
    return sorted(units, key=lambda unit: (first[unit.chunk.chunk_id], unit not in leading, unit.unit.start))


def with_rest_of_lists(
    units: Sequence[Candidate], chunk_after: Callable[[FoundChunk], FoundChunk | None]
) -> list[Candidate]:
    """The units that are told, and behind a list that the end of its chunk cuts off, or the sentence that
    opens it, the items with which the next chunk begins."""
    whole: list[Candidate] = []
    for unit in units:
        before = whole[-1] if whole and whole[-1].chunk is unit.chunk else None
        follows = before is not None and (before.opens or before.unit.kind == "item")
        listed = unit.unit.kind == "item" and follows
        whole.append(unit)
        if not (listed or unit.opens) or unit.chunk.text[unit.unit.end :].strip():
            continue
        rest = chunk_after(unit.chunk)
        same = rest is not None and rest.heading_path == unit.chunk.heading_path
        if rest is not None and same and rest.written_by == unit.chunk.written_by:
            told = [other for other in whole if other.chunk is unit.chunk and other.unit.kind == "item"]
            items = [replace(unit, chunk=rest, unit=item) for item in leading_items(rest.text)]
            if _are_of_one_branch(told):
                items = [*takewhile(partial(_stands_under, told[0]), items)]
            items = [item for item in items if not any(overlap(item, other) for other in units)]
            whole[-1:] = _cut_off([unit, *items], MOST_LISTED - len(told) + 1)
    return whole


def _are_of_one_branch(items: Sequence[Candidate]) -> bool:
    """Whether the first of some items is told for what stands under it."""
    under = [items[0].unit.start in item.unit.above for item in items[1:]] or [
        item.opens for item in items[:1]
    ]
    return bool(items) and all(under)


def _opened_lists(candidates: Sequence[Candidate]) -> dict[tuple[int, str, int], Candidate]:
    """The lists by what opens them: their place in the chunk, or the end of the item above them."""
    opened: dict[tuple[int, str, int], Candidate] = {}
    for candidate in candidates:
        unit, chunk_id = candidate.unit, candidate.chunk.chunk_id
        if unit.items:
            # Of the lists that begin at one place the longest comes first.
            opened.setdefault((chunk_id, "place", candidate.place), candidate)
        if unit.is_branch:
            inner = replace(unit, start=unit.items[1].start, items=unit.items[1:])
            opened.setdefault((chunk_id, "end", unit.items[0].end), replace(candidate, unit=inner))
    return opened


def _opened_by(opener: Candidate, lists: dict[tuple[int, str, int], Candidate]) -> Candidate | None:
    chunk_id = opener.chunk.chunk_id
    if opener.unit.kind == "item":
        return lists.get((chunk_id, "end", opener.unit.end))
    return lists.get((chunk_id, "place", opener.place + 1))


def _is_told_beside(other: Candidate, best: Candidate, kind: str) -> bool:
    """Whether what the best unit has of the question is there in another, so that it is told beside it."""
    is_elsewhere = best.chunk.document_id != other.chunk.document_id
    if is_elsewhere and other.score < KEEP_FACTS_WITHIN * best.score:
        return False
    if other.is_of_mail_head and not best.is_of_mail_head:
        # Whom a mail is to says nothing of what it is about.
        return False
    is_far_less_sure = _sureness(other) < _sureness(best) - FAR_SURER
    if is_far_less_sure and other.unit.items and kind not in ("list", *LISTED_BELOW):
        return False
    if is_far_less_sure and kind in BRIEF and other.chunk is not best.chunk:
        # A sentence beside the best one may say who "she" is.
        return False
    return _has_as_much(other, best, kind)


def _has_as_much(other: Candidate, best: Candidate, kind: str) -> bool:
    """Whether a unit has as much of what is asked for as the best one."""
    if other.numbers < best.numbers or other.names < best.names or other.dated < best.dated:
        # "When was PEP 20 created?": another's date must not be told beside it.
        return False
    if kind in ONE_FACT and other.fit < best.fit:
        # "When is the hedge cut?": that it is cut by hand is no date.
        return False
    # Each row of a table has all of its columns: "Which colour is the rope?" asks for one row.
    return other.coverage >= best.coverage or not _are_alike(other.unit, best.unit)


def _sureness(unit: Candidate) -> float:
    """How sure a reader is that a unit answers, alone and where it stands; 0 where none read it."""
    read = [margin for margin in (unit.margin, unit.margin_in_context) if margin is not None]
    return fmean(read) if read else 0.0


def _are_alike(unit: Unit, other: Unit) -> bool:
    """Whether both are rows whose cells have names, or both are items with what stands under them."""
    return bool(unit.cells and other.cells) or (unit.is_branch and other.is_branch)


def _items(candidate: Candidate) -> list[Candidate]:
    """A whole list item by item, the last of which says how many are left out; any other as it is."""
    items = candidate.unit.items
    if not items:
        return [candidate]
    last = replace(items[-1], more=candidate.unit.more)
    return [replace(candidate, unit=item) for item in (*items[:-1], last)]


def _cut_off(listed: list[Candidate], most: int) -> list[Candidate]:
    """So many of the units that one opens; the last item says how many are left out."""
    units = listed[: max(most, 0)]
    while units and units[-1].unit.kind == "head":
        units.pop()
    more = sum(unit.unit.kind in _LISTED and not unit.unit.follows for unit in listed[len(units) :])
    if units and more and units[-1].unit.kind in _LISTED:
        units[-1] = replace(units[-1], unit=replace(units[-1].unit, more=units[-1].unit.more + more))
    return units


def by_place(candidates: Sequence[Candidate]) -> dict[tuple[int, int], Candidate]:
    """The candidates by chunk and place, without what stands beside them, as whole lists and fields do."""
    return {
        (candidate.chunk.chunk_id, candidate.place): candidate
        for candidate in candidates
        if not (candidate.unit.items or candidate.stands_beside)
    }


def needed_before(unit: Candidate, places: dict[tuple[int, int], Candidate]) -> list[Candidate]:
    """What a unit needs to be understood: the sentence that it refers back to, or the one that opens its list
    and, where that refers back, the one before it."""
    before = [*_neighbours(unit, places, -1)]
    if referred_to := _referred_to(unit, places):
        return referred_to
    if unit.unit.kind == "item" and unit.unit.follows and not unit.opens:
        first = next((other for other in before if not other.unit.follows), None)
        return [] if first is None or len(first.text.split()) > MOST_WORDS_OF_NAME else [first]
    if unit.unit.kind in (*_LISTED, "list") and not unit.unit.cells:
        for candidate in before:
            # "2. The treasurer:" opens what is further in, not the third.
            is_sibling = candidate.unit.kind == "item" and not _stands_under(candidate, unit)
            if candidate.opens and not is_sibling:
                return [*_referred_to(candidate, places), candidate]
            if candidate.unit.kind != unit.unit.kind and not candidate.unit.follows:
                break
    return []


def _referred_to(unit: Candidate, places: dict[tuple[int, int], Candidate]) -> list[Candidate]:
    """The sentence right before one that refers back, if it does."""
    if not (unit.unit.follows and BACKWARD.match(unit.quote)):
        return []
    return [other for other in _neighbours(unit, places, -1) if other.unit.kind != "term"][:1]


def _stands_under(item: Candidate, other: Candidate) -> bool:
    """Whether one item is indented so much that it stands under another."""
    return is_deeper(*(indent_at(each.chunk.text, each.unit.start) for each in (other, item)))


def _opens_list(unit: Candidate, kind: str) -> bool:
    """Whether a unit introduces what stands below it; a reason or a way often stands below a full stop."""
    is_above = unit.unit.kind == "prose" and BEFORE_LIST.match(unit.chunk.text, unit.unit.end) is not None
    return unit.opens or (kind in LISTED_BELOW and is_above)


def _needed_after(unit: Candidate, places: dict[tuple[int, int], Candidate], kind: str) -> list[Candidate]:
    needed: list[Candidate] = []
    if unit.unit.items:
        return []
    opened = _opens_list(unit, kind)
    for neighbour in _neighbours(unit, places, 1):
        if not opened:
            # The sentence that opens a list is often not the one that has the question's words.
            if kind != "way" or len(needed) >= _OPENS_WITHIN or not neighbour.unit.follows:
                return []
            needed.append(neighbour)
            opened = neighbour.opens
            if opened:
                needed = [neighbour]
            continue
        listed = [other for other in needed if other.unit.kind in _LISTED]
        fits = neighbour.unit.kind == (listed[0].unit.kind if listed else neighbour.unit.kind)
        fits = fits and neighbour.unit.kind in ("head", *_LISTED)
        if len(neighbour.quote) > MOST_CHARACTERS:
            break
        if neighbour.unit.kind == "prose" and not needed and _leads_on(unit, kind):
            return [neighbour]
        if not fits:
            break
        needed.append(neighbour)
        if neighbour.unit.kind == "code":
            break
    if not any(candidate.unit.kind in _LISTED for candidate in needed):
        return []
    # Rows whose cells have names need no head.
    named = any(candidate.unit.cells for candidate in needed)
    return [candidate for candidate in needed if not (named and candidate.unit.kind == "head")]


def _leads_on(unit: Candidate, kind: str) -> bool:
    """Whether a unit leads on to what stands behind it, whatever that is ("The office is at:"), and does not
    have the number or the date that is wanted itself."""
    is_enough = kind in ("number", "time") and unit.fit == 1.0
    return ends_with_colon(unit.quote) and not is_enough


def _rest_of_paragraph(
    unit: Candidate, places: dict[tuple[int, int], Candidate], kind: str
) -> list[Candidate]:
    """The sentences that go on from a unit, as many as with it are no longer than a fact may be."""
    told = [unit]
    for neighbour in _neighbours(unit, places, 1):
        goes_on = neighbour.unit.follows and not overlap(neighbour, unit)
        is_read = neighbour.cosine is not None or not BACKWARD.match(neighbour.quote)
        if not goes_on or (is_read and neighbour.score < GOES_ON_FROM * unit.score):
            break
        if longer_than_a_fact((*told, neighbour)):
            break
        if kind not in _TOLD_AT_LENGTH and not _speaks_of_the_same(neighbour, told):
            break
        if neighbour.opens:
            break  # what leads on says nothing without what stands behind it, which is told for its own sake
        told.append(neighbour)
    return told[1:]


def _speaks_of_the_same(unit: Candidate, told: Sequence[Candidate]) -> bool:
    """Whether a sentence refers to those before it, or has a word of theirs."""
    if BACKWARD.match(unit.quote):
        return True
    return any(not stems_of(unit.quote).isdisjoint(stems_of(before.text)) for before in told)


def _code_behind(units: Sequence[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """The code that items lead on to ("2. Run"), which no list of items has."""
    code_units = [candidate for candidate in candidates if candidate.unit.kind == "code"]
    return [
        code
        for unit in units
        for code in code_units
        if unit.unit.kind == "item"
        and code.chunk is unit.chunk
        and len(code.quote) <= MOST_CHARACTERS
        and _TO_CODE.fullmatch(unit.chunk.text, unit.unit.end - 1, code.unit.start)
        and not any(overlap(code, other) for other in units)
    ]


def _neighbours(unit: Candidate, places: dict[tuple[int, int], Candidate], step: int) -> Iterator[Candidate]:
    """The units of the same chunk that stand before (-1) or after (1) a unit, the nearest first."""
    position = unit.place + step
    while (unit.chunk.chunk_id, position) in places:
        yield places[unit.chunk.chunk_id, position]
        position += step


def _says_the_same(candidate: Candidate, chosen_one: Candidate) -> bool:
    """Whether a unit says what is told already."""
    ours, theirs = (frozenset(words_of(one.quote.lower())) for one in (candidate, chosen_one))
    alike = len(ours & theirs) >= SAME_FROM * len(ours | theirs)
    if not alike or denies(candidate.quote) != denies(chosen_one.quote):
        return False
    return stems_of(candidate.quote) <= stems_of(chosen_one.quote)
