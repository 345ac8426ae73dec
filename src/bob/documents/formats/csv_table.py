"""CSV and TSV: rows as blocks, found by their column names because each chunk carries the header row."""

from __future__ import annotations

from bob.core.document import ParsedDocument
from bob.core.protocols import SourceFile
from bob.documents.formats.lines import LineBlock, TextLines, found_sections
from bob.text.table_heads import FEWEST_WORDS_OF_DATA, head_of, names_of
from bob.text.tables import MOST_OF_HEAD, delimited_rows, row_of, sniff_delimiter

_HEADER_SEARCH = 100  # rows: of these a header and the first rows below it are


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
        rows = delimited_rows(lines.plain, delimiter)
        blocks: list[LineBlock] = [(first, last, "table") for first, last, _ in rows]
        context = _header(lines, rows, delimiter)
        section = lines.section(0, len(lines), blocks=blocks, context=context, delimiter=delimiter)
        return ParsedDocument(title="", source_type="csv", sections=found_sections([section]))


def _header(lines: TextLines, rows: list[tuple[int, int, list[str]]], delimiter: str) -> str:
    texts = [[" ".join(cell.split()) for cell in cells] for _, _, cells in rows[:_HEADER_SEARCH]]
    head = head_of(texts, fewest_words=FEWEST_WORDS_OF_DATA)
    if head is None:
        return ""
    first, after = head
    if after - first > 1:
        header = row_of(names_of(texts[first:after]), delimiter)
    else:
        header = "\n".join(lines.plain[rows[first][0] : rows[first][1]]).strip("\n")
    return header if len(header) <= MOST_OF_HEAD else ""
