"""The lists of a text: which items stand under which, and what of a nested list is told together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bob.answers.units.passages import STOPS, TERM_CHARACTERS
from bob.answers.units.text_lines import ITEM, LEAST_WORDS, WORD, Passage
from bob.text.markup import ends_with_colon, readable

MOST_LISTED = 12
"""Of a longer list so many items are quoted."""

_APART = 2
"""So many line ends stand between two items of a list, at most."""

_DEEPER = 2
"""An item stands under another if it is indented by so much more: by one less, "9." stands above "10."."""

_TAB = 4
_BEFORE = re.compile(r"[ \t>]*")
ADDRESS = re.compile(r"<?https?://[^\s<>]*+>?")


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list, and the items that it stands under, outermost first."""

    passage: Passage
    above: tuple[Passage, ...] = ()


def name_of(item: str) -> str:
    """An item as the name of what stands under it, "" where it says something itself, opens a list, or is no
    more than an address."""
    line = readable(item)
    opens = line.endswith(":") and len(WORD.findall(line)) >= LEAST_WORDS
    says_more = opens or len(line) > TERM_CHARACTERS or line.endswith(STOPS)
    return "" if says_more or ADDRESS.fullmatch(line) else line.rstrip(":")


def names_of_lists(text: str, every: Sequence[Passage]) -> dict[int, str]:
    """The names in bold that stand right above lists, by where the items begin that stand under no other."""
    names = {term.end: text[term.start : term.end] for term in every if is_bold_name(text, term)}
    named: dict[int, str] = {}
    for run in runs_of_items(text, every) if names else ():
        above = max((end for end in names if end <= run[0].passage.start), default=0)
        between = text[above : run[0].passage.start]
        if above and ITEM.fullmatch(between.lstrip("\r\n")):
            named |= {
                item.passage.start: readable(names[above]).rstrip(":") for item in run if not item.above
            }
    return named


def is_bold_name(text: str, term: Passage) -> bool:
    """Whether a term is all in bold and opens no list as a sentence does ("**You need:**")."""
    written = text[term.start : term.end].strip()
    opens = ends_with_colon(written) and " " in written
    return term.kind == "term" and written.startswith(("**", "__")) and not opens


def indent_at(text: str, position: int) -> int:
    """How far the line at a position is indented, the marks of a quotation included."""
    start = text.rfind("\n", 0, position) + 1
    match = _BEFORE.match(text, start)
    return len(match[0].expandtabs(_TAB)) if match else 0


def is_deeper(indent: int, other: int) -> bool:
    """Whether what is indented so far stands under an item that is indented as the other."""
    return indent >= other + _DEEPER


def runs_of_items(text: str, every: Iterable[Passage]) -> Iterator[list[Item]]:
    """The items among a text's passages, those together that stand under one another without a break."""
    run: list[Item] = []
    above: list[tuple[int, Passage]] = []
    for passage in every:
        broken = run and text[run[-1].passage.end : passage.start].count("\n") > _APART
        if run and (passage.kind != "item" or broken):
            yield run
            run, above = [], []
        if passage.kind == "item":
            indent = indent_at(text, passage.start)
            while above and not is_deeper(indent, above[-1][0]):
                above.pop()
            run.append(Item(passage, tuple(item for _, item in above)))
            above.append((indent, passage))
    if run:
        yield run


def lists(text: str, every: Iterable[Passage]) -> Iterator[list[Item]]:
    """The lists among a text's passages: each with all of its items, or with those that stand under no other
    where all are too many; where it is nested, also with those alone, unless one of them says nothing
    without what it opens; and then each item with all that stands under it, or with what stands right under
    it where that is too much."""
    for run in runs_of_items(text, every):
        outermost = [item for item in run if not item.above]
        is_too_long = _is_too_long(run, outermost)
        if len(outermost) > 1 and not is_too_long:
            yield run
        if 1 < len(outermost) < len(run) and (
            is_too_long or not any(_opens(text, item) for item in outermost)
        ):
            yield outermost
        ends = _ends_of_branches(run)
        for number, end in enumerate(ends):
            branch = run[number:end]
            nearest = [item for item in branch if len(item.above) <= len(branch[0].above) + 1]
            if len(branch) > 1:
                yield nearest if _is_too_long(branch, nearest) else branch


def _is_too_long(every: Sequence[Item], outer: Sequence[Item]) -> bool:
    """Whether a list is told without the items further in."""
    return len(every) > MOST_LISTED and len(every) > len(outer)


def _opens(text: str, item: Item) -> bool:
    """Whether an item is a sentence that opens what stands under it, and no name of that."""
    quote = text[item.passage.start : item.passage.end]
    return ends_with_colon(quote) and not name_of(quote)


def _ends_of_branches(run: Sequence[Item]) -> list[int]:
    """For each item the number of the first one behind all that stands under it."""
    ends = [len(run)] * len(run)
    open_items: list[int] = []
    for number, item in enumerate(run):
        while len(open_items) > len(item.above):
            ends[open_items.pop()] = number
        open_items.append(number)
    return ends
