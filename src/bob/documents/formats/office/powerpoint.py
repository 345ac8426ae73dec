"""Reads PowerPoint `.pptx`: a section a slide with its title as heading, and one for the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from bob.core.document import Block, BlockKind, ParsedDocument, Section
from bob.core.errors import UnreadableError
from bob.core.locator import SlideLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.archive import Archive, open_archive
from bob.documents.formats.left_out import numbered, said_of
from bob.documents.formats.metadata import language_of
from bob.documents.formats.office.package import Relationship, main_part, read_properties, relationships
from bob.documents.formats.office.slide_lists import (
    Layouts,
    line_of_paragraph,
    lines_of_shape,
    placeholder_of,
    readable_part,
)
from bob.documents.formats.office.unread_parts import has_embedded_object
from bob.text.tables import LONGEST_FILL, line_of

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_TRUE = ("1", "true")
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_DRAWING_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

_MAX_POINTS = 200  # a chart with more shows a curve, of which no one reads single values
_TITLES = frozenset({"title", "ctrTitle"})


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape's lines of text; `placeholder` is its role on the slide: "title", "body", or "" for none.
    `order` is the number of its place in a layout of PowerPoint itself, 0 elsewhere."""

    lines: tuple[str, ...]
    placeholder: str = ""
    kind: BlockKind = "paragraph"
    order: int = 0


def shapes(
    root: etree._Element,
    archive: Archive,
    related: dict[str, Relationship],
    above: Sequence[etree._Element] = (),
) -> Iterator[Shape]:
    """The shapes of a slide in their own order, groups opened, without duplicates for older programs.
    `above` are its layout and master, which say what is a list."""
    for child in root:
        if child.tag == f"{_DRAWING_P}sp":
            yield _text_shape(child, above)
        elif child.tag == f"{_DRAWING_P}graphicFrame":
            order = _order(child.find(f"{_DRAWING_P}nvGraphicFramePr/{_DRAWING_P}nvPr/{_DRAWING_P}ph"))
            yield from (replace(shape, order=order) for shape in _graphics(child, archive, related))
        elif isinstance(child.tag, str) and child.tag != f"{_COMPATIBLE}Fallback":
            yield from shapes(child, archive, related, above)


def _text_shape(element: etree._Element, above: Sequence[etree._Element]) -> Shape:
    placeholder = placeholder_of(element)
    role = "" if placeholder is None else placeholder.get("type", "body")
    body = element.find(f"{_DRAWING_P}txBody")
    if body is None:
        return Shape((), role)
    if role in _TITLES:
        return Shape(tuple(_paragraphs(body)), role)
    lines, is_list = lines_of_shape(body, placeholder, above)
    return Shape(tuple(lines), role, "list" if is_list else "paragraph", _order(placeholder))


def _order(placeholder: etree._Element | None) -> int:
    # In PowerPoint's own layouts places have one digit; in others any numbers, which say nothing of an order.
    index = "" if placeholder is None else placeholder.get("idx", "")
    return int(index) if index.isdecimal() and len(index) < 2 else 0


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
    yield from filter(None, map(line_of_paragraph, body.iter(f"{_A}p")))


def _rows(table: etree._Element) -> Iterator[str]:
    """A line a row; what stands in several rows is of each. Cells that a merge covers may keep text from
    before it."""
    above: list[str] = []
    for row in table.iterchildren(f"{_A}tr"):
        cells: list[str] = []
        for number, cell in enumerate(row.iterchildren(f"{_A}tc")):
            if cell.get("hMerge") in _TRUE:
                cells.append("")
            elif cell.get("vMerge") in _TRUE:
                text = above[number] if number < len(above) else ""
                cells.append(text if len(text) <= LONGEST_FILL else "")
            else:
                cells.append(" ".join(_paragraphs(cell)))
        above = cells
        if any(cells):
            yield line_of(cells)


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
        line = line_of([part for part in (name, *points) if part])
        if line:
            yield line


def _points(element: etree._Element | None) -> dict[str, str]:
    """Cached values by their index."""
    names: dict[str, str] = {}
    for point in element.iter(f"{_C}pt") if element is not None else ():
        value = point.find(f"{_C}v")
        if value is not None and value.text:
            names[point.get("idx", "")] = _rounded(value.text)
    return names


def _rounded(text: str) -> str:
    try:
        return f"{float(text):.15g}" if "." in text else text
    except ValueError:
        return text


def _part(archive: Archive, related: dict[str, Relationship], identifier: str) -> etree._Element | None:
    target = related.get(identifier)
    return readable_part(archive, target.target) if target is not None else None


DEFAULT_MAX_SLIDES = 5_000  # no one shows more; decks put together by programs reach some hundreds
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_WHAT = "a PowerPoint file"
_MAIN = "ppt/presentation.xml"
_FURNITURE = frozenset({"ftr", "hdr", "dt", "sldNum"})  # on each slide the same


