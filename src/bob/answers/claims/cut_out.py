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
from bob.text.numbers import NUMBER_WORDS

_CONDITIONS = frozenset(lexicon.words("conditions"))
_QUANTIFIERS = {word for _, words in lexicon.pairs("quantifiers") for word in words}
_PART_OF = re.compile(
    rf"(?:\d[\d.,]*|{lexicon.either(NUMBER_WORDS.keys() | _QUANTIFIERS)})"
    rf"\s(?:{lexicon.either(lexicon.words('belonging to'))})"
    rf"(?:\s(?:{lexicon.either(lexicon.words('articles'))}))?$"
)
_WORDS_TOLD = 6
_WORDS_BEHIND = 2
"""Among so many words behind a claim stands what makes it one of some cases only: "only if"."""


def cut_out(claim: Reading, readings: Sequence[Reading]) -> Iterator[Finding]:
    """What each text has before the words of the claim, in the same sentence, that denies them, says them of
    some cases only, or counts a part of what they count; or right behind them, that says them of some cases
    only."""
    first = claim.tokens.partition(" ")[0]
    start = claim.lower.find(first)
    for clause in (clause for source in readings for clause in source.clauses):
        before, is_there, behind = f" {clause} ".partition(f" {claim.tokens} ")
        if not is_there:
            continue
        words, following = before.split(), behind.split()
        reason = ""
        if denies(before) or _CONDITIONS.intersection(words) or _PART_OF.search(before.strip()):
            reason = f"the source says this behind “{' '.join(words[-_WORDS_TOLD:])}”"
        elif _CONDITIONS.intersection(following[:_WORDS_BEHIND]):
            reason = f"the source says this before “{' '.join(following[:_WORDS_TOLD])}”"
        if reason:
            yield Finding("negation", (start, start + len(first)), "missing", reason)
