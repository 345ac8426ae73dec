"""Text as it may be kept and shown: line ends made one, and no characters that are none."""

from __future__ import annotations

import re

_LINE_ENDS = re.compile(r"\r\n?|[\u0085\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""No letters: control characters, marks that show a text in another order, halves of pairs."""
_BLANK_LINES = re.compile(r"\n{3,}")


def clean_line(text: str) -> str:
    """The text in one line, words one space apart.

    >>> clean_line(" slow\\r\\n on  mobile\\x00 ")
    'slow on mobile'
    """
    return " ".join(clean_text(text).split())


def clean_text(text: str) -> str:
    """The text with its lines and paragraphs, without spaces at their ends.

    >>> clean_text("one  \\r\\ntwo\\r\\n\\r\\n\\r\\n\\r\\nthree\\x07\\n")
    'one\\ntwo\\n\\nthree'
    """
    kept = _CONTROLS.sub("", _LINE_ENDS.sub("\n", text))
    lines = [line.rstrip() for line in kept.split("\n")]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()
