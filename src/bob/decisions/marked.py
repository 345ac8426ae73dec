"""Decisions in notes: behind a marker, in lists and tables under "Decisions", and in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bob.core.decision import DecisionStatus, FoundDecision, Rejected
from bob.decisions import minutes
from bob.decisions import statements as patterns
from bob.decisions.fields import cells_of, fields_of, read_status
from bob.decisions.links import distinct, text_links
from bob.decisions.passages import Line, Paragraph, Section, Span
from bob.decisions.prose import stated
from bob.decisions.rejected import all_of, merged, named_rejected, rejected_in, turned_down_in
from bob.decisions.statements import sentences, statement_of, title_of
from bob.decisions.unsettled import is_put_off, is_speech, settles_nothing
from bob.decisions.votes import resolution_of, voted_in
from bob.text.dates import only_day
from bob.text.markup import ends_with_colon
from bob.text.sentences import decision_certainty, hints_at_decision

_CONFIDENCE = 0.85
_NO_DECISION = (
    patterns.NO_DECISION,
    patterns.PLACEHOLDER,
    patterns.HAS_PLACEHOLDER,
    patterns.ONLY_LINK,
)
_RULE = re.compile(r"[\s|:+=-]+")
_NUMBER = re.compile(r"\W*(?:[A-Za-z]{1,5}-?)?0*(\d{1,5})\W*")
_COLUMNS = {
    "decision": re.compile(r"decisions?(?: (?:made|taken))?|entscheidung|décision|decisión", re.IGNORECASE),
    "status": re.compile(r"status|state", re.IGNORECASE),
    "date": re.compile(r"date|when|decided(?: on)?|datum", re.IGNORECASE),
    "number": re.compile(r"#|no\.?|nr\.?|id|number|adr", re.IGNORECASE),
    "context": re.compile(r"context|topic|problem|why|reason|rationale|question", re.IGNORECASE),
    "rejected": re.compile(
        r"(?:rejected )?(?:alternatives?|options?)(?: (?:considered|rejected))?|"
        r"rejected",
        re.IGNORECASE,
    ),
}


@dataclass(frozen=True, slots=True)
class _Row:
    cells: dict[str, Span]

    def text(self, column: str) -> str:
        return self.cells[column].text if column in self.cells else ""


def found_in_tables(section: Section) -> Iterator[FoundDecision]:
    """The rows of the section's decision logs; rows that only link to a record are left to that record."""
    for row in _rows(section.lines):
        span = row.cells["decision"]
        if not any(map(str.isalpha, span.text)) or any(form.fullmatch(span.text) for form in _NO_DECISION):
            continue
        status = read_status([row.text("status")])
        number = _NUMBER.fullmatch(row.text("number"))
        own = number[1] if number else None
        links = [
            *text_links(row.text("status"), own, is_status=True),
            *text_links(span.text, own, is_status=False),
        ]
        rejected = all_of([row.cells["rejected"]] if row.text("rejected") else [])
        decision = stated(span, section.path, None, _CONFIDENCE)
        yield replace(
            decision,
            kind="marked",
            number=own,
            context=row.text("context") or decision.context,
            status=status.counted(is_linked=bool(links)) if status else "active",
            stated_date=only_day(row.text("date")) or decision.stated_date,
            rejected=merged(rejected_in(span), rejected),
            links=distinct(links, (own, "")),
        )


def _rows(lines: Sequence[Line]) -> Iterator[_Row]:
    names: list[str] | None = None
    is_inside = False
    for line in lines:
        if line.role != "table":
            is_inside = False
            continue
        if _RULE.fullmatch(line.text):
            continue
        cells = list(cells_of(line))
        if not is_inside:
            is_inside = True
            names = [_name(cell.text) for cell in cells]
        elif names is not None and "decision" in names and len(cells) == len(names):
            yield _Row({name: cell for name, cell in zip(names, cells, strict=True) if name})


def _name(heading: str) -> str:
    words = heading.strip(" *_")
    return next((name for name, form in _COLUMNS.items() if form.fullmatch(words)), "")


