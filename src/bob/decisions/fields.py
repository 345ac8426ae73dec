"""Reads what a record says of itself in fields: front matter, "Status: ...", bullets, field lists, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise

from bob.core.decision import DecisionStatus
from bob.decisions.passages import Line, Span
from bob.text import lexicon
from bob.text.fields import named_fields

# Fields are looked for in so many lines below a heading; a longer text has them at its top or nowhere.
_FIELD_LINES = 80
_NAMES = (
    r"(?:decision |adr |record |current )?status|state|(?:decision |last |status |start |creation |"
    r"created |accepted |"
    r"proposed )?date|created|decided(?: on)?|id|adr|pep|rfc|dec|number|title|(?:the )?decision|"
    r"decision outcome|"
    r"outcome|choice|chosen option|context|problem|background|(?:considered |"
    r"rejected )?(?:alternatives?|options?)"
    r"(?: considered| rejected)?|rejected|request for comments|category|feature name|"
    r"(?:partly |partially )?(?:super[sc]ee?d(?:es|ed)|obsolet(?:es|ed)|replac(?:es|ed)|amend(?:s|ed)|"
    r"updat(?:es|ed)|refin(?:es|ed)|deprecat(?:es|ed)|revis(?:es|ed)|modif(?:ies|"
    r"ied))(?:[ _-]?(?:in part )?by)?|"
    r"beschluss|entscheidung|datum|kontext|begründung|décision|contexte|statut|decisión|estado|fecha|contexto|"
    r"decisão|data|rationale"
)
_FIELD = re.compile(
    rf"\s*(?:>\s*)*(?:(?:[-*+•]|\d{{1,2}}[.)])\s+)?(?:[^\w\s:|`\[({{<#]{{1,3}}\s+)?[*_]{{0,3}}"
    rf"(?P<name>{_NAMES})[*_]{{0,3}}\s*::?[*_]{{0,3}}(?:\s+(?P<value>\S.*)|\s*$)",
    re.IGNORECASE,
)
_FIELD_LIST = re.compile(rf"\s*:(?P<name>{_NAMES}):(?:\s+(?P<value>\S.*)|\s*$)", re.IGNORECASE)
_ROW = re.compile(
    rf"\s*+\|?\s*+[*_]{{0,3}}(?P<name>{_NAMES})[*_]{{0,3}}\s*+:?\s*+[*_]{{0,3}}\s*+\|(?P<value>[^|]*+)\|?\s*+",
    re.IGNORECASE,
)
_NAME = re.compile(_NAMES, re.IGNORECASE)
_TABLE_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
_COLUMN_NAMES = {"status", "state", "decision status", "statut", "estado"}
_NEXT_FIELD = re.compile(
    rf"(?<!\s)(?:\s++[·|•;—–]\s*+|\s{{2,}}+)(?=[*_]{{0,3}}(?:{_NAMES})[*_]{{0,3}}\s*:)", re.IGNORECASE
)
_COLUMN = re.compile(r"(?<!\s)\s{3,}\S.*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Field:
    """A named value; `name` in lower case with spaces, `span` where the value stands (None for none)."""

    name: str
    value: str
    span: Span | None


def fields_of(lines: Iterable[Line]) -> list[Field]:
    """The fields in the lines below one heading, in order; continuation lines belong to a value."""
    fields: list[Field] = []
    is_open = False
    lines = list(islice(lines, _FIELD_LINES))
    rows = _rows_below_names(lines)
    for index, line in enumerate(lines):
        if index in rows:
            fields += rows[index]
            is_open = False
            continue
        if line.role not in ("text", "quote", "table"):
            is_open = False
            continue
        new = list(_line_fields(line))
        if new:
            fields += new
            is_open = line.role != "table"
        elif is_open and _is_continuation(line, fields[-1]):
            fields[-1] = _continued(fields[-1], line)
        else:
            is_open = False
    return fields


def _rows_below_names(lines: Sequence[Line]) -> dict[int, list[Field]]:
    """The fields of tables of one row, with their names in the header, by line; the header has none."""
    fields: dict[int, list[Field]] = {}
    for index in range(len(lines) - 2):
        header, rule, row, *after = lines[index : index + 4]
        is_table = header.role == rule.role == row.role == "table" and _TABLE_RULE.fullmatch(rule.text)
        if not is_table or (after and after[0].role == "table"):
            continue
        names = [_name(cell.text) for cell in cells_of(header)]
        cells = list(cells_of(row))
        # "| Status | Accepted |" may stand in the header as well: then the rows have a name each.
        named = sum(_NAME.fullmatch(name) is not None for name in names)
        if len(cells) != len(names) or _COLUMN_NAMES.isdisjoint(names) or named + (len(names) > 2) < 2:
            continue
        fields[index], fields[index + 2] = (
            [],
            [
                Field(name, cell.text, cell)
                for name, cell in zip(names, cells, strict=True)
                if _NAME.fullmatch(name) and cell.text
            ],
        )
    return fields


def cells_of(line: Line) -> Iterator[Span]:
    """The cells of a line of a table, between its bars."""
    bars = [match.start() for match in re.finditer(r"(?<!\\)\|", line.text)]
    yield from (line.span.part(start + 1, end) for start, end in pairwise(bars))


def _name(text: str) -> str:
    return " ".join(text.strip(" *_").replace("_", " ").replace("-", " ").lower().split())


def front_matter_fields(lines: Iterable[Line]) -> list[Field]:
    """The fields of the front matter at the top of a document; a list gives one field an item."""
    texts = [line.text for line in lines if line.role == "front_matter"]
    fields = [field for field in named_fields(texts) if len(field.names) == 1]
    return [
        Field(_name(_CAMEL.sub(" ", field.names[0])), value, None)
        for field in fields
        for value in field.values
    ]


def _line_fields(line: Line) -> Iterator[Field]:
    if line.role == "table":
        if row := _ROW.fullmatch(line.text):
            yield _field(row, line, 0)
        return
    starts = [0, *(match.end() for match in _NEXT_FIELD.finditer(line.text))]
    ends = [*(match.start() for match in _NEXT_FIELD.finditer(line.text)), len(line.text)]
    for start, end in zip(starts, ends, strict=True):
        part = line.text[start:end]
        if match := _FIELD.fullmatch(part) or _FIELD_LIST.fullmatch(part):
            yield _field(match, line, start)


def _field(match: re.Match[str], line: Line, offset: int) -> Field:
    name = _name(match["name"])
    value = match["value"] or ""
    value = value[: len(value.rstrip().rstrip("\\").rstrip())]
    if line.text[:1].isalpha() and (column := _COLUMN.search(value)):
        value = value[: column.start()]  # an RFC's header has a second column
    if not value:
        return Field(name, "", None)
    start = offset + match.start("value")
    span = line.span.part(start, start + len(value))
    return Field(name, span.text, span)


def _is_continuation(line: Line, field: Field) -> bool:
    span = field.span
    begins_anew = re.match(r"\s*(?:[-*+•]|\d{1,2}[.)])\s|\s*[*_]{0,3}[A-Z][\w -]{1,30}:", line.text)
    return line.role == "text" and not begins_anew and (span is None or span.passage is line.span.passage)


def _continued(field: Field, line: Line) -> Field:
    if field.span is None:
        span = line.span.part(0, len(line.text))
        return Field(field.name, span.text, span)
    span = Span(field.span.passage, field.span.start, line.span.end)
    span = span.part(0, span.end - span.start)
    return Field(field.name, span.text, span)


_STATUSES: tuple[DecisionStatus, ...] = ("superseded", "deprecated", "rejected", "proposed", "active")
"""In this order they are looked for: "not yet accepted" is no acceptance."""
_LEAD = (
    r"(?:now|then|was|is|has been|and|but|later|currently|conditionally|provisionally|fully|mostly|status|"
    r"(?:this|the) (?:adr|decision|record|proposal|document)|initially|originally|it|already)\s+"
)
PARTLY = re.compile(r"\b(?:part(?:ly|ial|ially)|in[\s-]part|teilweise)\b", re.IGNORECASE)
_LINK = re.compile(r"!?\[[^\]\n]*\]\([^)\n]*\)|`[^`\n]*`_*|<[^>\n]*>|~~[^~\n]*~~")
_CLAUSE = re.compile(r"[,;.()\n→/|·•—–:]|->|=>|\s-\s|\bthen\b", re.IGNORECASE)
_PARENTHESIS = re.compile(r"\([^()\n]*\)")
_CHOICE = re.compile(r"\||/|\bor\b", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StatusLine:
    """What a record says of its status; `is_partly` when a part of it no longer holds, `has_words` when it
    says more than a day."""

    status: DecisionStatus | None
    is_partly: bool = False
    is_template: bool = False
    has_words: bool = False

    def counted(self, *, is_linked: bool) -> DecisionStatus:
        """The status that counts. Words that are not understood accept nothing, unless they only link the
        record to others."""
        return self.status or ("proposed" if self.has_words and not is_linked else "active")


def read_status(texts: Sequence[str]) -> StatusLine | None:
    """The status that lines of text give, the later lines being the newer ones; None when they are empty.

    `status` is None when the words are none that are known. A list of all that could stand there
    ("proposed | accepted | ...") is a template's.
    """
    whole = "\n".join(without_comments(text) for text in texts)
    if not whole.strip():
        return None
    if _is_choice(whole):
        return StatusLine(None, is_template=True)
    # What is linked is another record's name, unless it says how this one stands ("[superseded by](…)").
    plain = _LINK.sub(lambda link: link[0] if _beginning(link[0]) == "superseded" else " ", whole)
    is_partly = PARTLY.search(plain) is not None
    statuses = [
        status for clause in _CLAUSE.split(_PARENTHESIS.sub(" ", plain)) if (status := _beginning(clause))
    ]
    if is_partly:
        statuses = ["active" if status == "superseded" else status for status in statuses] or ["active"]
    # What ended a decision counts over what began it, and what was agreed over what was proposed.
    order: tuple[DecisionStatus, ...] = ("superseded", "deprecated", "rejected", "active", "proposed")
    return StatusLine(
        next((status for status in order if status in statuses), None),
        is_partly=is_partly,
        has_words=_WORD.search(_dating().sub(" ", plain)) is not None,
    )


def without_comments(text: str) -> str:
    """A text without its HTML comments."""
    return _COMMENT.sub("", text)


_WORD = re.compile(r"[^\W\d_]{2}")


@cache
def _dating() -> re.Pattern[str]:
    """The words around a day: "Date: 5 May 2024"."""
    around = "date|datum|fecha|data|on|in|since|as of|st|nd|rd|th"
    return re.compile(rf"\b(?:{around}|{lexicon.any_of('months')})\b", re.IGNORECASE)


@cache
def _beginnings() -> tuple[tuple[DecisionStatus, re.Pattern[str]], ...]:
    words = lexicon.pairs("decision statuses")
    return tuple((status, _any_beginning(status, words)) for status in _STATUSES)


def _any_beginning(status: str, words: Iterable[tuple[str, tuple[str, ...]]]) -> re.Pattern[str]:
    entries = "|".join(entry for name, entries in words if name == status for entry in entries)
    return re.compile(rf"\W*(?:{_LEAD})*(?:{entries})(?!\w)", re.IGNORECASE)


def _beginning(clause: str) -> DecisionStatus | None:
    return next((status for status, words in _beginnings() if words.match(clause)), None)


def _is_choice(text: str) -> bool:
    """Whether a text lists the statuses to choose from."""
    line = next(row for row in text.split("\n") if row.strip())
    if "{" in line and "|" in line:
        return True
    parts = [part for part in _CHOICE.split(_LINK.sub("", line)) if any(map(str.isalpha, part))]
    kinds = [_beginning(part) for part in parts]
    return None not in kinds and len(set(kinds)) > 1
