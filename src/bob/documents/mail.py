"""Reads mail, `.eml` and `.mbox`: a section a message, with header, text and names of attachments."""

from __future__ import annotations

import email
import email.header
import email.utils
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from email.message import Message as MimeMessage
from email.parser import BytesHeaderParser
from email.policy import Compat32

from bob.core.document import ParsedDocument, Section, SourceDate
from bob.core.errors import UnreadableError
from bob.core.locator import MessageLocator
from bob.core.protocols import SourceFile
from bob.documents.markup import Piece, html_pieces, join_pieces
from bob.documents.metadata import language_of

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MAX_RAW_HEADER = 20_000
_MAX_HEADER = 2_000  # hundreds of recipients say less than the message
_MAX_PARTS = 500  # nested on purpose; honest mail has a dozen
_MAX_ATTACHED = 100_000  # characters of a text file that came with a message
_MAX_BODY = 5_000_000
_MAX_MARK = 400  # characters of a paragraph that introduces a quote; the patterns below are slow on long text
_ATTRIBUTION = re.compile(
    r"(?:.*\bwrote|.*\bschrieb|.*\ba écrit|.*\bescribió|.*\bha scritto)\b.{0,80}:\s*$", re.S
)
_CUT = re.compile(r"-{3,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht)\s*-{3,}", re.I)
_FIRST_YEAR = 1971  # the first mail was sent then; clocks at zero say 1970
# The standard library's decoders fail in these ways on headers that break the rules.
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, email.errors.MessageError)


@dataclass(frozen=True, slots=True)
class Message:
    """A message for people: header lines, body, names of attachments, and the text of attached text files."""

    header: tuple[str, ...]
    body: tuple[Piece, ...]
    attachments: tuple[str, ...]
    attached: tuple[Piece, ...]
    subject: str
    message_id: str
    day: date | None


def read_message(raw: bytes) -> Message:
    """The message in `raw`. Never raises: what cannot be decoded is shown with replacement characters."""
    mime = _parsed(raw)
    bodies: list[MimeMessage] = []
    attachments: list[str] = []
    attached: list[Piece] = []
    for part in _leaves(mime):
        name = _file_name(part)
        if name or part.get_content_disposition() == "attachment":
            attachments.append(name or part.get_content_type())
            if part.get_content_type() in ("text/plain", "text/csv", "text/markdown", "text/calendar"):
                attached += _attached(name, part)
        elif part.get_content_maintype() == "text":
            bodies.append(part)
    header = [(name, _header(mime, name)) for name in _SHOWN]
    return Message(
        header=tuple(f"{name}: {value}" for name, value in header if value),
        body=tuple(_body(bodies)),
        attachments=tuple(attachments),
        attached=tuple(attached),
        subject=_header(mime, "Subject"),
        message_id=_header(mime, "Message-ID").strip("<>"),
        day=_day(_header(mime, "Date")),
    )


