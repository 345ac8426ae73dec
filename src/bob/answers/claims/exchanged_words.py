"""Finds two words of a claim that stand in each other's place in a sentence that says the same otherwise
(SPEC E2): "Prometheus is faster than Graphite", of a source in which Graphite is faster than Prometheus.

All words are the source's then, so neither shared words nor facts tell. What stands around the two does: with
them exchanged the claim has neighbours of both that the sentence has, and as it is none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from bob.answers.claims.evidence import Reading, Sentence
from bob.answers.claims.finding import Finding
from bob.text import lexicon
from bob.text.clock import TimeOfDay
from bob.text.dates import StatedDate
from bob.text.words import Word

_NEAR = 2
"""Words that stand so near are neighbours; articles and forms of "to be" are passed over."""

_OF_NUMBERS, _OF_NAMES, _OF_WORDS = 2, 3, 4
"""So many neighbours does the exchange need in the sentence: of numbers, of names, and of other words."""

_FEWEST_SHARED = 3
"""Words that a sentence has to share: the two, and a neighbour of them. Most sentences share fewer."""

_BEARS_OUT = 2
"""With so many of the claim's own neighbours another sentence bears it out."""

_WHOLE = re.compile(r"(?<![\w.,/:-])\d+(?!\w|[.,/:-]\d)")
"""A number that is no part of a version, a decimal, a time or a range."""

_LANGUAGES = ("en", "de", "pt")
_PASSED_OVER = frozenset((*lexicon.words("articles", *_LANGUAGES), *lexicon.words("being", *_LANGUAGES)))
_SAME_BOTH_WAYS = frozenset(
    word
    for section in ("and", "or", "versus", "the same both ways")
    for word in lexicon.words(section, *_LANGUAGES)
)
_AGENTS = frozenset(lexicon.words("agents", *_LANGUAGES))

_Neighbours = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Part:
    """A word, a name of several, or a time or date as its `value`."""

    words: tuple[Word, ...]
    is_name: bool
    value: str = ""

    @property
    def stems(self) -> str:
        return self.value or " ".join(word.stem for word in self.words)

    @property
    def span(self) -> tuple[int, int]:
        return self.words[0].start, self.words[-1].end

    @property
    def may_change_places(self) -> bool:
        stems = self.stems
        if self.value:
            return True
        # Of names of two letters only one with a digit is told from other words: "Q2".
        is_long = len(stems) > 2 or any(map(str.isdigit, stems))
        return any(word.carries_meaning for word in self.words) and is_long


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two parts of a claim, how many of their neighbours a sentence has, and how many with them exchanged."""

    one: _Part
    other: _Part
    own: int
    exchanged: int

    @property
    def is_exchanged(self) -> bool:
        if self.one.stems[0].isdigit() or (self.one.value and self.other.value):
            least = _OF_NUMBERS
        else:
            least = _OF_NAMES if self.one.is_name and self.other.is_name else _OF_WORDS
        return not self.own and self.exchanged >= least


def exchanges(claim: Reading, evidence: Sequence[Reading]) -> Iterator[Finding]:
    """The exchange of each sentence of the claim that most neighbours show, if there is one. Where another
    sentence of the evidence has the claim's own neighbours, there is none."""
    for sentence in claim.sentences:
        parts = _parts(claim, sentence)
        exchanged: dict[frozenset[str], list[tuple[_Pair, int, Sentence]]] = defaultdict(list)
        borne_out: set[frozenset[str]] = set()
        for index, text in enumerate(evidence):
            for other in text.sentences:
                if len(sentence.stems & other.stems) < _FEWEST_SHARED:
                    continue
                for pair in _pairs(parts, _parts(text, other)):
                    stems = frozenset((pair.one.stems, pair.other.stems))
                    if pair.is_exchanged:
                        exchanged[stems].append((pair, index, other))
                    elif pair.own >= _BEARS_OUT and not pair.exchanged:
                        borne_out.add(stems)
        left = [entry for stems, entries in exchanged.items() if stems not in borne_out for entry in entries]
        if left:
            pair, index, other = max(left, key=lambda entry: entry[0].exchanged)
            one, another = (claim.plain[slice(*part.span)] for part in (pair.one, pair.other))
            reason = f"{one} and {another} stand in each other's place in the source"
            where = (index, (other.words[0].start, other.end))
            yield Finding("exchange", pair.one.span, "contradicted", reason, *where)