class PowerPointParser:
    """Reads `.pptx`; hidden slides are read too, the texts of layouts and masters are not."""

    name = "powerpoint"
    suffixes = frozenset({".pptx", ".ppsx"})

    def __init__(self, max_slides: int = DEFAULT_MAX_SLIDES) -> None:
        self._max_slides = max_slides

    def parse(self, source: SourceFile) -> ParsedDocument:
        """The presentation, one or two sections for each slide that has text.

        Raises:
            UnreadableError: "encrypted", "damaged", "unsupported", "zip-bomb", "no-text", or what reading
                the file raises.
        """
        archive = open_archive(source.read_bytes(), _WHAT)
        slides = _slides(archive, main_part(archive, _MAIN, _WHAT))
        layouts = Layouts(archive)
        sections: list[Section] = []
        broken: list[int] = []
        objects: list[int] = []
        comments: list[int] = []
        for number, part in enumerate(slides[: self._max_slides], start=1):
            where = SlideLocator(part=len(sections), slide=number, total_slides=len(slides))
            try:
                root = archive.xml(part)
                if root is None:
                    raise UnreadableError("damaged", f"{part} is missing")
                sections += _read_slide(layouts, part, root, where)
            except UnreadableError:
                broken.append(number)
                continue
            if has_embedded_object(root):
                objects.append(number)
            if any(relation.kind == "comments" for relation in relationships(archive, part).values()):
                comments.append(number)
        if not sections:
            raise _without_text(len(slides), len(broken))
        rest = range(self._max_slides + 1, len(slides) + 1)
        left_out = [
            *said_of("slide", broken, "is damaged", "are damaged"),
            *(f"embedded files on {numbered('slide', objects)} are not read" for _ in objects[:1]),
            *(f"comments on {numbered('slide', comments)} are not read" for _ in comments[:1]),
            *said_of("slide", rest, "is left out", "are left out", "the presentation is too long"),
        ]
        properties = read_properties(archive)
        extra = {
            "author": properties.author,
            "slides": str(len(slides)),
        }
        return ParsedDocument(
            title=properties.title or _first_title(sections),
            source_type="powerpoint",
            sections=tuple(sections),
            source_date=properties.source_date,
            language=language_of(sections, properties.language),
            tags=properties.tags,
            extra={key: value for key, value in extra.items() if value},
            left_out=tuple(left_out),
        )


def _without_text(slides: int, broken: int) -> UnreadableError:
    if slides and broken == slides:
        return UnreadableError("damaged", "the file is damaged: no slide can be read")
    count = "1 slide" if slides == 1 else f"{slides:,} slides"
    return UnreadableError("no-text", f"has no text ({count})")


def _slides(archive: Archive, main: str) -> list[str]:
    """The names of the slides' parts in the order they are shown."""
    root = archive.xml(main)
    related = relationships(archive, main)
    listed = root.findall(f"{_P}sldIdLst/{_P}sldId") if root is not None else []
    targets = [related.get(slide_id.get(_ID, "")) for slide_id in listed]
    return [target.target for target in targets if target is not None]


def _read_slide(
    layouts: Layouts, part: str, root: etree._Element, locator: SlideLocator
) -> Iterator[Section]:
    archive = layouts.archive
    related = relationships(archive, part)
    on_slide = shapes(root, archive, related, layouts.above(related))
    shapes_found = _in_order([shape for shape in on_slide if shape.placeholder not in _FURNITURE])
    titles = [shape for shape in shapes_found if shape.placeholder in _TITLES]
    title = " ".join(" ".join(titles[0].lines).split()) if titles else ""
    path = (title,) if title else ()
    # The title is read first wherever it lies in the stack of shapes.
    ordered = [*titles, *(shape for shape in shapes_found if shape.placeholder not in _TITLES)]
    next_part = locator.part
    slide = _section(ordered, locator, path)
    if slide is not None:
        yield slide
        next_part += 1
    notes = _notes(archive, related)
    where = SlideLocator(part=next_part, slide=locator.slide, total_slides=locator.total_slides, notes=True)
    spoken = _section(notes, where, path)
    if spoken is not None:
        yield spoken


def _in_order(shapes_found: list[Shape]) -> list[Shape]:
    """The shapes with those that have a place in the order of their places: in the file the names of two
    columns often stand before what is in either."""
    ordered = iter(sorted((shape for shape in shapes_found if shape.order), key=lambda shape: shape.order))
    return [next(ordered) if shape.order else shape for shape in shapes_found]


def _notes(archive: Archive, related: dict[str, Relationship]) -> list[Shape]:
    part = next((relation.target for relation in related.values() if relation.kind == "notesSlide"), None)
    try:
        root = archive.xml(part) if part is not None else None
    except UnreadableError:
        return []  # the slide is worth reading without its notes
    if root is None or part is None:
        return []
    shapes_found = shapes(root, archive, relationships(archive, part))
    return [shape for shape in shapes_found if shape.placeholder not in _FURNITURE | {"sldImg"}]


def _section(shapes_found: list[Shape], locator: SlideLocator, path: tuple[str, ...]) -> Section | None:
    parts: list[str] = []
    blocks: list[Block] = []
    offset = 0
    for number, shape in enumerate(
        shape_with_text for shape_with_text in shapes_found if shape_with_text.lines
    ):
        kind: BlockKind = "heading" if shape.placeholder in _TITLES else shape.kind
        text = "\n".join(shape.lines)
        offset += 2 if parts else 0
        blocks.append(Block(offset, offset + len(text), kind, number))
        parts.append(text)
        offset += len(text)
    if not parts:
        return None
    where = SlideLocator(
        part=locator.part,
        end_char=offset,
        slide=locator.slide,
        total_slides=locator.total_slides,
        notes=locator.notes,
    )
    return Section("\n\n".join(parts), where, path, tuple(blocks))


def _first_title(sections: list[Section]) -> str:
    first = sections[0]
    slide = first.locator.slide if isinstance(first.locator, SlideLocator) else 0
    return first.heading_path[0] if slide == 1 and first.heading_path else ""
