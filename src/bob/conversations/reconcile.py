"""Sets a new memory against those that hold already: the same again, the end of some, or new (SPEC G6).

Pure. The caller passes only memories of one scope: different projects or users are never compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from bob.conversations.signals import asserted, changes, figures, subject_words
from bob.core.conversation import Memory
from bob.text.negation import denies
from bob.text.words import folded

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SAME_COSINE = 0.84
"""Statements this near say the same when neither has a figure, a denial or a name of its own.
Paraphrases of tests/data/memory/pairs.jsonl lie above with all-MiniLM-L6-v2, changed values often as well:
hence the rules beside it."""

SAME_COSINE_WITH_WORDS, SAME_WORDS = 0.7, 0.6
"""Nearer statements than 0.7 say the same when they also share so much of the shorter one's words."""

SAME_ORDERED_WORDS = 0.85
"""Share of all words of two statements (Jaccard) above which only order, case or a filler differ."""

RELATED_COSINE = 0.45
"""Below, statements have different subjects, whatever words they share."""

DENIED_WORDS = 0.6
"""Share of the shorter statement's words that a denial has in common with what it ends."""

CHANGED_WORDS = 0.5
"""The same for a statement that says itself that something changed."""

_LEAST_SHARED = 2
"""Subject words in common before a changed value is one: "my app uses React" and "… Redis" may both hold."""

_LONGEST_VALUE = 3
"""Words in a value that took another's place."""

_TOKEN = re.compile(r"\w+(?:[.,:/]\d+)*")
_UNSAID = re.compile(r"(?<!\w)(?:the|an?|now|just|decided to|o|os|as|um|uma|agora|decidimos)(?!\w)")
_OWNERS_WORDS = "my our your his her their meu minha meus minhas nosso nossa nossos nossas seu sua"
_OWNERS = frozenset(_OWNERS_WORDS.split())
_PREPOSITIONS_WORDS = "for of in on at with from by to para no na nos nas do da dos das de em com por"
_PREPOSITIONS = frozenset(_PREPOSITIONS_WORDS.split())
_BEING_WORDS = "is are was be lives live stands sits work works fica ficam esta moro mora moramos trabalho"
_BEING = frozenset(_BEING_WORDS.split())


@dataclass(frozen=True, slots=True)
class Same:
    """The memory that says it already."""

    memory_id: int


@dataclass(frozen=True, slots=True)
class Supersedes:
    """The memories that end with the new one, nearest first; at least one."""

    memory_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class New:
    """Nothing says it, and nothing speaks against it."""


Reconciled = Same | Supersedes | New
Relation = Literal["same", "ends", "apart"]


def reconcile(
    summary: str,
    vector: npt.NDArray[np.float32],
    memories: Sequence[Memory],
    vectors: npt.NDArray[np.float32],
) -> Reconciled:
    """What a new memory is to those that hold.

    Args:
        summary, vector: the new one; the vector has shape (dimension,) and length 1.
        memories, vectors: those of the same scope, and a row each, shape (len(memories), dimension). Those
            that ended (`valid_until`) are passed over.
    """
    rows = [row for row, memory in enumerate(memories) if memory.valid_until is None]
    conflicts = reconcile_texts(summary, vector, [memories[row].summary for row in rows], vectors[rows])
    match conflicts:
        case Same():
            return Same(memories[rows[conflicts.memory_id]].memory_id)
        case Supersedes():
            return Supersedes(tuple(memories[rows[position]].memory_id for position in conflicts.memory_ids))
    return conflicts


def reconcile_texts(
    summary: str, vector: npt.NDArray[np.float32], texts: Sequence[str], vectors: npt.NDArray[np.float32]
) -> Reconciled:
    """The same for texts that all hold; memories are named by their positions among them."""
    if not texts:
        return New()
    cosines = vectors @ vector
    ended = []
    for position in sorted(range(len(texts)), key=lambda index: (-float(cosines[index]), index)):
        how = relation(summary, texts[position], float(cosines[position]))
        if how == "same":
            # What says it again ends nothing more than it did the first time.
            return Same(position)
        if how == "ends":
            ended.append(position)
    return Supersedes(tuple(ended)) if ended else New()


@lru_cache(8_192)
def relation(new: str, old: str, cosine: float) -> Relation:
    """What a statement is to one that was said before it, which has this cosine with it."""
    new_changes, whole = changes(new), set(subject_words(new))
    new, old = asserted(new), asserted(old)
    ours, theirs = set(subject_words(new)), set(subject_words(old))
    if not ours or not theirs:
        return "same" if cosine >= SAME_COSINE else "apart"
    common = ours & theirs
    shorter = len(common) / min(len(ours), len(theirs))
    if cosine < RELATED_COSINE and shorter < SAME_ORDERED_WORDS:
        return "apart"
    denied = denies(new) != denies(old)
    if denied and shorter >= DENIED_WORDS:
        return "ends"
    if _changed_value(new, old):
        return "ends"
    former = whole - ours
    # "The Savoy instead of the Bristol" ends what says the Bristol of the same subject, or little else.
    if former & theirs and common and ours - theirs and (former <= theirs or theirs <= former | common):
        return "ends"
    if new_changes and shorter >= CHANGED_WORDS and len(common) >= _LEAST_SHARED and ours - theirs:
        return "ends"
    if denied or (figures(new) != figures(old) and figures(new) and figures(old)):
        return "apart"
    said_again = cosine >= SAME_COSINE and not _both_name(new, old)
    overlapping = (
        cosine >= SAME_COSINE_WITH_WORDS and shorter >= SAME_WORDS and not figures(new) - figures(old)
    )
    # What has no word of its own adds nothing.
    within = ours <= theirs and len(common) > _LEAST_SHARED
    ordered = within or len(common) / len(ours | theirs) >= SAME_ORDERED_WORDS
    return "same" if said_again or ordered or (overlapping and not _both_name(new, old)) else "apart"


def _changed_value(new: str, old: str) -> bool:
    """Whether both say the same of the same subject but for one value: the words agree in order, save one
    place. The place is the subject's when the sentence begins there, or when a preposition leads to it ("for
    the billing service"), unless that follows a verb of being ("is in Rotterdam"), or figures stand there."""
    ours, theirs = (_UNSAID.sub(" ", folded(text)) for text in (new, old))
    new_words, old_words = _TOKEN.findall(ours), _TOKEN.findall(theirs)
    blocks = SequenceMatcher(None, old_words, new_words, autojunk=False).get_opcodes()
    replaced = [block for block in blocks if block[0] != "equal"]
    if len(replaced) != 1 or replaced[0][0] != "replace":
        return False
    _, start, stop, new_start, new_stop = replaced[0]
    rest = " ".join(old_words[:start] + old_words[stop:])
    if len(subject_words(rest)) < _LEAST_SHARED or max(stop - start, new_stop - new_start) > _LONGEST_VALUE:
        return False
    if all(words[0].isdigit() for words in (old_words[start:stop], new_words[new_start:new_stop])):
        return True
    before = old_words[max(start - 2, 0) : start]
    if not before or before[-1] in _OWNERS:
        return False
    return before[-1] not in _PREPOSITIONS or before[0] in _BEING


def _both_name(new: str, old: str) -> bool:
    """Whether each has a name, a word with a capital inside the sentence, that the other has not."""
    ours, theirs = (
        {
            word.strip(".,;:!?\"'()").casefold()
            for word in text.split()[1:]
            if word[:1].isupper() and len(word) > 1
        }
        for text in (new, old)
    )
    return bool(ours - theirs) and bool(theirs - ours)
