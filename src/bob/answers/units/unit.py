"""Cuts a chunk into the units that an answer may quote: sentences, list items, table rows, code blocks.

A unit is a range of the chunk's text, so a quote is always byte-equal to its source: a passage
(`bob.answers.units.passages`), or a sentence of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from types import MappingProxyType
from typing import NamedTuple

from bob.answers.units.lists import (
    ADDRESS,
    MOST_LISTED,
    Item,
    indent_at,
    is_deeper,
    lists,
    name_of,
    names_of_lists,
    runs_of_items,
)
from bob.answers.units.passages import passages, stating_headings
from bob.answers.units.stated_fields import FIELD, StatedField, fields_of_front_matter
from bob.answers.units.text_lines import CLAUSE, ITEM, LEAST_WORDS, WORD, Passage
from bob.text.markup import EMPHASIS, asks, readable
from bob.text.sentences import sentences_within
from bob.text.stop_words import FUNCTION_WORDS
from bob.text.tables import shown_cells

_HEADING_MARK = re.compile(r"#{1,6}\s+")
"""Of a heading that is an item of a list."""
_QUOTE_MARK = re.compile(r"\s*>+\s?")

_LABEL = re.compile(
    r"\s*[*_]{0,2}([^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2})[*_]{0,2}(?::[*_]{0,2}|\s[-–—])\s+(?=\S)"
)
"""At the beginning of a paragraph or an item, where those of a text have such: it is of all that it says."""

_NUMBER = re.compile(r"(?:\d{1,3}\.){2,6}\s*")
"""Of a paragraph, as rules and contracts have it."""

LEAST_WORDS_OF_ROW = 2
"""Of a row of a table: "Monday | closed"."""

LEAST_LETTERS = 10
"""Of a sentence of two words: "Smoking prohibited." states something, "Not so." does not."""

LEAST_LETTERS_OF_ITEM = 4
"""Of an item of a list, of however few words."""

_SENTENCE_ENDS = (".", "!")

_MOST_WORDS_OF_NAME = 4
"""Of a name at the beginning of a paragraph, all of whose words have capitals, but for those of grammar."""
_MARKS = f"{EMPHASIS}> \t\n"

MOST_CHARACTERS = 700
"""A longer unit is no quote but a page; it is left out unless nothing else is there."""

IN_SENTENCES = ("prose", "item")
"""The kinds of passages that are cut into sentences."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable range of a chunk's text; `line` is how a person reads it, on one line. `follows` says that
    it goes on from the unit before it. `cells` are those of a row of a table whose columns have names, each
    with its own, and its line is made of both: "Heron | 9.2 | Piet" says little alone.

    Kinds: those of `Passage`; a head or a term only names what the next units are about. A "list" is a whole
    one with its `items`, of which `more` are left out; "clauses" are one as laws have them, told only behind
    the sentence that opens it.
    """

    start: int
    end: int
    kind: str
    line: str
    follows: bool = False
    items: tuple[Unit, ...] = ()
    more: int = 0
    cells: tuple[tuple[str, str], ...] = ()
    under: str = ""
    above: tuple[int, ...] = ()

    @property
    def is_branch(self) -> bool:
        """Whether it is a list of an item and what stands under it."""
        return bool(self.items) and all(self.items[0].start in item.above for item in self.items[1:])

    @property
    def said(self) -> str:
        """The unit as it is read alone: behind what it stands under."""
        return f"{self.under}: {self.line}" if self.under else self.line


def units_of(text: str, head: str = "") -> list[Unit]:
    """The units of a text in order; `head` is that of the table that it goes on with."""
    return _units_in([(text, list(passages(text, head)))])[0]


def cut(texts: Iterable[tuple[str, str]]) -> list[tuple[list[Unit], list[Unit]]]:
    """The units of each chunk's text, and what it states beside them: the fields of its front matter,
    headings that state something, and whole lists. Beside each text stands the head of the table that it
    goes on with, "" without such."""
    read = [(text, list(passages(text, head))) for text, head in texts]
    return [(units, _beside(text, every)) for (text, every), units in zip(read, _units_in(read), strict=True)]


def _beside(text: str, every: Sequence[Passage]) -> list[Unit]:
    headings = (unit for passage in stating_headings(text) for unit in _trimmed(text, passage))
    whole = [*field_units(fields_of_front_matter(text)), *headings]
    named = names_of_lists(text, every)
    for listed in lists(text, every):
        items = [unit for item in listed for unit in _units_of_item(text, item, named)]
        told = tuple(items[:MOST_LISTED])
        if len(told) > 1 and all(item.end - item.start <= MOST_CHARACTERS for item in told):
            whole.append(_list_of(text, told, len(items) - len(told)))
    return whole


def _units_of_item(text: str, item: Item, named: Mapping[int, str] = MappingProxyType({})) -> Iterator[Unit]:
    names = [name_of(text[passage.start : passage.end]) for passage in item.above[-1:]]
    names += [named[item.passage.start]] if item.passage.start in named else []
    above = tuple(passage.start for passage in item.above)
    return (replace(unit, under="".join(names), above=above) for unit in _trimmed(text, item.passage))


def _list_of(text: str, told: tuple[Unit, ...], more: int) -> Unit:
    """A list of these items; only the first is read behind what all stand under."""
    first, *others = told
    items = (first, *(replace(item, under="") for item in others))
    line = first.line
    for before, item in pairwise(items):
        link = ": " if before.start in item.above else "; "
        line = line.rstrip(":") + link + item.line
    list_unit = Unit(first.start, told[-1].end, "list", line, items=items, more=more, under=first.under)
    # A branch is of the kind of the items in it.
    inner = items[1] if list_unit.is_branch else first
    is_clause = CLAUSE.match(text, text.rfind("\n", 0, inner.start) + 1)
    return replace(list_unit, kind="clauses") if is_clause else list_unit


def field_units(fields: Iterable[StatedField]) -> list[Unit]:
    """The fields of a text as units of it."""
    return [Unit(field.start, field.end, "field", field.line, under=field.under) for field in fields]


def leading_items(text: str) -> list[Unit]:
    """The items with which a chunk's text begins: those of a list that goes on from the chunk before it."""
    every = list(takewhile(lambda passage: passage.kind == "item", passages(text)))
    if not every or not ITEM.fullmatch(text[: every[0].start]):
        return []
    return [unit for item in next(runs_of_items(text, every)) for unit in _units_of_item(text, item)]


