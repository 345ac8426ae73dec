"""How far evidence says what a claim says: word by word, by stems and by vectors of words in context.

Each word of the claim is laid beside the word of the evidence that is nearest in meaning where it stands, and
counts by its rarity: after BERTScore (Zhang et al. 2020) and the rarity weights of Corley and Mihalcea
(2005). The signals feed the model of `bob.answers.claims.evidence`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bob.text.markup import readable
from bob.text.words import stem

Floats = npt.NDArray[np.float32]

_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
"""`vector_weight` is two words, as it is to the checks and to the embedding model's tokenizer."""

_JOINT = re.compile(r"[,;:()]|and|but|while|which|who|because|after|when|where")
"""Between these stand the parts of a claim that may be borne out, or not, each for itself."""

_SPEAKER = re.compile(r"(?:i|m|my|me|we|us|our|you|your|u|hi|hello|lol|thanks|yeah|yes|oh|wow)")
_LEAST_PART = 0.1
"""A part with a smaller share of the claim's rarity says too little to be judged for itself."""

_ALIKE = 0.75
"""Words in context of this cosine mean the same."""

_SOFT_PAIR = 0.25
_MOST_SPOKEN = 3


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text's words and marks in lower case, and the stem of each word ("" for a mark)."""

    words: tuple[str, ...]
    stems: tuple[str, ...]


def tokens_of(text: str, language: str = "en") -> Tokens:
    """The words and marks of a text, with the stems of a language."""
    words = tuple(_TOKEN.findall(text.lower()))
    return Tokens(words, tuple(stem(word, language) if word[0].isalnum() else "" for word in words))


@lru_cache(maxsize=4_096)
def tokens_read(text: str, language: str = "en") -> Tokens:
    """The words and marks of a text as a person reads it, without markup."""
    return tokens_of(readable(text), language)


@dataclass(frozen=True, slots=True)
class Aligned:
    """A text's tokens with their vectors in context, shape (tokens, dimension), of length 1 or 0."""

    tokens: Tokens
    vectors: Floats

    @property
    def mean(self) -> Floats:
        """The direction of the whole text."""
        total = self.vectors.sum(axis=0)
        length = float(np.linalg.norm(total))
        mean: Floats = total / np.float32(length) if length else total
        return mean


Weight = Callable[[str], float]
"""The rarity of a word in lower case, from 0 to 1."""


def overlap(claim: Tokens, evidence: Tokens, weight: Weight) -> float:
    """The share of the claim's words, by rarity, that the evidence has: to choose what to look at closely."""
    evidence_stems = frozenset(evidence.stems)
    weights = {stem: weight(word) for word, stem in zip(claim.words, claim.stems, strict=True) if stem}
    total = sum(weights.values())
    return sum(own for stem, own in weights.items() if stem in evidence_stems) / total if total else 0.0


