"""CSV and TSV: rows as blocks, found by their column names because each chunk carries the header row."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from bob.core.document import ParsedDocument
from bob.core.protocols import SourceFile
from bob.documents.lines import LineBlock, TextLines, found_sections

_DELIMITERS = ",;\t|"
_SNIFFED_ROWS = 20
_MAX_CONTEXT = 500  # characters of a header row


class CsvParser:
    """Takes tables of values between commas, semicolons, tabs or bars."""

    name = "csv"
    suffixes = frozenset({".csv", ".tsv"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """One section of whole rows with line locators; `context` is the header row.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        lines = TextLines(source.read_text())
        delimiter = sniff_delimiter(lines.plain)
        rows = _rows(lines.plain, delimiter)
        blocks: list[LineBlock] = [(first, last, "table") for first, last, _ in rows]
        header = next(((first, last, cells) for first, last, cells in rows if any(cells)), None)
        context = ""
        if header is not None and _names_columns(header[2]):
            context = "\n".join(lines.plain[header[0] : header[1]])[:_MAX_CONTEXT].strip()
        section = lines.section(0, len(lines), blocks=blocks, context=context)
        return ParsedDocument(title="", source_type="csv", sections=found_sections([section]))


def sniff_delimiter(lines: list[str]) -> str:
    """The delimiter that cuts the first rows into the most columns, and the same number each."""
    sample = [line for line in lines[: _SNIFFED_ROWS * 2] if line.strip()][:_SNIFFED_ROWS]
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        widths = [len(cells) for _, _, cells in _rows(sample, delimiter)]
        most_common = max(set(widths), key=lambda width: (widths.count(width), width), default=1)
        score = (most_common > 1) * widths.count(most_common) / max(len(widths), 1) * (1 + most_common / 1000)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _rows(lines: list[str], delimiter: str) -> list[tuple[int, int, list[str]]]:
    """First line, line after the last, and cells of each row; a quoted cell may hold line ends."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    groups: list[tuple[int, int, list[str]]] = []
    begin = 0
    try:
        for cells in reader:
            groups.append((begin, reader.line_num, cells))
            begin = reader.line_num
    except csv.Error:  # a cell above the module's limit, often because of a quote that never ends
        groups.extend(_lines_as_rows(lines, begin, delimiter))
    return groups


def _lines_as_rows(lines: list[str], begin: int, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    for index in range(begin, len(lines)):
        yield index, index + 1, lines[index].split(delimiter)


def _names_columns(cells: list[str]) -> bool:
    """Whether a first row reads like names: no numbers, none twice."""
    named = [cell.strip() for cell in cells if cell.strip()]
    has_numbers = any(cell.replace(".", "").replace(",", "").lstrip("+-").isdigit() for cell in named)
    return len(named) > 1 and not has_numbers and len(set(named)) == len(named)
