"""The judge that needs no language model: rules over a message's sentences, and how near each is to examples
of what is worth keeping and what is not."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bob.domain.conversation import Assessment, MessageRole, MessageType
from bob.memory.sentences import CODE_FENCE, prose, sentences
from bob.memory.signals import Signals, signals_of
from bob.memory.source_code import looks_like_code

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bob.protocols import Embedder

PROTOTYPES = Path(__file__).with_name("prototypes.json")

LONGEST_SUMMARY = 200
"""Characters."""

# Seed 004's bands: a permanent constraint or an architecture decision is critical (71 to 100), a preference
# or a project's detail context (31 to 70), what passes temporary (1 to 30).
_HEALTH, _BINDING, _DECIDED, _PREFERRED, _FACT, _PASSING = 92, 85, 80, 60, 50, 15
_SPECIFIC = 5
"""What a figure or a name adds: such a sentence says more."""

_NEAREST = 3
"""So many of the nearest examples count: one alone may be near by a shared word."""

_KEEP_MARGIN = 0.05
"""A sentence without any rule's sign is kept when its examples worth keeping are nearer by this cosine than
those to drop. Chosen on the `dev` half of tests/data/memory/messages.jsonl."""

_FIGURE_MARGIN = 0.0
"""The same for a sentence with a figure or a date, which general talk seldom has."""

_MOST_SENTENCES = 40
"""Longer messages are judged by their first and last sentences: a decision is announced or concluded."""


_RAMBLE = 25
"""Words; a longer sentence usually has several things to say."""

_SHORTEST_CLAUSE = 4
"""Words: what is shorter ("anyway, in the end, …") belongs to what follows."""

_CLAUSE = re.compile(r"[,;] |: | – | - ")


@dataclass(frozen=True, slots=True)
class _Worth:
    importance: int
    message_type: MessageType
    sentence: str
    reason: str
    pointing: bool = False

    @property
    def rank(self) -> tuple[int, bool]:
        return self.importance, not self.pointing


class RulesJudge:
    """A `Judge` that costs no tokens. Constructing costs nothing; the embedder is used only for sentences on
    which the rules are silent."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """As an assessment calls it."""
        return "rules"

    def judge(self, text: str, role: MessageRole) -> Assessment:
        """Importance, a sentence of the message as its summary, and its type. Raises ModelError.

        What an assistant says is its proposal or its general knowledge, and trivial here: a memory rests on
        the user's word, so a proposal counts when the user accepts it (`bob.memory.accepted`).
        """
        code = CODE_FENCE.search(text) is not None or looks_like_code(text)
        if role == "assistant":
            return self._assessed(_Worth(0, "code" if code else "chat", "", "an assistant's own words"))
        said = [] if looks_like_code(text) else _statements(_own_words(prose(text)))
        if len(said) > _MOST_SENTENCES:
            said = [*said[: _MOST_SENTENCES // 2], *said[-_MOST_SENTENCES // 2 :]]
        best = self._best(said, code)
        return self._assessed(best)

    def _best(self, said: Sequence[str], code: bool) -> _Worth:
        signals = [signals_of(_first_clause(sentence)) for sentence in said]
        if signals and signals[0].requests and said[0].rstrip().endswith(":"):
            # A request with its material behind it: what follows is to be worked on, and claims nothing.
            said, signals = said[:1], signals[:1]
        ruled = [_by_rules(sentence, each) for sentence, each in zip(said, signals, strict=True)]
        silent = [sentence for sentence, worth in zip(said, ruled, strict=True) if worth is None]
        found = [worth for worth in ruled if worth is not None]
        if silent and max((each.importance for each in found), default=0) < _FACT:
            found += self._by_examples(silent)
        best = max(found, key=lambda each: each.rank, default=_Worth(0, "chat", "", "nothing said"))
        if not code:
            return best
        if best.importance == 0 and any(each.asks or each.passing for each in signals):
            return _Worth(_PASSING, "code", said[0], "asks about code")
        kind: MessageType = "code" if best.importance < _DECIDED else best.message_type
        return _Worth(best.importance, kind, best.sentence, best.reason)

    def _by_examples(self, said: Sequence[str]) -> list[_Worth]:
        vectors = self._embedder.embed([_first_clause(sentence) for sentence in said])
        nearest = {
            kind: _mean_of_nearest(vectors @ examples.T, _NEAREST)
            for kind, examples in self._examples.items()
        }
        found = []
        for at, sentence in enumerate(said):
            keep, passing, drop = (float(nearest[kind][at]) for kind in ("keep", "temporary", "drop"))
            least = _FIGURE_MARGIN if signals_of(sentence).figures else _KEEP_MARGIN
            if keep - max(drop, passing) >= least:
                found.append(_Worth(_FACT, "fact", sentence, "like examples worth keeping"))
            elif passing - max(drop, keep) >= _KEEP_MARGIN:
                found.append(_Worth(_PASSING, "chat", sentence, "like examples that soon pass"))
            else:
                found.append(_Worth(0, "chat", sentence, "like examples to drop"))
        return found

    @cached_property
    def _examples(self) -> dict[str, npt.NDArray[np.float32]]:
        kinds: dict[str, list[str]] = json.loads(PROTOTYPES.read_text(encoding="utf-8"))
        return {kind: self._embedder.embed(texts) for kind, texts in kinds.items()}

    def _assessed(self, worth: _Worth) -> Assessment:
        trivial = worth.importance == 0
        return Assessment(
            worth.importance,
            "" if trivial else shortened(worth.sentence),
            worth.message_type,
            "judge" if trivial else None,
            judged_by=self.name,
            reason=worth.reason,
        )


def _by_rules(sentence: str, signals: Signals) -> _Worth | None:
    """What the rules say of a sentence; None when they are silent."""

    def worth(importance: int, kind: MessageType, reason: str) -> _Worth:
        specific = _SPECIFIC if importance >= _FACT and (signals.figures or signals.names) else 0
        return _Worth(importance + specific, kind, sentence, reason, signals.pointing)

    states = not (signals.supposed or signals.requests)
    if signals.asks and signals.own and (signals.figures or signals.passing) and states:
        return worth(_PASSING, "chat", "asks about the user's own situation")
    if signals.says_nothing:
        return worth(0, "chat", "asks, requests or supposes")
    if signals.health and signals.own:
        return worth(_HEALTH, "fact", "the user's or a relative's health")
    if signals.passing:
        kind: MessageType = "decision" if signals.decided else "chat"
        return worth(_PASSING, kind, "soon passes")
    if signals.preferred:
        return worth(_PREFERRED, "preference", "a preference")
    if signals.decided:
        return worth(_DECIDED, "decision", "a decision")
    if signals.binding:
        return worth(_BINDING, "decision", "a binding rule")
    if signals.feels:
        return worth(0, "chat", "a mood or a guess")
    if signals.own:
        return worth(_FACT, "fact", "a fact about the user")
    if signals.generic:
        return worth(0, "chat", "general knowledge")
    if signals.figures and (signals.names or signals.definite):
        return worth(_FACT, "fact", "a fact with a figure")
    return None


def _mean_of_nearest(cosines: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.float32]:
    """The mean of each row's largest values, shape (rows,)."""
    import numpy as np

    mean: npt.NDArray[np.float32] = np.sort(cosines, axis=1)[:, -count:].mean(axis=1)
    return mean


