"""Decodes one mail: its header, what it says and quotes, and what is attached to it."""

from __future__ import annotations

import email
import email.header
import email.utils
import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from email.message import Message as MimeMessage
from email.parser import BytesHeaderParser
from email.policy import Compat32

from bob.core.storable import encodable
from bob.documents.formats.html.markup import html_pieces
from bob.documents.formats.mail.quotes import Run, Stretch, html_runs, plain_runs, stretches
from bob.text.turns import sender_name

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MAX_RAW_HEADER = 20_000
_MAX_HEADER = 2_000  # hundreds of recipients say less than the message
_MAX_PARTS = 500  # nested on purpose; honest mail has a dozen
_MAX_BODY = 5_000_000
_MAX_COMPARED = 20_000  # characters of alternatives whose words are compared
_FEW_WORDS = 40  # a text of more is no notice that there is something else to see
_WORD = re.compile(r"[^\W\d_]+")
_FIRST_YEAR = 1971  # the first mail was sent then; clocks at zero say 1970
# The standard library's decoders fail in these ways on headers that break the rules.
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, email.errors.MessageError)

_OBSCURED = re.compile(r"\A([\w.+-]+) at ([\w.-]+\.\w+) \((.*)\)\Z")
_PLAIN_ADDRESS = r"\3 <\1@\2>"
"""How archives of lists write who sent a mail: "bo at x.example (Bo Chan)"."""

_NO_TEXT = re.compile(
    r"^[> \t]*-----BEGIN PGP SIGNED MESSAGE-----\s*\n(?:[> \t]*Hash: .*\n)*|"
    r"^[> \t]*-----BEGIN PGP SIGNATURE-----[ \t]*\r?\n(?:(?![> \t]*-----)[^\n]{0,200}\n){1,60}"
    r"[> \t]*-----END PGP SIGNATURE-----[ \t]*\r?\n?|"
    r"^-{6,} next part -{6,}\n"
    r"(?:An? [^\n]{0,80} was scrubbed\.\.\.\n(?:(?:Name|Type|Size|Desc|URL): [^\n]*\n?)*)?",
    re.MULTILINE,
)
"""What a signed message (RFC 9580, section 7) has besides its text, and what stands in archives of lists in
place of attachments."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a mail; text is UTF-8 already."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """A mail for people: header lines, who wrote what of the body, and its attachments. `is_cut` when
    there is more of it than is read."""

    header: tuple[str, ...]
    body: tuple[Stretch, ...]
    attachments: tuple[Attachment, ...]
    sender: str
    subject: str
    message_id: str
    day: date | None
    is_cut: bool = False


def read_message(raw: bytes) -> Message:
    """The message in `raw`. Never raises: what cannot be decoded is shown with replacement characters."""
    mime = _parsed(raw)
    body: list[Stretch] = []
    attachments: list[Attachment] = []
    room, is_cut = _MAX_BODY, False
    waiting = [(mime, mime)]
    for part, carrier in _leaves(waiting):
        name = _file_name(part)
        if name or part.get_content_disposition() == "attachment":
            attachments.append(_attachment(name, part))
        elif part.get_content_maintype() == "text" or part is carrier:
            text = _decoded(part)
            is_cut |= len(text) > room
            runs = _runs(part, text[:room])
            # What a message that is attached says is said by who sent that.
            announced = [Run(_header_lines(carrier), role="header")] if carrier is not mime else []
            body += stretches([*announced, *runs])
            room = max(room - sum(len(line) for run in runs for line in run.lines), 0)
    return Message(
        header=_header_lines(mime),
        body=tuple(body),
        attachments=tuple(attachments),
        sender=sender_name(_header(mime, "From")),
        subject=_header(mime, "Subject"),
        message_id=_header(mime, "Message-ID").strip("<>"),
        day=_day(_header(mime, "Date")),
        is_cut=is_cut or bool(waiting),
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


def _leaves(waiting: list[tuple[MimeMessage, MimeMessage]]) -> Iterator[tuple[MimeMessage, MimeMessage]]:
    """Parts that hold content, each with the message that it is of: the mail, or one attached to it. Of
    alternatives there is one. What is left in `waiting` is too much."""
    for _ in range(_MAX_PARTS):
        if not waiting:
            return
        part, carrier = waiting.pop()
        payload = part.get_payload()
        if isinstance(payload, list):
            parts = [part for part in payload if isinstance(part, MimeMessage)]
            if part.get_content_maintype() == "message":
                waiting += [(part, part) for part in parts]
            else:
                if part.get_content_type() == "multipart/alternative":
                    parts = _alternative(parts)
                waiting += [(part, carrier) for part in reversed(parts)]
        elif _file_name(part).lower().endswith(".eml"):
            attached = _parsed(_payload(part))
            waiting.append((attached, attached))
        else:
            yield part, carrier


def _alternative(parts: list[MimeMessage]) -> list[MimeMessage]:
    """Of alternatives the plain text, and what else there is where that says little of it: "Your program
    cannot display HTML"."""
    plain = next(
        (part for part in parts if part.get_content_type() == "text/plain" and _decoded(part).strip()), None
    )
    if plain is None:
        return parts[-1:]
    said = set(_WORD.findall(_decoded(plain)[:_MAX_COMPARED].lower()))
    rich = next((part for part in reversed(parts) if part is not plain), None)
    html = rich and next((part for part in rich.walk() if part.get_content_type() == "text/html"), None)
    if rich is None or html is None or len(said) > _FEW_WORDS:
        return [plain]
    pieces = html_pieces(_decoded(html)[:_MAX_COMPARED])
    shown = set(_WORD.findall(" ".join(piece.text for piece in pieces).lower()))
    return [plain, rich] if len(said & shown) * 2 < min(len(said), len(shown)) else [plain]


