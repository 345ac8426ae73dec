"""What Office files hold that is not read: charts in a text, embedded files, comments and boxes of sheets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import etree

from bob.core.errors import UnreadableError
from bob.documents.formats.archive import Archive
from bob.documents.formats.left_out import listed
from bob.documents.formats.office.package import Relationship, relationships

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_OFFICE_OBJECT = "{urn:schemas-microsoft-com:office:office}OLEObject"
_SLIDE_OBJECT = "{http://schemas.openxmlformats.org/presentationml/2006/main}oleObj"
_IMPORTED = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}altChunk"
_BOX = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}txBody"

_FORMULA_WITHOUT_VALUE = re.compile(
    rb"<c\b([^>]*)>\s*<f\b[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)
_TEXT_RESULT = re.compile(rb"""\bt=["']str["']""")


def unread_in_text(body: etree._Element) -> Iterator[str]:
    """The sentences of what stands in the text of a Word file as an object."""
    for noun, tag in (("chart", _CHART), ("diagram", _DIAGRAM), ("imported file", _IMPORTED)):
        yield from _counted(noun, sum(1 for _ in body.iter(tag)))
    programs = [_program(element.get("ProgID", "")) for element in body.iter(_OFFICE_OBJECT)]
    yield from _counted("embedded object", len(programs), programs)


def has_embedded_object(slide: etree._Element) -> bool:
    """Whether another program's file lies on a slide."""
    return next(slide.iter(_SLIDE_OBJECT), None) is not None


def unread_on_sheet(archive: Archive, part: str, name: str, xml: bytes) -> Iterator[str]:
    """The sentences of what stands on the sheet `name` but in no cell; `part` has its `xml`."""
    empty = [match[1] for match in _FORMULA_WITHOUT_VALUE.finditer(xml) if not _TEXT_RESULT.search(match[1])]
    if empty:
        have = "1 formula has" if len(empty) == 1 else f"{len(empty):,} formulas have"
        yield f'on the sheet "{name}" {have} no value: open it in a spreadsheet program and save it'
    try:
        related = list(relationships(archive, part).values())
        if any(relation.kind in ("comments", "threadedComment") for relation in related):
            yield f'comments on the sheet "{name}" are not read'
        if any(_has_boxes(archive, relation) for relation in related):
            yield f'text boxes on the sheet "{name}" are not read'
    except UnreadableError:
        return  # the cells are worth reading without what stands beside them


def _has_boxes(archive: Archive, relation: Relationship) -> bool:
    root = archive.xml(relation.target) if relation.kind == "drawing" else None
    boxes = root.iter(_BOX) if root is not None else ()
    return any((text.text or "").strip() for box in boxes for text in box.iter(f"{_A}t"))


def _counted(noun: str, count: int, programs: Iterable[str] = ()) -> Iterator[str]:
    if count:
        names = list(dict.fromkeys(filter(None, programs)))
        of = f" ({listed(names)})" if names else ""
        yield f"1 {noun} is not read{of}" if count == 1 else f"{count:,} {noun}s are not read{of}"


def _program(identifier: str) -> str:
    """The program of "Excel.Sheet.12"."""
    return identifier.partition(".")[0][:40]