class _BoundedHeaders(Compat32):
    """Cuts headers on their way in: the standard library's decoders take quadratic time on long ones."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_MAX_RAW_HEADER]


_POLICY = _BoundedHeaders()


def _parsed(raw: bytes) -> MimeMessage:
    try:
        return email.message_from_bytes(raw, policy=_POLICY)
    except (*_BROKEN, RecursionError):  # parts nested a thousand deep: all after the header is taken as text
        return BytesHeaderParser(policy=_POLICY).parsebytes(raw)


def _leaves(mime: MimeMessage) -> Iterator[MimeMessage]:
    """Parts that hold content, of alternatives the plain text; attached messages are opened."""
    waiting = [mime]
    for _ in range(_MAX_PARTS):
        if not waiting:
            return
        part = waiting.pop()
        payload = part.get_payload()
        if not isinstance(payload, list):
            yield part
            continue
        parts = [part for part in payload if isinstance(part, MimeMessage)]
        if part.get_content_type() == "multipart/alternative":
            plain = [
                part for part in parts if part.get_content_type() == "text/plain" and _decoded(part).strip()
            ]
            parts = plain[:1] or parts[-1:]
        waiting += reversed(parts)


def _body(parts: list[MimeMessage]) -> Iterator[Piece]:
    for part in parts:
        text = _decoded(part)
        if part.get_content_type() == "text/html" or (
            not part["Content-Type"] and text[:15].lower().startswith("<html")
        ):
            yield from html_pieces(text[:_MAX_BODY])
        else:
            yield from _plain_pieces(text[:_MAX_BODY])


def _plain_pieces(text: str) -> Iterator[Piece]:
    """Paragraphs between empty lines; a quoted reply is a quote, with the line that introduces it."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    pending: str | None = None
    forwarded = False
    for paragraph, quoted in _runs(unified):
        forwarded = forwarded or (len(paragraph) < _MAX_MARK and bool(_CUT.search(paragraph)))
        if pending is not None:
            joined = f"{pending}\n{paragraph}" if quoted else pending
            yield Piece(joined, "quote" if quoted else "paragraph")
            pending = None
            if quoted:
                continue
        if not quoted and len(paragraph) < _MAX_MARK and _ATTRIBUTION.match(paragraph):
            pending = paragraph
        else:
            yield Piece(paragraph, "quote" if quoted or forwarded else "paragraph")
    if pending is not None:
        yield Piece(pending)


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Runs of lines that are all quoted or all not, ended by empty lines."""
    lines: list[str] = []
    quoted = False
    for line in [*text.split("\n"), ""]:
        begins_quote = line.startswith(">")
        empty = not line.strip()
        if lines and (empty or begins_quote != quoted):
            yield "\n".join(lines), quoted
            lines = []
        if not empty:
            lines.append(line.rstrip())
            quoted = begins_quote
    if lines:
        yield "\n".join(lines), quoted


def _attached(name: str, part: MimeMessage) -> Iterator[Piece]:
    text = _decoded(part)
    if len(text) > _MAX_ATTACHED or "\x00" in text:
        return
    if text.strip():
        yield Piece(f"{name}:" if name else "Attached text:")
        yield from (
            Piece(paragraph) for paragraph, _ in _runs(text.replace("\r\n", "\n").replace("\r", "\n"))
        )


def _decoded(part: MimeMessage) -> str:
    try:
        payload = part.get_payload(decode=True)
    except _BROKEN:
        payload = None
    data = payload if isinstance(payload, bytes) else b""
    for charset in (part.get_content_charset(), "utf-8", "cp1252"):
        try:
            return _readable(data.decode(charset)) if charset else _readable(data.decode("utf-8"))
        except (UnicodeDecodeError, LookupError, ValueError):
            continue
    return _readable(data.decode("utf-8", "replace"))


def _readable(text: str) -> str:
    return text.replace("\x00", "")


def _header(mime: MimeMessage, name: str) -> str:
    """The value on one line, decoded as far as it can be."""
    # `get` would already have replaced bytes that were not announced.
    value = next((str(raw) for key, raw in mime.raw_items() if key.lower() == name.lower()), "")
    try:
        text = str(email.header.make_header(email.header.decode_header(value)))
    except _BROKEN:
        text = value
    # Such bytes come as surrogates: most are UTF-8, the rest Windows' Western letters.
    try:
        text = text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode("utf-8")
    except UnicodeDecodeError:
        text = text.encode("utf-8", "surrogateescape").decode("cp1252", "replace")
    return " ".join(_readable(text).split())[:_MAX_HEADER]


def _file_name(part: MimeMessage) -> str:
    try:
        name = part.get_filename() or ""
        decoded = str(email.header.make_header(email.header.decode_header(name)))
    except _BROKEN:
        return ""
    return " ".join(decoded.encode("utf-8", "replace").decode("utf-8").split())[:255]


def _day(text: str) -> date | None:
    try:
        value = email.utils.parsedate_to_datetime(text)
    except (*_BROKEN, OverflowError, IndexError):
        return None
    return value.date() if value.year >= _FIRST_YEAR else None


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
            raise UnreadableError("damaged", "not a mail: it does not begin with a header")
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
