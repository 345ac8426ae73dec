"""Jupyter notebooks: a section a cell, its text outputs after it, under the Markdown cells' headings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from bob.core.document import Block, ParsedDocument, Section
from bob.core.errors import UnreadableError
from bob.core.locator import CellLocator
from bob.core.protocols import SourceFile
from bob.core.storable import encodable
from bob.documents.formats.front_matter import read_front_matter
from bob.documents.formats.html.markup import Piece, fenced, html_pieces, join_pieces
from bob.documents.formats.left_out import said_of
from bob.documents.formats.lines import TextLines, first_heading, found_sections
from bob.documents.formats.markdown import markdown_sections
from bob.text.languages import detect_language

_TERMINAL_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_MAX_OUTPUT = 20_000  # characters kept of one cell's outputs: a progress bar can print megabytes
_ONLY_FIRST = f"only the first {_MAX_OUTPUT:,} characters are read"

Path = list[tuple[int, str]]


class NotebookParser:
    """Takes `.ipynb` files of notebook format 3 and 4."""

    name = "notebook"
    suffixes = frozenset({".ipynb"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """Sections with cell locators; images are left out, and so is the end of outputs that are too long.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, "damaged" and "no-text".
        """
        cells = _cells(source.read_text())
        cut: list[int] = []
        sections = found_sections(_numbered(cells, cut))
        prose = "\n".join(section.text for section in sections if _type(section) == "markdown")
        return ParsedDocument(
            title=first_heading(sections),
            source_type="notebook",
            sections=sections,
            language=detect_language(prose),
            left_out=tuple(said_of("cell", cut, "has a long output", "have long outputs", _ONLY_FIRST)),
        )


def _cells(text: str) -> list[Mapping[str, Any]]:
    try:
        book = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError("damaged", "the notebook is not valid JSON") from error
    cells = book.get("cells") if isinstance(book, dict) else None
    if cells is None and isinstance(book, dict):  # format 3 keeps its cells in worksheets
        sheets = book.get("worksheets")
        sheets = [sheet for sheet in sheets if isinstance(sheet, dict)] if isinstance(sheets, list) else []
        cells = [cell for sheet in sheets for cell in _list(sheet.get("cells"))] if sheets else None
    if not isinstance(cells, list):
        raise UnreadableError("damaged", "not a notebook: it has no cells")
    return [cell if isinstance(cell, dict) else {} for cell in cells]


def _numbered(cells: list[Mapping[str, Any]], cut: list[int]) -> Iterator[Section]:
    """The sections of all cells; `part` is the section's place among them. `cut` gets the numbers of
    the cells whose outputs are too long."""
    path: Path = []
    part = 0
    for number, cell in enumerate(cells, 1):
        kind = str(cell.get("cell_type", "code"))
        outputs, is_cut = _outputs(cell)
        if is_cut:
            cut.append(number)
        for text, cell_type, titles, blocks in _pieces(cell, kind, path, outputs):
            heading = titles[-1] if titles else None
            locator = CellLocator(
                part=part, end_char=len(text), cell=number, cell_type=cell_type, heading=heading
            )
            yield Section(text, locator, tuple(titles), blocks)
            part += 1


def _pieces(
    cell: Mapping[str, Any], kind: str, path: Path, outputs: list[Piece]
) -> Iterator[tuple[str, str, list[str], tuple[Block, ...]]]:
    """Text, cell type, heading path and blocks of each piece of a cell; moves `path` to its last heading."""
    text = _joined(cell.get("source", cell.get("input")))
    if kind == "heading":  # format 3
        text = f"{'#' * min(_number(cell.get('level')), 6)} {text}"
    if kind in {"markdown", "heading"}:
        lines = TextLines(text)
        for section in markdown_sections(lines, read_front_matter(lines.plain)):
            if section is not None:
                _move(path, section)
                yield section.text, "markdown", [title for _, title in path], section.blocks
        return
    titles = [title for _, title in path]
    if text.strip():
        source = [Piece(text)] if kind != "code" else list(fenced(text))
        yield (joined := join_pieces(source))[0], kind, titles, joined[1]
    output, blocks = join_pieces(outputs)
    if output:
        yield output, "output", titles, blocks


def _move(path: Path, section: Section) -> None:
    """Puts the heading that opens a Markdown section in its place of the notebook's path."""
    if not section.heading_path or not section.blocks or section.blocks[0].kind != "heading":
        return
    line = section.text.lstrip()
    marks = len(line) - len(line.lstrip("#"))
    underline = section.text[: section.blocks[0].end].rstrip()[-1:]
    level = marks or (1 if underline == "=" else 2)
    path[:] = [*(heading for heading in path if heading[0] < level), (level, section.heading_path[-1])]


def _outputs(cell: Mapping[str, Any]) -> tuple[list[Piece], bool]:
    """What a cell printed, between fences, and whether that was cut; a table that it shows as HTML is read
    as a table."""
    pieces: list[Piece] = []
    printed: list[str] = []
    room, is_cut = _MAX_OUTPUT, False
    for output in _list(cell.get("outputs")):
        if not isinstance(output, dict):
            continue
        if room <= 0:
            is_cut |= bool(_printed(output).strip())
            continue
        tables = _tables(output)
        if tables:
            pieces += fenced("\n".join(printed))
            printed.clear()
            short = [replace(piece, text=_cut(piece.text)) for piece in tables]
            is_cut |= short != tables
            pieces += short
            room -= sum(len(piece.text) for piece in short)
        elif (text := _printed(output)).strip():
            printed.append(text[:room])
            is_cut |= len(text) > room
            room -= len(text)
    pieces += fenced("\n".join(printed))
    return pieces, is_cut


def _tables(output: Mapping[str, Any]) -> list[Piece]:
    """The pieces of an output that a table is among."""
    data = output.get("data", output)
    page = _joined(data.get("text/html", data.get("html"))) if isinstance(data, dict) else ""
    pieces = html_pieces(page) if "<table" in page else []
    return pieces if any(piece.kind == "table" for piece in pieces) else []


def _cut(text: str) -> str:
    """The first lines of a text, as many as are kept of an output."""
    return text if len(text) <= _MAX_OUTPUT else text[:_MAX_OUTPUT].rpartition("\n")[0] or text[:_MAX_OUTPUT]


def _printed(output: Mapping[str, Any]) -> str:
    data = output.get("data", output)
    plain = data.get("text/plain", data.get("text")) if isinstance(data, dict) else None
    if output.get("output_type") in {"error", "pyerr"}:
        lines = (line for line in _list(output.get("traceback")) if isinstance(line, str))
        plain = "\n".join(lines)
    return _TERMINAL_COLOUR.sub("", _joined(plain))


def _joined(value: object) -> str:
    """A multi-line string, which the format also writes as a list of lines."""
    text = "".join(line for line in value if isinstance(line, str)) if isinstance(value, list) else value
    # JSON can hold half of a surrogate pair, which no file and no database can.
    return encodable(text) if isinstance(text, str) else ""


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: object) -> int:
    return max(value, 1) if isinstance(value, int) else 1


def _type(section: Section) -> str:
    return section.locator.cell_type if isinstance(section.locator, CellLocator) else ""
