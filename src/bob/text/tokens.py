"""Estimates how many tokens a text has, several times faster than the tokenizer counts them."""

from __future__ import annotations

import math


def estimate_tokens(text: str) -> int:
    """About as many as `WordPiece.count`, rather a few more; 0 for an empty text.

    Fitted by least squares of the ratio on 3,900 pieces of 900 characters of documentation (Python's and
    Linux's, as reStructuredText, HTML and plain text), Markdown, Python code and abstracts, then raised by
    6 %. On 2,600 other pieces, estimate over truth was 1.06 in the mean (1.04 for code to 1.08 for
    reStructuredText), 0.96 to 1.16 for 90 % of the English ones and 0.88 or more for 99 %. Italian, whose
    words the vocabulary breaks into more pieces, has 0.8. What must fit exactly is counted, not estimated.
    """
    classes = b" " + text.encode("utf-8", "replace").translate(_CLASSES, _CONTINUATION)
    count = classes.count
    words = count(b" a") + count(b".a") + count(b"0a")
    estimate = (
        _WORD * words
        + _FIVE_LETTERS * count(b"aaaaa")
        + _DIGIT * count(b"0")
        + _MARK * count(b".")
        + _OTHER * count(b"u")
        + _HANGUL * count(b"k")
    )
    return math.ceil(estimate)


_WORD = 0.934
_FIVE_LETTERS = 0.578
"""Added for each five letters of a word in full: long words are broken up."""
_DIGIT = 0.792
_MARK = 1.173
_OTHER = 1.13
"""A character of a script in which nearly each is a token: Greek, Cyrillic, Han, Thai, ..."""
_HANGUL = 2.6
"""A syllable is taken apart into two or three letters."""

_CONTINUATION = bytes(range(0x80, 0xC0))
"""Of UTF-8. Without these every character is one byte, which tells enough about its script."""


def _class_of(byte: int) -> str:
    if byte < 0x80:
        character = chr(byte)
        if character.isalpha():
            return "a"
        if character.isdigit():
            return "0"
        return " " if character.isspace() else "." if character.isprintable() else "\0"
    if byte in (0xC2, 0xE2):
        return "."  # Latin-1's and general punctuation, arrows, mathematics.
    if byte <= 0xC9:
        return "a"  # Latin letters with marks.
    return "k" if 0xEA <= byte <= 0xED else "u"


_CLASSES = "".join(map(_class_of, range(256))).encode("ascii")


def prompt_tokens(text: str) -> int:
    """Tokens of a language model, rather too many than too few: those of the embedder's small vocabulary,
    and at least one for four bytes, since blanks count too."""
    return max(estimate_tokens(text), -(-len(text.encode("utf-8", "replace")) // 4))
