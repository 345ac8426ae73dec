"""Finds a claim that is cut out of a sentence which does not say it (SPEC E2): "The fair is held indoors."
of "If it rains, the fair is held indoors.", "58 members have paid." of "55 of 58 members have paid."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bob.answers.claims.evidence import Reading
from bob.answers.claims.finding import Finding
from bob.text import lexicon
from bob.text.negation import denies
from bob.text.number_words import NUMBER_WORDS

_WORD = re.compile(r"\w+")
_CONDITIONS = lexicon.any_of("conditions")
_QUANTIFIERS = {word for _, words in lexicon.pairs("quantifiers") for word in words}
_NEXT_CLAUSE = re.compile(rf";|,\s*(?:{lexicon.any_of('and')}|{lexicon.any_of('but')})\b")
"""Behind one of these another clause begins: what is denied or supposed before says nothing of it."""

_SUPPOSED = re.compile(
    rf"(?:^|[,(])\W*(?:\w+\s)?(?:{_CONDITIONS})\b"
    rf"|\b(?:{lexicon.any_of('question conjunctions')})\b"
    rf"|\b(?:{lexicon.any_of('against')})\b.*\b(?:{lexicon.any_of('opens what is said')})\W*$"
)
_PART_OF = re.compile(
    rf"(?:\d[\d.,]*|{lexicon.either(NUMBER_WORDS.keys() | _QUANTIFIERS)})"
    rf"\s(?:{lexicon.either(lexicon.words('belonging to'))})"
    rf"(?:\s(?:{lexicon.either(lexicon.words('articles'))}))?\s*$"
)
_SUPPOSED_BEHIND = re.compile(rf"\W*(?:\w+\s)?(?:{_CONDITIONS})\b")
_WORDS_TOLD = 6


def cut_out(claim: Reading, readings: Sequence[Reading]) -> Iterator[Finding]:
    """What each text has before the words of the claim, in the same clause, that denies them, says them of
    some cases only, or counts a part of what they count; or right behind them, that says them of some cases
    only."""
    words = _WORD.findall(claim.lower)
    if not words:
        return
    together = r"\W+".join(map(re.escape, words))
    said = re.compile(rf"\b{together}\b")
    start = claim.lower.find(words[0])
    for reason in filter(None, (_reason(said, source) for source in readings)):
        yield Finding("negation", (start, start + len(words[0])), "missing", reason)


def _reason(said: re.Pattern[str], source: Reading) -> str:
    for sentence in source.sentences:
        match = said.search(source.lower, sentence.start, sentence.end)
        if match is None:
            continue
        breaks = _NEXT_CLAUSE.finditer(source.lower, sentence.start, match.start())
        begins = max((each.end() for each in breaks), default=sentence.start)
        before = source.lower[begins : match.start()]
        behind = source.lower[match.end() : sentence.end]
        if denies(before) or _SUPPOSED.search(before) or _PART_OF.search(before):
            told = _WORD.findall(before)[-_WORDS_TOLD:]
            return f"the source says this behind “{' '.join(told)}”"
        if _SUPPOSED_BEHIND.match(behind):
            told = _WORD.findall(behind)[:_WORDS_TOLD]
            return f"the source says this before “{' '.join(told)}”"
    return ""