def _runs(part: MimeMessage, text: str) -> list[Run]:
    if part.get_content_type() == "text/html" or (
        not part["Content-Type"] and text[:15].lower().startswith("<html")
    ):
        return list(html_runs(html_pieces(text)))
    return list(plain_runs(_NO_TEXT.sub("", text)))


def _attachment(name: str, part: MimeMessage) -> Attachment:
    kind = part.get_content_type()
    data = _decoded(part).encode() if kind.startswith("text/") else _payload(part)
    if "." not in name:
        name = f"{name or kind.partition('/')[0]}{mimetypes.guess_extension(kind) or ''}"
    return Attachment(name, data)


def _payload(part: MimeMessage) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except _BROKEN:
        payload = None
    return payload if isinstance(payload, bytes) else b""


def _decoded(part: MimeMessage) -> str:
    data = _payload(part)
    for charset in (part.get_content_charset(), "utf-8", "cp1252"):
        try:
            return _readable(data.decode(charset)) if charset else _readable(data.decode("utf-8"))
        except (UnicodeDecodeError, LookupError, ValueError):
            continue
    return _readable(data.decode("utf-8", "replace"))


def _readable(text: str) -> str:
    return text.replace("\x00", "")


def _header_lines(mime: MimeMessage) -> tuple[str, ...]:
    header = [(name, _header(mime, name)) for name in _SHOWN]
    return tuple(f"{name}: {_OBSCURED.sub(_PLAIN_ADDRESS, value)}" for name, value in header if value)


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
        text = encodable(text)
    except UnicodeDecodeError:
        text = text.encode("utf-8", "surrogateescape").decode("cp1252", "replace")
    return " ".join(_readable(text).split())[:_MAX_HEADER]


def _file_name(part: MimeMessage) -> str:
    try:
        name = part.get_filename() or ""
        decoded = str(email.header.make_header(email.header.decode_header(name)))
    except _BROKEN:
        return ""
    return " ".join(encodable(decoded).split())[:255]


def _day(text: str) -> date | None:
    try:
        value = email.utils.parsedate_to_datetime(text)
    except (*_BROKEN, OverflowError, IndexError):
        return None
    return value.date() if value.year >= _FIRST_YEAR else None
