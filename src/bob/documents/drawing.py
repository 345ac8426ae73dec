"""Takes text out of DrawingML shapes: text frames, tables, groups, charts and SmartArt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from bob.core.document import BlockKind
from bob.core.errors import UnreadableError
from bob.documents.archive import Archive
from bob.documents.office import Relationship

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

_CELL_JOINT = " | "
_MAX_POINTS = 200  # a chart with more shows a curve, of which no one reads single values


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape's lines of text; `placeholder` is its role on the slide: "title", "body", or "" for none."""

    lines: tuple[str, ...]
    placeholder: str = ""
    kind: BlockKind = "paragraph"


def shapes(root: etree._Element, archive: Archive, related: dict[str, Relationship]) -> Iterator[Shape]:
    """The shapes of a slide in their own order, groups opened, without duplicates for older programs."""
    for child in root:
        if child.tag == f"{_P}sp":
            yield _text_shape(child)
        elif child.tag == f"{_P}graphicFrame":
            yield from _graphics(child, archive, related)
        elif isinstance(child.tag, str) and child.tag != f"{_COMPATIBLE}Fallback":
            yield from shapes(child, archive, related)


def _text_shape(element: etree._Element) -> Shape:
    placeholder = element.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
    role = "" if placeholder is None else placeholder.get("type", "body")
    body = element.find(f"{_P}txBody")
    return Shape(tuple(_paragraphs(body)) if body is not None else (), role)


def _graphics(frame: etree._Element, archive: Archive, related: dict[str, Relationship]) -> Iterator[Shape]:
    for table in frame.iter(f"{_A}tbl"):
        yield Shape(tuple(_rows(table)), kind="table")
    for chart in frame.iter(f"{_C}chart"):
        root = _part(archive, related, chart.get(f"{_R}id", ""))
        if root is not None:
            yield Shape(tuple(_chart_lines(root)), kind="table")
    for diagram in frame.iter(f"{_D}relIds"):
        root = _part(archive, related, diagram.get(f"{_R}dm", ""))
        if root is not None:
            texts = (line for text in root.iter(f"{_D}t") for line in _paragraphs(text))
            yield Shape(tuple(texts), kind="list")


def _paragraphs(body: etree._Element) -> Iterator[str]:
    for paragraph in body.iter(f"{_A}p"):
        pieces = []
        for each in paragraph.iter(f"{_A}t", f"{_A}br", f"{_A}tab"):
            pieces.append((each.text or "") if each.tag == f"{_A}t" else " ")
        line = " ".join("".join(pieces).split())
        if line:
            yield line


def _rows(table: etree._Element) -> Iterator[str]:
    for row in table.iterchildren(f"{_A}tr"):
        cells = [
            # Cells that a merge covers may keep text from before it.
            "" if {cell.get("hMerge"), cell.get("vMerge")} & {"1", "true"} else " ".join(_paragraphs(cell))
            for cell in row.iterchildren(f"{_A}tc")
        ]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield _CELL_JOINT.join(cells)


def _chart_lines(root: etree._Element) -> Iterator[str]:
    """The titles, then a line for each series: its name and its points as "category: value"."""
    for title in root.iter(f"{_C}title"):
        yield from _paragraphs(title)
    for series in root.iter(f"{_C}ser"):
        name = " ".join(_points(series.find(f"{_C}tx")).values())
        categories = _points(series.find(f"{_C}cat")) or _points(series.find(f"{_C}xVal"))
        values = _points(series.find(f"{_C}val")) or _points(series.find(f"{_C}yVal"))
        points = [
            f"{categories[index]}: {value}" if index in categories else value
            for index, value in list(values.items())[:_MAX_POINTS]
        ]
        line = _CELL_JOINT.join(part for part in (name, *points) if part)
        if line:
            yield line


def _points(element: etree._Element | None) -> dict[str, str]:
    """Cached values by their index."""
    found: dict[str, str] = {}
    for point in element.iter(f"{_C}pt") if element is not None else ():
        value = point.find(f"{_C}v")
        if value is not None and value.text:
            found[point.get("idx", "")] = _rounded(value.text)
    return found


def _rounded(text: str) -> str:
    try:
        return f"{float(text):.15g}" if "." in text else text
    except ValueError:
        return text


def _part(archive: Archive, related: dict[str, Relationship], identifier: str) -> etree._Element | None:
    target = related.get(identifier)
    try:
        return archive.xml(target.target) if target is not None else None
    except UnreadableError:
        return None  # a slide is worth reading without one of its charts
