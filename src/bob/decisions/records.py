"""Decision records: one decision a record, whatever its family (Nygard, MADR, log4brains, PEP, RFC)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise
from pathlib import PurePosixPath

from bob.core.decision import DatedDocument, DecisionStatus, FoundDecision, PutAside, StatedLink, series_of
from bob.core.locator import LineLocator
from bob.decisions import statements as patterns
from bob.decisions.fields import Field, StatusLine, fields_of, front_matter_fields, read_status
from bob.decisions.links import distinct, field_links, text_links
from bob.decisions.options import rejected_options
from bob.decisions.passages import Paragraph, Section, Span
from bob.decisions.record_names import Title, is_dated_name, is_place_of_records, number_of_file, read_title
from bob.decisions.rejected import merged, rejected_after, rejected_in
from bob.decisions.statements import context_of, statement_of
from bob.text.dates import only_day

_TEMPLATE_FILE = re.compile(
    r"(?:^|[-_. ])template(?:$|[-_. ](?:[a-z]{2}|by|for|using|of|long|short|full|bare|minimal|madr|nygard)"
    r"(?:$|[-_. ]))",
    re.IGNORECASE,
)
_TICKED = re.compile(r"\s*[-*+]\s+\[[xX]\]\s+(?P<text>.*)")
_CONFIDENCE = 0.95
_DOUBT = 0.1  # for each part of a record that is missing or not understood
_STATUS_NAMES = (
    "status",
    "state",
    "decision status",
    "adr status",
    "record status",
    "current status",
    "statut",
    "estado",
)
_HEADER_NAMES = (*_STATUS_NAMES, "pep", "request for comments")
_HEADER_WORDS = ("status", "state", "statut", "estado", "pep:", "request for comments")
_DATE_NAMES = ("date", "decision date", "accepted date", "decided", "decided on", "datum", "fecha", "data")
_DECISION_NAMES = (
    "decision", "the decision", "decision outcome", "outcome", "choice", "chosen option", "entscheidung",
    "beschluss", "décision", "decisión", "decisão",
)  # fmt: skip
_CONTEXT_NAMES = ("context", "problem", "background", "kontext", "contexte", "contexto")
_OPTION_NAMES = re.compile(
    r"(?:considered |rejected )?(?:alternatives?|options?)(?: considered| rejected)?|rejected"
)


@dataclass(frozen=True)
class _Candidate:
    """The sections below one heading, seen as a record; `first` is the document's first section."""

    document: DatedDocument
    root: tuple[str, ...]
    sections: Sequence[Section]
    first: Section
    is_alone: bool
    in_minutes: bool = False
    """Whether the document is the minutes of a meeting: "IETF-118" in their title is no number of a record,
    and several decisions in them are not one."""

    @cached_property
    def own(self) -> list[Section]:
        """The part before the sections: where fields stand."""
        own = [section for section in self.sections if section.path == self.root]
        if not self.root and self.sections and not own[1:]:
            # With all headings on one level, the title's own section is a sibling of the others.
            titled = [section for section in self.sections if section.path == (self.document.title,)]
            own += titled[:1]
        return own

    @cached_property
    def has_preamble(self) -> bool:
        """Whether something stands above the heading of the only record in the document."""
        return self.is_alone and bool(self.root) and not self.first.path

    @cached_property
    def fields(self) -> list[Field]:
        """Those of the front matter first."""
        fields = front_matter_fields(self.first.lines) if self.is_alone else []
        if self.has_preamble:
            fields += fields_of(self.first.lines)
        return fields + [own_field for section in self.own for own_field in fields_of(section.lines)]

    def named(self, heading: re.Pattern[str]) -> Iterator[Section]:
        """The sections with such a heading right below the root."""
        depth = len(self.root)
        for section in self.sections:
            if len(section.path) == depth + 1 and heading.fullmatch(section.path[depth]):
                yield section

    def below(self, heading: re.Pattern[str]) -> list[Section]:
        """The sections with such a heading right below the root, and all that is under them."""
        depth = len(self.root)
        return [
            section
            for section in self.sections
            if section.path[depth:] and heading.fullmatch(section.path[depth])
        ]

    def values(self, names: Sequence[str]) -> list[Field]:
        """The fields with one of these names."""
        return [field for field in self.fields if field.name in names]

    @cached_property
    def title(self) -> Title:
        """The root's heading, with its number apart."""
        return read_title(self.document, self.root, self.first, self.fields, is_alone=self.is_alone)

    @cached_property
    def status_paragraphs(self) -> list[Paragraph]:
        """What stands under the heading "Status"."""
        return [
            paragraph for section in self.named(patterns.STATUS_HEADING) for paragraph in section.paragraphs
        ]

    @cached_property
    def status_texts(self) -> list[str]:
        """The words on the status, fields first."""
        rows = [row for section in self.named(patterns.STATUS_HEADING) for row in fields_of(section.lines)]
        in_section = [row.value for row in rows if row.name in _STATUS_NAMES]
        return [
            *(field.value for field in self.values(_STATUS_NAMES)),
            *(in_section or self.ticked or [paragraph.text for paragraph in self.status_paragraphs]),
        ]

    @cached_property
    def ticked(self) -> list[str]:
        """Of a list of statuses to tick the one that is ticked."""
        section_lines = [
            line.text for section in self.named(patterns.STATUS_HEADING) for line in section.lines
        ]
        return [match["text"] for line in section_lines if (match := _TICKED.fullmatch(line))]

    @cached_property
    def status(self) -> StatusLine | None:
        """What the record says of its status."""
        return read_status(self.status_texts)

    @property
    def is_partly(self) -> bool:
        """Whether it says that only a part of it has been superseded."""
        return self.status is not None and self.status.is_partly

    @cached_property
    def status_links(self) -> list[StatedLink]:
        """What the words on its status say of others."""
        return [
            link
            for text in self.status_texts
            for link in text_links(text, self.title.number, is_status=True, is_partly=self.is_partly)
        ]

    @cached_property
    def is_identified(self) -> bool:
        """Whether its name or place tells a record: "ADR-12", `docs/adr/0012-queues.md`."""
        if self.title.is_of_series and not self.in_minutes:
            return True
        return self.is_alone and is_place_of_records(self.document.path)

    @cached_property
    def statement(self) -> Span | None:
        """The decision itself, or what says most of it."""
        if (span := self.decided) is not None:
            return span
        abstract = statement_of(self.below(patterns.ABSTRACT_HEADING)) or _abstract(self.own)
        return (
            abstract
            or statement_of(self.own, skip_fields=True)
            or statement_of(self._without_status, skip_fields=True)
        )

    @property
    def _without_status(self) -> list[Section]:
        return [
            section for section in self.sections if not patterns.STATUS_HEADING.fullmatch(section.heading)
        ]

    @cached_property
    def decided(self) -> Span | None:
        """The statement of the section or of the field that is called the decision."""
        named = [field.span for field in self.values(_DECISION_NAMES)]
        single = statement_of(self.below(patterns.DECISION_HEADING)) or (
            named[0] if len(named) == 1 else None
        )
        return single or (statement_of(self.several, takes_all=True) if self.several else None)

    @cached_property
    def several(self) -> list[Section]:
        """What stands below "Decisions" in a record; in other texts that is a list of unrelated ones."""
        is_known = self.status is not None and self.status.status is not None
        is_numbered = self.is_alone and number_of_file(self.document.path) is not None
        if self.in_minutes or not is_known or not (self.is_identified or is_numbered or self.has_parts):
            return []
        return self.below(patterns.DECISIONS_HEADING)

    @cached_property
    def has_parts(self) -> bool:
        """Whether a heading or a field of a record stands in it, such as "Context"."""
        names = (patterns.CONTEXT_HEADING, patterns.CONSEQUENCES_HEADING, patterns.OPTIONS_HEADING)
        return any(any(self.named(name)) for name in names) or bool(self.values(_CONTEXT_NAMES))

    @cached_property
    def is_record(self) -> bool:
        """Whether there is enough of a record."""
        has_heading = any(
            patterns.is_called_decision(section.heading) for section in self.named(patterns.DECISION_HEADING)
        )
        # No other words are taken for a decision whose place is empty; a proposal may lack it.
        is_proposed = self.status is not None and self.status.status == "proposed"
        if self.statement is None or (has_heading and self.decided is None and not is_proposed):
            return False
        is_header = any(field.name in ("pep", "request for comments") for field in self.fields)
        if is_header or (self.is_identified and (self.status is not None or self.decided is not None)):
            return True
        is_numbered = self.is_alone and number_of_file(self.document.path) is not None
        if is_numbered and self.decided is not None and self.status is not None and self.status.status:
            return True
        # "Solution" or "Outcome" is a heading of many a text; "Decision" is not.
        is_called_so = has_heading or bool(self.values(_DECISION_NAMES)) or bool(self.several)
        return self.decided is not None and is_called_so and (self.status is not None or self.has_parts)

    @cached_property
    def template_reason(self) -> str:
        """Why it is a form that nobody has filled in; "" when it is none."""
        statement = "" if self.statement is None else self.statement.text
        if self.status is not None and self.status.is_template:
            return "a template: its status lists those to choose from"
        if patterns.is_placeholder_title(self.title.text):
            return "a template: its title is a placeholder"
        if patterns.PLACEHOLDER.fullmatch(statement):
            return "a template: its decision is a placeholder"
        # What was decided on is no form any more, whatever its words look like.
        is_settled = self.status is not None and self.status.status not in (None, "proposed")
        if not is_settled and patterns.HAS_PLACEHOLDER.fullmatch(statement):
            return "a template: its decision has a placeholder in it"
        if not is_settled and patterns.is_called_template(self.title.text):
            return "a template: its title says so"
        if not is_settled and _TEMPLATE_FILE.search(PurePosixPath(self.document.path).stem):
            return "a template: its file is called one"
        return ""

    @cached_property
    def links(self) -> tuple[StatedLink, ...]:
        """What it says of others: in fields, in its status, then anywhere."""
        links = [link for field in self.fields for link in field_links(field.name, field.value)]
        links += self.status_links
        # "> Superseded by ..." is written above a record when its time is over.
        for section in [*self.own, *([self.first] if self.has_preamble else [])]:
            quoted = [line.text.lstrip(" >") for line in section.lines if line.role == "quote"]
            links += [
                link
                for reference in quoted
                for link in text_links(reference, self.title.number, is_status=True)
            ]
        for section in self.sections:
            for paragraph in section.paragraphs:
                links += text_links(
                    paragraph.text, self.title.number, is_status=False, is_partly=self.is_partly
                )
        series = self.title.series or series_of(self.document.path)
        return distinct(links, (self.title.number, PurePosixPath(self.document.path).name), series)

    def decision(self) -> FoundDecision:
        """The record as a decision; `is_record` holds."""
        statement = self.statement
        assert statement is not None
        statuses = [
            *self.status_texts,
            *(status_paragraph.text for status_paragraph in self.status_paragraphs),
        ]
        # The day on which a record was superseded is not that of its decision.
        texts = [
            *(field.value for field in self.values(_DATE_NAMES)),
            *(
                status
                for status in statuses
                if not any(map(status.lower().count, ("super", "replaced", "deprec")))
            ),
        ]
        context = context_of(self.below(patterns.CONTEXT_HEADING))
        in_field = next((field.value for field in self.values(_CONTEXT_NAMES)), "")
        doubts = [self.status is None or self.status.status is None, self.decided is None]
        named = [field.span for field in self.fields if field.span and _OPTION_NAMES.fullmatch(field.name)]
        below = self.below(patterns.DECISION_HEADING) or self.several
        decided = [paragraph.span for section in below for paragraph in section.paragraphs]
        rejected = rejected_options(self.sections, len(self.root), named, statement.text)
        return FoundDecision(
            key="",
            kind="record",
            number=self.title.number,
            title=self.title.text,
            statement=statement.text,
            context=context or in_field,
            status=self._status(),
            stated_date=next((day for text in texts if (day := only_day(text))), None)
            or self._day_elsewhere(),
            confidence=round(_CONFIDENCE - _DOUBT * sum(doubts), 2),
            locator=statement.locator,
            rejected=merged(rejected, rejected_in(statement), *map(rejected_after, decided)),
            links=self.links,
        )

    def _day_elsewhere(self) -> date | None:
        """The day in the heading, or in a field that stands further down, such as below the consequences."""
        if self.root and (day := only_day(self.root[-1])):
            return day
        lowered = (
            section for section in self.sections if any(name in section.lowered for name in _DATE_NAMES)
        )
        fields = (field for section in lowered for field in fields_of(section.lines))
        days = (only_day(field.value) for field in fields if field.name in _DATE_NAMES)
        return next((day for day in days if day), None)

    def _status(self) -> DecisionStatus:
        if any(link.backward and link.kind == "supersedes" for link in self.links):
            return "superseded"
        if self.status is None:
            return "active"
        return self.status.counted(is_linked=bool(self.status_links))