def unit_at(text: str, start: int, end: int, kind: str) -> Unit:
    """The unit of this kind at a range of a chunk's text, end excluded."""
    return Unit(start, end, kind, readable(text[start:end]))


def _units_in(read: Sequence[tuple[str, Sequence[Passage]]]) -> list[list[Unit]]:
    """The units of each text's passages."""
    places: list[tuple[str, int, int]] = []
    for text, every in read:
        for passage in every:
            if passage.kind in IN_SENTENCES:
                mark = _QUOTE_MARK.match(text, passage.start, passage.end)
                places.append((text, mark.end() if mark else passage.start, passage.end))
    sentences = iter(sentences_within(places))
    return [_units_of_passages(text, every, sentences) for text, every in read]


def _units_of_passages(
    text: str, every: Sequence[Passage], sentences: Iterator[list[tuple[int, int]]]
) -> list[Unit]:
    """The units of a text's passages; `sentences` gives the ranges of those of prose, one after another."""
    units: list[Unit] = []
    above: list[_ItemAbove] = []
    named = names_of_lists(text, every)
    has_labels = len({_label_of(text, passage) for passage in every} - {""}) > 1
    for passage in every:
        ranges = next(sentences) if passage.kind in IN_SENTENCES else [(passage.start, passage.end)]
        ranges = _with_short_opener(text, _with_leading_name(text, _without_number(text, ranges)))
        above = _items_above(text, passage, above)
        under = above[-1].name if above else named.get(passage.start, "")
        starts = tuple(item.start for item in above)
        label = ""
        for index, (first, last) in enumerate(ranges):
            # "May dogs come in? On a leash." What is asked names what is said next.
            is_term = index == 0 < len(ranges) - 1 and asks(text[first:last])
            part = replace(passage, start=first, end=last, kind="term" if is_term else passage.kind)
            own_label = _label_of(text, part) if has_labels else ""
            of = under if own_label else label or under
            parts = _trimmed(text, part, follows=index > 0)
            units += (replace(unit, under=of, above=starts) for unit in parts)
            label = own_label or label
        if passage.kind == "item":
            name = name_of(text[passage.start : passage.end])
            above.append(_ItemAbove(passage.start, indent_at(text, passage.start), name))
    parents = {start for unit in units for start in unit.above}
    return [unit for unit in units if _is_enough(unit, text, is_parent=unit.start in parents)]


