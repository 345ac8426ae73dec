"""The chosen candidates as an answer: its paragraphs, claims, sources, and whether it states a quantity."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bob.answers.answer import Claim, Source
from bob.answers.candidates import Candidate
from bob.answers.dated_places import label_of
from bob.answers.lists_in_part import KEEP_WITHIN
from bob.answers.question import Question
from bob.answers.units.text_lines import ITEM_MARK
from bob.core.search import FoundChunk
from bob.text.dates import dates_in
from bob.text.names import version_heading, versions_in

_NEXT_ITEM = re.compile(rf"[\s>]*(?:{ITEM_MARK.pattern})?")
"""What stands between two sentences, or two items of a list, that are one place."""


def source_at(n: int, chunk: FoundChunk, start: int, end: int) -> Source:
    """Source number `n`: characters `start` to `end` (excluded) of a chunk."""
    locator = chunk.locator.narrowed(chunk.text, start, end)
    return Source(n, chunk, locator, chunk.text[start:end], (start, end))


def state_quantity(units: Sequence[Candidate], question: Question) -> bool:
    """Whether chosen units state the quantity that a question wants; a date or a time may stand in what names
    their source."""
    texts = [unit.text for unit in units]
    if question.quantity in ("clock", "date", "time"):
        texts += [label_of(unit.chunk, its_own_date=True) for unit in units]
    return any(map(question.states_quantity, texts))


def that_state(candidates: Sequence[Candidate], question: Question) -> list[Candidate]:
    """The candidates; of those that are nearly the best, only such as state the quantity that a question
    wants may be chosen."""
    least = KEEP_WITHIN * max(unit.score for unit in candidates if unit.cosine is not None)
    return [
        unit if unit.score >= least and question.states_quantity(unit.text) else replace(unit, cosine=None)
        for unit in candidates
    ]


def under_their_versions(units: Sequence[Candidate], question: Question) -> list[Candidate]:
    """The units; where a version or a time is asked for, behind the heading of a version under which they
    stand, if they state none themselves."""
    if not (question.asks_for_version or question.quantity in ("date", "time")):
        return list(units)
    behind_headings: list[Candidate] = []
    for unit in units:
        heading = _version_above(unit)
        goes_on = bool(behind_headings) and behind_headings[-1].chunk is unit.chunk
        states_one = bool(versions_in(unit.text) or dates_in(unit.text))
        is_under = bool(heading) and not goes_on and not states_one
        behind_headings.append(replace(unit, unit=replace(unit.unit, under=heading)) if is_under else unit)
    return behind_headings


def _version_above(unit: Candidate) -> str:
    """The nearest heading of a version above a unit that stands under nothing else, "" without one."""
    if unit.unit.under or unit.unit.kind in ("code", "heading") or unit.unit.cells:
        return ""
    return version_heading(unit.chunk.heading_path)


def quoted(
    parts: Sequence[Sequence[Candidate]], apart: Sequence[Candidate] = ()
) -> tuple[list[list[str]], list[Claim], list[Source]]:
    """The chosen units as an answer: the paragraphs of each part, and all claims and sources. Units `apart`
    are a part and a source of their own each."""
    depths = [depth for part in parts for depth in _depths(part)]
    sources, claims = _cited([candidate for part in parts for candidate in part], depths)
    for candidate in apart:
        more = _cited([candidate], [0], len(sources))
        sources, claims = [*sources, *more[0]], [*claims, *more[1]]
    left = iter(claims)
    texts = [
        _paragraphs(part, [next(left) for _ in part], sources)
        for part in (*parts, *([candidate] for candidate in apart))
    ]
    return texts, claims, sources


def _cited(
    candidates: Sequence[Candidate], depths: Sequence[int], before: int = 0
) -> tuple[list[Source], list[Claim]]:
    """Sources and claims of the chosen units, each with its depth in a list; units that stand side by side,
    in order, share one source. Numbers go on after `before`."""
    sources: list[Source] = []
    claims: list[Claim] = []
    for candidate, depth in zip(_said_once(candidates), depths, strict=True):
        last = sources[-1] if sources else None
        start = candidate.start
        if (
            last is not None
            and last.chunk.chunk_id == candidate.chunk.chunk_id
            and last.quote_range[0] <= start
            and _NEXT_ITEM.fullmatch(candidate.chunk.text, last.quote_range[1], start)
        ):
            start = last.quote_range[0]
            sources.pop()
        sources.append(source_at(before + len(sources) + 1, candidate.chunk, start, candidate.unit.end))
        numbers = (before + len(sources),)
        score, more = min(candidate.score, 1.0), candidate.unit.more
        claims.append(Claim(candidate.text, "supported", score, numbers, more, depth))
    return sources, claims


def _said_once(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """The units; what several stand under is told with the first of them, or is one itself, or stands at the
    beginning of the paragraph that is told."""
    told, before = (0, ""), ""
    for candidate in candidates:
        chunk_id, unit = candidate.chunk.chunk_id, candidate.unit
        is_told = (chunk_id, unit.under) == told or (
            chunk_id == told[0] and unit.follows and before.startswith(f"{unit.under}:")
        )
        yield replace(candidate, unit=replace(unit, under="")) if is_told else candidate
        told, before = (chunk_id, unit.under or unit.line.rstrip(":")), unit.line


def _paragraphs(
    candidates: Sequence[Candidate], claims: Sequence[Claim], sources: Sequence[Source]
) -> list[str]:
    """The answer's text: what comes from one document is one paragraph; items and rows are a list, in which
    an item is indented below those that it stands under, and code stands by itself. What is no item begins a
    new paragraph behind one."""
    parts: list[str] = []
    before: Candidate | None = None
    for number, (candidate, claim) in enumerate(zip(candidates, claims, strict=True)):
        marks = "".join(f"[{n}]" for n in claim.citations)
        marks += f"\n… and {claim.more} more" if claim.more else ""
        if candidate.unit.kind == "code":
            parts.append(f"```\n{claim.text}\n```\n{marks}")
            before = None
            continue
        text = f"{claim.text} {marks}"
        following = next(iter(candidates[number + 1 : number + 2]), None)
        if before is not None and _goes_on(candidate, before):
            parts[-1] += f" {text}"
        elif before is not None and _is_of_list(candidate) and _same_section(candidate, before):
            parts[-1] += f"\n{'  ' * claim.depth}- {text}"
        else:
            # The first item of a list is one, too.
            begins_list = following is not None and _is_of_list(candidate) and _is_of_list(following)
            is_first = begins_list and following is not None and _same_document(candidate, following)
            is_next = before is not None and _is_of_list(candidate) and _is_of_list(before)
            parts.append(f"- {text}" if is_first or is_next else text)
        before = candidate
    return parts


def _is_of_list(candidate: Candidate) -> bool:
    return candidate.unit.kind in ("item", "row", "field")


def _same_document(candidate: Candidate, other: Candidate) -> bool:
    return candidate.chunk.document_id == other.chunk.document_id


def _same_section(candidate: Candidate, other: Candidate) -> bool:
    return _same_document(candidate, other) and candidate.chunk.heading_path == other.chunk.heading_path


def _goes_on(candidate: Candidate, before: Candidate) -> bool:
    """Whether a unit is told in one line with the one before it: prose with prose, and the sentences of an
    item."""
    if not _same_document(candidate, before):
        return False
    if _is_of_list(candidate):
        between = before.chunk.text[before.unit.end : candidate.unit.start]
        return candidate.unit.follows and candidate.chunk is before.chunk and not between.strip()
    return not _is_of_list(before)


def _depths(candidates: Sequence[Candidate]) -> list[int]:
    """Under how many of the items told before it each item of a list stands; 0 of what is none."""
    depths = []
    for number, candidate in enumerate(candidates):
        starts = {other.unit.start for other in candidates[:number] if other.chunk is candidate.chunk}
        depths.append(len(starts.intersection(candidate.unit.above)) if _is_of_list(candidate) else 0)
    return depths
