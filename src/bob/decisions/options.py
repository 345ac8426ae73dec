"""Finds the options of a record that were not chosen, in lists and under headings of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bob.core.decision import Rejected
from bob.decisions import statements
from bob.decisions.passages import Line, Paragraph, Place, Section, letters
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
    sections: Sequence[Section], depth: int, named: Sequence[Place], statement: str
) -> tuple[Rejected, ...]:
    """The options that the record lists and did not choose.

    `depth` is that of the record's own parts, `named` the values of fields such as "Alternatives". Where the
    text lists options without saying which one was chosen, none is taken; each list with a lead of its own
    ("For reading:") is a choice of its own.
    """
    rejected: list[Rejected] = [*all_of(place for each in named for place in _of_field(each))]
    considered: dict[str, list[Rejected]] = {}
    chosen_marks: list[str] = []
    for section in sections:
        heading = section.path[depth] if section.path[depth:] else ""
        is_rejected = statements.REJECTED_HEADING.fullmatch(heading) is not None
        is_alternative = statements.ALTERNATIVES_HEADING.fullmatch(heading) is not None
        if not (is_rejected or is_alternative or statements.OPTIONS_HEADING.fullmatch(heading)):
            continue
        for place, reason, lead in _options(section, depth, is_rejected=is_rejected):
            found = named_rejected(place)
            if found is None or _NO_OPTION.fullmatch(found.text):
                continue
            if _CHOSEN_MARK.search(place.text):
                chosen_marks.append(found.text)
            else:
                into = rejected if is_rejected else considered.setdefault(lead, [])
                into.append(Rejected(found.text, reason or found.reason, found.locator))
    left = (_without_chosen(each, chosen_marks, statement) for each in considered.values())
    return merged(rejected, *left)


def _without_chosen(
    considered: Sequence[Rejected], chosen_marks: Sequence[str], statement: str
) -> list[Rejected]:
    considered = merged(considered)
    if not considered:
        return []
    match = _CHOSEN.search(statement)
    said = match["text"] if match else statement
    chosen = {each.text for each in considered if _is_chosen(each.text, said)}
    if not chosen and match:
        chosen = {each.text for each in considered if _is_chosen(each.text, statement)}
    if not chosen:
        # "Core." chooses "SQLAlchemy Core" among the options that have no such word
        few = _words(re.split(r"[.;:!]\s|[.;:!]$", statement, maxsplit=1)[0])
        alike = {each.text for each in considered if few <= _words(each.text)}
        chosen = alike if few and len(alike) == 1 else set()
    if not chosen and (place := _ORDINAL.match(statement)):
        at = -1 if place["last"] else _ORDINALS.index(place["at"].lower())
        chosen = {each.text for each in considered[at:][:1]}
    if not chosen and (numbered := _OPTION.search(statement)):
        at = (
            "123456789".find(numbered["at"])
            if numbered["at"].isdigit()
            else "abcdefgh".find(numbered["at"].lower())
        )
        chosen = {each.text for each in considered[at:][:1]}
    if not chosen and not chosen_marks:
        return []
    # What stands as "instead of X" in the statement names X too: the first that is named was chosen.
    if len(chosen) > 1:
        chosen = {min(chosen, key=lambda each: _position(each, said))}
    known = {_name(each) for each in (*chosen, *chosen_marks)}
    return [each for each in considered if not any(_same(_name(each.text), other) for other in known)]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", _ARTICLE.sub("", text).lower()))


def _name(text: str) -> str:
    return letters(_ARTICLE.sub("", text))


def _is_chosen(option: str, said: str) -> bool:
    name, text = _name(option), _name(said)
    return len(name) >= _MIN_LETTERS and (
        name in text or (len(text) >= 2 * _MIN_LETTERS and name.startswith(text))
    )


def _same(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= 2 * _MIN_LETTERS and (one in other or other in one))


def _position(option: str, said: str) -> tuple[int, int]:
    at = _name(said).find(_name(option))
    return (at if at >= 0 else len(said), -len(option))


def _options(section: Section, depth: int, *, is_rejected: bool) -> Iterator[tuple[Place, str | None, str]]:
    """The options of a section: its heading when it stands below that of the options, else its outer list.

    With each what speaks against it, and the line that leads the list in ("" where none does).
    """
    paragraphs = list(section.paragraphs)
    if len(section.path) > depth + 1:
        if len(section.path) == depth + 2 and (place := _heading_place(section.lines, section.heading)):
            yield place, _first_reason(paragraphs), ""
        return
    items = [paragraph for paragraph in paragraphs if paragraph.is_item]
    outer = min((item.indent for item in items), default=0)
    lead = ""
    for at, each in enumerate(paragraphs):
        if each.is_item and each.indent <= outer:
            yield each.place, _first_reason(_below(paragraphs[at + 1 :], outer)), lead
        elif not each.is_item and each.indent <= outer:
            lead = each.text if each.text.endswith(":") else ""
    if is_rejected and not items:
        yield from ((paragraph.place, None, "") for paragraph in paragraphs)


def _below(paragraphs: Sequence[Paragraph], indent: int) -> list[Paragraph]:
    found = []
    for paragraph in paragraphs:
        if paragraph.indent <= indent:
            break
        found.append(paragraph)
    return found


def _heading_place(lines: Sequence[Line], heading: str) -> Place | None:
    for line in lines:
        if line.role == "heading" and letters(line.text) and letters(line.text) in letters(heading):
            text = line.text
            start = len(text) - len(text.lstrip("#=* \t"))
            lead = re.match(
                r"(?:option|alternative|\d+)?[\s\dA-D]*[.:)—–-]+\s+(?=\S)", text[start:], re.IGNORECASE
            )
            start += lead.end() if lead else 0
            return line.place.part(start, len(text.rstrip("# \t")))
    return None


def _first_reason(paragraphs: Sequence[Paragraph]) -> str | None:
    for paragraph in paragraphs:
        if match := _BAD.match(paragraph.text):
            return " ".join(match["text"].split())
    return None


def _of_field(place: Place) -> Iterator[Place]:
    """The alternatives in a field's value, which may hold several between semicolons."""
    text = place.text
    start = 0
    for match in re.finditer(r";|\n", text):
        if text[start : match.start()].strip():
            yield place.part(start, match.start())
        start = match.end()
    if text[start:].strip():
        yield place.part(start, len(text))
