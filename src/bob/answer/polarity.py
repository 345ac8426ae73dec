"""Which words of a text are denied, and where a claim denies what its source affirms or the reverse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bob.answer.opposites import OPPOSITES, POSITIONAL
from bob.text.words import FUNCTION_WORDS, Word

_CUES_WORDS = """
    not never no without cannot neither nor lacks lack lacking lacked não nunca jamais sem nem
    nenhum nenhuma nicht nie niemals kein keine keinen keiner keines keinem ohne weder ne sans aucun
    aucune sin ningún ninguna ni
"""
_CUES = frozenset(_CUES_WORDS.split())
_CUES_BEFORE_TO_WORDS = "unable fail fails failed failing refuses refuse refused"
_CUES_BEFORE_TO = frozenset(_CUES_BEFORE_TO_WORDS.split())
_NO_DENIAL_BEFORE = ("only", "just", "necessarily", "solely", "merely")
_AFTER_VERB = ("nicht", "nie", "niemals")
"""German denies the verb from behind."""

_ASKS = ("whether", "ob")
"""What follows is neither affirmed nor denied."""

_PORTUGUESE = ("não", "é", "são", "uma", "está", "ao", "à", "dos", "pelo", "também")
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")
_NO_PREFIX_WORDS = """
    under until unit union unique unless unlike inside index input install instance instead include
    into income increase inform information import important image display distribute distribution
    discover discard dispatch discuss district distance detail device decide describe define delete
    depend deploy default detect inner invent intent intend interest indeed indent
"""
_NO_PREFIX = frozenset(_NO_PREFIX_WORDS.split())
_SEPARATOR = re.compile(r"[.;:,()\[\]!?|]")
_NEW_CLAUSE_WORDS = "but if when unless because since while although which who mas aber mais pero wenn"
_NEW_CLAUSE = frozenset(_NEW_CLAUSE_WORDS.split())
_REACH = 8
_QUANTIFIERS = {
    "all": "all every each always everyone everything everywhere entire todos todas todo cada sempre alle "
    "jeder immer tous toutes chaque toujours siempre",
    "most": "most mostly usually generally typically mainly often frequently maioria meist meistens plupart "
    "mayoría",
    "some": "some sometimes several occasionally alguns algumas einige manchmal quelques parfois algunos "
    "algunas",
    "few": "few rarely seldom raramente selten rarement raras",
    "only": "only solely exclusively merely apenas somente nur ausschließlich seulement solamente",
}
_QUANTIFIER_OF = {word: kind for kind, words in _QUANTIFIERS.items() for word in words.split()}
_CLAIMS_TOO_MUCH = {
    "all": ("most", "some", "few"),
    "most": ("some", "few"),
    "some": (),
    "few": ("all", "most"),
}
_NEAR = 3


@dataclass(frozen=True, slots=True)
class SignedWord:
    """A word with its sign: -1 where `cue` denies it, 0 behind such a word, where that is open, else 1."""

    word: Word
    sign: int
    cue: Word | None = None


def signed_words(words: Sequence[Word], plain: str) -> list[SignedWord]:
    """The words of a text that carry meaning or have an opposite, with their signs."""
    found: list[SignedWord] = []
    # Portuguese says "no" for "in the".
    portuguese = any(word.text in _PORTUGUESE for word in words)
    cue: Word | None = None
    flips = passed = clause = 0
    denied = asked = False
    for at, word in enumerate(words):
        gap = plain[words[at - 1].end : word.start] if at else " "
        if word.text in _NEW_CLAUSE or (gap != " " and _SEPARATOR.search(gap)):
            cue, flips, denied, clause = None, 0, False, len(found)
            asked = False
        asked = asked or word.text in _ASKS
        if _denies(words, at) and not (portuguese and word.text == "no"):
            flips = 1 if denied else flips + 1
            cue, denied, passed = word, False, 0
            if word.text in _AFTER_VERB:
                found[clause:] = [SignedWord(each.word, -1, word) for each in found[clause:]]
            continue
        passed += 1
        if passed > _REACH:
            cue, flips = None, 0
        meaning = word.carries_meaning and word.stem != "long"
        if cue is not None and meaning and not denied and not _is_adverb(word):
            found.append(SignedWord(word, -1 if flips % 2 else 1, cue if flips % 2 else None))
            denied = True
        elif word.carries_meaning or word.stem in OPPOSITES:
            found.append(SignedWord(word, 0 if asked or (cue is not None and flips % 2) else 1))
    return found


def _denies(words: Sequence[Word], at: int) -> bool:
    word = words[at].text
    following = words[at + 1].text if at + 1 < len(words) else ""
    if word in _CUES_BEFORE_TO:
        return following == "to"
    if following in _NO_DENIAL_BEFORE or (word == "not" and at and words[at - 1].text in ("or", "if")):
        return False
    if word in ("0", "zero"):
        return following.endswith("s") and following not in FUNCTION_WORDS
    return word in _CUES or word.endswith("n't") or word.startswith("n'")


def _is_adverb(word: Word) -> bool:
    return word.text.endswith("ly") and len(word.text) > 4


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
    known = {each.word.stem: each.word for each in other}
    own = {each.word.stem for each in words}
    found = []
    for each in words:
        bare = next(
            (
                known[rest]
                for prefix in _PREFIXES
                if each.word.stem.startswith(prefix) and each.word.text not in _NO_PREFIX
                for rest in (each.word.stem.removeprefix(prefix),)
                if len(rest) > 3 and rest in known and rest not in own
            ),
            None,
        )
        if bare is None or each.word.stem in known:
            found.append(each)
            continue
        word = Word(each.word.start, each.word.end, bare.text, bare.stem)
        found.append(SignedWord(word, 1, None) if each.sign < 0 else SignedWord(word, -1, each.word))
    return found


def _denials(claim: Sequence[SignedWord], source: Sequence[SignedWord]) -> Iterator[Conflict]:
    claim_cues, source_cues = _aligned_cues(claim, source), _aligned_cues(source, claim)
    if (len(claim_cues) - len(source_cues)) % 2 == 0:
        return
    for at, each in enumerate(claim):
        match = _counterpart(claim, at, source) if each.sign else None
        if match is None or each.sign * match.sign >= 0:
            continue
        denied = "the claim denies it, the source does not" if each.sign < 0 else "the source denies it"
        yield Conflict("negation", each.word, match.word, f"“{each.word.text}”: {denied}")
        return


def _aligned_cues(words: Sequence[SignedWord], other: Sequence[SignedWord]) -> set[int]:
    """The cues that deny, or stand before, a word that the other text has too."""
    stems = {each.word.stem for each in other}
    return {each.cue.start for each in words if each.cue is not None and each.word.stem in stems}


def _counterpart(words: Sequence[SignedWord], at: int, other: Sequence[SignedWord]) -> SignedWord | None:
    """The other text's occurrence of a word with the most alike neighbours; of several one of its sign."""
    places = [place for place, each in enumerate(other) if each.word.stem == words[at].word.stem]
    if not places:
        return None
    around = _around(words, at)
    best = max(
        places, key=lambda place: (len(around & _around(other, place)), other[place].sign == words[at].sign)
    )
    return other[best]