def found_records(
    document: DatedDocument, sections: Sequence[Section], *, in_minutes: bool = False
) -> tuple[list[FoundDecision], list[PutAside], list[Section]]:
    """The records of a document, the forms that nobody has filled in, and the sections that are part of
    neither; `in_minutes` when it is the minutes of a meeting."""
    found_decisions: list[FoundDecision] = []
    templates: list[PutAside] = []
    rest = list(sections)
    roots = _roots(document, sections)
    # The deeper ones first: a document of records may look like one record itself.
    for root in sorted(roots, key=len, reverse=True):
        own = [section for section in rest if section.path[: len(root)] == root]
        others = [root_path for root_path in roots if root_path[:1] not in (root, ())]
        is_alone = len(root) < 2 and not others
        candidate = _Candidate(document, root, own, sections[0], is_alone, in_minutes)
        if own and candidate.is_record:
            taken = {id(section) for section in own} | (
                {id(sections[0])} if candidate.has_preamble else set()
            )
            rest = [section for section in rest if id(section) not in taken]
            if candidate.template_reason:
                templates.append(_put_aside(candidate.template_reason, own[0]))
            else:
                found_decisions.append(candidate.decision())
    return found_decisions, templates, rest


def unrecognized_record(document: DatedDocument, sections: Sequence[Section]) -> list[PutAside]:
    """A document that lies or is named as a record and states no decision, with the reason."""
    roots = _roots(document, sections)
    root = roots[0] if len(roots) == 1 else sections[-1].path[:1]
    candidate = _Candidate(document, root, sections, sections[0], is_alone=True)
    if is_dated_name(document.path) or not candidate.is_identified:
        return []
    if any(patterns.is_called_decision(section.heading) for section in sections):
        reason = "the section for the decision is empty"
    else:
        reason = "it has no status, and no section or field that states the decision"
    return [_put_aside(candidate.template_reason or reason, sections[0])]


