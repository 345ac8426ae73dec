"""Reads what programs for chats export: WhatsApp and IRC as text, Slack, Discord and Telegram as JSON.

A chat is cut by days; within a day each message stands behind who wrote it and when.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Literal

from bob.core.document import ParsedDocument, Section, SourceDate
from bob.core.locator import MessageLocator
from bob.documents.formats.html.markup import Piece, join_pieces
from bob.documents.formats.lines import LineBlock, TextLines
from bob.documents.formats.metadata import language_of
from bob.text.dates import date_in_name
from bob.text.turns import ChatLine, chat_label, chat_line

_LOOKED_AT = 400
"""Lines by which a text is known as a chat."""
_LEAST_SHARE, _LEAST_OF_OTHERS = 1 / 3, 4 / 5
"""Of them that must begin a message, and of a text that begins with something else or has no times: "<x> y"
alone may be markup."""
_LONG_MESSAGE = 1200
"""Characters; a longer one is a section of its own, so that each chunk of it knows who wrote it."""
_LEVEL = re.compile(r"(?i:trace|debug|info|notice|warn|warning|error|err|fatal|critical|alert)\Z")
"""How the "speaker" of a program's log ends."""
_DAY_OF_LOG = re.compile(r"--- (?:Log opened|Day changed) \w{3} (\w{3}) +(\d{1,2}) (?:[\d:]{8} )?(\d{4})")
Order = Literal["day", "month"]
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class _Lines:
    """A message in lines `first` to `last` (excluded) of a text, or lines that are nobody's."""

    first: int
    last: int
    line: ChatLine
    day: date | None


def read_chat(text: str, path: Path) -> ParsedDocument:
    """A chat that was exported as text: one that `looks_like_chat`."""
    lines = TextLines(text)
    messages = _messages(lines, date_in_name(path.name))
    sections: list[Section] = []
    for day, of_day in groupby(messages, lambda message: message.day):
        heading = day.isoformat() if day else ""
        for group in _parted(lines, list(of_day)):
            long = len(group) == 1 and _size(lines, group[0]) > _LONG_MESSAGE
            first = group[0].line
            context = chat_label(first.speaker, heading, first.time) if long else heading
            blocks: list[LineBlock] = [(message.first, message.last, "paragraph") for message in group]
            section = lines.section(
                group[0].first,
                group[-1].last,
                [heading] if heading else [],
                blocks,
                context,
            )
            if section is not None:
                sections.append(section)
    return _document("", sections, (message.day for message in messages))


