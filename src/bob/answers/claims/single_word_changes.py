"""Finds the words that a claim has otherwise than a sentence that it repeats (SPEC E2): a unit, a name, a
denial, a number, an opposite.

The checks fact by fact let a name or number pass that stands elsewhere in the evidence. Where all other words
are a sentence's own, in their order, that sentence is what the claim repeats, and its word is the right one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product

from bob.answers.claims.finding import Finding
from bob.text import lexicon
from bob.text.negation import begins_bound
from bob.text.number_words import NUMBER_WORDS
from bob.text.opposites import OPPOSITES
from bob.text.units import unit_named
from bob.text.words import stem

_FEWEST_EQUAL = 5
"""So many words must be equal: shorter sentences are alike by chance."""

_REPEATED = 0.7
"""A claim that says a sentence in other words still has this share of its words."""

_MOST_BESIDE_DENIAL = 4
"""Where more words differ beside a denial, the two say different things of which one is denied."""

_TOKEN = re.compile(r"[^\s,;()\[\]{}\"“”`*]+")
_AMOUNT = re.compile(r"^[\d./]*\d-?(?=[A-Za-z])")
_DENIAL = re.compile(
    rf"(?:n['’]t|(?<=can)not|^(?:{lexicon.either(lexicon.words('words of denial'))}))$", re.IGNORECASE
)
_NEITHER_NOR = frozenset((*lexicon.words("second half of a negation"), *lexicon.words("neither")))
_SHORTENED = {"ca": "can", "wo": "will", "sha": "shall"}
_PLAIN_NUMBER = re.compile(r"^(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)([%°A-Za-z]{0,4})$")
_IDENTIFIER = re.compile(r"^-{1,2}\w|[\w>]\.\w|[/_=<>]|\w\(\)$|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str
    opens: bool

    @property
    def unit(self) -> tuple[str, float] | None:
        """What unit it is or ends with: "bytes", "2GiB", "1-byte"."""
        return unit_named(_AMOUNT.sub("", self.text))

    @property
    def names(self) -> bool:
        """Whether it names something: an identifier, or a capital inside a sentence."""
        if self.text.isdigit() or self.unit is not None:
            return False
        return bool(_IDENTIFIER.search(self.text)) or (self.text[:1].isupper() and not self.opens)


_Words = Sequence[_Token]
_Block = tuple[str, int, int, int, int]


def swaps(claim: str, evidence: Sequence[str]) -> Iterator[Finding]:
    """The words of the claim that stand in another's place, at most one for each text of the evidence."""
    ours = _tokens(claim)
    if len(ours) <= _FEWEST_EQUAL:
        return
    for index, text in enumerate(evidence):
        theirs = _tokens(text)
        pair = _only_difference(ours, theirs)
        kind = None if pair is None or _asked(ours) else _kind(*pair)
        if kind == "negation" and _joins_denials(theirs):
            continue
        if pair is not None and kind is not None:
            yield _finding(kind, claim, pair[0], index, text, pair[1])


def alterations(claim: str, evidence: Sequence[str], language: str = "en") -> Iterator[Finding]:
    """The numbers, opposites and denials of the claim that stand in another's place in the one text that has
    most of its words in their order. Another text that has as many, and none of these otherwise, bears the
    claim out."""
    ours = _tokens(claim)
    if len(ours) <= _FEWEST_EQUAL:
        return
    words = [our.text.casefold() for our in ours]
    nearest: list[tuple[int, list[Finding]]] = []
    most = 0
    for index, text in enumerate(evidence):
        theirs = _tokens(text)
        others = [their.text.casefold() for their in theirs]
        if sum((Counter(words) & Counter(others)).values()) < max(_REPEATED * len(ours), most):
            continue
        blocks = SequenceMatcher(None, others, words, autojunk=False).get_opcodes()
        equal = sum(block[2] - block[1] for block in blocks if block[0] == "equal")
        if equal < most:
            continue
        nearest = [near for near in nearest if near[0] == equal]
        most = equal
        swapped = [
            _finding(kind, claim, ours[own : own + 1], index, text, theirs[other : other + 1])
            for kind, own, other in _otherwise(ours, theirs, blocks, language)
        ]
        nearest.append((equal, swapped))
    if most > _FEWEST_EQUAL - 1 and all(swapped for _, swapped in nearest):
        yield from nearest[0][1]


def _finding(kind: str, claim: str, ours: _Words, index: int, text: str, theirs: _Words) -> Finding:
    """A denial that one of the two lacks stands with the word before it."""
    claim_range, evidence_range = ((words[0].start, words[-1].end) for words in (ours, theirs))
    reason = f"the source says {text[slice(*evidence_range)]}, the claim {claim[slice(*claim_range)]}"
    return Finding(kind, claim_range, "contradicted", reason, index, evidence_range)


