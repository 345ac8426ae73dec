"""Reads what is attached to a mail with the parser of its own format."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePath

from bob.core.document import Section
from bob.core.errors import UnreadableError
from bob.core.locator import LineLocator
from bob.documents.formats.html.markup import Piece, join_pieces
from bob.documents.formats.mail.message import Attachment
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import HeldFile, decode
from bob.text.tables import delimited_rows, lines_of, names_columns, rule_below, sniff_delimiter

_MAX_BYTES = 20_000_000
_MAX_CHARS = 1_000_000
_OF_MAIL = "mail"
"""The parser that is not asked: mail within mail within mail has no end."""


def attached_sections(attachment: Attachment) -> list[Section]:
    """The sections of an attachment; none where it is no document, such as a picture.

    Raises:
        UnreadableError: it is a document that cannot be read.
    """
    path = Path(PurePath(attachment.name).name)
    parser = _registry().parser_for(path)
    if parser is None or parser.name == _OF_MAIL:
        advice = _registry().advice_for(path) if parser is None else "a mailbox within a mail"
        if advice:
            raise UnreadableError("unsupported", advice)
        return []
    if parser.name == "csv":
        return [_table(decode(attachment.data))]
    room = _MAX_CHARS
    sections: list[Section] = []
    for section in parser.parse(HeldFile(path, attachment.data, _MAX_BYTES)).sections:
        room -= len(section.text)
        if room < 0:
            break
        sections.append(section)
    return sections


@cache
def _registry() -> ParserRegistry:
    return ParserRegistry()


def _table(text: str) -> Section:
    """Delimited text as a table that is read among other text."""
    lines = [line.rstrip("\r") for line in text[:_MAX_CHARS].split("\n")]
    rows = [cells for _, _, cells in delimited_rows(lines, sniff_delimiter(lines)) if any(cells)]
    written = lines_of(rows)
    if rows and names_columns(rows[0]):
        written.insert(1, rule_below(len(rows[0])))
    joined, blocks = join_pieces([Piece("\n".join(written), "table")])
    return Section(joined, LineLocator(start_line=1, end_line=1), (), blocks)
