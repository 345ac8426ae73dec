"""Who says what in a text of several people: a mail that quotes others, a chat, the transcript of a talk.

Each turn is a range of the text under the words that name who speaks, so that a quote of it stands where it
stood. How the formats are read into such texts is no matter of this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.utils import parseaddr

from bob.text import lexicon

QUOTED = "Quoted"
"""What names the author of a quotation of which nobody knows who wrote it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Characters `start` to `end` (excluded) of a text, as `speaker` says them; "" for the text's own author,
    or where it is not known. A line of a mail's header or signature is a turn of its own: `is_line`."""

    start: int
    end: int
    speaker: str = ""
    is_line: bool = False


# Mail

SIGNATURE = "--"
"""The line before a signature (RFC 3676), without the blank at its end."""

SENT_BY = frozenset(lexicon.phrases("mail sent by"))
SENT_AT = frozenset((*lexicon.phrases("mail sent at"), *lexicon.phrases("mail dated")))
ONLY_IN_HEADERS = frozenset((*lexicon.phrases("mail sent at"), *lexicon.phrases("mail subject")))
"""Names that stand in the header of a mail alone: a journey has a "From", a "To" and a "Date" too."""

HEADER_NAMES = SENT_BY | SENT_AT | ONLY_IN_HEADERS | frozenset(lexicon.phrases("mail sent to"))
_OF_TWO_WORDS = lexicon.either(name for name in HEADER_NAMES if " " in name)
_HEADER = re.compile(
    rf"[ \t>*_]{{0,20}}(?P<name>(?i:{_OF_TWO_WORDS})|[^\W\d_][\w-]*)[*_ \xa0]{{0,4}}:"
    r"[*_]{0,2}[ \t\xa0]+(?P<value>\S.*)"
)
_SHOWN = frozenset(("from", "to", "cc", "date", "subject"))
"""The fields of a mail's own header that are read."""
_MOST_OF_LINE = 300
"""Characters of a line that says who wrote what."""
_MARKS = re.compile(r"(?:>[ \t]?)+")
_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_ADDRESS = re.compile(r"\s*(?:<[^<>\s]*@[^<>\s]*>|\[mailto:[^\[\]]*\]|\(mailto:[^()]*\))")


def quote_depth(line: str) -> tuple[int, int]:
    """How many marks of a quotation a line begins with, and where they end.

    >>> quote_depth(">> > Why?")
    (3, 5)
    """
    marks = _MARKS.match(line)
    return (marks[0].count(">"), marks.end()) if marks else (0, 0)


def header_field(line: str) -> tuple[str, str] | None:
    """The name, in lower case, and the value of a line such as "*Sent:* 3 March"; None for another line."""
    match = _HEADER.match(line)
    return (match["name"].lower(), match["value"].strip("* \t\r")) if match else None


def quoted_from(lines: Sequence[str]) -> str:
    """Who wrote a quotation, by the lines above it: those that announce it, or a header.

    >>> quoted_from(["> On 3 March 2025, Bo Chan <bo@x.example>", "> wrote:"])
    'On 3 March 2025, Bo Chan wrote'
    >>> quoted_from(["From: Bo Chan <bo@x.example>", "Sent: 3 March 2025", "Subject: paint"])
    'Bo Chan, 3 March 2025'
    """
    lines = [line[:_MOST_OF_LINE] for line in lines]
    fields = [field for field in map(header_field, lines) if field]
    sender = next((value for name, value in fields if name in SENT_BY), "")
    if sender:
        day = next((value for name, value in fields if name in SENT_AT), "")
        return ", ".join(filter(None, (sender_name(sender), day)))
    plain = " ".join(line[quote_depth(line)[1] :].strip() for line in lines)
    return _ADDRESS.sub("", plain).strip(" *:\xa0") or QUOTED


def sender_name(sender: str) -> str:
    """The name of who sent a mail, or the address where there is none.

    >>> sender_name("Bo Chan <bo@x.example>"), sender_name("bo at x.example (Bo Chan)")
    ('Bo Chan', 'Bo Chan')
    """
    named = _ADDRESS.sub("", sender).strip(" \"'")
    if named.endswith(")") and " (" in named:
        return named[:-1].rpartition(" (")[2]
    return named or parseaddr(sender)[1] or sender


