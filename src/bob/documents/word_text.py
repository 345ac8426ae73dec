"""Takes text out of WordprocessingML: what a reader sees, without deleted text and field codes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

_BLOCKS = frozenset({f"{W}p", f"{W}tbl"})
_TEXT = frozenset({f"{W}t", f"{_MATH}t"})
_SIGNS = {f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
# Removed or moved away by a tracked change, kept for older programs, or found by `boxes` on its own.
_SKIPPED = frozenset(
    {
        f"{W}del",
        f"{W}moveFrom",
        f"{W}instrText",
        f"{W}pPr",
        f"{W}rPr",
        f"{W}txbxContent",
        f"{W}object",
        f"{_COMPATIBLE}Fallback",
    }
)
# Signs of symbol fonts stand at private code points; nearly all of them are bullets.
_SYMBOL = re.compile("[\uf020-\uf0ff]")
_CELL_JOINT = " | "


def children(container: etree._Element) -> Iterator[etree._Element]:
    """Paragraphs and tables directly in a container, through content controls and other wrappers."""
    for child in container:
        if child.tag in _BLOCKS:
            yield child
        elif child.tag not in _SKIPPED and isinstance(child.tag, str):
            yield from children(child)


def boxes(block: etree._Element) -> Iterator[etree._Element]:
    """The contents of text boxes anchored in a block, outermost ones only, without their older duplicates."""
    for child in block:
        if child.tag == f"{W}txbxContent":
            yield child
        elif child.tag != f"{_COMPATIBLE}Fallback":
            yield from boxes(child)


def paragraph_text(paragraph: etree._Element) -> str:
    """The text of a paragraph, with tabs and line breaks."""
    return _SYMBOL.sub("•", "".join(_runs(paragraph))).strip()


def table_rows(table: etree._Element) -> Iterator[str]:
    """A line a row, cells joined by " | "; a merged cell gives its text once, a nested table its rows."""
    for row in _within(table, f"{W}tr"):
        cells = [_cell_text(cell) for cell in _within(row, f"{W}tc")]
        while cells and not cells[-1]:
            cells.pop()
        yield _CELL_JOINT.join(cells) if any(cells) else ""


def _runs(element: etree._Element) -> Iterator[str]:
    for child in element:
        tag = child.tag
        if tag in _TEXT:
            yield child.text or ""
        elif tag in _SIGNS:
            yield _SIGNS[tag]
        elif tag not in _SKIPPED and isinstance(tag, str):
            yield from _runs(child)


def _within(container: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Rows of a table or cells of a row, through content controls but not into nested tables."""
    for child in container:
        if child.tag == tag:
            yield child
        elif child.tag not in _BLOCKS and child.tag not in _SKIPPED and isinstance(child.tag, str):
            yield from _within(child, tag)


def _cell_text(cell: etree._Element) -> str:
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    if merge is not None and merge.get(f"{W}val", "continue") == "continue":
        return ""
    lines: list[str] = []
    for block in children(cell):
        lines += [paragraph_text(block)] if block.tag == f"{W}p" else table_rows(block)
    return " ".join(" ".join(lines).split())
