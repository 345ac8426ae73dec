"""Joins words and web addresses that a line's end has cut in two; knows nothing of PDF."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from bob.text import lexicon

_TOKEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_ADDRESS = re.compile(r"\W?(?:https?://|www\.)")
_IN_ADDRESS = re.compile(r"[/=?&#%_]")
_ADDRESS_JOINTS = ("/", "-", "_", "=", "?", "&", "%", "#", ".", "~", ":")
_LONGEST_WORD = 100

_AND = frozenset(lexicon.words("behind a hyphen"))
"""Behind a hyphen that stands for a word's end: "Ein- und Ausgang"."""


def split_words(pairs: Iterable[tuple[str, str]], lines: Iterable[str]) -> frozenset[str]:
    """The words that stand whole in a line, of those that may be made of the two lines of a pair."""
    candidates: set[str] = set()
    for before, line in pairs:
        start, end = _halves(before, line)
        if start and end:
            candidates |= {f"{start}-{end}", f"{start}{end}"}
    if not candidates:
        return frozenset()
    return frozenset(
        word for line in lines for token in _TOKEN.findall(line) if (word := token.casefold()) in candidates
    )


def joint_of_word(before: str, line: str, words: Collection[str]) -> str:
    """What stands between two lines when the first ended with a hyphen, which it is given without.

    `words` are those of `split_words`: how the document writes the word elsewhere decides.
    """
    start, end = _halves(before, line)
    if _ends_in_address(before):
        return "-"
    if end in _AND:
        return "- "
    own, whole = f"{start}-{end}" in words, f"{start}{end}" in words
    if own != whole:
        return "-" if own else ""
    if len(start) < 2 or not start[-1].isalpha():
        return "-"
    # A word that goes on with a capital was written with its hyphen ("Al-Khwarizmi"), unless it is all in
    # capitals.
    in_capitals = before[-2:].isupper() and len(end) > 1 and line[:2].isupper()
    return "" if line[:1].islower() or in_capitals else "-"


def is_broken_address(before: str, line: str) -> bool:
    """Whether a web address at the end of a line goes on in the next."""
    if not _ends_in_address(before):
        return False
    part = line.split(maxsplit=1)[0]
    return bool(_IN_ADDRESS.search(part)) or (before.endswith(_ADDRESS_JOINTS) and not part[0].isupper())


def _ends_in_address(text: str) -> bool:
    return bool(_ADDRESS.match(text.rsplit(maxsplit=1)[-1]))


def _halves(before: str, line: str) -> tuple[str, str]:
    """The word at the end of a text and the one at the start of the next, in small letters."""
    tail = before[-_LONGEST_WORD:]
    start = next((match[0] for match in _TOKEN.finditer(tail) if match.end() == len(tail)), "")
    end = _TOKEN.match(line[:_LONGEST_WORD])
    return start.casefold(), end[0].casefold() if end else ""
