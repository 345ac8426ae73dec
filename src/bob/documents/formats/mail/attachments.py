"""Reads what is attached to a mail with the parser of its own format."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePath

from bob.core.document import Section
from bob.core.errors import UnreadableError
from bob.core.locator import LineLocator
from bob.documents.formats.html.markup import Piece, join_pieces
from bob.documents.formats.left_out import is_missed
from bob.documents.formats.mail.message import Attachment
from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.formats.source import HeldFile, decode
from bob.text.tables import delimited_rows, lines_of, names_columns, rule_below, sniff_delimiter

_MAX_BYTES = 20_000_000
_MAX_CHARS = 1_000_000
_OF_MAIL = "mail"
"""The parser that is not asked: mail within mail within mail has no end."""


_ARMOURED = b"-----BEGIN PGP MESSAGE-----"
_CUT = f"only the first {_MAX_CHARS:,} characters are read"


def read_attachment(attachment: Attachment) -> tuple[list[Section], list[str]]:
    """The sections of an attachment, and what of it is left out, such as all of it where no parser takes it.
    Of a picture there are neither."""
    path = Path(PurePath(attachment.name).name)
    parser = _registry().parser_for(path)
    if parser is None or parser.name == _OF_MAIL:
        return [], _unread(attachment, path, is_mailbox=parser is not None)
    try:
        if parser.name == "csv":
            text = decode(attachment.data)
            return [_table(text)], [f"{attachment.name}: {_CUT}"] if len(text) > _MAX_CHARS else []
        parsed = parser.parse(HeldFile(path, attachment.data, _MAX_BYTES))
    except UnreadableError as error:
        return [], [_not_read(attachment, error.reason)]
    left_out = [f"{attachment.name}: {sentence}" for sentence in parsed.left_out]
    room = _MAX_CHARS
    sections: list[Section] = []
    for section in parsed.sections:
        room -= len(section.text)
        if room < 0:
            left_out.append(f"{attachment.name}: {_CUT}")
            break
        sections.append(section)
    return sections, left_out


def _unread(attachment: Attachment, path: Path, *, is_mailbox: bool) -> list[str]:
    """The sentence of an attachment that is not given to a parser."""
    advice = "a mailbox within a mail" if is_mailbox else _registry().advice_for(path)
    if advice:
        return [_not_read(attachment, advice)]
    is_key = path.suffix.lower() in (".asc", ".pgp") and _ARMOURED not in attachment.data[:200]
    return (
        [f"{attachment.name} is of no format that Bob reads"] if is_missed(path.name) and not is_key else []
    )


def _not_read(attachment: Attachment, why: str) -> str:
    return f"{attachment.name} is not read ({why})"


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
