"""Which words of a text are denied, whether a statement denies anything, and what its quantifiers claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bob.text import lexicon
from bob.text.languages import ONLY_PORTUGUESE
from bob.text.number_words import NUMBER_WORDS
from bob.text.opposites import OPPOSITES
from bob.text.stop_words import FUNCTION_WORDS
from bob.text.words import Word, folded

_CUES = frozenset(lexicon.words("negation"))
_CUES_BEFORE_TO = frozenset(lexicon.words("negation before to"))
_NO_DENIAL_BEFORE = frozenset(lexicon.words("no negation before"))
_BEHIND_VERB = frozenset(lexicon.words("negation behind the verb"))
_BOUNDS = frozenset(bound for _, bounds in lexicon.pairs("bounds") for bound in bounds)
_LONGEST_BOUND = max(len(bound.split()) for bound in _BOUNDS)
_OPENS_QUESTION = frozenset(lexicon.words("question conjunctions"))
_NEW_CLAUSE = frozenset(lexicon.words("new clause"))
_SECOND_CUES = frozenset(lexicon.words("second half of a negation"))
_QUANTIFIER_OF = {word: kind for kind, words in lexicon.pairs("quantifiers") for word in words}
_PARTS = NUMBER_WORDS.keys() | set(lexicon.words("parts of a whole"))
_HUNDREDTHS = frozenset(" ".join(lexicon.by_name("units")["percent"]).lower().split())
_WHOLE = 100
_BELONGING = frozenset((*lexicon.words("belonging to"), *lexicon.words("articles", "de")))
_SEPARATOR = re.compile(r"[.;:,()\[\]!?|]")
_DECIMAL_POINTS = (".", ",")
_REACH = 8
"""Words behind a denial that it may deny."""

_REACH_BACK = 16
"""Words of meaning before a denial that stands behind the verb."""

_MEMORY_LANGUAGES = ("en", "pt", "de")
_DENIALS = {*lexicon.words("negation", *_MEMORY_LANGUAGES), *lexicon.phrases("ended", *_MEMORY_LANGUAGES)} - {
    "no"
}
"""Without "no": in Portuguese it is "in the", and a short message does not show its language."""

_DENIAL = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, map(folded, _DENIALS)))}|\w+n't)(?!\w)")


_NEGATION = re.compile(rf"(?<!\w)(?:{lexicon.either(map(folded, _CUES))}|\w+n't)(?!\w)")


def names_negation(text: str) -> bool:
    """Whether a word of negation stands in a text, in whatever language: "no" is one here.

    >>> names_negation("The pool isn’t open!"), names_negation("No refunds!"), names_negation("Refunds!")
    (True, True, False)
    """
    return bool(_NEGATION.search(folded(text)))


def denies(text: str) -> bool:
    """Whether a statement denies something, or says that it has ended; two denials count as one."""
    return bool(_DENIAL.search(folded(text)))


@dataclass(frozen=True, slots=True)
class SignedWord:
    """A word with its sign: -1 where `cue` denies it, 0 behind such a word, where that is open, else 1."""

    word: Word
    sign: int
    cue: Word | None = None


def signed_words(words: Sequence[Word], plain: str) -> list[SignedWord]:
    """The words of a text that carry meaning or have an opposite, with their signs."""
    signed_words: list[SignedWord] = []
    portuguese = any(word.text in ONLY_PORTUGUESE for word in words)
    cue: Word | None = None
    flips = passed = clause = 0
    denied = is_question = False
    for index, word in enumerate(words):
        gap = plain[words[index - 1].end : word.start] if index else " "
        if word.text in _NEW_CLAUSE or (gap != " " and _SEPARATOR.search(gap)):
            cue, flips, denied, clause = None, 0, False, len(signed_words)
            is_question = False
        is_question = is_question or word.text in _OPENS_QUESTION
        if word.text in _SECOND_CUES and cue is not None:
            denied, passed = False, 0
            continue
        # "0" of 4.0 denies nothing, nor does Portuguese "no", which is "in the".
        is_other = (portuguese and word.text == "no") or (word.text == "0" and gap in _DECIMAL_POINTS)
        if not is_other and _is_cue(words, index):
            flips = 1 if denied else flips + 1
            cue, denied, passed = word, False, 0
            if word.text in _BEHIND_VERB:
                behind = max(clause, len(signed_words) - _REACH_BACK)
                signed_words[behind:] = [
                    SignedWord(signed.word, -1, word) for signed in signed_words[behind:]
                ]
            continue
        passed += 1
        if passed > _REACH:
            cue, flips = None, 0
        meaning = word.carries_meaning and word.stem != "long"
        if cue is not None and meaning and not denied and not _is_adverb(word):
            signed_words.append(SignedWord(word, -1 if flips % 2 else 1, cue if flips % 2 else None))
            denied = True
        elif word.carries_meaning or word.stem in OPPOSITES:
            signed_words.append(SignedWord(word, 0 if is_question or (cue is not None and flips % 2) else 1))
    return signed_words


def _is_cue(words: Sequence[Word], index: int) -> bool:
    word = words[index].text
    following = words[index + 1].text if index + 1 < len(words) else ""
    if word in _CUES_BEFORE_TO:
        return following == "to"
    if following in _NO_DENIAL_BEFORE or (word == "not" and index and words[index - 1].text in ("or", "if")):
        return False
    if begins_bound([each.text for each in words[index : index + _LONGEST_BOUND]]):
        return False
    if word in ("0", "zero"):
        return following.endswith("s") and following not in FUNCTION_WORDS
    return word in _CUES or word.endswith("n't") or word.startswith("n'")


def begins_bound(words: Sequence[str]) -> bool:
    """Whether words, in lower case, begin with a denial that only bounds a number.

    >>> begins_bound(["no", "more", "than", "15"]), begins_bound(["no", "more", "boats"])
    (True, False)
    """
    return any(" ".join(words[:count]) in _BOUNDS for count in range(2, _LONGEST_BOUND + 1))


def _is_adverb(word: Word) -> bool:
    return word.text.endswith("ly") and len(word.text) > 4


def shares_in(words: Sequence[Word]) -> list[tuple[Word, str]]:
    """What a text says of a part: "two thirds of the members", "3 of 21 plots", "70 % of them": the word of
    the part, and the stem of the next word that carries meaning and is no number."""
    shares = []
    for index, word in enumerate(words[:-1]):
        if word.text not in _PARTS and not (word.text.isdecimal() and int(word.text) != _WHOLE):
            continue
        behind = index + 1
        while behind < len(words) and words[behind].text in _HUNDREDTHS:
            behind += 1
        if behind < len(words) and words[behind].text in _BELONGING:
            following = words[behind + 1 : behind + 5]
            of = next((after.stem for after in following if after.carries_meaning and not _counts(after)), "")
            shares.append((word, of))
    return shares


def _counts(word: Word) -> bool:
    return word.text.isdecimal() or word.text in NUMBER_WORDS


def quantifiers_in(words: Sequence[Word]) -> list[tuple[str, Word, str]]:
    """The quantifiers of a text: kind, word and the stem of the next word that carries meaning."""
    negations = []
    for index, word in enumerate(words):
        if kind := _QUANTIFIER_OF.get(word.text):
            following = next((word.stem for word in words[index + 1 : index + 5] if word.carries_meaning), "")
            negations.append((kind, word, following))
    return negations
