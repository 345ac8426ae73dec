"""The words of a text: with their stems and places whatever markup stands around them, and as compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from bob.text.stop_words import FUNCTION_WORDS

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

_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "\u00a0": " "})


def with_plain_marks(text: str) -> str:
    """The text with plain quotation marks and blanks."""
    return text.translate(_MARKS)


def folded(text: str) -> str:
    """The text as it is compared: no case, no accents, plain quotation marks."""
    apart = unicodedata.normalize("NFKD", text.translate(_MARKS))
    return "".join(character for character in apart if not unicodedata.combining(character)).casefold()


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
        {" ".join(folded(phrase).split()) for phrase in phrases} - {""},
        key=lambda phrase: (-len(phrase), phrase),
    )
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words) or r"(?!)"


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
    stemmed: str = _stemmer().stemWord(word.removesuffix("'s"))
    return stemmed


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
