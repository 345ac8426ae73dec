"""Reads Word styles and numbering: which paragraphs are headings, and what number stands before one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from lxml import etree

from bob.documents.formats.office.word_runs import COMPATIBLE, SKIPPED, W, line_text, switch
from bob.text.tables import LONGEST_FILL, line_of, rule_below

_BLOCKS = frozenset({f"{W}p", f"{W}tbl"})
# Signs of symbol fonts stand at private code points; nearly all of them are bullets.
_SYMBOL = re.compile("[\uf020-\uf0ff]")
_MOST_COLUMNS = 63  # of a table in Word


def children(container: etree._Element) -> Iterator[etree._Element]:
    """Paragraphs and tables directly in a container, through content controls and other wrappers."""
    for child in container:
        if child.tag in _BLOCKS:
            yield child
        elif child.tag not in SKIPPED and isinstance(child.tag, str):
            yield from children(child)


def boxes(block: etree._Element) -> Iterator[etree._Element]:
    """The contents of text boxes anchored in a block, outermost ones only, without their older duplicates."""
    for child in block:
        if child.tag == f"{W}txbxContent":
            yield child
        elif child.tag != f"{COMPATIBLE}Fallback":
            yield from boxes(child)


def paragraph_text(paragraph: etree._Element) -> str:
    """The text of a paragraph, with tabs and line breaks."""
    return _SYMBOL.sub("•", line_text(paragraph)).strip()


def table_rows(table: etree._Element) -> Iterator[str]:
    """A line a row, with bars between the cells; below the last row that Word repeats on each page as the
    head stands a rule. A nested table gives its rows. What stands in several rows is of each; a merged cell
    of the head names each of its columns, another gives its text in the first of them. Rows of one cell are
    no head: they say what the table is of, or begin one of several that stand below one another."""
    rows = list(_within(table, f"{W}tr"))
    heads = sum(1 for _ in takewhile(_is_head, rows))
    if not any(len(list(_within(row, f"{W}tc"))) > 1 for row in rows[:heads]):
        heads = 0
    above: dict[int, str] = {}
    for number, row in enumerate(rows, start=1):
        cells: list[str] = []
        for cell in _within(row, f"{W}tc"):
            merge, width = cell.find(f"{W}tcPr/{W}vMerge"), _width(cell)
            goes_on = merge is not None and merge.get(f"{W}val", "continue") == "continue"
            text = above.get(len(cells), "") if goes_on else _cell_text(cell)
            above[len(cells)] = text if merge is not None and len(text) <= LONGEST_FILL else ""
            cells += [text, *([text if number <= heads else ""] * (width - 1))]
        line = line_of(cells)
        marks_head = number == heads < len(rows) and line and len(cells) > 1
        yield f"{line}\n{rule_below(len(cells))}" if marks_head else line


def single_cell(table: etree._Element) -> etree._Element | None:
    """The cell of a table that has no other: a frame around its paragraphs."""
    cells = [cell for row in _within(table, f"{W}tr") for cell in _within(row, f"{W}tc")]
    return cells[0] if len(cells) == 1 else None


def _is_head(row: etree._Element) -> bool:
    return switch(row.find(f"{W}trPr/{W}tblHeader")) or False


def _width(cell: etree._Element) -> int:
    """How many columns a cell stands in."""
    width = _integer(cell.find(f"{W}tcPr/{W}gridSpan")) or 1
    return min(width, _MOST_COLUMNS)


def _within(container: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Rows of a table or cells of a row, through content controls but not into nested tables."""
    for child in container:
        if child.tag == tag:
            yield child
        elif child.tag not in _BLOCKS and child.tag not in SKIPPED and isinstance(child.tag, str):
            yield from _within(child, tag)


def _cell_text(cell: etree._Element) -> str:
    lines: list[str] = []
    for block in children(cell):
        rows = [paragraph_text(block)] if block.tag == f"{W}p" else table_rows(block)
        lines += [row.partition("\n")[0] for row in rows]  # without the rule below a head
    return " ".join(" ".join(lines).split())