def mail_turns(text: str, quoted: str = "") -> list[Turn]:
    """The turns of a mail, or of a part of one: what its author writes, the lines of the header and of their
    signature, and each quotation under who wrote it. Lines right above it that say so are no turn.
    `quoted` is who wrote the quotation with which the part begins."""
    turns: list[Turn] = []
    speakers = {1: quoted} if quoted else {}
    for paragraph in _PARAGRAPH.finditer(text):
        runs = list(_runs_of_depth(text, paragraph.start(), paragraph.end()))
        for number, (start, end, depth) in enumerate(runs):
            below = runs[number + 1][2] if number + 1 < len(runs) else 0
            if below > depth and _announces(text[start:end]):
                speakers = {level: name for level, name in speakers.items() if level <= depth}
                speakers[depth + 1] = quoted_from(text[start:end].split("\n"))
                continue
            speaker = speakers.get(depth, quoted or QUOTED) if depth else ""
            first = text[start:end].split("\n", 1)[0]
            if first[quote_depth(first)[1] :].strip() == SIGNATURE:
                behind = text.find("\n", start, end) + 1 or end
                turns += _lines(text, behind, end, speaker or _sender_of(text))
            elif start == 0 and _is_header(text[start:end]):
                turns += _lines(text, start, end)
            else:
                _add(text, turns, Turn(start, end, speaker))
    return turns


def _announces(text: str) -> bool:
    """Whether lines right above a quotation say who wrote it."""
    fields = map(header_field, text.split("\n"))
    return text.rstrip("* \t\r").endswith(":") or any(field and field[0] in SENT_BY for field in fields)