def _put_aside(reason: str, section: Section) -> PutAside:
    place = section.passages[0].locator
    return PutAside(reason, place.start_line if isinstance(place, LineLocator) else None)


def _abstract(sections: Sequence[Section]) -> Span | None:
    """The paragraph after a line that says "Abstract", in text without headings."""
    paragraphs = [paragraph for section in sections for paragraph in section.paragraphs]
    return next(
        (after.span for paragraph, after in pairwise(paragraphs) if paragraph.text.lower() == "abstract"),
        None,
    )


def _roots(document: DatedDocument, sections: Sequence[Section]) -> list[tuple[str, ...]]:
    """Where a record may begin: above headings of a record's parts, and where a status stands in a field."""
    parts: dict[str, bool] = {}
    roots: dict[tuple[str, ...], None] = {}
    for section in sections:
        depth = next((index for index, heading in enumerate(section.path) if _is_part(heading, parts)), None)
        if depth is not None:
            roots.setdefault(section.path[:depth])
        elif _has_header(section) or (section.path and _has_labels(section)):
            roots.setdefault(section.path)
    first = sections[0]
    if any(
        front_matter_field.name in _STATUS_NAMES for front_matter_field in front_matter_fields(first.lines)
    ):
        is_one = len({section.path[:1] for section in sections if section.path}) == 1
        root = sections[-1].path[:1] if is_one else ()
        roots.setdefault(root)
    if () in roots:
        # All headings are on one level: the first is the title, and what stands below it the record's own.
        title = (document.title,)
        if not any(section.path[:1] == title != section.path for section in sections):
            roots.pop(title, None)
    return list(roots)


def _has_header(section: Section) -> bool:
    """Whether a field in a section says how a record stands."""
    has_word = any(word in section.lowered for word in _HEADER_WORDS)
    return has_word and any(field.name in _HEADER_NAMES for field in fields_of(section.lines))


def _has_labels(section: Section) -> bool:
    """Whether a section is a record in labels: "**Context**: …", then "**Decision**: …"."""
    if not any(name in section.lowered for name in _DECISION_NAMES):
        return False
    names = {field.name for field in fields_of(section.lines)}
    is_decided = any(patterns.is_called_decision(name) for name in names)
    return is_decided and not names.isdisjoint(_CONTEXT_NAMES)


def _is_part(heading: str, are_parts: dict[str, bool]) -> bool:
    if heading not in are_parts:
        parts = (patterns.STATUS_HEADING, patterns.DECISION_HEADING)
        are_parts[heading] = any(part.fullmatch(heading) for part in parts)
    return are_parts[heading]
