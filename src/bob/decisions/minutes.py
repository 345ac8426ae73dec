"""Recognizes the minutes of a meeting, and in them the headings and labels of what was decided.

An essay has a "Conclusion", too, and a change log a "Resolution": only in minutes they say what was decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Literal

from bob.core.decision import DatedDocument
from bob.decisions.passages import Section
from bob.text import lexicon
from bob.text.dates import date_in_name, month_in_name, only_day
from bob.text.words import folded

_PARTS_OF_PATH = 3
"""A file's name and two folders: "meetings/2024/may.md"."""
_LINES_AT_TOP = 40
"""Within so many lines stands who was there."""
_LONGEST_LINE = 400
_WORD = re.compile(r"[^\W\d_]+")
Outcome = Literal["resolved", "outcome"]
_DATED_IN_FILE = ("front_matter", "properties", "file_name")


def is_minutes(document: DatedDocument, sections: Sequence[Section]) -> bool:
    """Whether a document is the minutes of a meeting: it has a day, and its name or who was there says so."""
    parts = PurePosixPath(document.path).parts[-_PARTS_OF_PATH:]
    top = [heading for section in sections[:2] for heading in section.path[:1]]
    names = [*parts, document.title, *top]
    is_called = any(_called().search(folded(name.replace("_", "-"))) for name in names)
    if not is_called and not any(_present().match(folded(line)) for line in _lines_at_top(sections)):
        return False
    if document.source_date_kind in _DATED_IN_FILE or any(map(only_day, (document.title, *top))):
        return True
    if any(date_in_name(part) or month_in_name(part) for part in parts):
        return True
    return any(map(only_day, _lines_at_top(sections)))


def _lines_at_top(sections: Sequence[Section]) -> list[str]:
    lines: list[str] = []
    for section in sections:
        lines += section.path[-1:]
        for passage in section.passages:
            lines += [line[:_LONGEST_LINE] for line in passage.text[:4000].split("\n") if line.strip()]
            if len(lines) >= _LINES_AT_TOP:
                return lines[:_LINES_AT_TOP]
    return lines


def is_meeting(headings: Iterable[str]) -> bool:
    """Whether one of these headings has the name of a meeting and its day."""
    return any(_called().search(folded(heading)) and only_day(heading) for heading in headings)


@cache
def _called() -> re.Pattern[str]:
    names = (
        rf"\w*{re.escape(folded(name[1:]))}" if name.startswith("…") else re.escape(folded(name))
        for name in lexicon.phrases("names of meetings")
    )
    # "30 minutes" are no minutes.
    return re.compile(rf"(?<!\w)(?<!(?<![\w.-])\d\d )(?<!(?<![\w.-])\d )(?:{'|'.join(names)})(?!\w)")


@cache
def _present() -> re.Pattern[str]:
    """Matches a folded line that begins with the word for those who are there."""
    words = lexicon.either(map(folded, lexicon.phrases("who attended")))
    return re.compile(rf"[\W\d]*(?:\w+\s){{0,1}}(?:{words})(?:\s\w+){{0,2}}\W*(?::|$)")


@dataclass(frozen=True, slots=True)
class _HeadingForms:
    joins: re.Pattern[str]
    """What stands between the parts of a heading."""
    resolved: re.Pattern[str]
    outcome: re.Pattern[str]
    beside: re.Pattern[str]


@cache
def _heading_forms() -> _HeadingForms:
    def part(section: str) -> re.Pattern[str]:
        words = lexicon.either(map(folded, lexicon.phrases(section)))
        return re.compile(rf"(?:\d+(?:\.\d+)*[.)]?\s+|[^\w\s]+\s*)?(?:{words})(?:\s*\(.*\))?\W*")

    joins = lexicon.either(map(folded, lexicon.words("joins outcomes")))
    return _HeadingForms(
        re.compile(rf"\s*[/,&+]+\s*|\s+(?:{joins})\s+"),
        part("resolved headings"),
        part("outcomes"),
        part("beside outcomes"),
    )


def outcome_heading(heading: str) -> Outcome | None:
    """What stands below a heading of minutes: what was "resolved", or the "outcome" of a matter, which also
    may be something to do ("Conclusion/Resolution"); None below any other."""
    forms = _heading_forms()
    parts = [part for part in forms.joins.split(folded(heading)) if part.strip()]
    is_resolved = any(map(forms.resolved.fullmatch, parts))
    is_outcome = any(map(forms.outcome.fullmatch, parts))
    known = (forms.resolved, forms.outcome, forms.beside)
    if not (is_resolved or is_outcome) or not all(
        any(form.fullmatch(part) for form in known) for part in parts
    ):
        return None
    return "outcome" if is_outcome else "resolved"


@cache
def outcome_label() -> re.Pattern[str]:
    """Matches the label of what was resolved at the beginning of a paragraph: "**Resolution:** ...". What
    "Conclusion:" opens is as often what somebody thinks."""
    words = lexicon.any_of("resolved headings")
    return re.compile(
        rf"(?:[^\w\s\[#*_]{{1,3}}\s*)?[*_]{{0,3}}(?P<word>{words})(?:\s+(?:nr\.?\s*)?#?\d{{1,4}}(?:[/.-]\d{{1,4}})?)?"
        r"(?:\s*\((?P<note>[^()\n]{1,40})\))?[*_]{0,3}\s*:[*_]{0,3}\s*",
        re.IGNORECASE,
    )


def settles(text: str) -> bool:
    """Whether what stands below the heading of an outcome settles something rather than name a matter."""
    return not _settling().isdisjoint(_WORD.findall(folded(text)))


@cache
def _settling() -> frozenset[str]:
    return frozenset(map(folded, lexicon.words("settles")))


@cache
def _task() -> re.Pattern[str]:
    takes = lexicon.either(lexicon.phrases("takes on"))
    work = "|".join(f"(?i:{word[0]}){word[1:]}" for word in map(re.escape, lexicon.words("work")))
    name = r"@?[A-ZÀ-Þ][\w.-]*"
    return re.compile(
        rf"(?:{name}(?:(?:,| and| &| und| e| et| y|/)? {name}){{0,3}}) (?:{takes})\b|"
        rf"\W*(?:{work})\b|@\w|\W*\bI\b|(?:\S+ ){{1,8}}?(?:to|zu) (?:{work})\b",
    )


def is_task(text: str) -> bool:
    """Whether an item gives somebody something to do rather than say what was decided."""
    return _task().match(text) is not None