def _runs_of_depth(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The runs of lines that have as many marks of a quotation: start, end, how many."""
    run: tuple[int, int, int] | None = None
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        depth = quote_depth(text[start:stop])[0]
        if run is not None and depth == run[2]:
            run = (run[0], stop, depth)
        else:
            if run is not None:
                yield run
            run = (start, stop, depth)
        start = stop + 1
    if run is not None:
        yield run


def _is_header(text: str) -> bool:
    names = [field[0] if field else "" for field in map(header_field, text.split("\n"))]
    return set(names) <= _SHOWN and len(names) > 1


def _sender_of(text: str) -> str:
    """Who sent the mail, where the text begins with its header."""
    sender = header_field(text.split("\n", 1)[0])
    return sender_name(sender[1]) if sender and sender[0] == "from" else ""


def _lines(text: str, start: int, end: int, speaker: str = "") -> Iterator[Turn]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        start += quote_depth(text[start:stop])[1]
        if text[start:stop].strip():
            yield Turn(start, stop, speaker, is_line=True)
        start = stop + 1


def _add(text: str, turns: list[Turn], turn: Turn) -> None:
    """Add a turn, or go on with the last one where the same person does."""
    last = turns[-1] if turns else None
    goes_on = last and last.speaker == turn.speaker and not last.is_line
    if last and goes_on and not text[last.end : turn.start].strip():
        turns[-1] = Turn(last.start, turn.end, turn.speaker)
    else:
        turns.append(turn)


def contact_turns(text: str, name: str = "") -> list[Turn]:
    """The lines of contacts, each under the name above it; `name` is that of the first if it is cut off."""
    turns: list[Turn] = []
    for contact in _PARAGRAPH.finditer(text):
        lines = list(_lines(text, contact.start(), contact.end()))
        name = name or text[lines[0].start : lines[0].end].strip()
        turns += (Turn(line.start, line.end, name, is_line=True) for line in lines)
        name = ""
    return turns


# Chats and transcripts

_DAY = r"(?P<day>\d{1,4}[./-]\d{1,2}[./-]\d{1,4})"
_TIME = r"(?P<time>\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp]\.?\s?[Mm]\b\.?)?)"
_BEFORE_TIME = lexicon.any_of("before a time")
_BEHIND_DAY = r"(?:(?P<speaker>[^:\n\"“”„«»]{1,60}): )?"
_NICK = r"[ @+%&~!]?(?P<speaker>[^\s<>]{1,40})"
_LOGGED_AT = rf"\[?(?:{_DAY}[ T])?{_TIME}(?:\.\d{{1,9}})?(?:Z|[+-]\d\d:?\d\d)?\]?\s{{1,4}}"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"(?:{_LOGGED_AT})?<{_NICK}>(?:[ \t]|$)",
        rf"{_LOGGED_AT}\* {_NICK} ",
        rf"{_LOGGED_AT}(?:-!-|\*\*\*|-->|<--|[←→])(?: |$)",
        rf"[\u200e\u200f]*\[{_DAY},? {_TIME}\] {_BEHIND_DAY}",
        rf"[\u200e\u200f]*{_DAY},?(?: (?:{_BEFORE_TIME}))? {_TIME} - {_BEHIND_DAY}",
        r"(?P<day>)(?P<time>)--- (?=Log |Day )",
        r"(?P<speaker>[^:\n]{1,80}), (?P<day>\d{4}-\d\d-\d\d) (?P<time>\d\d:\d\d): ",
        r"(?:(?P<speaker>[^:\n]{1,80}), )?(?P<day>)(?P<time>\d\d:\d\d:\d\d): ",
    )
)
"""How a message begins: what somebody says, does, and what a program tells in IRC, WhatsApp's two forms, and
the two that Bob itself writes (`chat_label`): of a message, and of what is said in a recording."""
_NO_WORDS = re.compile(
    r"\s*(?:<[^<>\n]{1,60}>\s*|[\u200e\u200f][^\n]*|[^\s()]{1,80}\.\w{2,5} \([^()\n]{4,40}\)\s*)?"
)
"""What stands for a picture or a message that was taken back, or nothing at all."""
_QUOTED_LINES = re.compile(r"^>[^\n]*(?:\n>[^\n]*)*", re.MULTILINE)
_DAY_KNOWN = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line with which a message begins; its text begins at character `start` of the line. Without a
    `speaker` it is something that happened to the chat, or, in a recording, somebody; what comes and goes in
    IRC `is_of_program`."""

    start: int
    speaker: str
    day: str
    time: str
    is_of_program: bool = False


def chat_line(line: str) -> ChatLine | None:
    """The message that begins with this line; None where it goes on, or is no chat.

    >>> chat_line("[14/03/2025, 08:30:11] Ida: the rent goes up")
    ChatLine(start=28, speaker='Ida', day='14/03/2025', time='08:30:11', is_of_program=False)
    """
    match = next(filter(None, (form.match(line) for form in _FORMS)), None)
    if match is None:
        return None
    fields = {name: (value or "").strip() for name, value in match.groupdict().items()}
    return ChatLine(
        match.end(),
        fields.get("speaker", "").strip("~\u200e\u200f\xa0 "),
        fields["day"],
        fields["time"],
        is_of_program="speaker" not in fields,
    )


def chat_label(speaker: str, day: str, time: str) -> str:
    """Who says something and when, as it stands before it."""
    return ", ".join(filter(None, (speaker, " ".join(filter(None, (day, time))))))


def chat_turns(text: str, context: str = "") -> list[Turn]:
    """The messages of a chat or the turns of a transcript; what programs tell is none. `context` is the day
    of the messages, or who says what the text begins with, and when."""
    known_day = _DAY_KNOWN.search(context)
    day = known_day[0] if known_day else ""
    turns: list[Turn] = []
    speaker = "" if day == context else context
    begin, is_told = 0, False
    start = 0
    for line in text.split("\n"):
        message = chat_line(line)
        if message is not None:
            _close(text, turns, Turn(begin, max(start - 1, begin), speaker), is_told)
            begin = start + message.start
            is_told = not message.speaker and not _is_of_recording(message)
            speaker = chat_label(message.speaker, day or message.day, message.time) if message.speaker else ""
        start += len(line) + 1
    _close(text, turns, Turn(begin, len(text), speaker), is_told)
    return turns


def _is_of_recording(message: ChatLine) -> bool:
    return not message.day and message.time.count(":") == 2 and message.start == len(message.time) + 2


def _close(text: str, turns: list[Turn], turn: Turn, is_told: bool) -> None:
    """Add a turn with the words of its speaker, and those that it quotes as such."""
    start = turn.start + text.startswith("@", turn.start)  # who is spoken to; else it would be markup
    begin = start
    for quoted in _QUOTED_LINES.finditer(text[begin : turn.end]):
        _add_said(text, turns, Turn(start, begin + quoted.start(), turn.speaker), is_told)
        _add_said(text, turns, Turn(begin + quoted.start(), begin + quoted.end(), QUOTED), is_told)
        start = begin + quoted.end()
    _add_said(text, turns, Turn(start, turn.end, turn.speaker), is_told)


def _add_said(text: str, turns: list[Turn], turn: Turn, is_told: bool) -> None:
    if not is_told and not _NO_WORDS.fullmatch(text, turn.start, turn.end):
        turns.append(turn)