def looks_like_chat(text: str) -> bool:
    """Whether the first lines of a text are messages, each behind who wrote it."""
    inked = [line for line in text.split("\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    begun = [message for message in map(chat_line, inked) if message is not None]
    spoken = [message for message in begun if message.speaker]
    if len(spoken) < 2:
        return False
    if sum(_LEVEL.search(message.speaker) is not None for message in spoken) * 2 > len(spoken):
        return False
    is_sure = chat_line(inked[0]) is not None and any(message.time for message in spoken)
    return len(begun) >= (_LEAST_SHARE if is_sure else _LEAST_OF_OTHERS) * len(inked)


def _messages(lines: TextLines, day: date | None) -> list[_Lines]:
    """The messages, without what programs of IRC tell; `day` is that of a text which states only times."""
    begun = [(index, message) for index, line in enumerate(lines.plain) if (message := chat_line(line))]
    order = _order_of([message for _, message in begun])
    ends = [*(index for index, _ in begun[1:]), len(lines)]
    messages: list[_Lines] = []
    if begun[0][0]:
        first_day = _day_in(begun[0][1].day, order) or day
        messages.append(_Lines(0, begun[0][0], ChatLine(0, "", "", ""), first_day))
    for (first, message), last in zip(begun, ends, strict=True):
        if changed := _DAY_OF_LOG.match(lines.plain[first]):
            day = _day_of(parsedate(f"{changed[2]} {changed[1]} {changed[3]} 00:00:00"))
        if message.speaker or not message.is_of_program:
            messages.append(_Lines(first, last, message, _day_in(message.day, order) or day))
    return messages


def _order_of(messages: Sequence[ChatLine]) -> Order:
    """Whether the days of a chat have the day or the month first: what leaves no day impossible or before the
    one above it, and then what makes of them the shorter time."""

    def doubts(order: Order) -> tuple[int, int, int, bool]:
        days = [_day_in(message.day, order) for message in messages if message.day]
        known = [day for day in days if day]
        back = sum(later < earlier for earlier, later in pairwise(known))
        span = (max(known) - min(known)).days if known else 0
        return len(days) - len(known), back, span, order != usual

    is_american = any("/" in message.day and message.time[-1:].lower() == "m" for message in messages)
    usual: Order = "month" if is_american else "day"
    orders: tuple[Order, Order] = ("day", "month")
    return min(orders, key=doubts)


def _day_in(written: str, order: Order) -> date | None:
    numbers = list(map(int, _NUMBER.findall(written)))
    if len(numbers) != 3:
        return None
    if numbers[0] > 31:
        return _day_of(numbers)
    first, second, year = numbers
    month, day = (first, second) if order == "month" else (second, first)
    return _day_of((year + 2000 if year < 100 else year, month, day))


def _day_of(numbers: Sequence[int] | None) -> date | None:
    try:
        return date(*numbers[:3]) if numbers else None
    except ValueError:
        return None


def _parted(lines: TextLines, messages: Sequence[_Lines]) -> Iterator[list[_Lines]]:
    """The messages of a day, each long one alone."""
    group: list[_Lines] = []
    for message in messages:
        is_long = _size(lines, message) > _LONG_MESSAGE
        if group and is_long:
            yield group
            group = []
        group.append(message)
        if is_long:
            yield group
            group = []
    if group:
        yield group


def _size(lines: TextLines, message: _Lines) -> int:
    return lines.starts[message.last] - lines.starts[message.first]


def _document(title: str, sections: Sequence[Section], days: Iterable[date | None]) -> ParsedDocument:
    """The chat, dated by its last message."""
    newest = max(filter(None, days), default=None)
    return ParsedDocument(
        title=title,
        source_type="chat",
        sections=tuple(sections),
        source_date=SourceDate(newest, "properties") if newest else None,
        language=language_of(sections),
    )


# JSON


@dataclass(frozen=True, slots=True)
class _Message:
    speaker: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class _Chat:
    title: str
    messages: list[_Message]


_SPOKEN_IN_DISCORD = ("Default", "Reply")
_EMOJI = re.compile(r"(?<![\w:]):[a-z0-9_+-]{1,40}:(?::skin-tone-\d:)?(?!\w)")
_SLACK_MARK = re.compile(r"<(?P<sign>[@#!]?)(?P<target>[^<>|]{1,500})(?:\|(?P<label>[^<>]{1,500}))?>")


def read_chat_data(data: Any, path: Path) -> ParsedDocument | None:
    """The chat in a value of JSON, as Slack, Discord or Telegram export it; None for any other value."""
    try:
        chats = list(_chats(data, path))
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError, OverflowError, OSError):
        return None
    sections: list[Section] = []
    for chat in chats:
        sections += _sections(chat, len(sections), (chat.title,) if len(chats) > 1 else ())
    if not sections:
        return None
    days = (message.at.date() for chat in chats for message in chat.messages)
    return _document(chats[0].title if len(chats) == 1 else "", sections, days)


def _chats(data: Any, path: Path) -> Iterator[_Chat]:
    """The chats in an export, by its structure."""
    if isinstance(data, list) and data and all(_is_of_slack(value) for value in data):
        names = _slack_names(path)
        messages = [message for value in data if (message := _slack_message(value, names))]
        yield _Chat(f"#{path.parent.name}" if path.parent.name else "", messages)
    elif isinstance(data, dict) and isinstance(data.get("channel"), dict) and "guild" in data:
        guild, channel = data["guild"] or {}, data["channel"]
        title = " #".join(filter(None, (str(guild.get("name") or ""), str(channel.get("name") or ""))))
        spoken = (value for value in data["messages"] if value.get("type") in _SPOKEN_IN_DISCORD)
        yield _Chat(title, [message for value in spoken if (message := _discord_message(value))])
    elif isinstance(data, dict):
        exported = data["chats"]["list"] if isinstance(data.get("chats"), dict) else [data]
        for chat in exported:
            values = chat["messages"]
            if values and all(
                value.get("type") in ("message", "service") and "date" in value for value in values
            ):
                messages = [message for value in values if (message := _telegram_message(value))]
                yield _Chat(str(chat.get("name") or ""), messages)


def _is_of_slack(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "message" and "ts" in value


def _slack_names(path: Path) -> dict[str, str]:
    """The names of the people, by their ids, from the list that is exported with the channels' folders."""
    for folder in (path.parent, path.parent.parent):
        listed = folder / "users.json"
        if listed.is_file():
            users = json.loads(listed.read_text(encoding="utf-8"))
            return {user["id"]: _slack_name(user.get("profile") or {}, user) for user in users}
    return {}


def _slack_name(profile: dict[str, Any], user: dict[str, Any]) -> str:
    names = (profile.get("real_name"), user.get("real_name"), profile.get("display_name"), user.get("name"))
    return str(next(filter(None, names), ""))


def _slack_message(value: dict[str, Any], names: dict[str, str]) -> _Message | None:
    if str(value.get("subtype") or "").startswith(("channel_", "group_")):
        return None
    speaker = _slack_name(value.get("user_profile") or {}, {}) or names.get(value.get("user", ""), "")
    speaker = speaker or str(value.get("username") or value.get("user") or "")

    def shown(mark: re.Match[str]) -> str:
        sign = mark["sign"].replace("!", "@")
        return sign + (mark["label"] or names.get(mark["target"]) or mark["target"])

    text = html.unescape(_SLACK_MARK.sub(shown, _EMOJI.sub("", str(value.get("text") or ""))))
    return _message(speaker, datetime.fromtimestamp(float(value["ts"]), UTC), text)


def _discord_message(value: dict[str, Any]) -> _Message | None:
    author = value["author"]
    speaker = str(author.get("nickname") or author.get("name") or "")
    return _message(speaker, datetime.fromisoformat(value["timestamp"]), str(value.get("content") or ""))


def _telegram_message(value: dict[str, Any]) -> _Message | None:
    parts = value.get("text") or ""
    parts = parts if isinstance(parts, list) else [parts]
    text = "".join(part if isinstance(part, str) else str(part.get("text") or "") for part in parts)
    speaker = str(value.get("from") or value.get("actor") or "")
    if value.get("forwarded_from"):
        speaker = f"{value['forwarded_from']} (forwarded by {speaker})"
    if value["type"] == "service":
        return None
    return _message(speaker, datetime.fromisoformat(value["date"]), text)


def _message(speaker: str, at: datetime, text: str) -> _Message | None:
    speaker = " ".join(speaker.replace(":", " ").split())
    return _Message(speaker or "?", at, text.strip()) if text.strip() else None


def _sections(chat: _Chat, first_part: int, headings: Sequence[str]) -> Iterator[Section]:
    """The days of a chat; a long message is a section of its own."""
    part = first_part
    numbered = list(enumerate(chat.messages, start=1))
    for day, of_day in groupby(numbered, lambda item: item[1].at.date()):
        for is_long, group in groupby(
            of_day, lambda item: item[0] if len(item[1].text) > _LONG_MESSAGE else 0
        ):
            messages = list(group)
            labels = [
                chat_label(message.speaker, day.isoformat(), f"{message.at:%H:%M}") for _, message in messages
            ]
            pieces = [
                Piece(f"{label}: {message.text}")
                for label, (_, message) in zip(labels, messages, strict=True)
            ]
            text, blocks = join_pieces(pieces)
            locator = MessageLocator(
                part=part,
                end_char=len(text),
                message=messages[0][0],
                total_messages=len(chat.messages),
                subject=chat.title or None,
            )
            context = labels[0] if is_long else ""
            yield Section(text, locator, (*headings, day.isoformat()), blocks, context)
            part += 1
