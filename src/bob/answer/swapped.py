"""Finds the one word that a claim has otherwise than a sentence that it repeats: a unit or a name (SPEC E2).

The checks fact by fact let a name pass that stands elsewhere in the evidence. Where all other words are a
sentence's own, in their order, that sentence is what the claim repeats, and its word is the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bob.answer.measures import unit_named

_FEWEST_EQUAL = 5
"""So many words must be equal: shorter sentences are alike by chance."""

_TOKEN = re.compile(r"[^\s,;()\[\]{}\"“”`*]+")
_AMOUNT = re.compile(r"^[\d./]*\d-?(?=[A-Za-z])")
_IDENTIFIER = re.compile(r"^-{1,2}\w|[\w>]\.\w|[/_=<>]|\w\(\)$|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class Swap:
    """`kind` is `unit` or `name`; the ranges count in the claim, and in the evidence at `index`."""

    kind: str
    claim_range: tuple[int, int]
    index: int
    evidence_range: tuple[int, int]


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


def swaps(claim: str, evidence: Sequence[str]) -> Iterator[Swap]:
    """The words of the claim that stand in another's place, at most one for each text of the evidence."""
    ours = _tokens(claim)
    if len(ours) <= _FEWEST_EQUAL:
        return
    for index, text in enumerate(evidence):
        theirs = _tokens(text)
        pair = _only_difference(ours, theirs)
        if pair is None:
            continue
        said, found = pair
        kind = _kind(said, found)
        if kind is not None:
            yield Swap(kind, (said.start, said.end), index, (found.start, found.end))


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    ended = True
    for match in _TOKEN.finditer(text):
        word = match[0].rstrip(".:!?'’")
        if word:
            found.append(_Token(match.start(), match.start() + len(word), word, ended))
        ended = match[0][-1:] in ".:!?"
    return found


def _only_difference(ours: Sequence[_Token], theirs: Sequence[_Token]) -> tuple[_Token, _Token] | None:
    """The one word in which the claim differs from a text, which may say more before and after."""
    if len(theirs) < len(ours):
        return None
    matcher = SequenceMatcher(
        None,
        [each.text.casefold() for each in theirs],
        [each.text.casefold() for each in ours],
        autojunk=False,
    )
    blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    inside = [block for block in blocks if not (block[0] == "delete" and block[3] in (0, len(ours)))]
    if len(inside) != 1 or inside[0][0] != "replace":
        return None
    _, start, stop, own_start, own_stop = inside[0]
    if stop - start != 1 or own_stop - own_start != 1 or len(ours) - 1 < _FEWEST_EQUAL:
        return None
    return ours[own_start], theirs[start]


def _kind(said: _Token, found: _Token) -> str | None:
    if said.unit is not None and found.unit is not None:
        return "unit" if said.unit != found.unit else None
    if not (said.names and found.names):
        return None
    one, other = (re.sub(r"\W+", "", each.text.casefold()) for each in (said, found))
    # "Postgres" and "PostgreSQL" name the same.
    return None if one.startswith(other) or other.startswith(one) else "name"
