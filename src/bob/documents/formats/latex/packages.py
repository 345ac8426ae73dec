"""What packages add to a LaTeX text: marks of German, and on which slides something is seen."""

from __future__ import annotations

import re

_OVERLAY = re.compile(
    r"(\\[a-zA-Z]+\*?|\\begin\{\w+\*?\}(?:\[[^\]\n]{0,100}\])?)"
    r"<(?:[\d+.*-][\d,.+*()|@-]{0,40}|(?:all|article|beamer|handout|presentation|trans)\b[\w|:@,.+*-]{0,40})>"
)
"""On which slides of a lecture something is seen."""

_GERMAN_MARKS = {"`": "„", "'": "“", "-": "", "=": "-", "~": "-", "|": "", '"': "", "<": "«", ">": "»",
    "a": "ä", "o": "ö", "u": "ü", "A": "Ä", "O": "Ö", "U": "Ü", "s": "ß"}  # fmt: skip
_GERMAN_MARK = re.compile(rf'(?<!\\)"([{re.escape("".join(_GERMAN_MARKS))}])')
_GERMAN_QUOTES = re.compile(r"(?<!\\)\"`([^\"`\n]{1,300})\"'")
_IS_GERMAN = re.compile(
    r"\\(?:usepackage|documentclass)[^\n]{0,200}\b(?:n?german|n?germanb|naustrian|nswissgerman)\b"
)
"""What loads the package for German, in which `"` is never a quotation mark of its own."""


def without_package_marks(text: str) -> str:
    """A text as it would be without these packages, with as many lines."""
    return _without_german_marks(_OVERLAY.sub(r"\1", text))


def _without_german_marks(text: str) -> str:
    """A text with the letters and quotation marks that the package for German writes with `"`."""
    if '"' not in text:
        return text
    if _IS_GERMAN.search(text):
        return _GERMAN_MARK.sub(lambda mark: _GERMAN_MARKS[mark[1]], text)
    return _GERMAN_QUOTES.sub(r"„\1“", text)
