"""The funnel's first two layers: what says nothing by its words alone, and what is always judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from bob.conversations.word_lists import FunnelWords
from bob.text.sentences import message_sentences
from bob.text.words import folded, opening_pattern, phrase_pattern

_WORD = re.compile(r"\w+(?:'\w+)?")
_LAUGHTER = re.compile(r"\b(?:(?:ha|he|hi|hua|ah){2,}h?|k{3,}|(?:rs){1,}|h+m+)\b")
_POLITE = re.compile(
    r"(?:\W*\b(?:hi|hello|hey|oi|ola|bob|please|por favor|(?:can|could) you(?: please)?(?: tell me|"
    r" explain)?|"
    r"(?:voce )?pode(?:ria)? me (?:dizer|explicar)|tell me|me diga|me explica|so|e|and)\b)+\W*"
)
_SPEAKER = re.compile(r"\b(?:i|i'm|i've|i'll|we|we're|we've|we'll|eu|nos|a gente)\b")

_LOOKUP_WORDS = 10
"""A look-up question has at most so many words behind its opening; longer ones tell of a situation."""

_FORGIVEN_WORDS = 1
"""So many words beside small talk may be a name ("Good morning, Clara!")."""


@dataclass(frozen=True, slots=True)
class Screened:
    """What became of a message: `heuristics` dropped it, `gold` forces it on, `judge` is neither.

    `indicator` is the words that decided it, folded, or a rule's name; empty for `judge`.
    """

    outcome: Literal["heuristics", "gold", "judge"]
    indicator: str = ""

    @property
    def passed(self) -> bool:
        """Whether the judge is to see it."""
        return self.outcome != "heuristics"


def screen(text: str, words: FunnelWords) -> Screened:
    """Layer 1 and layer 2 over one message; pure."""
    plain, finds = folded(text), _patterns_of(words)
    if gold := finds.gold.search(plain):
        return Screened("gold", " ".join(gold[0].split()))
    if len(text.strip()) < words.min_characters:
        return Screened("heuristics", "short")
    phrase = ""
    for sentence in message_sentences(text):
        lowered = folded(sentence)
        if translation := _opening(lowered, finds.translations):
            return Screened("heuristics", phrase or translation)
        trash = _small_talk(lowered, finds.small_talk) or _lookup(lowered, finds.lookups)
        if not trash:
            return Screened("judge")
        phrase = phrase or trash
    return Screened("heuristics", phrase or "no words")


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The words of the first two layers, each list as one pattern."""

    small_talk: re.Pattern[str]
    lookups: re.Pattern[str]
    translations: re.Pattern[str]
    gold: re.Pattern[str]


@lru_cache(16)
def _patterns_of(words: FunnelWords) -> _Patterns:
    return _Patterns(
        phrase_pattern(words.small_talk),
        opening_pattern(words.lookups),
        opening_pattern(words.translations),
        phrase_pattern(words.gold),
    )


def _small_talk(sentence: str, phrase: re.Pattern[str]) -> str:
    """The small talk that the sentence consists of; empty when it says more."""
    rest = _LAUGHTER.sub(" ", sentence)
    matched = phrase.search(rest)
    others = len(_WORD.findall(phrase.sub(" ", rest)))
    if not _WORD.search(rest):
        return "laughter" if rest != sentence else "no words"
    return matched[0] if matched and others <= _FORGIVEN_WORDS else ""


def _lookup(sentence: str, pattern: re.Pattern[str]) -> str:
    """The opening of a look-up question, when the sentence is one and nothing else."""
    opening = _opening(sentence, pattern)
    if not opening:
        return ""
    rest = sentence[sentence.index(opening) + len(opening) :]
    short = len(_WORD.findall(rest)) <= _LOOKUP_WORDS
    return opening if short and not _SPEAKER.search(rest) else ""


def _opening(sentence: str, pattern: re.Pattern[str]) -> str:
    """The phrase that the sentence begins with, politeness apart; empty when there is none."""
    polite = _POLITE.match(sentence)
    for start in {0, polite.end() if polite else 0}:
        if match := pattern.match(sentence, start):
            return match[0].strip()
    return ""
