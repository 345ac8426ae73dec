"""Decisions behind a marker ("Decision: ...") and in lists under a heading such as "Decisions"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from bob.domain.decision import FoundDecision, Rejected
from bob.extract import patterns
from bob.extract.dates import date_in
from bob.extract.fields import fields_of
from bob.extract.links import distinct, text_links
from bob.extract.prose import is_statement_of_decision, stated
from bob.extract.reading import Paragraph, Place, Section
from bob.extract.rejected import merged, named_rejected, rejected_in
from bob.extract.sentences import sentences

_MARKED = 0.9
_LISTED = 0.85
_WEAK = 0.75  # "Resolved: ..." is said of faults too
_MINUTES = re.compile(
    r"\b(?:meetings?|minutes|decisions?|notes|agenda|agreements?|standup|retro\w*|besprechung|protokoll)\b",
    re.IGNORECASE,
)
_WILL = re.compile(
    r"(?:^|[,;:]\s+|\b(?:and|so|therefore|thus)\s+)(?:we|the team)(?:\s+will|['’]ll|\s+shall|"
    r"\s+are going to)\s",
    re.IGNORECASE,
)
_FIX = re.compile(
    r"\W*(?:#\d+|[A-Z]+-\d+|\d{4}-\d\d-\d\d|v?\d+\.\d+|fixed|won'?t fix|duplicate|by\b|in\b|on\b).*",
    re.IGNORECASE | re.DOTALL,
)
_DONE = re.compile(r"\s*(?:that|to|we|the|use|adopt|keep|accept)\b", re.IGNORECASE)


def found_in_notes(sections: Iterable[Section]) -> Iterator[FoundDecision]:
    """The decisions of sections that are no part of a record, in order."""
    day: date | None = None
    for section in sections:
        own = next((found for heading in reversed(section.path) if (found := date_in(heading))), None)
        dated = next(
            (
                found
                for each in fields_of(section.lines)
                if each.name == "date" and (found := date_in(each.value))
            ),
            None,
        )
        day = own or dated or (day if len(section.path) > 1 else None)
        yield from _with_rejected(section, list(_of_section(section, day)))


def _of_section(section: Section, day: date | None) -> Iterator[tuple[Place, FoundDecision]]:
    paragraphs = list(section.paragraphs())
    is_listed = patterns.LIST_HEADING.fullmatch(section.heading) is not None
    is_below = any(
        patterns.DECISION_HEADING.fullmatch(each) or patterns.LIST_HEADING.fullmatch(each)
        for each in section.path
    )
    outer = min((each.indent for each in paragraphs if each.is_item), default=0)
    following = 0  # paragraphs that an empty marker ("Decisions:") has already taken
    for at, each in enumerate(paragraphs):
        if at < following:
            continue
        if patterns.REJECTED_MARKER.match(each.text):
            continue
        marker = patterns.MARKER.match(each.text)
        if marker and not each.text[marker.end() :].strip():
            taken = _after(paragraphs, at)
            following = at + 1 + len(taken)
            yield from (found for place in taken if (found := _decision(place, section, day, _MARKED)))
        elif marker:
            place = each.place.part(marker.end(), len(each.text))
            if found := _marked(marker, place, section, day):
                yield found
        elif is_listed and each.is_item and each.indent <= outer:
            if found := _decision(each.place, section, day, _LISTED):
                yield found
        else:
            yield from _sentences(each, section, day, is_below=is_below)


def _sentences(
    paragraph: Paragraph, section: Section, day: date | None, *, is_below: bool
) -> Iterator[tuple[Place, FoundDecision]]:
    for sentence in sentences(paragraph.place):
        confidence = is_statement_of_decision(sentence.text, section.path)
        if is_below and not confidence and _WILL.search(sentence.text) and "?" not in sentence.text:
            confidence = _WEAK
        if confidence:
            yield sentence, stated(sentence, section.path, day, confidence)


def _marked(
    marker: re.Match[str], place: Place, section: Section, day: date | None
) -> tuple[Place, FoundDecision] | None:
    word = (marker["word"] or "").lower()
    confidence = _MARKED
    if word.startswith("resol"):
        is_minutes = any(_MINUTES.search(each) for each in section.path)
        if _FIX.fullmatch(place.text) or not (
            is_minutes or marker["word"].isupper() or _DONE.match(place.text)
        ):
            return None
        confidence = _WEAK
    found = _decision(place, section, day, confidence)
    if found and marker["note"] and (noted := date_in(marker["note"])):
        return found[0], replace(found[1], stated_date=noted)
    return found


def _decision(
    place: Place, section: Section, day: date | None, confidence: float
) -> tuple[Place, FoundDecision] | None:
    if patterns.NO_DECISION.fullmatch(place.text) or patterns.PLACEHOLDER.fullmatch(place.text):
        return None
    if not any(map(str.isalpha, place.text)) or patterns.ONLY_LINK.fullmatch(place.text):
        return None
    return place, replace(
        stated(place, section.path, day, confidence),
        kind="marked",
        links=distinct(list(text_links(place.text, None, is_status=False)), (None, "")),
    )


def _after(paragraphs: Sequence[Paragraph], at: int) -> list[Place]:
    """What an empty marker introduces: the list that follows it, or one paragraph."""
    taken: list[Place] = []
    for each in paragraphs[at + 1 :]:
        if not each.is_item and taken:
            break
        if patterns.MARKER.match(each.text):
            break
        taken.append(each.place)
        if not each.is_item:
            break
    return taken


def _with_rejected(section: Section, found: Sequence[tuple[Place, FoundDecision]]) -> Iterator[FoundDecision]:
    """The decisions, each with what its own words and the "Rejected:" lines after it turn down."""
    marked = list(_rejected_lines(section))
    for at, (place, decision) in enumerate(found):
        end = found[at + 1][0] if at + 1 < len(found) else None
        own = [
            each
            for where, each in marked
            if (at == 0 or _is_before(place, where, section))
            and (end is None or _is_before(where, end, section))
        ]
        yield replace(decision, rejected=merged(rejected_in(place), own))
    if not found:
        for where, each in marked:
            day = next((day for heading in reversed(section.path) if (day := date_in(heading))), None)
            turned_down = stated(where, section.path, day, _WEAK)
            yield replace(turned_down, kind="marked", status="rejected", rejected=(each,))


def _rejected_lines(section: Section) -> Iterator[tuple[Place, Rejected]]:
    paragraphs = list(section.paragraphs())
    for at, each in enumerate(paragraphs):
        marker = patterns.REJECTED_MARKER.match(each.text)
        if marker is None:
            continue
        rest = each.place.part(marker.end(), len(each.text))
        for place in [rest] if rest.text else _after(paragraphs, at):
            rejected = None if patterns.NO_DECISION.fullmatch(place.text) else named_rejected(place)
            if rejected is not None and any(map(str.isalpha, rejected.text)):
                yield place, rejected


def _is_before(one: Place, other: Place, section: Section) -> bool:
    if one.passage is other.passage:
        return one.start < other.start
    order = [id(each.place.passage) for each in section.lines]
    return order.index(id(one.passage)) < order.index(id(other.passage))