def _label_of(text: str, passage: Passage) -> str:
    """What stands before a colon or a dash at the beginning of a paragraph or an item, such as who says it;
    "" without such."""
    if passage.kind not in ("prose", "field", "item"):
        return ""
    label = _LABEL.match(text, passage.start, passage.end)
    return label[1] if label is not None and label[1][0].isupper() else ""


class _ItemAbove(NamedTuple):
    start: int
    indent: int
    name: str


def _items_above(text: str, passage: Passage, above: list[_ItemAbove]) -> list[_ItemAbove]:
    """Of the items above, those that a passage stands under, outermost first."""
    if passage.kind not in ("item", "code"):
        return []
    indent = indent_at(text, passage.start)
    return [item for item in above if is_deeper(indent, item.indent)]


def _is_enough(unit: Unit, text: str, *, is_parent: bool) -> bool:
    """Whether a unit states something on its own or behind what it stands under, or names what the next ones
    are about. The list of a short item says what it is: "Wear: - gloves"."""
    if unit.kind == "item" and not is_parent and not ADDRESS.fullmatch(unit.line):
        letters = sum(map(len, WORD.findall(text[unit.start : unit.end])))
        return letters >= LEAST_LETTERS_OF_ITEM or states_alone(unit, text)
    return states_alone(unit, text)


def states_alone(unit: Unit, text: str) -> bool:
    """Whether a unit of a text states something without what it stands under."""
    if unit.kind in ("term", "head", "code", "field") or unit.cells or FIELD.match(unit.line):
        return True
    if unit.kind == "item" and ADDRESS.fullmatch(unit.line):
        return False
    words = WORD.findall(text[unit.start : unit.end])
    if len(words) == LEAST_WORDS - 1 and unit.line.endswith(_SENTENCE_ENDS):
        return sum(map(len, words)) >= LEAST_LETTERS
    return len(words) >= (LEAST_WORDS_OF_ROW if unit.kind == "row" else LEAST_WORDS)


def _without_number(text: str, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges of a paragraph's sentences; its number ("3.1.2.") is none."""
    return ranges[1:] if ranges and _NUMBER.fullmatch(text, *ranges[0]) else ranges


def _with_leading_name(text: str, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges of a paragraph's sentences; what only names the first of them ("Glare. Light that …",
    "Sec. 4. Guests …") or says yes or no belongs to it."""
    while len(ranges) > 1 and _only_names(text[slice(*ranges[0])].strip(_MARKS)):
        ranges = [(ranges[0][0], ranges[1][1]), *ranges[2:]]
    return ranges


def _only_names(sentence: str) -> bool:
    words = WORD.findall(sentence) if sentence.endswith(".") else []
    if len(words) > _MOST_WORDS_OF_NAME:
        return False
    capitals = [word for word in words if not word[0].islower()]
    is_title = len(capitals) > 1 and all(word in capitals or word in FUNCTION_WORDS for word in words)
    return is_title or len(words) == 1


def _with_short_opener(text: str, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges of a paragraph's sentences; "We will:" at its end belongs to the one before."""
    if len(ranges) > 1:
        start, end = ranges[-1]
        last = text[start:end].rstrip(EMPHASIS)
        if last.endswith(":") and len(WORD.findall(last)) < LEAST_WORDS:
            return [*ranges[:-2], (ranges[-2][0], end)]
    return ranges


def _trimmed(text: str, passage: Passage, *, follows: bool = False) -> Iterator[Unit]:
    start, end, kind = passage.start, passage.end, passage.kind
    while start < end and text[start].isspace() and (kind != "code" or text[start] in "\r\n"):
        start += 1
    if kind != "code" and (mark := _QUOTE_MARK.match(text, start, end)):
        start = mark.end()
    if kind == "item" and (mark := _HEADING_MARK.match(text, start, end)):
        start = mark.end()
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        unit = unit_at(text, start, end, kind)
        cells = passage.cells
        # A tag alone shows nothing.
        if unit.line or cells or kind == "code":
            yield replace(unit, line=shown_cells(cells) if cells else unit.line, follows=follows, cells=cells)
