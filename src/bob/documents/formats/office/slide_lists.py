"""Reads the paragraphs of a slide's shapes: which of them are items of a list, and how far in each stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from bob.core.errors import UnreadableError
from bob.documents.formats.archive import Archive
from bob.documents.formats.office.package import Relationship, relationships
from bob.documents.formats.office.word_styles import shown_count
from bob.text.markup import ends_with_colon

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"

_LEVELS = 9  # PowerPoint knows nine levels of lists
_MARKS = frozenset({f"{_A}buChar", f"{_A}buAutoNum", f"{_A}buBlip"})
_FORMS = {
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
"""How the numbers of a list are written, by the beginning of their name here, as Word names it."""


@dataclass(slots=True)
class Layouts:
    """The layouts of a presentation and the masters that they are made after, each read once."""

    archive: Archive
    _above: dict[str, tuple[etree._Element, ...]] = field(default_factory=dict)

    def above(self, related: dict[str, Relationship]) -> tuple[etree._Element, ...]:
        """The layout and the master of a slide with these relationships; () where it has none."""
        part = _target(related, "slideLayout")
        if part not in self._above:
            roots = (readable_part(self.archive, name) for name in (part, self._master(part)) if name)
            self._above[part] = tuple(root for root in roots if root is not None)
        return self._above[part]

    def _master(self, layout: str) -> str:
        try:
            return _target(relationships(self.archive, layout), "slideMaster") if layout else ""
        except UnreadableError:
            return ""


def _target(related: dict[str, Relationship], kind: str) -> str:
    return next((relation.target for relation in related.values() if relation.kind == kind), "")


def readable_part(archive: Archive, part: str) -> etree._Element | None:
    """A part that a slide is worth reading without, such as a chart; None where it is damaged."""
    try:
        return archive.xml(part)
    except UnreadableError:
        return None


def placeholder_of(shape: etree._Element) -> etree._Element | None:
    """What says which place of its layout a shape fills."""
    return shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")


def line_of_paragraph(paragraph: etree._Element) -> str:
    """The text of a paragraph on one line, without the number of the slide, which no one wrote."""
    pieces = []
    for element in paragraph.iter(f"{_A}t", f"{_A}br", f"{_A}tab"):
        field_of = element.getparent()
        if field_of is None or field_of.get("type") != "slidenum":
            pieces.append((element.text or "") if element.tag == f"{_A}t" else " ")
    return " ".join("".join(pieces).split())


def lines_of_shape(
    body: etree._Element, placeholder: etree._Element | None, above: Sequence[etree._Element]
) -> tuple[list[str], bool]:
    """The paragraphs of a shape, and whether several are items of a list. Then each item has its mark, and
    stands under the one above that is less far in: without marks they would read as one sentence."""
    styles = [
        body.find(f"{_A}lstStyle"),
        *(_styles_above(placeholder, above) if placeholder is not None else ()),
    ]
    marked: list[tuple[str, str]] = []
    counts: dict[int, int] = {}
    for paragraph in body.iter(f"{_A}p"):
        text = line_of_paragraph(paragraph)
        if not text:
            continue
        own = paragraph.find(f"{_A}pPr")
        level = min(_integer(own, "lvl", 0), _LEVELS - 1)
        bullet = _bullet([own, *(_level(style, level) for style in styles)])
        is_numbered = bullet is not None and bullet.tag == f"{_A}buAutoNum"
        counts = {depth: count for depth, count in counts.items() if depth < level + is_numbered}
        mark = "" if bullet is None else "-"
        if bullet is not None and is_numbered:
            counts[level] = counts.get(level, _integer(bullet, "startAt", 1) - 1) + 1
            mark = _number(bullet.get("type", ""), counts[level])
        marked.append(("  " * level + mark if mark else "", text))
    if sum(bool(mark) for mark, _ in marked) < 2:
        return [text for _, text in marked], False
    return list(_with_marks(marked)), True


def _with_marks(marked: Sequence[tuple[str, str]]) -> Iterator[str]:
    goes_on = True
    for mark, text in marked:
        if not mark and not goes_on:
            yield ""  # otherwise it would be a part of the item above
        yield f"{mark} {text}" if mark else text
        goes_on = not mark or ends_with_colon(text)


def _styles_above(
    placeholder: etree._Element, above: Sequence[etree._Element]
) -> Iterator[etree._Element | None]:
    """Where a placeholder has its lists from: the place of the layout that it fills, the body of the master,
    and the master's style of bodies."""
    for root in above:
        is_layout = root.tag == f"{_P}sldLayout"
        for shape in root.iter(f"{_P}sp"):
            other = placeholder_of(shape)
            if other is not None and (
                other.get("idx", "0") == placeholder.get("idx", "0")
                if is_layout
                else other.get("type", "") == "body"
            ):
                yield shape.find(f"{_P}txBody/{_A}lstStyle")
        yield root.find(f"{_P}txStyles/{_P}bodyStyle")


def _level(style: etree._Element | None, level: int) -> etree._Element | None:
    return None if style is None else style.find(f"{_A}lvl{level + 1}pPr")


def _bullet(every: Sequence[etree._Element | None]) -> etree._Element | None:
    """The mark that the first of a paragraph's properties to speak of one has; None where it has none."""
    for properties in every:
        for element in properties if properties is not None else ():
            if element.tag in _MARKS:
                return element
            if element.tag == f"{_A}buNone":
                return None
    return None


def _number(form: str, count: int) -> str:
    name = next((name for start, name in _FORMS.items() if form.startswith(start)), "")
    number = shown_count(count, name)
    if form.endswith("ParenBoth"):
        return f"({number})"
    return f"{number})" if form.endswith("ParenR") else f"{number}."


def _integer(element: etree._Element | None, name: str, usual: int) -> int:
    text = "" if element is None else element.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 6 else usual
