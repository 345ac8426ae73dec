"""Finds what a sentence excepts from what it says: "Receipts are due in May, except for visa costs." A claim
about that which says the same is wrong, and one that denies it is right (SPEC E2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from bob.answers.claims.evidence import Reading, Sentence
from bob.text import lexicon
from bob.text.polarity import Conflict
from bob.text.words import Word

_EXCEPTS = re.compile(rf"\b(?:{lexicon.any_of('exceptions')})\b,?\s*")
_ENDS = re.compile(rf"[,;:.()\[\]!?]|\b(?:{lexicon.any_of('but')}|which|that|who|whose)\b")
_NEXT = re.compile(rf"\b(?:{lexicon.any_of('and')}|{lexicon.any_of('or')})\b")
_MOST_WORDS = 5
_SAYS_THE_REST = 0.6
"""The share of the claim's other words, by rarity, that stand in what the sentence says."""


def exception_to(
    claim: Reading, weights: Mapping[str, float], source: Reading, sentence: Sentence
) -> Conflict | None:
    """The words of a claim that a sentence excepts from what it says, where the claim says that, too, and
    excepts nothing itself."""
    if not _EXCEPTS.search(source.lower, sentence.start, sentence.end) or _EXCEPTS.search(claim.lower):
        return None
    own = {word.stem: word for part in claim.sentences for word in part.words if word.carries_meaning}
    for excepted, main_words in _exceptions(source, sentence):
        stems = {word.stem for word in excepted}
        rest = own.keys() - stems
        main = {word.stem for word in main_words}
        total = sum(weights.get(stem, 0.0) for stem in rest)
        shared = sum(weights.get(stem, 0.0) for stem in rest & main)
        if stems <= own.keys() and not stems <= main and shared >= _SAYS_THE_REST * total > 0:
            claimed = min((own[stem] for stem in stems), key=lambda word: word.start)
            phrase = source.plain[excepted[0].start : excepted[-1].end]
            return Conflict("quantifier", claimed, excepted[0], f"the source excepts “{phrase}”")
    return None


def _exceptions(source: Reading, sentence: Sentence) -> Iterator[tuple[Sequence[Word], Sequence[Word]]]:
    """Each thing that a sentence excepts, as its words that carry meaning, and the words of the sentence
    besides."""
    for marker in _EXCEPTS.finditer(source.lower, sentence.start, sentence.end):
        end = _ENDS.search(source.lower, marker.end(), sentence.end)
        stop = end.start() if end else sentence.end
        main_words = [word for word in sentence.words if not marker.start() <= word.start < stop]
        starts = [marker.end(), *(joint.end() for joint in _NEXT.finditer(source.lower, marker.end(), stop))]
        for first, last in zip(starts, [*starts[1:], stop], strict=True):
            words = [word for word in sentence.words if first <= word.start < last and word.carries_meaning]
            words = [word for word in words if not _NEXT.fullmatch(word.text)]
            if 0 < len(words) <= _MOST_WORDS:
                yield words, main_words