_LEVELS = 9  # Word knows nine levels of outline and of lists
_BODY_LEVEL = 9  # an outline level of nine says "body text"
_MAX_DEPTH = 20  # styles based on one another in a circle end here
_CODE_WORDS = ("code", "source", "preformatted", "listing", "macro text")


@dataclass(frozen=True, slots=True)
class _Style:
    name: str = ""
    based_on: str = ""
    outline: int | None = None
    is_bold: bool | None = None
    number: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Styles:
    """Paragraph styles by id. Ids are localized ("berschrift1"), names of built-in styles are not.

    All questions are about a paragraph's properties element; None stands for a paragraph without one.
    """

    by_id: dict[str, _Style] = field(default_factory=dict)

    def heading_level(self, properties: etree._Element | None) -> int | None:
        """0 for a title, 1 to 9 for headings, None for all other paragraphs."""
        if properties is None:
            return None
        own = _integer(properties.find(f"{W}outlineLvl"))
        if own is not None:
            return own + 1 if own < _BODY_LEVEL else None
        for style in self._chain(properties):
            if style.name == "title":
                return 0
            if style.outline is not None:
                return style.outline + 1 if style.outline < _BODY_LEVEL else None
            word, _, digit = style.name.partition(" ")
            if word == "heading" and digit in tuple("123456789"):
                return int(digit)
        return None

    def is_code(self, properties: etree._Element | None) -> bool:
        """Whether the paragraph's style is one for program text."""
        return any(word in style.name for style in self._chain(properties) for word in _CODE_WORDS)

    def is_of_contents(self, properties: etree._Element | None) -> bool:
        """Whether the paragraph's style is one for a line of a table of contents."""
        return any(style.name.startswith(("toc ", "table of ")) for style in self._chain(properties))

    def is_bold(self, paragraph: etree._Element) -> bool:
        """Whether all text of a paragraph is bold, by itself or by its styles."""
        by_style = self._bold_of(paragraph.find(f"{W}pPr/{W}pStyle"))
        runs = [run for run in paragraph.iter(f"{W}r") if line_text(run).strip()]
        marks = [(switch(run.find(f"{W}rPr/{W}b")), run.find(f"{W}rPr/{W}rStyle")) for run in runs]
        return bool(runs) and all(
            (self._bold_of(style) or by_style) if mark is None else mark for mark, style in marks
        )

    def _bold_of(self, style: etree._Element | None) -> bool:
        marks = (based.is_bold for based in self._styles_from(style))
        return next((mark for mark in marks if mark is not None), False)

    def number(self, properties: etree._Element | None) -> tuple[str, int] | None:
        """The list that a paragraph belongs to and its level from 0, by itself or by its style."""
        if properties is None:
            return None
        own = _number(properties.find(f"{W}numPr"))
        if own is not None:
            return own
        return next((style.number for style in self._chain(properties) if style.number is not None), None)

    def _chain(self, properties: etree._Element | None) -> list[_Style]:
        return self._styles_from(properties.find(f"{W}pStyle") if properties is not None else None)

    def _styles_from(self, element: etree._Element | None) -> list[_Style]:
        """The style that an element names, and those that it is based on."""
        styles: list[_Style] = []
        style_id = element.get(f"{W}val", "") if element is not None else ""
        while style_id in self.by_id and len(styles) < _MAX_DEPTH:
            styles.append(self.by_id[style_id])
            style_id = styles[-1].based_on
        return styles


@dataclass(frozen=True, slots=True)
class _Level:
    form: str = "bullet"
    pattern: str = ""
    start: int = 1


@dataclass(slots=True)
class Numbering:
    """Counts list items as Word does, so that "3.2" can be searched and cited."""

    levels: dict[str, dict[int, _Level]] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)
    _counts: dict[str, list[int]] = field(default_factory=dict)

    def label(self, properties: etree._Element | None, styles: Styles) -> str:
        """A bullet as "-", a number as Word shows it, "" outside of lists. Counts on: ask once, in order."""
        number = styles.number(properties)
        if number is None or number[0] == "0":
            return ""
        list_id, depth = number
        levels = self.levels.get(list_id, {})
        level = levels.get(depth, _Level())
        counts = self._counts.setdefault(self.shared.get(list_id, list_id), [0] * _LEVELS)
        counts[depth] = counts[depth] + 1 if counts[depth] else level.start
        counts[depth + 1 :] = [0] * (_LEVELS - depth - 1)
        if level.form in ("bullet", "none"):
            return "-" if level.form == "bullet" else ""
        text = level.pattern
        for level_number in range(depth + 1):
            form = levels.get(level_number, _Level("decimal")).form
            text = text.replace(f"%{level_number + 1}", shown_count(counts[level_number] or 1, form))
        return text.strip()

    def depth(self, properties: etree._Element | None, styles: Styles) -> int:
        """How deep a list item is nested, from 0."""
        number = styles.number(properties)
        return number[1] if number is not None else 0


