"""Reads one mail message as people send them: odd encodings, missing parts and broken headers survive."""

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

from bob.documents.markup import Piece, html_pieces

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
        parts = [each for each in payload if isinstance(each, MimeMessage)]
        if part.get_content_type() == "multipart/alternative":
            plain = [
                each for each in parts if each.get_content_type() == "text/plain" and _decoded(each).strip()
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
