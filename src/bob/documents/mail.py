"""Reads mail, `.eml` and `.mbox`: a section a message, with header, text and names of attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from bob.core.document import ParsedDocument, Section, SourceDate
from bob.core.errors import UnreadableError
from bob.core.locator import MessageLocator
from bob.core.protocols import SourceFile
from bob.documents.language import language_of
from bob.documents.mail_message import Message, read_message
from bob.documents.markup import Piece, join_pieces

DEFAULT_MAX_MESSAGES = 20_000  # some years of one person's mail; a message takes about a millisecond
DEFAULT_MAX_CHARS = 100_000_000

# A line "From someone date" after an empty line begins a message; such lines inside one are written ">From ".
_BEGINS = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From (?=[^\r\n]*+\r?\n)\S[^\r\n]*\d:\d\d[^\r\n]*\r?\n")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_HEADER = re.compile(rb"[!-9;-~]{1,100}:")


class MailParser:
    """Reads `.eml` (one message) and `.mbox` (many, one after another)."""

    name = "mail"
    suffixes = frozenset({".eml", ".mbox"})

    def __init__(self, max_messages: int = DEFAULT_MAX_MESSAGES, max_chars: int = DEFAULT_MAX_CHARS) -> None:
        self._max_messages = max_messages
        self._max_chars = max_chars

    def parse(self, source: SourceFile) -> ParsedDocument:
        """The mail, a section for each message; the source date is that of the newest.

        Raises:
            UnreadableError: "damaged" (no mail at all), "no-text", or what reading the file raises.
        """
        data = source.read_bytes()
        spans = _message_spans(data)
        sections: list[Section] = []
        newest: date | None = None
        room = self._max_chars
        subject = ""
        for number, (start, end) in enumerate(spans[: self._max_messages], start=1):
            # One message at a time is decoded; the rest of the mailbox stays bytes.
            raw = data[start:end] if len(spans) == 1 else _QUOTED_FROM.sub(rb"\1", data[start:end])
            message = read_message(raw)
            section = _section(message, len(sections), number, len(spans))
            newest = max(filter(None, (newest, message.day)), default=None)
            subject = subject or message.subject
            if section is not None:
                sections.append(section)
                room -= len(section.text)
            if room < 0:
                break
        if not sections:
            raise UnreadableError("no-text", "holds no message")
        cut = room < 0 or len(spans) > self._max_messages
        extra = {
            "messages": str(len(spans)),
            "truncated": f"read {len(sections):,} of {len(spans):,} messages" if cut else "",
        }
        return ParsedDocument(
            title=subject if len(spans) == 1 else "",
            source_type="mail",
            sections=tuple(sections),
            source_date=SourceDate(newest, "properties") if newest else None,
            language=language_of(sections),
            extra={key: value for key, value in extra.items() if value},
        )


def _message_spans(data: bytes) -> list[tuple[int, int]]:
    """Where each message begins and ends, without the line that parts it from the one before."""
    starts = [(match.start(), match.end()) for match in _BEGINS.finditer(data)]
    if not starts or data[: starts[0][0]].strip():
        head = data.lstrip()[:2000]
        if not starts and not _HEADER.match(head):
            raise UnreadableError("damaged", "this is no mail: it does not begin with a header")
        if not starts or _HEADER.match(head):
            return [(0, len(data))]  # a single message, which may quote others
    ends = [start for start, _ in starts[1:]] + [len(data)]
    return [(start, end) for (_, start), end in zip(starts, ends, strict=True)]


def _section(message: Message, part: int, number: int, total: int) -> Section | None:
    pieces = list(_pieces(message))
    if not pieces:
        return None
    text, blocks = join_pieces(pieces)
    locator = MessageLocator(
        part=part,
        end_char=len(text),
        message=number,
        total_messages=total,
        subject=message.subject or None,
        message_id=message.message_id or None,
    )
    return Section(text, locator, (message.subject,) if message.subject else (), blocks)


def _pieces(message: Message) -> Iterator[Piece]:
    if message.header:
        yield Piece("\n".join(message.header))
    yield from message.body
    if message.attachments:
        yield Piece("Attachments: " + ", ".join(message.attachments))
    yield from message.attached
