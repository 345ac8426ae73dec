"""Reads Excel `.xlsx` and `.xlsm`: a section a table, a line a row, values as a person sees them."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import openpyxl
from lxml import etree
from openpyxl.worksheet._read_only import ReadOnlyWorksheet

from bob.core.document import Block, ParsedDocument, Section
from bob.core.errors import UnreadableError
from bob.core.locator import SheetLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.archive import Archive, open_archive
from bob.documents.formats.metadata import language_of
from bob.documents.formats.office.package import read_properties
from bob.documents.formats.office.sheet_tables import Row, SheetTable, fill_merged, merged_ranges, tables_of
from bob.documents.formats.office.unread_parts import unread_on_sheet
from bob.documents.formats.office.word_runs import symbol
from bob.text.table_heads import Merged
from bob.text.tables import MOST_OF_HEAD, line_of, row_of

_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_DECIMALS = re.compile(r"[^\d#?.,%/@]*[#,]*0(?:\.(0+))?[^\d#?.,%/@]*")
_PERCENT_DECIMALS = re.compile(r"\.([0#?]+)\s*%")
_TOKENS = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].|(.)')
"""The parts of a format: words, a sign by itself, the sign of a currency, a width or filling, and others."""
_MONEY = re.compile(r"[$€£¥]")
_LONGEST_CURRENCY = 4
_PRECISION = 15  # Excel keeps and shows fifteen digits; 0.1 + 0.2 is 0.3 there


def shown_value(value: object, number_format: str | None) -> str:
    """The text of a value on one line; `number_format` in Excel's notation decides on percent, decimals and
    currency.

    >>> shown_value(0.1 + 0.2, "General"), shown_value(0.256, "0.0%"), shown_value(70.1556, "#,##0.0")
    ('0.3', '25.6%', '70.2')
    >>> shown_value(12.5, '"$"#,##0.00'), shown_value(900, '#,##0 [$€-407]'), shown_value(-7, '"R$ "0')
    ('$12.50', '900 €', '-R$ 7')
    """
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return _percent(value, number_format or "") or _amount(
                value, str(abs(value)), number_format or ""
            )
        case float():
            return _percent(value, number_format or "") or _decimal(value, number_format or "")
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


def _decimal(value: float, number_format: str) -> str:
    rounded = _rounded(value, number_format)
    if _MONEY.search(number_format) is None:
        return _number(rounded)
    decimals = _decimals(number_format)
    has_cents = decimals and not rounded.is_integer()
    return _amount(
        rounded, f"{abs(rounded):.{decimals}f}" if has_cents else _number(abs(rounded)), number_format
    )


def _amount(value: float, number: str, number_format: str) -> str:
    """A number with its sign and the currency that stands before or behind it."""
    sign = "-" if value < 0 else ""
    if _MONEY.search(number_format) is None:
        return sign + number
    has_digits = False
    for literal, escaped, currency, other in _TOKENS.findall(number_format.partition(";")[0]):
        has_digits = has_digits or other in ("0", "#", "?")
        text = (literal or escaped or currency or other).strip()
        if _MONEY.search(text) and len(text) <= _LONGEST_CURRENCY:
            if has_digits:
                return f"{sign}{number} {text}"
            return f"{sign}{text}{' ' if len(text) > 1 else ''}{number}"
    return sign + number


def _rounded(value: float, number_format: str) -> float:
    decimals = _decimals(number_format)
    if decimals is None or abs(value) >= 10**_PRECISION or decimals > _PRECISION:
        return value
    # Half a unit is rounded up, of the number as it is written: 0.285 is 0.29 in Excel.
    unit = Decimal(1).scaleb(-decimals)
    return float(Decimal(repr(value)).quantize(unit, ROUND_HALF_UP))


def _decimals(number_format: str) -> int | None:
    """How many decimals a format shows, None where it is of another kind."""
    code = _DECIMALS.fullmatch(_QUOTED.sub("", number_format).split(";")[0])
    return None if code is None else len(code[1] or "")


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
_PROLOGUE = 4096  # bytes: a document type stands before the root element
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


class ExcelParser:
    """Reads `.xlsx` and `.xlsm`; formulas give their last computed value."""

    name = "excel"
    suffixes = frozenset({".xlsx", ".xlsm", ".xltx"})

    def __init__(self, max_cells: int = DEFAULT_MAX_CELLS) -> None:
        self._max_cells = max_cells

    def parse(self, source: SourceFile) -> ParsedDocument:
        """The workbook, a section for each table on a sheet.

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
                sections, left_out = self._read(data, archive)
        except _DAMAGED as error:
            raise UnreadableError("damaged", f"the file is damaged, or not {_WHAT}") from error
        if not sections:
            raise UnreadableError("no-text", "has no text: all sheets are empty")
        properties = read_properties(archive)
        return ParsedDocument(
            title=properties.title,
            source_type="excel",
            sections=tuple(sections),
            source_date=properties.source_date,
            language=language_of(sections, properties.language),
            tags=properties.tags,
            extra={"author": properties.author} if properties.author else {},
            left_out=tuple(left_out),
        )

    def _read(self, data: bytes, archive: Archive) -> tuple[list[Section], list[str]]:
        workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        sections: list[Section] = []
        left_out: list[str] = []
        room = self._max_cells
        try:
            for sheet in workbook.worksheets:
                if not isinstance(sheet, ReadOnlyWorksheet):
                    continue
                rows: list[Row] = []
                for row in _rows(sheet):
                    if room < 0:
                        read = f"is read up to row {rows[-1][0]:,} only" if rows else "is left out"
                        left_out.append(f'the sheet "{sheet.title}" {read}: the workbook is too large')
                        break
                    rows.append(row)
                    room -= len(row[1])
                xml = archive.read(sheet._worksheet_path) or b""
                left_out += unread_on_sheet(archive, sheet._worksheet_path, sheet.title, xml)
                if rows:
                    merged = merged_ranges(xml)
                    fill_merged(rows, merged)
                    sections.extend(_sections(sheet.title, rows, merged, len(sections)))
        finally:
            workbook.close()
        return sections, left_out


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
            yield number, texts
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
    if isinstance(value, str) and len(value) == 1 and not value.isdecimal():
        # A tick is a letter in a font of signs: "ü" stands for it in Wingdings.
        return symbol(cell.font.name or "", f"{ord(value):02X}") or shown_value(value, "")
    return shown_value(value, number_format)[:_MAX_CELL_CHARS]


