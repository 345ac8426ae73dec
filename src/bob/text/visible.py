"""Text of others made visible: what steers a terminal or hides in a text becomes a mark that can be seen.

Files, names, models and peers write what they like. On a terminal, `ESC]52` fills the clipboard, `ESC[2J`
clears the screen, a carriage return writes over what stood there, U+202E turns a line round, and tag
characters carry sentences that nobody sees. Every face that writes to a terminal or a log takes its text from
here:

    visible_line(text)   a name, a title, an error: one line, so a newline in it cannot forge a second one
    visible_text(text)   a text of several lines: newlines and tabs stay
    escape_json(text)    JSON that writes the same characters as \\uXXXX, so it is read as the exact original

The table of the marks:

    U+0000 to U+001F     ␀ to ␟, the control pictures (␛ is ESC, ␍ carriage return); newline, tab: see above
    U+007F               ␡
    U+DC80 to U+DCFF     ⟨0x80⟩ to ⟨0xFF⟩: a byte of a file name that is not UTF-8
    all others           ⟨U+202E⟩

The others are C1 (U+0080 to U+009F), line and paragraph separator, lone surrogates, the interlinear
annotation characters, and the characters that Unicode lists as Default_Ignorable_Code_Point, which is what
"invisible" means: zero width, bidirectional controls, variation selectors, fillers, tags. Letters are never
touched, nor are combining marks, spaces of other widths, private use characters or the visible format
characters of Arabic.

Some of the invisible ones belong to the character before them, and stay there, once:

    U+FE0E, U+FE0F           after a symbol or what makes a keycap: ❤️ 1️⃣
    U+FE00 to U+FE02         after a symbol or an ideograph; U+E0100 to U+E01EF after an ideograph
    U+180B to U+180D, 180F   after a Mongolian letter
    U+200D                   after an emoji, with its own selector or skin tone: 👩‍🔬 ❤️‍🔥
    U+200C, U+200D           after a letter or sign of a script that joins: Persian, Hindi, Sinhala, Khmer …
    U+00AD                   after a letter: a soft hyphen
    tags                     in the flags of England, Scotland and Wales

Elsewhere they are marked, so a run of them that spells something out shows, but for its first. Left-to-right
and right-to-left marks are always marked: where they change nothing nobody needs them, and where they change
something the reader must see it. Only what stands before a character decides, so a text may come in pieces. A
mark is made of characters that stay, so text that was marked once is not changed again.

Knows nothing of streams, colours and encodings: see `bob.cli.terminal`.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from textwrap import indent
from typing import Any

LOOKS_BACK = 8
"""Number of characters before a piece of text that decide over what stays in it."""

_SUSPECT = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINING = (
    (0x0600, 0x08FF),  # Arabic, Syriac, N'Ko, Mandaic
    (0x0900, 0x0DFF),  # the scripts of India, Sinhala
    (0x0F00, 0x109F),  # Tibetan, Myanmar
    (0x1780, 0x18AF),  # Khmer, Mongolian
    (0xA840, 0xAAFF),  # Phags-pa to Meetei Mayek
    (0xFB50, 0xFEFE),  # Arabic as it is presented
    (0x10A00, 0x11FFF),  # Kharoshthi to the other scripts of India
    (0x1E900, 0x1E95F),  # Adlam
)
_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_EMOJI_BASES = frozenset("0123456789#*\u203c\u2049\u2139\u3030\u303d")
_SKIN_TONES = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")


def visible_text(text: str, before: str = "") -> str:
    """The text with its dangerous characters marked; newlines and tabs stay.

    `before` is what was written just before it, of which the last `LOOKS_BACK` characters count.

    >>> visible_text("one\\x1b[2J\\ntwo\\u202e")
    'one␛[2J\\ntwo⟨U+202E⟩'
    """
    return _marked(text, before, allowed="\n\t")


def visible_line(text: str) -> str:
    """The text as one line: newlines, tabs and carriage returns are marked, too.

    >>> visible_line("notes\\nbob: all is well.md")
    'notes␊bob: all is well.md'
    """
    return _marked(text, "", allowed="")


def escape_json(text: str) -> str:
    """JSON whose strings hold no dangerous character as it is; it is read as the same value.

    >>> escape_json('{"name": "a\\u202eb"}')
    '{"name": "a\\\\u202eb"}'
    """
    pieces, end = [], 0
    for match in _SUSPECT.finditer(text):
        character, position = match[0], match.start()
        if character not in "\n\t\r" and not _belongs(text, position):
            units = character.encode("utf-16-be", "surrogatepass").hex()
            pieces += [
                text[end:position],
                *(f"\\u{units[offset : offset + 4]}" for offset in range(0, len(units), 4)),
            ]
            end = match.end()
    return "".join([*pieces, text[end:]])


def mark_of(character: str) -> str:
    """What is shown in place of a character."""
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)
    if number == 0x7F:
        return "\u2421"
    if 0xDC80 <= number <= 0xDCFF:
        return f"⟨0x{number - 0xDC00:02X}⟩"
    return f"⟨U+{number:04X}⟩"


def _marked(text: str, before: str, allowed: str) -> str:
    if _SUSPECT.search(text) is None:
        return text
    if allowed:
        # Files of Windows end their lines so; alone, a carriage return writes over the line.
        text = text.replace("\r\n", "\n")
    text, begin = before[-LOOKS_BACK:] + text, len(before[-LOOKS_BACK:])
    pieces, end = [], begin
    for match in _SUSPECT.finditer(text, begin):
        if match[0] not in allowed and not _belongs(text, match.start()):
            pieces += [text[end : match.start()], mark_of(match[0])]
            end = match.end()
    return "".join([*pieces, text[end:]])


def _belongs(text: str, index: int) -> bool:
    """Whether an invisible character is a part of the one before it, so that leaving it in hides nothing."""
    character, last = text[index], text[index - 1] if index else ""
    if not last:
        return False
    number, kind = ord(character), unicodedata.category(last)
    if character in "\ufe0e\ufe0f":
        return _is_symbol(last)
    if character in "\ufe00\ufe01\ufe02":
        return kind in ("So", "Sm") or _is_ideograph(last)
    if 0xE0100 <= number <= 0xE01EF:
        return _is_ideograph(last)
    if character in "\u180b\u180c\u180d\u180f":
        return 0x1820 <= ord(last) <= 0x18AA
    if character in "\u200c\u200d":
        if kind[0] in "LM" and last not in "\ufe0e\ufe0f":
            return any(first <= ord(last) <= final for first, final in _JOINING)
        return character == "\u200d" and _ends_emoji(text[max(index - 2, 0) : index])
    if character == "\xad":
        return kind[0] == "L"
    if 0xE0061 <= number <= 0xE007F:
        return any(
            text[max(index - step, 0) : index + 1] == flag[: step + 1]
            for flag in _FLAGS
            for step in range(1, len(flag))
        )
    return False


def _ends_emoji(text: str) -> bool:
    if text[-1] in "\ufe0f":
        return _is_symbol(text[:-1])
    return text[-1] in _SKIN_TONES or _is_symbol(text[-1])


def _is_symbol(character: str) -> bool:
    return character != "" and (
        character in _EMOJI_BASES
        or character in _SKIN_TONES
        or unicodedata.category(character) in ("So", "Sm")
    )


def _is_ideograph(character: str) -> bool:
    number = ord(character)
    return 0x3400 <= number <= 0x9FFF or 0xF900 <= number <= 0xFAFF or 0x20000 <= number <= 0x3FFFF


class LineFormatter(logging.Formatter):
    """Writes each record as one line, with dangerous characters marked; a traceback is indented below it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name that logging calls
        """The line."""
        return visible_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name that logging calls
        """The traceback."""
        return indent(visible_text(super().formatException(ei)), "    ")