def _own_words(text: str) -> str:
    """The text without lines that quote another's (`> …`)."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))


def _statements(text: str) -> list[str]:
    """The sentences of a text. One that rambles is given once for each clause, from there to its end, so
    that what it comes to in the end is judged apart from what it passed on the way."""
    found: list[str] = []
    for sentence in sentences(text):
        if len(sentence.split()) <= _RAMBLE:
            found.append(sentence)
            continue
        start = 0
        for mark in _CLAUSE.finditer(sentence):
            if len(sentence[start : mark.start()].split()) >= _SHORTEST_CLAUSE:
                found.append(sentence[start:].strip())
                start = mark.end()
        found.append(sentence[start:].strip())
    return found


def _first_clause(statement: str) -> str:
    """What a statement is judged by: a clause of a ramble, else all of it."""
    if len(statement.split()) <= _RAMBLE:
        return statement
    for mark in _CLAUSE.finditer(statement):
        if len(statement[: mark.start()].split()) >= _SHORTEST_CLAUSE:
            return statement[: mark.start()]
    return statement


def shortened(sentence: str) -> str:
    """The sentence in at most `LONGEST_SUMMARY` characters, cut behind a clause where there is one."""
    if len(sentence) <= LONGEST_SUMMARY:
        return sentence
    head = sentence[: LONGEST_SUMMARY - 1]
    for mark in ("; ", ", ", " "):
        kept, found, _ = head.rpartition(mark)
        if found and len(kept) >= LONGEST_SUMMARY // 3:
            return f"{kept}…"
    return f"{head}…"
