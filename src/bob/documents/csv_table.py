"""CSV and TSV: rows as blocks, found by their column names because each chunk carries the header row."""

from __future__ import annotations

from bob.core.document import ParsedDocument
from bob.core.protocols import SourceFile
from bob.documents.lines import LineBlock, TextLines, found_sections
from bob.text.tables import delimited_rows, names_columns, sniff_delimiter

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
        rows = delimited_rows(lines.plain, delimiter)
        blocks: list[LineBlock] = [(first, last, "table") for first, last, _ in rows]
        header = next(((first, last, cells) for first, last, cells in rows if any(cells)), None)
        context = ""
        if header is not None and names_columns(header[2]):
            context = "\n".join(lines.plain[header[0] : header[1]])[:_MAX_CONTEXT].strip()
        section = lines.section(0, len(lines), blocks=blocks, context=context)
        return ParsedDocument(title="", source_type="csv", sections=found_sections([section]))
