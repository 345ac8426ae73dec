"""Decision logs kept as a table: a row a decision, under a column called "Decision"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bob.core.decision import FoundDecision
from bob.decisions import patterns
from bob.decisions.links import distinct, text_links
from bob.decisions.passages import Line, Place, Section
from bob.decisions.prose import stated
from bob.decisions.rejected import all_of, merged, rejected_in
from bob.decisions.status_words import read_status
from bob.text.dates import only_day

_CONFIDENCE = 0.85
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
    cells: dict[str, Place]

    def text(self, column: str) -> str:
        return self.cells[column].text if column in self.cells else ""


def found_in_tables(section: Section) -> Iterator[FoundDecision]:
    """The rows of the section's decision logs; rows that only link to a record are left to that record."""
    for row in _rows(section.lines):
        place = row.cells["decision"]
        none = (patterns.NO_DECISION, patterns.PLACEHOLDER, patterns.ONLY_LINK)
        if not any(map(str.isalpha, place.text)) or any(each.fullmatch(place.text) for each in none):
            continue
        status = read_status([row.text("status")])
        number = _NUMBER.fullmatch(row.text("number"))
        own = number[1] if number else None
        links = [
            *text_links(row.text("status"), own, is_status=True),
            *text_links(place.text, own, is_status=False),
        ]
        rejected = all_of([row.cells["rejected"]] if row.text("rejected") else [])
        found = stated(place, section.path, None, _CONFIDENCE)
        yield replace(
            found,
            kind="marked",
            number=own,
            context=row.text("context") or found.context,
            status=(status.status if status else None) or "active",
            stated_date=only_day(row.text("date")) or found.stated_date,
            rejected=merged(rejected_in(place), rejected),
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
        cells = list(_cells(line))
        if not is_inside:
            is_inside = True
            names = [_name(each.text) for each in cells]
        elif names is not None and "decision" in names and len(cells) == len(names):
            yield _Row({name: cell for name, cell in zip(names, cells, strict=True) if name})


def _name(heading: str) -> str:
    words = heading.strip(" *_")
    return next((name for name, form in _COLUMNS.items() if form.fullmatch(words)), "")


def _cells(line: Line) -> Iterator[Place]:
    bars = [match.start() for match in re.finditer(r"(?<!\\)\|", line.text)]
    for start, end in pairwise(bars):
        yield line.place.part(start + 1, end)
