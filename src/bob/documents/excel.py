"""Reads Excel `.xlsx` and `.xlsm`: a section a sheet, a line a row, values as a person sees them."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

import openpyxl
from lxml import etree
from openpyxl.worksheet._read_only import ReadOnlyWorksheet

from bob.core.document import Block, ParsedDocument, Section
from bob.core.errors import UnreadableError
from bob.core.locator import SheetLocator
from bob.core.protocols import SourceFile
from bob.documents.archive import Archive, open_archive
from bob.documents.metadata import language_of
from bob.documents.office import read_properties

_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_PERCENT_DECIMALS = re.compile(r"\.([0#?]+)\s*%")
_PRECISION = 15  # Excel keeps and shows fifteen digits; 0.1 + 0.2 is 0.3 there


def shown_value(value: object, number_format: str | None) -> str:
    """The text of a value on one line; `number_format` in Excel's notation decides on percent and time.

    >>> shown_value(0.1 + 0.2, "General"), shown_value(0.256, "0.0%"), shown_value(3.0, None)
    ('0.3', '25.6%', '3')
    """
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return _percent(value, number_format or "") or str(value)
        case float():
            return _percent(value, number_format or "") or _number(value)
        case datetime():
            return _moment(value)
        case date():
            return value.isoformat()
        case time():
            return value.replace(microsecond=0).isoformat()
        case timedelta():
            return _duration(value)
    return " ".join(str(value).split())


def _number(value: float) -> str:
    # Excel shows 1E+21 as such; up to its precision whole numbers are written out, identifiers above all.
    if value.is_integer() and abs(value) < 10**_PRECISION:
        return str(int(value))
    return f"{value:.{_PRECISION}g}"


def _percent(value: float, number_format: str) -> str:
    code = _QUOTED.sub("", number_format).split(";")[0] if "%" in number_format else ""
    if "%" not in code:
        return ""
    decimals = _PERCENT_DECIMALS.search(code)
    return f"{value * 100:.{len(decimals[1]) if decimals else 0}f}%"


def _moment(value: datetime) -> str:
    # Fractions of a day are not exact: 12:00 is often kept as 11:59:59.9999.
    rounded = (value + timedelta(microseconds=500_000)).replace(microsecond=0) if value.year < 9999 else value
    if rounded.time() == time():
        return rounded.date().isoformat()
    return rounded.isoformat(sep=" ", timespec="seconds" if rounded.second else "minutes")


def _duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    minutes, second = divmod(abs(seconds), 60)
    return f"{'-' if seconds < 0 else ''}{minutes // 60}:{minutes % 60:02d}:{second:02d}"


# A million cells take some fifteen seconds to read; a larger sheet is a database dump, of which the first
# part says what it is, and which is better asked with its own tools.
DEFAULT_MAX_CELLS = 1_000_000
_MAX_CELL_CHARS = 32_767  # Excel's own limit, which other programs do not keep
# Rows that are not there cost nothing in the file but would be read one by one.
_MAX_EMPTY_RUN = 100_000
_HEADER_SEARCH = 20  # rows: titles and blank lines may stand above a header
_HEADER_MAX_CHARS = 1_000  # what goes into each chunk's context must stay small beside the chunk
_PROLOGUE = 4096  # bytes: a document type stands before the root element
_CELL_JOINT = " | "
_WHAT = "an Excel file"

# openpyxl has no error of its own for most bad files: it fails where its assumptions do.
_DAMAGED = (
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    EOFError,
    OSError,
    OverflowError,
    AssertionError,
    SyntaxError,  # xml.etree's ParseError
    etree.LxmlError,
    openpyxl.utils.exceptions.InvalidFileException,
    openpyxl.utils.exceptions.ReadOnlyWorkbookException,
    openpyxl.utils.exceptions.CellCoordinatesException,
)

Row = tuple[int, list[str], list[bool]]
"""The row's number, its cells' text, and which cells are words rather than numbers or dates."""


class ExcelParser:
    """Reads `.xlsx` and `.xlsm`; formulas give their last computed value."""

    name = "excel"
    suffixes = frozenset({".xlsx", ".xlsm"})

    def __init__(self, max_cells: int = DEFAULT_MAX_CELLS) -> None:
        self._max_cells = max_cells

    def parse(self, source: SourceFile) -> ParsedDocument:
        """The workbook, a section for each sheet that has text.

        Raises:
            UnreadableError: "encrypted", "damaged", "unsupported", "zip-bomb", "no-text", or what reading
                the file raises.
        """
        data = source.read_bytes()
        archive = open_archive(data, _WHAT)
        _refuse_entities(archive)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # openpyxl tells of each feature that it does not know
                sections, truncated = self._read(data)
        except _DAMAGED as error:
            raise UnreadableError("damaged", f"the file is damaged, or not {_WHAT}") from error
        if not sections:
            raise UnreadableError("no-text", "has no text: all sheets are empty")
        properties = read_properties(archive)
        extra = {
            "author": properties.author,
            "truncated": f"read the first {self._max_cells:,} cells" if truncated else "",
        }
        return ParsedDocument(
            title=properties.title,
            source_type="excel",
            sections=tuple(sections),
            source_date=properties.source_date,
            language=language_of(sections, properties.language),
            tags=properties.tags,
            extra={key: value for key, value in extra.items() if value},
        )

    def _read(self, data: bytes) -> tuple[list[Section], bool]:
        workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        sections: list[Section] = []
        room = self._max_cells
        try:
            for sheet in workbook.worksheets:
                if not isinstance(sheet, ReadOnlyWorksheet):
                    continue
                rows: list[Row] = []
                for row in _rows(sheet):
                    rows.append(row)
                    room -= len(row[1])
                    if room < 0:
                        break
                if rows:
                    sections.append(_section(sheet.title, rows, len(sections)))
                if room < 0:
                    break
        finally:
            workbook.close()
        return sections, room < 0


def _refuse_entities(archive: Archive) -> None:
    # openpyxl reads XML with its own parsers; the format forbids document types, where entities are declared.
    for name in archive.names:
        if name.lower().endswith((".xml", ".rels")) and b"<!DOCTYPE" in archive.head(name, _PROLOGUE):
            raise UnreadableError("damaged", f"damaged, or not {_WHAT}: {name} declares a document type")


def _rows(sheet: ReadOnlyWorksheet) -> Iterator[Row]:
    """The rows that have text, without the cells after the last one that has."""
    sheet.reset_dimensions()  # the recorded size is often wrong, and cells outside of it would be lost
    empty = 0
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        texts = [_text(cell) for cell in cells]
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            empty = 0
            yield number, texts, [isinstance(cell.value, str) for cell in cells[: len(texts)]]
        else:
            empty += 1
            if empty > _MAX_EMPTY_RUN:
                return


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    # Looking up a format costs as much as all else about a cell, and words have none.
    number_format = cell.number_format if isinstance(value, float | int) else ""
    return shown_value(value, number_format)[:_MAX_CELL_CHARS]


def _section(name: str, rows: list[Row], part: int) -> Section:
    # A table that begins in a later column would otherwise begin each line with joints.
    first = min(next(index for index, text in enumerate(texts) if text) for _, texts, _ in rows)
    lines: list[str] = []
    blocks: list[Block] = []
    row_index = 0
    for number, texts, _ in rows:
        line = _CELL_JOINT.join(texts[first:])
        blocks.append(Block(row_index, row_index + len(line), "table", number))
        lines.append(line)
        row_index += len(line) + 1
    locator = SheetLocator(
        part=part,
        end_char=row_index - 1,
        sheet_name=name,
        row_count=rows[-1][0],
        first_row=rows[0][0],
        last_row=rows[-1][0],
    )
    return Section("\n".join(lines), locator, (name,), tuple(blocks), _header(rows, first))


def _header(rows: list[Row], first: int) -> str:
    """The row that names the columns: of the first rows, one that is words, with rows as wide below it."""
    if len(rows) < 2:
        return ""
    usual = sorted(len(texts) for _, texts, _ in rows)[len(rows) // 2]
    for _, texts, words in rows[:_HEADER_SEARCH]:
        filled = [word for text, word in zip(texts, words, strict=True) if text]
        if len(filled) >= 2 and len(texts) * 2 >= usual and sum(filled) * 3 >= len(filled) * 2:
            header = _CELL_JOINT.join(texts[first:])
            return header if len(header) <= _HEADER_MAX_CHARS else ""
    return ""
