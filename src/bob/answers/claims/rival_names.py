"""Which names of a source may be what a claim has another name for."""

from __future__ import annotations

from collections.abc import Sequence

from bob.answers.claims.evidence import Sentence
from bob.answers.claims.fact_comparison import Fact
from bob.text.names import Name

_LONGEST_ABBREVIATION = 5


def may_be_rivals(claimed: Name, stated: Name) -> bool:
    """Whether two names may be of things of one kind: an abbreviation is none of a person."""
    if claimed.kind != stated.kind:
        return False
    return claimed.kind != "name" or _is_abbreviation(claimed) == _is_abbreviation(stated)


def _is_abbreviation(name: Name) -> bool:
    return name.text.isupper() and len(name.text) <= _LONGEST_ABBREVIATION


def beside_name(sentences: Sequence[Sentence], name: Fact) -> set[tuple[bool, str]]:
    """The stems of the words that carry meaning right before and behind a name, each with whether it stands
    behind."""
    words = [word for part in sentences for word in part.words if word.carries_meaning]
    before = [word.stem for word in words if word.end <= name.start][-1:]
    behind = [word.stem for word in words if word.start >= name.end][:1]
    return {(False, stem) for stem in before} | {(True, stem) for stem in behind}
