"""The judge that needs no language model: rules over a message's sentences, and a small trained model that
weighs what the rules say with the rest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from bob.conversations.clauses import first_clause, own_words, statements
from bob.conversations.cues import CUES
from bob.conversations.importance_model import (
    BINDING,
    DECIDED,
    FACT,
    HEALTH,
    PASSING,
    PREFERRED,
    Level,
    Weights,
    Worth,
    by_rules,
    features,
    level_of,
    worth_of,
)
from bob.conversations.signals import Signals, signals_of
from bob.core.conversation import Assessment, MessageRole, MessageType
from bob.core.errors import ModelError
from bob.text.sentences import CODE_FENCE, without_code
from bob.text.source_code import looks_like_code
from bob.text.words import folded

if TYPE_CHECKING:
    from bob.core.protocols import Embedder

LONGEST_SUMMARY = 200
"""Characters."""

_MOST_SENTENCES = 40
"""Longer messages are judged by their first and last sentences: a decision is announced or concluded."""

_MOST_WEIGHED = 5
"""Of a message's statements so many are embedded, those first of which the rules find most: about 10 ms each.
In a long message the rest are passed over."""


class RulesJudge:
    """A `Judge` that costs no tokens. Constructing costs nothing; the embedder is used for what states
    something, not for questions and requests. It must be the model that the weights were fitted with."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """As an assessment calls it."""
        return "rules"

    def judge(self, text: str, role: MessageRole) -> Assessment:
        """Importance, a sentence of the message as its summary, and its type. Raises ModelError.

        What an assistant says is its proposal or its general knowledge, and trivial here: a memory rests on
        the user's word, so a proposal counts when the user accepts it (`accepted_proposals`).
        """
        code = CODE_FENCE.search(text) is not None or looks_like_code(text)
        if role == "assistant":
            return self._assessed(Worth(0, "code" if code else "chat", "", "an assistant's own words"))
        said = [] if looks_like_code(text) else statements(own_words(without_code(text)))
        if len(said) > _MOST_SENTENCES:
            said = [*said[: _MOST_SENTENCES // 2], *said[-_MOST_SENTENCES // 2 :]]
        best = self._best(said, code)
        return self._assessed(best)

    def _best(self, said: Sequence[str], code: bool) -> Worth:
        signals = [signals_of(first_clause(sentence)) for sentence in said]
        if signals and signals[0].requests and said[0].rstrip().endswith(":"):
            # A request with its material behind it: what follows is to be worked on, and claims nothing.
            said, signals = said[:1], signals[:1]
        found = self._worths(said, signals)
        best = max(found, key=lambda each: each.rank, default=Worth(0, "chat", "", "nothing said"))
        if not code:
            return best
        if best.importance == 0 and any(each.asks or each.passing for each in signals):
            return Worth(PASSING, "code", said[0], "asks about code")
        kind: MessageType = "code" if best.importance < DECIDED else best.message_type
        return Worth(best.importance, kind, best.sentence, best.reason)

    def _worths(self, said: Sequence[str], signals: Sequence[Signals]) -> list[Worth]:
        ruled = [by_rules(sentence, each) for sentence, each in zip(said, signals, strict=True)]
        # That a question or a request states nothing is not weighed: a message must not talk its way in.
        stating = [at for at, each in enumerate(signals) if not each.says_nothing]
        found = [worth for worth, each in zip(ruled, signals, strict=True) if worth and each.says_nothing]
        if not stating:
            return found
        stating = sorted(stating, key=lambda at: -_promise(ruled[at]))[:_MOST_WEIGHED]
        vectors = self._embedder.embed([first_clause(said[at]) for at in stating])
        weighed = [
            features(said[at], signals[at], ruled[at], vector)
            for at, vector in zip(stating, vectors, strict=True)
        ]
        for at, level in zip(stating, self._weights.levels(weighed), strict=True):
            worth = ruled[at]
            agreed = worth is not None and level_of(worth.importance) == level
            found.append(worth if worth and agreed else _weighed(said[at], signals[at], level))
        return found

    @cached_property
    def _weights(self) -> Weights:
        weights = Weights.load()
        if weights.model_id != self._embedder.model_id:
            raise ModelError(f"the judge knows {weights.model_id} only, not {self._embedder.model_id}")
        return weights

    def _assessed(self, worth: Worth) -> Assessment:
        trivial = worth.importance == 0
        return Assessment(
            worth.importance,
            "" if trivial else shortened(worth.sentence),
            worth.message_type,
            "judge" if trivial else None,
            judged_by=self.name,
            reason=worth.reason,
        )


def _promise(ruled: Worth | None) -> int:
    """How soon a statement is weighed; one on which the rules are silent may well be a fact."""
    return FACT if ruled is None else ruled.importance


def _weighed(sentence: str, signals: Signals, level: Level) -> Worth:
    """The worth of a sentence by its band alone."""
    plain = folded(sentence)
    importance, kind = _OF_LEVEL[level]
    if level == "context" and (signals.preferred or CUES["taste"].search(plain)):
        importance, kind = PREFERRED, "preference"
    if level == "critical" and (signals.health or CUES["condition"].search(plain)):
        importance, kind = HEALTH, "fact"
    return worth_of(importance, kind, sentence, f"weighed as {level}", signals)


_OF_LEVEL: dict[Level, tuple[int, MessageType]] = {
    "trivial": (0, "chat"),
    "temporary": (PASSING, "chat"),
    "context": (FACT, "fact"),
    "critical": (BINDING, "decision"),
}


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
