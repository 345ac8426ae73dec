"""Recognizes texts about a fact: by its sentence, its distinctive words, or most of its words. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from bob.conversations.forgetting import Why
from bob.text.words import query_terms, words_of

SAME_WORDS = 0.7
"""A text repeats a fact when it has this share of the words that carry the fact's meaning."""

SIMILAR_WORDS = 0.5
"""From this share on, and with two words at least, it may be about it."""

_FEWEST_WORDS = 3
_SHORTEST_MIXED = 5
_SHORTEST_NUMBER = 6
"""Digits of a number that names something, as an account does; shorter ones are amounts and years."""

_TOKEN = re.compile(r"\w+(?:[-_.@/+]\w+)*")
_LETTER = r"[^\W\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af]"
"""A letter or figure of a script that sets its words, and what is put to them, apart."""
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}(?:[-./]\d{1,4})?")


@dataclass(frozen=True, slots=True)
class Fact:
    """What is to be forgotten, in the forms in which it is looked for: the sentences that say it, the words
    that name it and nothing else, and the terms of each of its words. Of another name or figure the same
    words say something else: `names` has them."""

    sentences: tuple[str, ...]
    codes: tuple[str, ...]
    words: tuple[tuple[int, ...], ...]
    names: tuple[str, ...] = ()


def fact_of(summary: str) -> Fact:
    """The fact that a memory's summary says."""
    words = tuple(tuple(group) for group in query_terms(summary))
    first, *others = _TOKEN.findall(summary) or [""]
    names = [other for other in others if not other.islower()]
    names += [first] if not first.isalpha() or not first[1:].islower() else []
    return Fact(sentence_of(summary), tuple(codes_in(summary)), words, tuple(map(folded, names)))


def sentence_of(text: str) -> tuple[str, ...]:
    """The text, if it has words enough to be looked for; none otherwise."""
    return (text.strip(),) if len(words_of(text)) >= _FEWEST_WORDS else ()


def codes_in(text: str) -> list[str]:
    """The words that name one thing: letters with figures, long numbers, addresses, words in capitals.

    >>> codes_in("The codename of 2025 is ZANZIBAR77, the account 48-2291-07, mail to ana@example.org.")
    ['ZANZIBAR77', '48-2291-07', 'ana@example.org']
    """
    return list(dict.fromkeys(token for token in _TOKEN.findall(text) if _is_code(token)))


def _is_code(token: str) -> bool:
    digits = sum(character.isdigit() for character in token)
    letters = sum(character.isalpha() for character in token)
    if _DATE.fullmatch(token):
        return False
    if (digits and letters) or "@" in token:
        return len(token) >= _SHORTEST_MIXED
    return digits >= _SHORTEST_NUMBER or (letters >= _SHORTEST_MIXED and token.isupper())


def folded(text: str) -> str:
    """The text as it is compared: without case and forms of the same letter, spaces as one."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _set_apart(pattern: str) -> str:
    """The pattern where no letter stands before what it matches, nor behind it."""
    return rf"(?<!{_LETTER})(?:{pattern})(?!{_LETTER})"


@lru_cache(1_024)
def _words(form: str) -> re.Pattern[str]:
    return re.compile(_set_apart(re.escape(form)))


def has_words(text: str, form: str) -> bool:
    """Whether a text has these words, and not only the beginning or the end of other ones; both are `folded`.

    >>> has_words("here we use java.", "we use java"), has_words("we use javascript", "we use java")
    (True, False)
    """
    return form in text and _words(form).search(text) is not None


class Recognizer:
    """Recognizes texts about any of some facts."""

    def __init__(self, facts: Sequence[Fact], common: frozenset[str] = frozenset()) -> None:
        """`common` are codes that other things have too, by which alone nothing is recognized."""
        self._facts = [fact for fact in facts if len(fact.words) >= _FEWEST_WORDS]
        self.sentences = tuple(dict.fromkeys(sentence for fact in facts for sentence in fact.sentences))
        self.codes = tuple(
            dict.fromkeys(code for fact in facts for code in fact.codes if folded(code) not in common)
        )
        # The longest first: of two that begin alike the other would never be met.
        parts = sorted({folded(code) for code in self.codes}, key=len, reverse=True)
        self._code = re.compile(_set_apart("|".join(map(re.escape, parts)))) if parts else None
        self._folded = [folded(sentence) for sentence in self.sentences]

    def why(self, text: str) -> Why | None:
        """By what the text is recognized, None when it is about something else."""
        if not text:
            return None
        plain = folded(text)
        if any(has_words(plain, fact) for fact in self._folded):
            return "sentence"
        if self._code is not None and self._code.search(plain):
            return "distinctive word"
        has = {term for group in query_terms(text) for term in group}
        shares = [
            (_share(fact.words, has), all(has_words(plain, name) for name in fact.names))
            for fact in self._facts
        ]
        if any(share >= SAME_WORDS and named for share, named in shares):
            return "same words"
        return "similar words" if any(share >= SIMILAR_WORDS for share, _ in shares) else None

    def says(self, text: str) -> bool:
        """Whether the text has a sentence or a distinctive word."""
        return self.why(text) in ("sentence", "distinctive word")

    def excerpt(self, text: str, most: int = 100) -> str:
        """The beginning of a text, or of where a distinctive word stands in it, with these words masked."""
        line = " ".join(text.split())
        for code in self.codes:
            line = re.sub(f"(?i){_set_apart(re.escape(code))}", f"{code[0]}…", line)
        return line if len(line) <= most else f"{line[:most]}…"


def _share(words: Sequence[tuple[int, ...]], has: set[int]) -> float:
    common = sum(not has.isdisjoint(group) for group in words)
    return common / len(words) if common > 1 else 0.0