def _sections(name: str, rows: list[Row], merged: list[Merged], part: int) -> Iterator[Section]:
    """A section for each table of a sheet."""
    tables = (table for group in tables_of(rows, merged) for table in group.side_by_side())
    for number, table in enumerate(tables, start=part):
        yield _section(name, table, number, rows[-1][0])


def _section(name: str, table: SheetTable, part: int, row_count: int) -> Section:
    rows = table.rows
    # A table that begins in a later column would otherwise begin each line with joints.
    first = min(next(index for index, text in enumerate(texts) if text) for _, texts in rows)
    lines: list[str] = []
    blocks: list[Block] = []
    row_index = 0
    for number, texts in rows:
        line = line_of(texts[first:])
        blocks.append(Block(row_index, row_index + len(line), "table", number))
        lines.append(line)
        row_index += len(line) + 1
    locator = SheetLocator(
        part=part,
        end_char=row_index - 1,
        sheet_name=name,
        row_count=row_count,
        first_row=rows[0][0],
        last_row=rows[-1][0],
    )
    # With bars at its ends it is never the beginning of the text, so the first chunk has it too: there titles
    # and several rows of names may stand above the data.
    header = row_of(table.columns[first:]) if table.columns else ""
    context = header if len(header) <= MOST_OF_HEAD else ""
    # A title stands once in the text, and says of every row whose it is and of which time.
    headings = (name, ", ".join(table.titles)) if table.titles else (name,)
    return Section("\n".join(lines), locator, headings, tuple(blocks), context)
