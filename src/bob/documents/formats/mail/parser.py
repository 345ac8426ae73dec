"""Reads mail, `.eml` and `.mbox`: what each message says, what it quotes from whom, and what is attached."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from bob.core.document import Block, ParsedDocument, Section, SourceDate
from bob.core.errors import UnreadableError
from bob.core.locator import MessageLocator
from bob.core.protocols import SourceFile
from bob.documents.formats.html.markup import Piece, join_pieces
from bob.documents.formats.left_out import said_of
from bob.documents.formats.mail.attachments import read_attachment
from bob.documents.formats.mail.message import Message, read_message
from bob.documents.formats.mail.quotes import Stretch
from bob.documents.formats.metadata import language_of

_LONG_QUOTATION = 500
"""Characters; what is no longer stands where it is answered."""

DEFAULT_MAX_MESSAGES = 20_000  # some years of one person's mail; a message takes about a millisecond
DEFAULT_MAX_CHARS = 100_000_000

# A line "From someone date" after an empty line begins a message; such lines inside one are written ">From ".
_BEGINS = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From (?=[^\r\n]*+\r?\n)\S[^\r\n]*\d:\d\d[^\r\n]*\r?\n")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_HEADER = re.compile(rb"[!-9;-~]{1,100}:")
_HEAD_OF_MAILBOX = re.compile(rb"(?:%b[^\n]*\n){0,40}?(?:From|Date):" % _HEADER.pattern)
_MOST_OF_HEAD = 5_000


def looks_like_mailbox(text: str) -> bool:
    """Whether a text begins as a mailbox does, such as the archive of a mailing list for a month.

    >>> looks_like_mailbox("From ann at x.org  Mon Mar  3 09:00:00 2025\\nFrom: ann at x.org (Ann)\\n")
    True
    >>> looks_like_mailbox("From Monday 9:00 on\\nthe pier is open.\\n")
    False
    """
    head = text[:_MOST_OF_HEAD].lstrip().encode("utf-8", "replace")
    first = _BEGINS.match(head)
    return first is not None and _HEAD_OF_MAILBOX.match(head, first.end()) is not None


class MailParser:
    """Reads `.eml` (one message) and `.mbox` (many, one after another)."""

    name = "mail"
    suffixes = frozenset({".eml", ".mbox"})

    def __init__(self, max_messages: int = DEFAULT_MAX_MESSAGES, max_chars: int = DEFAULT_MAX_CHARS) -> None:
        self._max_messages = max_messages
        self._max_chars = max_chars

    def parse(self, source: SourceFile) -> ParsedDocument:
        """The mail: of each message a section with what it says, one for each long quotation in it, and those
        of its attachments. The source date is that of the newest; of several each has its own in its heading.

        Raises:
            UnreadableError: "damaged" (no mail at all), "no-text", or what reading the file raises.
        """
        data = source.read_bytes()
        spans = _message_spans(data)
        sections: list[Section] = []
        newest: date | None = None
        room = self._max_chars
        subject = ""
        left_out: list[str] = []
        done = 0
        for number, (start, end) in enumerate(spans[: self._max_messages], start=1):
            # One message at a time is decoded; the rest of the mailbox stays bytes.
            raw = data[start:end] if len(spans) == 1 else _QUOTED_FROM.sub(rb"\1", data[start:end])
            message = read_message(raw)
            made, parts = _sections(message, len(sections), number, len(spans))
            newest = max(filter(None, (newest, message.day)), default=None)
            subject = subject or message.subject
            sections += made
            left_out += parts
            done = number
            room -= sum(len(section.text) for section in made)
            if room < 0:
                break
        if not sections:
            raise UnreadableError("no-text", "holds no message")
        rest = range(done + 1, len(spans) + 1)
        left_out += said_of("message", rest, "is left out", "are left out", "the mailbox is too long")
        return ParsedDocument(
            title=subject if len(spans) == 1 else "",
            source_type="mail",
            sections=tuple(sections),
            source_date=SourceDate(newest, "properties") if newest else None,
            language=language_of(sections),
            extra={"messages": str(len(spans))},
            left_out=tuple(left_out),
        )


def _message_spans(data: bytes) -> list[tuple[int, int]]:
    """Where each message begins and ends, without the line that parts it from the one before."""
    starts = [(match.start(), match.end()) for match in _BEGINS.finditer(data)]
    if not starts or data[: starts[0][0]].strip():
        head = data.lstrip()[:2000]
        if not starts and not _HEADER.match(head):
            raise UnreadableError("damaged", "not a mail: it does not begin with a header")
        if not starts or _HEADER.match(head):
            return [(0, len(data))]  # a single message, which may quote others
    ends = [start for start, _ in starts[1:]] + [len(data)]
    return [(start, end) for (_, start), end in zip(starts, ends, strict=True)]


class _Sections:
    """The sections of a message: what it says with the short quotations in it, each long quotation, and what
    each attachment says."""

    def __init__(self, message: Message, first: int, number: int, total: int) -> None:
        self.sections: list[Section] = []
        self._message = message
        self._first = first
        self._number = number
        self._total = total
        self._heading = _heading(message) if total > 1 else message.subject

    def add(
        self, text: str, blocks: Sequence[Block], headings: Sequence[str] = (), context: str = ""
    ) -> None:
        """Add a section under the heading of its message."""
        locator = MessageLocator(
            part=self._first + len(self.sections),
            end_char=len(text),
            message=self._number,
            total_messages=self._total,
            subject=self._message.subject or None,
            message_id=self._message.message_id or None,
        )
        path = tuple(filter(None, (self._heading, *headings)))
        self.sections.append(Section(text, locator, path, tuple(blocks), context))


def _sections(message: Message, first: int, number: int, total: int) -> tuple[list[Section], list[str]]:
    """The sections of a message, and what of it is left out."""
    made = _Sections(message, first, number, total)
    own = [Piece("\n".join(message.header))] if message.header else []
    apart: list[Stretch] = []
    for stretch in message.body:
        if stretch.speaker and sum(len(piece.text) for piece in stretch.pieces) > _LONG_QUOTATION:
            apart.append(stretch)
        else:
            own += stretch.pieces
    if message.attachments:
        own.append(Piece("Attachments: " + ", ".join(file.name for file in message.attachments)))
    if own:
        made.add(*join_pieces(own))
    for stretch in apart:
        made.add(*join_pieces(list(stretch.pieces)), (stretch.speaker,), stretch.speaker)
    of_message = f"message {number:,}: " if total > 1 else ""
    left_out = [f"{of_message}the text is cut off: it is too long"] if message.is_cut else []
    for attachment in message.attachments:
        sections, parts = read_attachment(attachment)
        for section in sections:
            headings = (attachment.name, *section.heading_path)
            made.add(section.text, section.blocks, headings, section.context)
        left_out += [f"{of_message}attachment {part}" for part in parts]
    return made.sections, left_out


def _heading(message: Message) -> str:
    """What names a message among others: "2025-03-12, Ann Lee: Re: paint"."""
    day = message.day.isoformat() if message.day else ""
    sent = ", ".join(filter(None, (day, message.sender)))
    return ": ".join(filter(None, (sent, message.subject)))