def _parts(reading: Reading, sentence: Sentence) -> list[_Part]:
    """The words of a sentence, names of several as one, and its dates and times: 31 July is 07-31."""
    parts: list[_Part] = []
    moments = [fact for fact in sentence.facts if isinstance(fact.meaning, StatedDate | TimeOfDay)]
    for word in sentence.words:
        moment = next((fact for fact in moments if fact.start <= word.start < fact.end), None)
        if moment is not None:
            if not parts or parts[-1].value != moment.value:
                parts.append(_Part((word,), is_name=True, value=moment.value))
            continue
        if word.text in _PASSED_OVER:
            continue
        first = reading.plain[word.start]
        if first.isdigit() and not _WHOLE.match(reading.plain, word.start):
            continue
        before = parts[-1] if parts else None
        goes_on = before is not None and not before.value and first.isupper()
        if before is not None and goes_on and _is_name_before(reading.plain, before, word):
            parts[-1] = _Part((*before.words, word), is_name=True)
        else:
            parts.append(_Part((word,), first.isupper() or first.isdigit()))
    return parts


def _is_name_before(plain: str, before: _Part, word: Word) -> bool:
    """Whether a part with a capital stands right before a word."""
    start, end = before.span
    return plain[end : word.start] == " " and plain[start].isupper()


def _pairs(ours: Sequence[_Part], theirs: Sequence[_Part]) -> Iterator[_Pair]:
    """What could have changed places in a claim, beside a sentence that has both, each once."""
    names = {part.stems for part in ours} & {part.stems for part in theirs}
    ours, theirs = ([word for part in parts for word in _split(part, names)] for parts in (ours, theirs))
    own, others = ([part.stems for part in parts] for parts in (ours, theirs))
    counts, their_counts = Counter(own), Counter(others)
    once = [
        number
        for number, part in enumerate(ours)
        if counts[part.stems] == 1 == their_counts[part.stems] and part.may_change_places
    ]
    neighbours = _neighbours(others, others)
    for first, last in combinations(once, 2):
        one, other = ours[first].stems, ours[last].stems
        if all(between in _SAME_BOTH_WAYS for between in own[first + 1 : last]):
            continue
        if one[0].isdigit() != other[0].isdigit() or _acts(own, one, other) != _acts(others, one, other):
            continue
        exchanged = [other if stems == one else one if stems == other else stems for stems in own]
        as_is, otherwise = (_neighbours(stems, (one, other)) for stems in (own, exchanged))
        gained = (otherwise - as_is) & neighbours
        if not gained or all(any(stems in pair for pair in gained) for stems in (one, other)):
            yield _Pair(ours[first], ours[last], len((as_is - otherwise) & neighbours), len(gained))


def _split(part: _Part, names: set[str]) -> Iterator[_Part]:
    """A name of several words that only one of the two texts has is its words."""
    if len(part.words) == 1 or part.stems in names:
        yield part
    else:
        yield from (_Part((word,), is_name=True) for word in part.words)


def _acts(stems: Sequence[str], one: str, other: str) -> bool:
    """Whether one of the two stands behind "by": "Ann asked Ben" is "Ben was asked by Ann"."""
    return any(before in _AGENTS and word in (one, other) for before, word in pairwise(stems))


def _neighbours(stems: Sequence[str], of: Sequence[str]) -> _Neighbours:
    """The pairs of words that stand near one another, in their order, of which one is one of these."""
    chosen = set(of)
    return frozenset(
        (stems[first], stems[second])
        for first in range(len(stems))
        for second in range(first + 1, min(first + _NEAR + 1, len(stems)))
        if stems[first] in chosen or stems[second] in chosen
    )
