"""Words as they are compared: without case and accents, and the patterns that find phrases among them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "\u00a0": " "})


def folded(text: str) -> str:
    """The text as it is compared: no case, no accents, plain quotation marks."""
    apart = unicodedata.normalize("NFKD", text.translate(_MARKS))
    return "".join(each for each in apart if not unicodedata.combining(each)).casefold()


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
