"""The sentences of a message, code apart, and its words as they are compared: without case and accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

CODE_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
"""A block of code; one that is not closed runs to the end, as in Markdown."""

_END = re.compile(
    r"(?<=[.!?…])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[]*[^\W_a-z])|\n\s*\n|\n(?=\s*(?:[-*>•]|\d+[.)])\s)|[。！？]"
)
"""A mark and then no small letter, a blank line, or an item of a list."""

_NO_END = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|no|fig|etc|vs|e\.g|i\.e|sr|sra|dra|av|pág|ex|jan|feb|aug|sept?|oct|nov|"
    r"dec)"
    r"|\b[A-Z])\.$",
    re.IGNORECASE,
)
_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "\u00a0": " "})


def folded(text: str) -> str:
    """The text as it is compared: no case, no accents, plain quotation marks."""
    apart = unicodedata.normalize("NFKD", text.translate(_MARKS))
    return "".join(each for each in apart if not unicodedata.combining(each)).casefold()


def prose(text: str) -> str:
    """The text without its blocks of code."""
    return CODE_FENCE.sub("\n\n", text).strip()


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, none empty, their blanks made single."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        # `_END` may begin behind the mark.
        if _NO_END.search(text[start : end.start()]):
            continue
        found.append(text[start : end.end()])
        start = end.end()
    found.append(text[start:])
    return [plain for each in found if (plain := " ".join(each.split()))]


@cache
def phrase_pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Finds any of the phrases in a folded text, at word borders, the longest first; none in no phrases."""
    return re.compile(rf"(?<!\w)(?:{_either(phrases)})(?!\w)")


@cache
def opening_pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Matches a folded text that begins with any of the phrases."""
    return re.compile(rf"\W*(?:{_either(phrases)})(?!\w)")


def _either(phrases: Iterable[str]) -> str:
    words = sorted(
        {" ".join(folded(each).split()) for each in phrases} - {""}, key=lambda each: (-len(each), each)
    )
    return "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in words) or r"(?!)"
