"""Finds the options of a record that were not chosen, in lists and under headings of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bob.core.decision import Rejected
from bob.decisions import statements
from bob.decisions.passages import Line, Paragraph, Section, Span, letters
from bob.decisions.rejected import all_of, merged, named_rejected

_CHOSEN_MARK = re.compile(
    r"\((?:chosen|selected|accepted|adopted|recommended|preferred|our choice|current)[^)]*\)|✅|✔|"
    r"\bchosen\b|\bselected\b|"
    r"\((?:this|the) (?:decision|adr|choice|option)\)",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\b(?:chosen|selected|choose|chose|picked|adopt(?:ed)?|go(?:ing)? with|went with|decided (?:for|on|"
    r"to use|to))\b"
    r"(?:\s+(?:option|alternative|solution|approach))?\s*:?\s*(?P<text>[^\n]+)",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"(?:[-*+]\s*)?[*_]*(?:bad|cons?|negative|rejected|downsides?|drawbacks?|disadvantages?|why not|"
    r"reason)[*_]*"
    r"(?:\s*,?\s*because|\s*:|\s+—)?[*_]*\s+(?P<text>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_OPTION = re.compile(
    r"\W*(?:(?:pros?|cons?|good|bad|neutral|advantages?|disadvantages?|benefits?|drawbacks?|rejected|"
    r"reasons?|summary|"
    r"none|n/?a|tbd|\.\.\.)\b.*|(?:we|the following|there|see|here|these|this|it)\b.*|\{.*|\[[^\]]*\]\W*)",
    re.IGNORECASE | re.DOTALL,
)
_ARTICLE = re.compile(r"\b(?:an?|the|our)\s+", re.IGNORECASE)
_OPTION = re.compile(r"\b(?:option|alternative|approach|solution)\s+#?(?P<at>[1-9A-H])\b", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_ORDINAL = re.compile(
    r"(?:the\s+)?(?:(?P<last>last)|(?P<at>first|second|third|fourth|"
    r"fifth))\b",
    re.IGNORECASE,
)
_MIN_LETTERS = 3


def rejected_options(
    sections: Sequence[Section], depth: int, named: Sequence[Span], statement: str
) -> tuple[Rejected, ...]:
    """The options that the record lists and did not choose.

    `depth` is that of the record's own parts, `named` the values of fields such as "Alternatives". Where the
    text lists options without saying which one was chosen, none is taken; each list with a lead of its own
    ("For reading:") is a choice of its own.
    """
    rejected: list[Rejected] = [*all_of(span for field in named for span in _of_field(field))]
    considered: dict[str, list[Rejected]] = {}
    chosen_marks: list[str] = []
    for section in sections:
        heading = section.path[depth] if section.path[depth:] else ""
        is_rejected = statements.REJECTED_HEADING.fullmatch(heading) is not None
        is_alternative = statements.ALTERNATIVES_HEADING.fullmatch(heading) is not None
        if not (is_rejected or is_alternative or statements.OPTIONS_HEADING.fullmatch(heading)):
            continue
        for span, reason, lead in _options(section, depth, is_rejected=is_rejected):
            option = named_rejected(span)
            if option is None or _NO_OPTION.fullmatch(option.text):
                continue
            if _CHOSEN_MARK.search(span.text):
                chosen_marks.append(option.text)
            else:
                into = rejected if is_rejected else considered.setdefault(lead, [])
                into.append(Rejected(option.text, reason or option.reason, option.locator))
    left = (_without_chosen(option, chosen_marks, statement) for option in considered.values())
    return merged(rejected, *left)


def _without_chosen(
    considered: Sequence[Rejected], chosen_marks: Sequence[str], statement: str
) -> list[Rejected]:
    considered = merged(considered)
    if not considered:
        return []
    match = _CHOSEN.search(statement)
    text = match["text"] if match else statement
    chosen = {option.text for option in considered if _is_chosen(option.text, text)}
    if not chosen and match:
        chosen = {option.text for option in considered if _is_chosen(option.text, statement)}
    if not chosen:
        # "Core." chooses "SQLAlchemy Core" among the options that have no such word
        few = _words(re.split(r"[.;:!]\s|[.;:!]$", statement, maxsplit=1)[0])
        alike = {option.text for option in considered if few <= _words(option.text)}
        chosen = alike if few and len(alike) == 1 else set()
    if not chosen and (ordinal := _ORDINAL.match(statement)):
        index = -1 if ordinal["last"] else _ORDINALS.index(ordinal["at"].lower())
        chosen = {option.text for option in considered[index:][:1]}
    if not chosen and (numbered := _OPTION.search(statement)):
        index = (
            "123456789".find(numbered["at"])
            if numbered["at"].isdigit()
            else "abcdefgh".find(numbered["at"].lower())
        )
        chosen = {option.text for option in considered[index:][:1]}
    if not chosen and not chosen_marks:
        return []
    # What stands as "instead of X" in the statement names X too: the first that is named was chosen.
    if len(chosen) > 1:
        chosen = {min(chosen, key=lambda option: _position(option, text))}
    names = {_name(option) for option in (*chosen, *chosen_marks)}
    return [option for option in considered if not any(_same(_name(option.text), other) for other in names)]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", _ARTICLE.sub("", text).lower()))


def _name(text: str) -> str:
    return letters(_ARTICLE.sub("", text))


def _is_chosen(option: str, decision_text: str) -> bool:
    name, text = _name(option), _name(decision_text)
    return len(name) >= _MIN_LETTERS and (
        name in text or (len(text) >= 2 * _MIN_LETTERS and name.startswith(text))
    )


def _same(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= 2 * _MIN_LETTERS and (one in other or other in one))


def _position(option: str, text: str) -> tuple[int, int]:
    position = _name(text).find(_name(option))
    return (position if position >= 0 else len(text), -len(option))


def _options(section: Section, depth: int, *, is_rejected: bool) -> Iterator[tuple[Span, str | None, str]]:
    """The options of a section: its heading when it stands below that of the options, else its outer list.

    With each what speaks against it, and the line that leads the list in ("" where none does).
    """
    paragraphs = list(section.paragraphs)
    if len(section.path) > depth + 1:
        if len(section.path) == depth + 2 and (heading := _heading_place(section.lines, section.heading)):
            yield heading, _first_reason(paragraphs), ""
        return
    items = [paragraph for paragraph in paragraphs if paragraph.is_item]
    outer = min((item.indent for item in items), default=0)
    lead = ""
    for index, block in enumerate(paragraphs):
        if block.is_item and block.indent <= outer:
            yield block.span, _first_reason(_below(paragraphs[index + 1 :], outer)), lead
        elif not block.is_item and block.indent <= outer:
            lead = block.text if block.text.endswith(":") else ""
    if is_rejected and not items:
        yield from ((paragraph.span, None, "") for paragraph in paragraphs)


def _below(paragraphs: Sequence[Paragraph], indent: int) -> list[Paragraph]:
    options = []
    for paragraph in paragraphs:
        if paragraph.indent <= indent:
            break
        options.append(paragraph)
    return options


def _heading_place(lines: Sequence[Line], heading: str) -> Span | None:
    for line in lines:
        if line.role == "heading" and letters(line.text) and letters(line.text) in letters(heading):
            text = line.text
            start = len(text) - len(text.lstrip("#=* \t"))
            lead = re.match(
                r"(?:option|alternative|\d+)?[\s\dA-D]*[.:)—–-]+\s+(?=\S)", text[start:], re.IGNORECASE
            )
            start += lead.end() if lead else 0
            return line.span.part(start, len(text.rstrip("# \t")))
    return None


def _first_reason(paragraphs: Sequence[Paragraph]) -> str | None:
    for paragraph in paragraphs:
        if match := _BAD.match(paragraph.text):
            return " ".join(match["text"].split())
    return None


def _of_field(span: Span) -> Iterator[Span]:
    """The alternatives in a field's value, which may hold several between semicolons."""
    text = span.text
    start = 0
    for match in re.finditer(r";|\n", text):
        if text[start : match.start()].strip():
            yield span.part(start, match.start())
        start = match.end()
    if text[start:].strip():
        yield span.part(start, len(text))