def read_styles(root: etree._Element | None) -> Styles:
    """The styles in a styles part; none without the part."""
    by_id: dict[str, _Style] = {}
    for element in root.findall(f"{W}style") if root is not None else ():
        name, based_on = element.find(f"{W}name"), element.find(f"{W}basedOn")
        by_id[element.get(f"{W}styleId", "")] = _Style(
            name=name.get(f"{W}val", "").lower() if name is not None else "",
            based_on=based_on.get(f"{W}val", "") if based_on is not None else "",
            outline=_integer(element.find(f"{W}pPr/{W}outlineLvl")),
            is_bold=switch(element.find(f"{W}rPr/{W}b")),
            number=_number(element.find(f"{W}pPr/{W}numPr")),
        )
    return Styles(by_id)


def read_numbering(root: etree._Element | None) -> Numbering:
    """The lists in a numbering part; none without the part."""
    if root is None:
        return Numbering()
    abstract = {
        element.get(f"{W}abstractNumId", ""): _levels(element) for element in root.findall(f"{W}abstractNum")
    }
    numbering = Numbering()
    for element in root.findall(f"{W}num"):
        list_id = element.get(f"{W}numId", "")
        base = element.find(f"{W}abstractNumId")
        base_id = base.get(f"{W}val", "") if base is not None else ""
        numbering.levels[list_id] = abstract.get(base_id, {})
        if element.find(f"{W}lvlOverride/{W}startOverride") is None:
            numbering.shared[list_id] = f"abstract {base_id}"  # such lists count on together
    return numbering


def _levels(element: etree._Element) -> dict[int, _Level]:
    levels: dict[int, _Level] = {}
    for level_element in element.findall(f"{W}lvl"):
        form, pattern = level_element.find(f"{W}numFmt"), level_element.find(f"{W}lvlText")
        levels[_clamped(level_element.get(f"{W}ilvl", "0"))] = _Level(
            form=form.get(f"{W}val", "decimal") if form is not None else "decimal",
            pattern=pattern.get(f"{W}val", "") if pattern is not None else "",
            start=_integer(level_element.find(f"{W}start")) or 1,
        )
    return levels


def _number(element: etree._Element | None) -> tuple[str, int] | None:
    if element is None:
        return None
    list_id, depth = element.find(f"{W}numId"), element.find(f"{W}ilvl")
    if list_id is None:
        return None
    return list_id.get(f"{W}val", "0"), _clamped(depth.get(f"{W}val", "0") if depth is not None else "0")


def _clamped(text: str) -> int:
    return min(int(text), _LEVELS - 1) if text.isdecimal() else 0


def _integer(element: etree._Element | None) -> int | None:
    text = element.get(f"{W}val", "") if element is not None else ""
    return int(text) if text.isdecimal() and len(text) < 7 else None


def shown_count(count: int, form: str) -> str:
    """A number in a list as Word's name for its form says, "3" where it says nothing else."""
    written: dict[str, Callable[[int], str]] = {
        "lowerLetter": lambda n: chr(ord("a") + (n - 1) % 26) * ((n - 1) // 26 + 1),
        "upperLetter": lambda n: chr(ord("A") + (n - 1) % 26) * ((n - 1) // 26 + 1),
        "lowerRoman": lambda n: _roman(n).lower(),
        "upperRoman": _roman,
        "decimalZero": lambda n: f"{n:02d}",
    }
    return written.get(form, str)(min(count, 100_000))


_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def _roman(number: int) -> str:
    text = ""
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        text += sign * count
    return text
