"""The words of a text with their stems and places, whatever markup stands around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_WORD = re.compile(r"[Nn]on-[^\W\d_]{3,}|[^\W_]+(?:'[^\W\d_]+)?")
_ROLE = re.compile(
    r":(?:[a-z]+:)?[a-z+-]+:(?=`)|(?<=`)[~!](?=\w)|\s<[^<>`\n]*>(?=`)|(?<=\])\([^()\s]*\)|\]\([^()\s]*\)"
)
_NUMBERED_ROLE = re.compile(r":(pep|rfc|cve):(?=`)")
_SAME_LENGTH = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "–": "-",
        "—": "-",
        "\u2011": "-",
        "−": "-",
        "\u00a0": " ",
        "\u202f": " ",
        "\n": " ",
        "\t": " ",
        "\r": " ",
    }
)

_FUNCTION_WORDS = """
    a an the this that these those it its they their them he she his her we our you your i me my who
    whom whose which what when where why how there here and or but if then than so as of in on at by
    for from to into onto with within about over under between through during before after up down
    out off per via is are was were be been being am do does did done has have had having can could
    will would shall should may might must not no nor also too just very own same such some any each
    every all both either neither more most much many few less least only other another because
    while since until unless although though whether however therefore thus hence e g i s t d ll re
    ve m o a os as um uma de do da dos das em no na nos nas que e ou para por com se é são foi ser
    ao à der die das den dem des ein eine einer eines und oder ist sind war wird werden von zu mit
    für auf im am es sich le la les un une du et ou est sont dans pour par avec ce cette il elle que
    qui au aux el los las y o es son en con del al lo su sus una
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words that carry grammar: they align nothing."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its range, the word in lower case and its stem."""

    start: int
    end: int
    text: str
    stem: str

    @property
    def carries_meaning(self) -> bool:
        """Whether the word is more than grammar."""
        return self.text not in FUNCTION_WORDS


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer as pystemmer  # noqa: N813 - the library is named like its class

    return pystemmer.Stemmer("english")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a word in lower case; other languages' words lose at least what English ones would."""
    found: str = _stemmer().stemWord(word.removesuffix("'s"))
    return found


def unmarked(text: str) -> str:
    """The text with plain quotes and dashes and blanks for markup, each character at its place."""
    plain = text.translate(_SAME_LENGTH)
    plain = _NUMBERED_ROLE.sub(lambda match: f" {match[1].upper()} ", plain)
    plain = _ROLE.sub(lambda match: " " * len(match[0]), plain)
    return plain.replace("`", " ").replace("**", "  ")


def words_in(plain: str) -> tuple[Word, ...]:
    """The words of a text without markup (`unmarked`)."""
    return tuple(
        Word(match.start(), match.end(), lower, stem(lower))
        for match in _WORD.finditer(plain)
        for lower in (match[0].lower().replace("-", ""),)
    )
