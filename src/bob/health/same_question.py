"""Gathers questions that ask the same, in the same or in other words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bob.health.facts import AnswerFacts, QuestionGroup

SIMILARITY = 0.87
"""The cosine from which two questions are one. With the model that comes with Bob, of sixteen pairs that ask
the same in other words thirteen lie above it, and of sixteen that ask something else about the same thing
none that asks for the same kind of thing ("When does the gate open?" and "close?": 0.86)."""

_ASKED_FOR = {
    "who": "a person",
    "whom": "a person",
    "whose": "a person",
    "quem": "a person",
    "when": "a time",
    "quando": "a time",
    "where": "a place",
    "onde": "a place",
    "why": "a reason",
}
"""Words that say what is asked for. Others ("what", "how") can stand for any of these."""

_WORD = re.compile(r"\w+")
_TELLING = re.compile(r"\d[\w.-]*|(?<=\s)[A-Z]\w+")


def plain(question: str) -> str:
    """The question's words without case and punctuation: equal ones need no model to be the same."""
    return " ".join(_WORD.findall(question.casefold()))


def grouped(
    answers: Sequence[AnswerFacts], vectors: dict[str, npt.NDArray[np.float32]]
) -> list[QuestionGroup]:
    """Groups of answers, which come oldest first; `vectors` has the embedding of questions by their plain
    words, those without one stand for themselves. Only questions that were limited in the same way, and that
    have the same numbers and names, can be one."""
    groups: list[list[AnswerFacts]] = []
    by_words: dict[tuple[str, str], list[AnswerFacts]] = {}
    leaders: dict[tuple[str, tuple[str, ...]], _Leaders] = {}
    for answer in answers:
        limits = json.dumps(answer.filters, sort_keys=True)
        words = plain(answer.question)
        same = by_words.get((limits, words))
        vector = vectors.get(words)
        if same is None and vector is not None:
            alike = leaders.setdefault((limits, _telling(answer.question)), _Leaders(vector.shape))
            same = alike.nearest(vector, kind := _asked_for(words))
            if same is None:
                same = []
                groups.append(same)
                alike.add(vector, kind, same)
        elif same is None:
            same = []
            groups.append(same)
        by_words[limits, words] = same
        same.append(answer)
    return [QuestionGroup(tuple(group)) for group in groups]


class _Leaders:
    """The first question of each group, as a matrix that grows."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._rows = np.empty((8, *shape), np.float32)
        self._groups: list[tuple[str, list[AnswerFacts]]] = []

    def nearest(self, vector: npt.NDArray[np.float32], kind: str) -> list[AnswerFacts] | None:
        """The group of the most similar question that asks for the same; None when none is similar enough."""
        cosines = self._rows[: len(self._groups)] @ vector
        for at in cosines.argsort()[::-1]:
            if cosines[at] < SIMILARITY:
                return None
            other, group = self._groups[int(at)]
            if not kind or not other or kind == other:
                return group
        return None

    def add(self, vector: npt.NDArray[np.float32], kind: str, group: list[AnswerFacts]) -> None:
        """A new group that begins with this question."""
        if len(self._groups) == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[len(self._groups)] = vector
        self._groups.append((kind, group))


def _asked_for(words: str) -> str:
    """What kind of thing a question asks for, "" where that is open."""
    kinds = {kind for each in words.split() if (kind := _ASKED_FOR.get(each))}
    return kinds.pop() if len(kinds) == 1 else ""


def _telling(question: str) -> tuple[str, ...]:
    """Numbers and names: with others it is another question, however alike the words are."""
    return tuple(sorted({each.casefold() for each in _TELLING.findall(question)}))
