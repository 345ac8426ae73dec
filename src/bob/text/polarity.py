"""Where a claim denies what its source affirms, or the reverse, and where it claims too much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bob.text.negation import SignedWord, quantifiers_in, shares_in
from bob.text.opposites import OPPOSITES, POSITIONAL
from bob.text.words import Word

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")
_NO_PREFIX_WORDS = """
    under until unit union unique unless unlike inside index input install instance instead include
    into income increase inform information import important image display distribute distribution
    discover discard dispatch discuss district distance detail device decide describe define delete
    depend deploy default detect inner invent intent intend interest indeed indent
"""
_NO_PREFIX = frozenset(_NO_PREFIX_WORDS.split())
_CLAIMS_TOO_MUCH = {
    "all": ("most", "many", "some", "few", "part"),
    "most": ("some", "few"),
    "many": (),
    "some": (),
    "few": ("all", "most"),
}
_NEAR = 3
_FEWEST_OF_ONE_SENTENCE = 3
"""Words that carry meaning: a claim of so many may be a sentence of the source with one exchanged."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A word of the claim and the word of the source that says the opposite."""

    kind: str
    claimed: Word
    found: Word
    reason: str


def conflicts(claim: Sequence[SignedWord], source: Sequence[SignedWord]) -> Iterator[Conflict]:
    """Where a claim and one sentence of its source contradict each other in what they deny or compare."""
    claim, source = _prefixes_split(claim, source), _prefixes_split(source, claim)
    yield from _denials(claim, source)
    yield from _opposites(claim, source)


def _prefixes_split(words: Sequence[SignedWord], other: Sequence[SignedWord]) -> list[SignedWord]:
    """`unsupported` as a denied `supported`, where the other text has that word."""
    by_stem = {signed.word.stem: signed.word for signed in other}
    own = {word.word.stem for word in words}
    conflicts = []
    for each in words:
        bare = next(
            (
                by_stem[rest]
                for prefix in _PREFIXES
                if each.word.stem.startswith(prefix) and each.word.text not in _NO_PREFIX
                for rest in (each.word.stem.removeprefix(prefix),)
                if len(rest) > 3 and rest in by_stem and rest not in own
            ),
            None,
        )
        if bare is None or each.word.stem in by_stem:
            conflicts.append(each)
            continue
        word = Word(each.word.start, each.word.end, bare.text, bare.stem)
        conflicts.append(SignedWord(word, 1, None) if each.sign < 0 else SignedWord(word, -1, each.word))
    return conflicts


def _denials(claim: Sequence[SignedWord], source: Sequence[SignedWord]) -> Iterator[Conflict]:
    claim_cues, source_cues = _aligned_cues(claim, source), _aligned_cues(source, claim)
    if (len(claim_cues) - len(source_cues)) % 2 == 0:
        return
    for index, word in enumerate(claim):
        match = _counterpart(claim, index, source) if word.sign else None
        if match is None or word.sign * match.sign >= 0:
            continue
        denied = "the claim denies it, the source does not" if word.sign < 0 else "the source denies it"
        yield Conflict("negation", word.word, match.word, f"“{word.word.text}”: {denied}")
        return


def _aligned_cues(words: Sequence[SignedWord], other: Sequence[SignedWord]) -> set[int]:
    """The cues that deny, or stand before, a word that the other text has too."""
    stems = {word.word.stem for word in other}
    return {word.cue.start for word in words if word.cue is not None and word.word.stem in stems}


def _counterpart(words: Sequence[SignedWord], index: int, other: Sequence[SignedWord]) -> SignedWord | None:
    """The other text's occurrence of a word with the most alike neighbours; of several one of its sign."""
    places = [position for position, word in enumerate(other) if word.word.stem == words[index].word.stem]
    if not places:
        return None
    around = _around(words, index)
    best = max(
        places,
        key=lambda position: (
            len(around & _around(other, position)),
            other[position].sign == words[index].sign,
        ),
    )
    return other[best]


def _around(words: Sequence[SignedWord], index: int) -> set[str]:
    near = words[max(0, index - _NEAR) : index + _NEAR + 1]
    return {word.word.stem for word in near} - {words[index].word.stem}


def _opposites(claim: Sequence[SignedWord], source: Sequence[SignedWord]) -> Iterator[Conflict]:
    stems, source_stems = ({word.word.stem for word in words} for words in (claim, source))
    for index, each in enumerate(claim):
        if each.word.stem in source_stems:
            continue
        for place, found in enumerate(source):
            if (
                found.word.stem in OPPOSITES.get(each.word.stem, ())
                and found.word.stem not in stems
                and each.sign == found.sign
                and _same_context(claim, index, source, place)
                and not _said_from_the_other_side(claim, index, source, place)
            ):
                reason = f"the source says “{found.word.text}”, the claim “{each.word.text}”"
                yield Conflict("comparison", each.word, found.word, reason)


def _said_from_the_other_side(
    claim: Sequence[SignedWord], index: int, source: Sequence[SignedWord], position: int
) -> bool:
    """Whether what stands on one side of a word stands on the other of its opposite: "oak is heavier than
    pine" is "pine is lighter than oak"."""
    before, after = _stems(claim[:index]), _stems(claim[index + 1 :])
    their_before, their_after = _stems(source[:position]), _stems(source[position + 1 :])
    crossed = (before & their_after) - their_before, (after & their_before) - their_after
    return all(crossed)


def _same_context(claim: Sequence[SignedWord], index: int, source: Sequence[SignedWord], place: int) -> bool:
    after = _stems(claim[index + 1 : index + 3]) & _stems(source[place + 1 : place + 3])
    if claim[index].word.stem in POSITIONAL:
        return bool(_stems(claim[index + 1 : index + 2]) & _stems(source[place + 1 : place + 2]))
    return bool(after) or bool(
        _stems(claim[max(0, index - 2) : index]) & _stems(source[max(0, place - 2) : place])
    )


def _stems(words: Sequence[SignedWord]) -> set[str]:
    return {word.word.stem for word in words}


def claims_too_much(claim: Sequence[Word], source: Sequence[Word]) -> Iterator[Conflict]:
    """Where a claim speaks of all or most of what the source says of some, or of few where it says all; and
    where it says of others what the source says of some alone."""
    stated = quantifiers_in(source)
    shares = [("part", word, of) for word, of in shares_in(source)]
    yield from _of_others(claim, source, stated)
    for kind, word, of in quantifiers_in(claim):
        found = {other: each for other, each, others_of in (*shares, *stated) if others_of == of}
        if kind in found or kind == "only":
            continue
        for other in _CLAIMS_TOO_MUCH[kind]:
            if other in found:
                reason = f"the source says “{found[other].text}”, the claim “{word.text}”"
                yield Conflict("quantifier", word, found[other], reason)
                break


def _of_others(
    claim: Sequence[Word], source: Sequence[Word], stated: Sequence[tuple[str, Word, str]]
) -> Iterator[Conflict]:
    """Where a claim that is the source's sentence has another word for those that the source says it of
    alone: "Guests may use the sauna", where only members may."""
    own = [word for word in claim if word.carries_meaning]
    others = [word for word in own if word.stem not in {word.stem for word in source}]
    if len(others) != 1 or len(own) < _FEWEST_OF_ONE_SENTENCE:
        return
    for kind, only, of in stated:
        opens = not any(word.carries_meaning for word in source if word.start < only.start)
        if kind == "only" and opens and of and all(word.stem != of for word in own):
            reason = f"the source says it of “{of}” alone, the claim of “{others[0].text}”"
            yield Conflict("quantifier", others[0], only, reason)
            return