def _around(words: Sequence[SignedWord], at: int) -> set[str]:
    near = words[max(0, at - _NEAR) : at + _NEAR + 1]
    return {each.word.stem for each in near} - {words[at].word.stem}


def _opposites(claim: Sequence[SignedWord], source: Sequence[SignedWord]) -> Iterator[Conflict]:
    stems, source_stems = ({each.word.stem for each in words} for words in (claim, source))
    for at, each in enumerate(claim):
        if each.word.stem in source_stems:
            continue
        for place, found in enumerate(source):
            if (
                found.word.stem in OPPOSITES.get(each.word.stem, ())
                and found.word.stem not in stems
                and each.sign == found.sign
                and _same_context(claim, at, source, place)
            ):
                reason = f"the source says “{found.word.text}”, the claim “{each.word.text}”"
                yield Conflict("comparison", each.word, found.word, reason)


def _same_context(claim: Sequence[SignedWord], at: int, source: Sequence[SignedWord], place: int) -> bool:
    after = _stems(claim[at + 1 : at + 3]) & _stems(source[place + 1 : place + 3])
    if claim[at].word.stem in POSITIONAL:
        return bool(_stems(claim[at + 1 : at + 2]) & _stems(source[place + 1 : place + 2]))
    return bool(after) or bool(_stems(claim[max(0, at - 2) : at]) & _stems(source[max(0, place - 2) : place]))


def _stems(words: Sequence[SignedWord]) -> set[str]:
    return {each.word.stem for each in words}


def quantifiers_in(words: Sequence[Word]) -> list[tuple[str, Word, str]]:
    """The quantifiers of a text: kind, word and the stem of the next word that carries meaning."""
    found = []
    for at, word in enumerate(words):
        if kind := _QUANTIFIER_OF.get(word.text):
            following = next((each.stem for each in words[at + 1 : at + 5] if each.carries_meaning), "")
            found.append((kind, word, following))
    return found


def claims_too_much(claim: Sequence[Word], source: Sequence[Word]) -> Iterator[Conflict]:
    """Where a claim speaks of all or most of what the source says of some, or of few where it says all."""
    said = quantifiers_in(source)
    for kind, word, of in quantifiers_in(claim):
        found = {other: each for other, each, others_of in said if others_of == of}
        if kind in found or kind == "only":
            continue
        for other in _CLAIMS_TOO_MUCH[kind]:
            if other in found:
                reason = f"the source says “{found[other].text}”, the claim “{word.text}”"
                yield Conflict("quantifier", word, found[other], reason)
                break