_MARKED = 0.9
_LISTED = 0.85
_VOTED = 0.8
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
_MINUTES_FILE = re.compile(
    r"(?:meeting|minutes|protokoll|besprechung|\batas?\b|reuni)[^/]*(?:/[^/]*){0,2}$", re.IGNORECASE
)
_OF_A_DECISION = re.compile(r"\s*(?:that|to|we|use|adopt|keep|accept)\b", re.IGNORECASE)
_OF_A_FAULT = re.compile(
    r"\W*(?:#\d+|[A-Z]+-\d+|\d{4}-\d\d-\d\d|v?\d+\.\d+|fixed|won'?t fix|duplicate|by\b|in\b|on\b).*",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST_TOPIC = 400
_LONGEST = 800
_FEW_WORDS = 25
_LONGEST_OUTCOME = 400  # what is longer tells the discussion once more
_ABOUT_DECISIONS = re.compile(r"\b(?:decisions?|entscheidung(?:en)?)\b", re.IGNORECASE)
_Found = tuple[Span, FoundDecision]


def found_in_notes(
    sections: Iterable[Section], path: str, *, is_minutes: bool = False
) -> Iterator[FoundDecision]:
    """The decisions of sections that are no part of a record, in order; `path` is their document's, which
    `is_minutes` of a meeting."""
    is_called_minutes = _MINUTES_FILE.search(path) is not None
    day: date | None = None
    for section in sections:
        in_meeting = is_minutes or minutes.is_meeting(section.path)
        if in_meeting or section.has_cue or "date" in section.lowered or _is_below(section):
            day = _date_of(section) or (day if len(section.path) > 1 else None)
            yield from found_in_tables(section)
            decisions = list(_of_section(section, day, in_meeting)) or list(_of_topic(section, day))
            in_minutes = is_called_minutes or day is not None or any(map(_MINUTES.search, section.path))
            decisions = [
                (span, decision)
                for span, decision in decisions
                if not settles_nothing(span.text, in_minutes=in_meeting or in_minutes)
            ]
            if in_meeting:
                decisions = [_on_topic(pair, section) for pair in _with_votes(section, decisions, day)]
            yield from _with_rejected(section, decisions, day)


def _is_below(section: Section) -> bool:
    """Whether the section stands below a heading such as "Decisions"."""
    headings = (patterns.DECISION_HEADING, patterns.LIST_HEADING)
    return any(form.fullmatch(heading) for heading in section.path for form in headings)


def _date_of(section: Section) -> date | None:
    """The date in the nearest heading that has one, or in a field "Date"."""
    named = (only_day(heading) for heading in reversed(section.path))
    if day := next((day_named for day_named in named if day_named), None):
        return day
    fields = fields_of(section.lines) if "date" in section.lowered else []
    return next((day for field in fields if field.name == "date" and (day := only_day(field.value))), None)


def _of_section(section: Section, day: date | None, in_meeting: bool) -> Iterator[_Found]:
    span = statement_of([section]) if patterns.is_called_decision(section.heading) else None
    if span and not patterns.MARKER.match(span.text) and (decision := _decision(span, section, day, _LISTED)):
        yield decision
        return
    paragraphs = section.paragraphs
    # An essay on decisions has lists too; minutes are little else.
    is_listed = patterns.LIST_HEADING.fullmatch(section.heading) is not None
    is_listed = is_listed and 2 * sum(paragraph.is_item for paragraph in paragraphs) >= len(paragraphs)
    outcome = minutes.outcome_heading(section.heading) if in_meeting and not is_listed else None
    outer = min((paragraph.indent for paragraph in paragraphs if paragraph.is_item), default=0)
    taken_until = 0
    for index, passage in enumerate(paragraphs):
        marker = _marker(passage.text, section, in_meeting)
        if index < taken_until or patterns.REJECTED_MARKER.match(passage.text):
            continue
        if marker and not passage.text[marker.end() :].strip():
            introduced = _introduced(paragraphs, index) if _may_mark(marker, section, in_meeting) else []
            taken_until = index + 1 + len(introduced)
            is_outcome = marker.re is minutes.outcome_label()
            sure = _LISTED if is_outcome else _MARKED
            yield from (
                decision
                for span in introduced
                if (not is_outcome or _is_settled(span)) and (decision := _decision(span, section, day, sure))
            )
        elif marker:
            decision = _marked(
                marker, passage.span.part(marker.end(), len(passage.text)), section, day, in_meeting
            )
            yield from [decision] if decision else []
        elif outcome and (index == 0 or passage.is_item):
            span = _outcome(paragraphs, index, outer, is_weak=outcome == "outcome")
            decision = _decision(span, section, day, _LISTED) if span else None
            yield from [decision] if decision else []
        elif is_listed and passage.is_item and passage.indent <= outer:
            decision = _decision(passage.span, section, day, _LISTED)
            yield from [decision] if decision else []
        else:
            yield from _in_sentences(paragraphs, index, section, day, in_meeting)


def _marker(text: str, section: Section, in_meeting: bool) -> re.Match[str] | None:
    """The marker of a decision that a paragraph begins with; in a meeting also "Resolution:" and its like."""
    marker = patterns.MARKER.match(text)
    return marker or (minutes.outcome_label().match(text) if in_meeting else None)


def _outcome(paragraphs: Sequence[Paragraph], index: int, outer: int, *, is_weak: bool) -> Span | None:
    """What a paragraph below a heading such as "Resolutions" says was decided, with what is below it where it
    ends with a colon; None for a task, what is put off, and what is below another item."""
    paragraph = paragraphs[index]
    is_leading = not paragraph.is_item and ends_with_colon(paragraph.text)
    is_below = paragraph.is_item and paragraph.indent > outer
    if is_below or is_leading or not _is_settled(paragraph.span, is_weak=is_weak):
        return None
    return _with_items(paragraph.span, paragraphs, index)


def _is_settled(span: Span, *, is_weak: bool = False) -> bool:
    """Whether what stands where minutes have what was decided is no task and not put off; where the heading
    above it `is_weak`, as "Conclusion" is, whether it also settles something."""
    if _is_open_task(span) or minutes.is_task(span.text) or is_put_off(span.text):
        return False
    return not is_weak or (len(span.text) <= _LONGEST_OUTCOME and minutes.settles(span.text))


def _is_open_task(span: Span) -> bool:
    """Whether the box before an item is there to be ticked."""
    text = span.passage.text
    return "[ ]" in text[text.rfind("\n", 0, span.start) + 1 : span.start]


def _with_items(span: Span, paragraphs: Sequence[Paragraph], index: int) -> Span:
    """A span that ends with a colon at the end of its paragraph, with the items that this introduces."""
    paragraph = paragraphs[index]
    if span.end < paragraph.span.end or not ends_with_colon(span.text):
        return span
    end = span.end
    for item in paragraphs[index + 1 :]:
        is_below = item.is_item and (not paragraph.is_item or item.indent > paragraph.indent)
        if not is_below or item.span.passage is not span.passage or minutes.is_task(item.text):
            break
        if item.span.end - span.start > _LONGEST:
            break
        end = item.span.end
    return Span(span.passage, span.start, end)


def _of_topic(section: Section, day: date | None) -> Iterator[_Found]:
    """The first paragraph under a heading below "Decisions": what was decided on that topic. A document of
    that title may be about decisions, as a text that names them is; one that has days is a list of them."""
    is_topic = len(section.path) > 1 and patterns.LIST_HEADING.fullmatch(section.path[-2]) is not None
    is_topic = is_topic and (len(section.path) > 2 or day is not None)
    span = statement_of([section]) if is_topic else None
    if span is None or len(span.text) > _LONGEST_TOPIC or _ABOUT_DECISIONS.search(span.text):
        return
    if decision := _decision(span, section, day, _WEAK):
        yield decision


def _in_sentences(
    paragraphs: Sequence[Paragraph], index: int, section: Section, day: date | None, in_meeting: bool
) -> Iterator[_Found]:
    paragraph = paragraphs[index]
    is_below = _is_below(section)
    if not in_meeting and not is_below and not hints_at_decision(paragraph.text):
        return
    # What one person says tells of resolutions rather than makes them.
    may_resolve = in_meeting and not is_speech(paragraph.text)
    for sentence in sentences(paragraph.span):
        status: DecisionStatus | None = resolution_of(sentence.text) if may_resolve else None
        sure = decision_certainty(sentence.text, section.path) or (_WEAK if status else 0.0)
        if is_below and not sure and _WILL.search(sentence.text) and "?" not in sentence.text:
            sure = _WEAK
        if sure:
            span = _with_items(sentence, paragraphs, index)
            decision = stated(span, section.path, day, sure)
            yield span, replace(decision, status=status or decision.status)


def _with_votes(section: Section, found: Sequence[_Found], day: date | None) -> list[_Found]:
    """The decisions of a section of minutes, those joined that are a motion and the vote on it."""
    taken: list[_Found] = list(found)
    for voted in voted_in(section):
        parts = [pair for pair in taken if _holds(voted.span, pair[0]) or _holds(pair[0], voted.span)]
        start = min([voted.span.start, *(span.start for span, _ in parts)])
        end = max([voted.span.end, *(span.end for span, _ in parts)])
        whole = Span(voted.span.passage, start, end)
        sure = max([_VOTED, *(decision.confidence for _, decision in parts)])
        decision = replace(stated(whole, section.path, day, sure), status=voted.status)
        taken = [pair for pair in taken if not any(pair is part for part in parts)]
        taken.append((whole, decision))
    order = {id(passage): index for index, passage in enumerate(section.passages)}
    return sorted(taken, key=lambda pair: (order[id(pair[0].passage)], pair[0].start))


def _on_topic(pair: _Found, section: Section) -> _Found:
    """A decision; one of few words ("Carried.") with the heading that says on what in its title."""
    span, decision = pair
    forms = (patterns.LIST_HEADING, patterns.DECISION_HEADING)
    topics = (
        heading
        for heading in reversed(section.path[1:])
        if not minutes.outcome_heading(heading) and not any(form.fullmatch(heading) for form in forms)
    )
    topic = next(topics, "") if len(span.text) < _FEW_WORDS else ""
    if not topic:
        return pair
    return span, replace(decision, title=title_of(f"{topic}: {decision.title}"))


def _marked(
    marker: re.Match[str], span: Span, section: Section, day: date | None, in_meeting: bool
) -> _Found | None:
    is_weak = (marker["word"] or "").lower().startswith("resol")
    if not (_may_mark(marker, section, in_meeting) or _OF_A_DECISION.match(span.text)):
        return None
    if is_weak and _OF_A_FAULT.fullmatch(span.text):
        return None
    is_outcome = marker.re is minutes.outcome_label()
    if is_outcome and not _is_settled(span):
        return None
    sure = _WEAK if is_weak else _LISTED if is_outcome else _MARKED
    decision = _decision(span, section, day, sure)
    if decision and marker["note"] and (noted := only_day(marker["note"])):
        return decision[0], replace(decision[1], stated_date=noted)
    return decision


def _may_mark(marker: re.Match[str], section: Section, in_meeting: bool) -> bool:
    """Whether a marker is one by itself: "Resolved:" is so in minutes, or in capitals."""
    word = marker["word"] or ""
    if in_meeting or not word.lower().startswith("resol") or word.isupper():
        return True
    return any(map(_MINUTES.search, section.path))


def _decision(span: Span, section: Section, day: date | None, confidence: float) -> _Found | None:
    if any(form.fullmatch(span.text) for form in _NO_DECISION) or not any(map(str.isalpha, span.text)):
        return None
    return span, replace(stated(span, section.path, day, confidence), kind="marked")


def _introduced(paragraphs: Sequence[Paragraph], index: int) -> list[Span]:
    """What a marker with nothing behind it introduces: the list that follows, or one paragraph. What is
    below an item of it explains the item; and where the marker is an item, so much as is below it."""
    marker = paragraphs[index]
    taken: list[Paragraph] = []
    for paragraph in paragraphs[index + 1 :]:
        is_over = marker.is_item and paragraph.indent <= marker.indent
        if is_over or (taken and not paragraph.is_item) or patterns.MARKER.match(paragraph.text):
            break
        if not taken or paragraph.indent <= taken[0].indent:
            taken.append(paragraph)
        if not paragraph.is_item:
            break
    return [paragraph.span for paragraph in taken]


def _with_rejected(section: Section, pairs: Sequence[_Found], day: date | None) -> Iterator[FoundDecision]:
    """The decisions, each with what its own words and the "Rejected:" lines up to the next one turn down.

    Where there is no decision, each such line is one: that of doing without.
    """
    lines = list(_rejected_lines(section)) if "rejected" in section.lowered or pairs else []
    order = {id(passage): index for index, passage in enumerate(section.passages)}
    starts = [(order[id(span.passage)], span.start) for span, _ in pairs]
    for index, (span, decision) in enumerate(pairs):
        own = [
            decision
            for where, decision in lines
            if (index == 0 or starts[index] < (order[id(where.passage)], where.start))
            and (index + 1 == len(pairs) or (order[id(where.passage)], where.start) < starts[index + 1])
        ]
        end = pairs[index + 1][0].start if index + 1 < len(pairs) else None
        after = [
            sentence for sentence in _sentences_after(span, section) if end is None or sentence.start < end
        ]
        yield replace(decision, rejected=merged(rejected_in(span), own, *map(turned_down_in, after)))
    for where, line in lines if not pairs else ():
        yield replace(
            stated(where, section.path, day, _WEAK), kind="marked", status="rejected", rejected=(line,)
        )


def _sentences_after(span: Span, section: Section) -> list[Span]:
    """The sentences that follow a decision in its own paragraph."""
    own = next((paragraph for paragraph in section.paragraphs if _holds(paragraph.span, span)), None)
    return [sentence for sentence in sentences(own.span) if sentence.start >= span.end] if own else []


def _holds(whole: Span, part: Span) -> bool:
    return whole.passage is part.passage and whole.start <= part.start < whole.end


def _rejected_lines(section: Section) -> Iterator[tuple[Span, Rejected]]:
    paragraphs = section.paragraphs
    for index, paragraph in enumerate(paragraphs):
        marker = patterns.REJECTED_MARKER.match(paragraph.text)
        if marker is None:
            continue
        rest = paragraph.span.part(marker.end(), len(paragraph.text))
        for span in [rest] if rest.text else _introduced(paragraphs, index):
            rejected = None if patterns.NO_DECISION.fullmatch(span.text) else named_rejected(span)
            if rejected is not None and any(map(str.isalpha, rejected.text)):
                yield span, rejected
