"""Tells the language of a text by its common words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from bob.text import lexicon

ONLY_PORTUGUESE = frozenset(lexicon.words("only in this language", "pt"))
"""Words by one of which a text is Portuguese: there "no" is "in the"."""

MOSTLY_PORTUGUESE = frozenset(lexicon.words("mostly in this language", "pt"))
"""Words, without accents, by one of which a sentence that begins with "a" is Portuguese ("a" is "the")."""

_SAMPLE = 4096
_FEWEST_HITS = 4
_FEWEST_WORDS = 3
"""Different ones: the letters that number a list are words in some languages."""

_LEAD = 1.25
"""The best language has this many times the hits of the second."""

_WORD = re.compile(r"[^\W\d_]+")


def _languages_of_words() -> dict[str, tuple[str, ...]]:
    phrases: dict[str, tuple[str, ...]] = {}
    for language in lexicon.LANGUAGES:
        for word in lexicon.words("common words", language):
            phrases[word] = (*phrases.get(word, ()), language)
    return phrases


_LANGUAGES_OF = _languages_of_words()


_OF_GRAMMAR = ("common words", "function words")
_OF_QUESTIONS = (
    *("asks who", "asks how", "asks where", "asks why", "asks when", "asks how many", "asks what number"),
    *("question words", "asks whether it happened", "asks whether", "asks for several"),
)


def _grammar(*languages: str, sections: tuple[str, ...] = _OF_GRAMMAR) -> frozenset[str]:
    return frozenset(word for section in sections for word in lexicon.words(section, *languages))


ENGLISH_GRAMMAR = _grammar("en")
OTHER_GRAMMAR = _grammar() - ENGLISH_GRAMMAR
"""Words of grammar by which a sentence is in English, and in another language."""


_IN_QUESTIONS = {
    language: _grammar(language, sections=_OF_GRAMMAR + _OF_QUESTIONS) for language in lexicon.LANGUAGES
}
_ENGLISH_ALONE = _IN_QUESTIONS["en"].difference(
    *(words for language, words in _IN_QUESTIONS.items() if language != "en")
)
_NEVER_ENGLISH = frozenset().union(*_IN_QUESTIONS.values()) - _IN_QUESTIONS["en"]
_ACCENT = re.compile(r"[ß-öø-ÿ]")


def detect_language(text: str) -> str | None:
    """One of "en", "pt", "es", "fr", "de", "it", "nl" by the common words of the first 4,096 characters.

    None when there are too few of them, or two languages are close.
    """
    hits = dict.fromkeys(lexicon.LANGUAGES, 0)
    different = dict.fromkeys(lexicon.LANGUAGES, 0)
    for word, count in Counter(_WORD.findall(text[:_SAMPLE].lower())).items():
        for language in _LANGUAGES_OF.get(word, ()):
            hits[language] += count
            different[language] += 1
    (best, most), (_, second) = sorted(hits.items(), key=lambda pair: -pair[1])[:2]
    is_clear = most >= _FEWEST_HITS and most >= second * _LEAD and different[best] >= _FEWEST_WORDS
    return best if is_clear else None


def is_in_english(text: str) -> bool:
    """Whether a text, perhaps one sentence, has as many words of grammar that only English has as words that
    are of other languages by their grammar or their accents: "was" and "in" tell nothing.

    >>> is_in_english("Groups are kept small."), is_in_english("Am besten fragt man mit einem Brief.")
    (True, False)
    >>> is_in_english("Was kostet die Teilnahme am Kurs?"), is_in_english("What does the café charge?")
    (False, True)
    """
    return _is_in_english(_WORD.findall(text.lower()))


@lru_cache(maxsize=4_096)
def language_of_sentence(text: str) -> str:
    """The language of a text, perhaps one sentence: English (see `is_in_english`), or the other one that has
    most of its words of grammar.

    >>> language_of_sentence("Die Halle hat 80 Plätze."), language_of_sentence("O muro foi pintado.")
    ('de', 'pt')
    """
    words = _WORD.findall(text.lower())
    if _is_in_english(words):
        return "en"
    others = (language for language in lexicon.LANGUAGES if language != "en")
    return max(others, key=lambda language: sum(word in _IN_QUESTIONS[language] for word in words))


def _is_in_english(words: Sequence[str]) -> bool:
    of_others = sum(word in _NEVER_ENGLISH or bool(_ACCENT.search(word)) for word in words)
    return of_others <= sum(word in _ENGLISH_ALONE for word in words)
