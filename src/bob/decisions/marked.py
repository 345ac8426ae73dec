"""Decisions in notes: behind a marker ("Decision: ..."), in lists under "Decisions", and in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from bob.core.decision import FoundDecision, Rejected
from bob.decisions import patterns
from bob.decisions.fields import fields_of
from bob.decisions.passages import Paragraph, Place, Section
from bob.decisions.prose import stated
from bob.decisions.rejected import merged, named_rejected, rejected_in, turned_down_in
from bob.decisions.sentences import sentences
from bob.decisions.statements import statement_of
from bob.decisions.tables import found_in_tables
from bob.text.cues import decision_certainty, hints_at_decision
from bob.text.dates import only_day

_MARKED = 0.9
_LISTED = 0.85
_WEAK = 0.75  # "Resolved: ..." is said of faults too, "We will ..." of mere plans
_WILL = re.compile(
    r"(?:^|[,;:]\s+|\b(?:and|so|therefore|thus)\s+)(?:we|the team)(?:\s+will|['’]ll|\s+shall|"
    r"\s+are going to)\s",
    re.IGNORECASE,
)
_MINUTES = re.compile(
    r"\b(?:meetings?|minutes|decisions?|agenda|agreements?|standup|retro\w*|besprechung|protokoll)\b",
    re.IGNORECASE,
)
_OF_A_DECISION = re.compile(r"\s*(?:that|to|we|use|adopt|keep|accept)\b", re.IGNORECASE)
_OF_A_FAULT = re.compile(
    r"\W*(?:#\d+|[A-Z]+-\d+|\d{4}-\d\d-\d\d|v?\d+\.\d+|fixed|won'?t fix|duplicate|by\b|in\b|on\b).*",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST_TOPIC = 400
_ABOUT_DECISIONS = re.compile(r"\b(?:decisions?|entscheidung(?:en)?)\b", re.IGNORECASE)
_Found = tuple[Place, FoundDecision]


def found_in_notes(sections: Iterable[Section]) -> Iterator[FoundDecision]:
    """The decisions of sections that are no part of a record, in order."""
    day: date | None = None
    for section in sections:
        if section.has_cue or "date" in section.lowered or _is_below(section):
            day = _date_of(section) or (day if len(section.path) > 1 else None)
            yield from found_in_tables(section)
            found = list(_of_section(section, day)) or list(_of_topic(section, day))
            yield from _with_rejected(section, found, day)


def _is_below(section: Section) -> bool:
    """Whether the section stands below a heading such as "Decisions"."""
    headings = (patterns.DECISION_HEADING, patterns.LIST_HEADING)
    return any(form.fullmatch(each) for each in section.path for form in headings)


def _date_of(section: Section) -> date | None:
    """The date in the nearest heading that has one, or in a field "Date"."""
    named = (only_day(each) for each in reversed(section.path))
    if day := next((each for each in named if each), None):
        return day
    fields = fields_of(section.lines) if "date" in section.lowered else []
    return next((day for each in fields if each.name == "date" and (day := only_day(each.value))), None)


def _of_section(section: Section, day: date | None) -> Iterator[_Found]:
    place = statement_of([section]) if patterns.is_called_decision(section.heading) else None
    if place and not patterns.MARKER.match(place.text) and (found := _decision(place, section, day, _LISTED)):
        yield found
        return
    paragraphs = section.paragraphs
    # An essay on decisions has lists too; minutes are little else.
    is_listed = patterns.LIST_HEADING.fullmatch(section.heading) is not None
    is_listed = is_listed and 2 * sum(each.is_item for each in paragraphs) >= len(paragraphs)
    outer = min((each.indent for each in paragraphs if each.is_item), default=0)
    taken_until = 0
    for at, each in enumerate(paragraphs):
        marker = patterns.MARKER.match(each.text)
        if at < taken_until or patterns.REJECTED_MARKER.match(each.text):
            continue
        if marker and not each.text[marker.end() :].strip():
            introduced = _introduced(paragraphs, at) if _may_mark(marker, section) else []
            taken_until = at + 1 + len(introduced)
            yield from (found for place in introduced if (found := _decision(place, section, day, _MARKED)))
        elif marker:
            found = _marked(marker, each.place.part(marker.end(), len(each.text)), section, day)
            yield from [found] if found else []
        elif is_listed and each.is_item and each.indent <= outer:
            found = _decision(each.place, section, day, _LISTED)
            yield from [found] if found else []
        else:
            yield from _in_sentences(each, section, day)


def _of_topic(section: Section, day: date | None) -> Iterator[_Found]:
    """The first paragraph under a heading below "Decisions": what was decided on that topic. A document of
    that title may be about decisions, as a text that names them is; one that has days is a list of them."""
    is_topic = len(section.path) > 1 and patterns.LIST_HEADING.fullmatch(section.path[-2]) is not None
    is_topic = is_topic and (len(section.path) > 2 or day is not None)
    place = statement_of([section]) if is_topic else None
    if place is None or len(place.text) > _LONGEST_TOPIC or _ABOUT_DECISIONS.search(place.text):
        return
    if found := _decision(place, section, day, _WEAK):
        yield found


def _in_sentences(paragraph: Paragraph, section: Section, day: date | None) -> Iterator[_Found]:
    is_below = _is_below(section)
    if not is_below and not hints_at_decision(paragraph.text):
        return
    for sentence in sentences(paragraph.place):
        sure = decision_certainty(sentence.text, section.path)
        if is_below and not sure and _WILL.search(sentence.text) and "?" not in sentence.text:
            sure = _WEAK
        if sure:
            yield sentence, stated(sentence, section.path, day, sure)


def _marked(marker: re.Match[str], place: Place, section: Section, day: date | None) -> _Found | None:
    is_weak = (marker["word"] or "").lower().startswith("resol")
    if not (_may_mark(marker, section) or _OF_A_DECISION.match(place.text)):
        return None
    if is_weak and _OF_A_FAULT.fullmatch(place.text):
        return None
    found = _decision(place, section, day, _WEAK if is_weak else _MARKED)
    if found and marker["note"] and (noted := only_day(marker["note"])):
        return found[0], replace(found[1], stated_date=noted)
    return found


def _may_mark(marker: re.Match[str], section: Section) -> bool:
    """Whether a marker is one by itself: "Resolved:" is so in minutes, or in capitals."""
    word = marker["word"] or ""
    return not word.lower().startswith("resol") or word.isupper() or any(map(_MINUTES.search, section.path))


def _decision(place: Place, section: Section, day: date | None, confidence: float) -> _Found | None:
    none = (patterns.NO_DECISION, patterns.PLACEHOLDER, patterns.ONLY_LINK)
    if any(each.fullmatch(place.text) for each in none) or not any(map(str.isalpha, place.text)):
        return None
    return place, replace(stated(place, section.path, day, confidence), kind="marked")


def _introduced(paragraphs: Sequence[Paragraph], at: int) -> list[Place]:
    """What a marker with nothing behind it introduces: the list that follows, or one paragraph."""
    taken: list[Place] = []
    for each in paragraphs[at + 1 :]:
        if (taken and not each.is_item) or patterns.MARKER.match(each.text):
            break
        taken.append(each.place)
        if not each.is_item:
            break
    return taken


def _with_rejected(section: Section, found: Sequence[_Found], day: date | None) -> Iterator[FoundDecision]:
    """The decisions, each with what its own words and the "Rejected:" lines up to the next one turn down.

    Where there is no decision, each such line is one: that of doing without.
    """
    lines = list(_rejected_lines(section)) if "rejected" in section.lowered or found else []
    order = {id(each): at for at, each in enumerate(section.passages)}
    starts = [(order[id(place.passage)], place.start) for place, _ in found]
    for at, (place, decision) in enumerate(found):
        own = [
            each
            for where, each in lines
            if (at == 0 or starts[at] < (order[id(where.passage)], where.start))
            and (at + 1 == len(found) or (order[id(where.passage)], where.start) < starts[at + 1])
        ]
        end = found[at + 1][0].start if at + 1 < len(found) else None
        after = [each for each in _sentences_after(place, section) if end is None or each.start < end]
        yield replace(decision, rejected=merged(rejected_in(place), own, *map(turned_down_in, after)))
    for where, each in lines if not found else ():
        yield replace(
            stated(where, section.path, day, _WEAK), kind="marked", status="rejected", rejected=(each,)
        )


def _sentences_after(place: Place, section: Section) -> list[Place]:
    """The sentences that follow a decision in its own paragraph."""
    own = next((each for each in section.paragraphs if _holds(each.place, place)), None)
    return [each for each in sentences(own.place) if each.start >= place.end] if own else []


def _holds(whole: Place, part: Place) -> bool:
    return whole.passage is part.passage and whole.start <= part.start < whole.end


def _rejected_lines(section: Section) -> Iterator[tuple[Place, Rejected]]:
    paragraphs = section.paragraphs
    for at, each in enumerate(paragraphs):
        marker = patterns.REJECTED_MARKER.match(each.text)
        if marker is None:
            continue
        rest = each.place.part(marker.end(), len(each.text))
        for place in [rest] if rest.text else _introduced(paragraphs, at):
            rejected = None if patterns.NO_DECISION.fullmatch(place.text) else named_rejected(place)
            if rejected is not None and any(map(str.isalpha, rejected.text)):
                yield place, rejected