def signals(
    claim: Aligned, evidence: Sequence[Aligned], weight: Weight, in_language: Weight
) -> tuple[dict[str, float], list[float]]:
    """What the model of `bob.answers.claims.evidence` judges by, and how well each text of the evidence alone
    bears the claim out (between 0 and 1). There must be evidence, and claim and evidence must have words.

    `weight` is the rarity of a word among the documents, `in_language` that in the language at large: what
    is missing is told by the latter too, since a word may be common here and still say much.
    """
    words = claim.tokens
    weights = np.array(
        [weight(word) if stem else 0.0 for word, stem in zip(words.words, words.stems, strict=True)],
        np.float32,
    )
    if not weights.any():
        weights = np.array([1.0 if stem else 0.0 for stem in words.stems], np.float32)
    shares = weights / max(float(weights.sum()), 1e-6)
    # One product for all texts: many small ones cost more in waiting for threads than in arithmetic.
    starts = np.cumsum([0, *(len(text.vectors) for text in evidence)])
    products = claim.vectors @ np.concatenate([text.vectors for text in evidence]).T
    similar = np.maximum.reduceat(products, starts[:-1], axis=1).T
    exact = [_exact(words, text.tokens) for text in evidence]
    cosines = [float(claim.mean @ text.mean) for text in evidence]
    alone = [
        float(0.4 * (shares @ near) + 0.4 * (shares @ same) + 0.2 * cosine)
        for near, same, cosine in zip(similar, exact, cosines, strict=True)
    ]
    best = max(range(len(evidence)), key=alone.__getitem__)
    near_any, same_any = np.max(similar, axis=0), np.max(exact, axis=0)
    missing = weights * (same_any == 0)
    rare = np.array(
        [in_language(word) if stem else 0.0 for word, stem in zip(words.words, words.stems, strict=True)],
        np.float32,
    )
    absent = rare * (same_any == 0)
    unlike = rare * np.clip(np.float32(_ALIKE) - near_any, 0, 1)
    ours, theirs = words.stems, evidence[best].tokens.stems
    return {
        "meaning": float(shares @ near_any),
        "meaning_in_one": max(float(shares @ near) for near in similar),
        "words": float(shares @ same_any),
        "words_in_one": max(float(shares @ same) for same in exact),
        "cosine": max(cosines),
        "reverse": _reverse(evidence[best].tokens, products[:, starts[best] : starts[best + 1]], weight),
        "pairs": _pairs(words, [text.tokens for text in evidence], weight),
        "order": _in_order(ours, theirs),
        "weakest_part": _weakest_part(words, weights, near_any),
        "missing_most": float(missing.max()),
        "missing": math.log1p(float(missing.sum())),
        "absent_most": float(absent.max()),
        "absent": float(absent.sum()),
        "unlike": float(unlike.sum()),
        "speaks": float(min(sum(bool(_SPEAKER.fullmatch(word)) for word in words.words), _MOST_SPOKEN)),
        "length": math.log(len([our for our in ours if our]) or 1),
        "texts": math.log(len(evidence)),
    }, alone


def _exact(claim: Tokens, evidence: Tokens) -> Floats:
    evidence_stems = frozenset(evidence.stems)
    return np.array([1.0 if stem and stem in evidence_stems else 0.0 for stem in claim.stems], np.float32)


def _reverse(tokens: Tokens, products: Floats, weight: Weight) -> float:
    """How much of the best text, by rarity, the claim says; `products` are the cosines of the claim's words
    with its words, shape (words of the claim, words of the text)."""
    weights = np.array(
        [weight(word) if stem else 0.0 for word, stem in zip(tokens.words, tokens.stems, strict=True)],
        np.float32,
    )
    total = float(weights.sum())
    return float(weights @ products.max(axis=0)) / total if total else 0.0


def _pairs(claim: Tokens, evidence: Sequence[Tokens], weight: Weight) -> float:
    """The share of the claim's neighbouring words, by rarity, that stand side by side in the evidence too."""
    pairs = {pair for text in evidence for pair in pairwise(filter(None, text.stems))}
    words = [(word, stem) for word, stem in zip(claim.words, claim.stems, strict=True) if stem]
    own = {(a[1], b[1]): weight(a[0]) + weight(b[0]) + _SOFT_PAIR for a, b in pairwise(words)}
    total = sum(own.values())
    return sum(value for pair, value in own.items() if pair in pairs) / total if total else 0.0


def _in_order(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """The share of the claim's tokens that stand in the best text in the same order."""
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(len(ours), 1)


def _weakest_part(claim: Tokens, weights: Floats, near: Floats) -> float:
    """The least borne out of the claim's parts."""
    least, begin, total = 1.0, 0, max(float(weights.sum()), 1e-6)
    for index in range(len(claim.words) + 1):
        if index < len(claim.words) and not _JOINT.fullmatch(claim.words[index]):
            continue
        own = weights[begin:index]
        if float(own.sum()) >= _LEAST_PART * total:
            least = min(least, float(own @ near[begin:index]) / float(own.sum()))
        begin = index + 1
    return least
