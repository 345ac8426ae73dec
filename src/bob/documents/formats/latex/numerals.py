"""Numbers that LaTeX sets as mathematics, as a text without it has them."""

from __future__ import annotations

import re

_SIGNS = (
    (re.compile(r"\\[dt]?frac ?\{ ?(\d{1,9}) ?\} ?\{ ?(\d{1,9}) ?\}"), r"\1/\2"),
    (re.compile(r"\\(?:si|unit) ?\{\\celsius\}|\\celsius\b"), " °C"),
    (re.compile(r"\^ ?(?:\\circ\b|\{\\circ\})|\\(?:si|unit) ?\{\\degree\}|\\degree\b"), "°"),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\pm\b"), "±"),
    (re.compile(r"\\(?:approx|sim)\b"), "≈"),
    (re.compile(r"\\leq?\b"), "≤"),
    (re.compile(r"\\geq?\b"), "≥"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\[,;:! ]|~"), " "),
)
_NUMBERS = re.compile(r"[<>≤≥≈±+–-]?[ ]?\d(?:[\d.,:/×±+<>=≤≥ –-]|°C?|%)*")


def plain_numerals(mathematics: str) -> str | None:
    """What stands between two dollar signs where it is numbers alone; None for any other formula.

    >>> plain_numerals(r"$5 - 10$"), plain_numerals(r"$ \\frac{1}{2} $"), plain_numerals(r"$200^\\circ$")
    ('5 - 10', '1/2', '200°')
    >>> plain_numerals("$2n$") is None
    True
    """
    if "\n" in mathematics:
        return None
    numbers = mathematics.strip("$ ")
    for sign, plain in _SIGNS:
        numbers = sign.sub(plain, numbers)
    numbers = " ".join(numbers.split())
    return numbers if _NUMBERS.fullmatch(numbers) else None