def _otherwise(
    ours: _Words, theirs: _Words, blocks: Sequence[_Block], language: str
) -> list[tuple[str, int, int]]:
    """What an aligned text has otherwise: the kind, and the numbers of the words. A denial and an opposite
    together, "not allowed" for "forbidden", say the same."""
    changes: list[tuple[str, int, int]] = []
    own_words, other_words = (
        {stem(word.text.casefold(), language) for word in words} for words in (ours, theirs)
    )
    # What a text says before and after is no matter, but for a denial right before.
    within = [
        ("delete", block[2] - 1, block[2], 0, 0) if block[0] == "delete" and block[3] == 0 else block
        for block in blocks
        if not (block[0] == "delete" and block[3] in (0, len(ours)))
        or (block[3] == 0 and _denies(theirs[block[2] - 1 : block[2]]))
    ]
    for tag, start, stop, own_start, own_stop in within:
        if tag == "replace":
            same_length = stop - start == own_stop - own_start
            changes += [
                (kind, own, other)
                for own, other in product(range(own_start, own_stop), range(start, stop))
                if (own - own_start == other - start or not same_length)
                and (kind := _altered(ours[own].text, theirs[other].text, language)) is not None
                and not (kind == "number" and _measured_otherwise(ours, own, theirs, other))
                and (
                    same_length
                    # Elsewhere neither stands in the other's place if a text has both words.
                    or (
                        kind == "comparison"
                        and stem(ours[own].text.casefold(), language) not in other_words
                        and stem(theirs[other].text.casefold(), language) not in own_words
                    )
                )
            ]
        if tag != "equal" and not _asked(ours) and not _joins_denials(theirs):
            denials = [own for own in range(own_start, own_stop) if _denies_at(ours, own)]
            denied = [other for other in range(start, stop) if _denies_at(theirs, other)]
            others = max(own_stop - own_start - len(denials), stop - start - len(denied))
            if (len(denials) + len(denied)) % 2 and others <= _MOST_BESIDE_DENIAL:
                own = denials[0] if denials else min(own_start, len(ours) - 1)
                changes.append(("negation", own, denied[0] if denied else min(start, len(theirs) - 1)))
    if sum(kind in ("negation", "comparison") for kind, _, _ in changes) % 2 == 0:
        return [change for change in changes if change[0] == "number"]
    return changes


def _measured_otherwise(ours: _Words, own: int, theirs: _Words, other: int) -> bool:
    """Whether two numbers have different units behind them: 61 metres may be 200 feet."""
    behind = (*ours[own + 1 : own + 2], *theirs[other + 1 : other + 2])
    return len({word.unit for word in behind if word.unit is not None}) > 1


def _altered(ours: str, theirs: str, language: str) -> str | None:
    one, other = _value(ours), _value(theirs)
    if one is not None and other is not None:
        return "number" if one != other else None
    is_opposite = stem(theirs.casefold(), language) in OPPOSITES.get(stem(ours.casefold(), language), ())
    return "comparison" if is_opposite else None


def _value(word: str) -> tuple[float, str] | None:
    """A number in digits or as a word, with what is written behind it at once; None for any other word."""
    if word.casefold() in NUMBER_WORDS:
        return float(NUMBER_WORDS[word.casefold()]), ""
    match = _PLAIN_NUMBER.match(word)
    return None if match is None else (float(match[1].replace(",", "")), match[2].casefold())


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    ended = True
    for match in _TOKEN.finditer(text):
        word = match[0].rstrip(".:!?'’")
        if word:
            tokens.append(_Token(match.start(), match.start() + len(word), word, ended))
        ended = match[0][-1:] in ".:!?"
    return tokens


def _only_difference(ours: _Words, theirs: _Words) -> tuple[_Words, _Words] | None:
    """The one place in which the claim differs from a text, which may say more before and after: a word of
    each, or two and one where one of them has a word more."""
    if len(theirs) < len(ours) - 1:
        return None
    matcher = SequenceMatcher(
        None,
        [their.text.casefold() for their in theirs],
        [our.text.casefold() for our in ours],
        autojunk=False,
    )
    blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    inside = [block for block in blocks if not (block[0] == "delete" and block[3] in (0, len(ours)))]
    if len(inside) != 1:
        return None
    _, start, stop, own_start, own_stop = inside[0]
    if max(stop - start, own_stop - own_start) != 1:
        return None
    if stop - start != own_stop - own_start:
        start, own_start = start - 1, own_start - 1
    if start < 0 or own_start < 0:
        return None
    return ours[own_start:own_stop], theirs[start:stop]


def _kind(ours: _Words, theirs: _Words) -> str | None:
    if _denies(ours) != _denies(theirs) and _without_denial(ours) == _without_denial(theirs):
        return "negation"
    if len(ours) != 1 or len(theirs) != 1:
        return None
    claim_word, evidence_word = ours[0], theirs[0]
    if claim_word.unit is not None and evidence_word.unit is not None:
        return "unit" if claim_word.unit != evidence_word.unit else None
    if not (claim_word.names and evidence_word.names):
        return None
    one, other = (re.sub(r"\W+", "", token.text.casefold()) for token in (claim_word, evidence_word))
    # "Postgres" and "PostgreSQL" name the same.
    return None if one.startswith(other) or other.startswith(one) else "name"


def _asked(words: _Words) -> bool:
    """Whether it is told that something was asked, which denies as little as it states."""
    return any(word.text.casefold() == "whether" for word in words)


def _denies(words: _Words) -> bool:
    return any(_DENIAL.search(word.text) for word in words)


def _denies_at(words: _Words, index: int) -> bool:
    """Whether a word denies something: "nicht länger als" bounds a number."""
    following = [word.text.casefold() for word in words[index:]]
    return _denies(words[index : index + 1]) and not begins_bound(following)


def _joins_denials(words: _Words) -> bool:
    """Whether what is denied stands behind "neither" or "nor", which change no single word."""
    return not _NEITHER_NOR.isdisjoint(word.text.casefold() for word in words)


def _without_denial(words: _Words) -> list[str]:
    """The words in lower case without what denies: "cannot" is "can", "won't" is "will"."""
    bare = (_DENIAL.sub("", word.text.casefold()) for word in words)
    return [_SHORTENED.get(word, word) for word in bare if word]
