"""The judge that needs no language model: rules over a message's sentences, and a small trained model that
weighs what the rules say with the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from bob.conversations.cues import CUES, cues_of
from bob.conversations.signals import Signals, first_clause, own_words, signals_of, statements
from bob.conversations.word_lists import FunnelWords
from bob.core.conversation import LEAST_CONTEXT, LEAST_CRITICAL, Assessment, MessageRole, MessageType
from bob.core.errors import ModelError
from bob.text.sentences import CODE_FENCE, message_sentences, without_code
from bob.text.source_code import looks_like_code
from bob.text.words import folded, opening_pattern, phrase_pattern

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bob.core.protocols import Embedder

# Seed 004's bands: a permanent constraint or an architecture decision is critical (71 to 100), a preference
# or a project's detail context (31 to 70), what passes temporary (1 to 30).
HEALTH, BINDING, DECIDED, PREFERRED, FACT, PASSING = 92, 85, 80, 60, 50, 15

_SPECIFIC = 5
"""What a figure or a name adds: such a sentence says more."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What one sentence is worth, 0 to 100, and why; `pointing` when it leans on one before it."""

    importance: int
    message_type: MessageType
    sentence: str
    reason: str
    pointing: bool = False

    @property
    def rank(self) -> tuple[int, bool]:
        """The greater, the better it sums up its message."""
        return self.importance, not self.pointing


def worth_of(importance: int, kind: MessageType, sentence: str, reason: str, signals: Signals) -> Worth:
    """A worth with what a figure or a name adds to it."""
    specific = _SPECIFIC if importance >= FACT and (signals.figures or signals.names) else 0
    return Worth(importance + specific, kind, sentence, reason, signals.pointing)


def by_rules(sentence: str, signals: Signals) -> Worth | None:
    """What the rules say of a sentence; None when they are silent."""

    def worth(importance: int, kind: MessageType, reason: str) -> Worth:
        return worth_of(importance, kind, sentence, reason, signals)

    states = not (signals.supposed or signals.requests)
    if signals.asks and signals.own and (signals.figures or signals.passing) and states:
        return worth(PASSING, "chat", "asks about the user's own situation")
    if signals.says_nothing:
        return worth(0, "chat", "asks, requests or supposes")
    if signals.health and signals.own:
        return worth(HEALTH, "fact", "the user's or a relative's health")
    if signals.passing:
        kind: MessageType = "decision" if signals.decided else "chat"
        return worth(PASSING, kind, "soon passes")
    if signals.preferred:
        return worth(PREFERRED, "preference", "a preference")
    if signals.decided:
        return worth(DECIDED, "decision", "a decision")
    if signals.binding:
        return worth(BINDING, "decision", "a binding rule")
    if signals.feels:
        return worth(0, "chat", "a mood or a guess")
    if signals.own:
        return worth(FACT, "fact", "a fact about the user")
    if signals.generic:
        return worth(0, "chat", "general knowledge")
    if signals.figures and (signals.names or signals.definite):
        return worth(FACT, "fact", "a fact with a figure")
    return None


Level = Literal["trivial", "temporary", "context", "critical"]
LEVELS: tuple[Level, ...] = get_args(Level)

WEIGHTS = Path(__file__).with_name("weights.json")

VECTOR_SCALE = 1.5
"""A vector has length 1 over hundreds of components, a signal is 0 or 1: scaled like this, both are heard
under one penalty. Chosen by cross-validation on the dev halves."""


def level_of(importance: int) -> Level:
    """The band that an importance from 0 to 100 lies in."""
    if importance >= LEAST_CRITICAL:
        return "critical"
    if importance >= LEAST_CONTEXT:
        return "context"
    return "temporary" if importance else "trivial"


def features(
    sentence: str, signals: Signals, ruled: Worth | None, vector: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """What is weighed, shape (features,): the vector of the first clause first."""
    import numpy as np

    level = None if ruled is None else level_of(ruled.importance)
    level_flags = [float(level == level_name) for level_name in (*LEVELS, None)]
    plain = [*map(float, astuple(signals)), *level_flags, *cues_of(first_clause(sentence))]
    return np.concatenate([VECTOR_SCALE * vector.astype(np.float64), plain])


@dataclass(frozen=True)
class Weights:
    """The fitted model: `slopes` has the shape (features, bands), `bias` (bands,). `model_id` names the
    embedding model that it was fitted with, and means nothing with another."""

    model_id: str
    slopes: npt.NDArray[np.float64]
    bias: npt.NDArray[np.float64]

    @classmethod
    def from_json(cls, read: dict[str, Any]) -> Weights:
        """As `tools/train_judge.py` writes it: a row of `slopes` a feature."""
        import numpy as np

        return cls(str(read["model_id"]), np.array(read["slopes"]), np.array(read["bias"]))

    @classmethod
    def load(cls) -> Weights:
        """The ones that are shipped. Raises ModelError."""
        try:
            return cls.from_json(json.loads(WEIGHTS.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"the judge's weights are damaged: {WEIGHTS}: {error}") from error

    def levels(self, weighed: Sequence[npt.NDArray[np.float64]]) -> list[Level]:
        """The likeliest band of each row of features."""
        import numpy as np

        scores = np.stack(weighed) @ self.slopes + self.bias
        return [LEVELS[int(index)] for index in scores.argmax(axis=1)]


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
        sentences = [] if looks_like_code(text) else statements(own_words(without_code(text)))
        if len(sentences) > _MOST_SENTENCES:
            sentences = [*sentences[: _MOST_SENTENCES // 2], *sentences[-_MOST_SENTENCES // 2 :]]
        best = self._best(sentences, code)
        return self._assessed(best)

    def _best(self, sentences: Sequence[str], code: bool) -> Worth:
        signals = [signals_of(first_clause(sentence)) for sentence in sentences]
        if signals and signals[0].requests and sentences[0].rstrip().endswith(":"):
            # A request with its material behind it: what follows is to be worked on, and claims nothing.
            sentences, signals = sentences[:1], signals[:1]
        worths = self._worths(sentences, signals)
        best = max(worths, key=lambda worth: worth.rank, default=Worth(0, "chat", "", "nothing said"))
        if not code:
            return best
        if best.importance == 0 and any(signal.asks or signal.passing for signal in signals):
            return Worth(PASSING, "code", sentences[0], "asks about code")
        kind: MessageType = "code" if best.importance < DECIDED else best.message_type
        return Worth(best.importance, kind, best.sentence, best.reason)

    def _worths(self, sentences: Sequence[str], signals: Sequence[Signals]) -> list[Worth]:
        ruled = [by_rules(sentence, signal) for sentence, signal in zip(sentences, signals, strict=True)]
        # That a question or a request states nothing is not weighed: a message must not talk its way in.
        stating = [index for index, signal in enumerate(signals) if not signal.says_nothing]
        worths_found = [
            worth for worth, signal in zip(ruled, signals, strict=True) if worth and signal.says_nothing
        ]
        if not stating:
            return worths_found
        stating = sorted(stating, key=lambda index: -_promise(ruled[index]))[:_MOST_WEIGHED]
        vectors = self._embedder.embed([first_clause(sentences[index]) for index in stating])
        weighed = [
            features(sentences[index], signals[index], ruled[index], vector)
            for index, vector in zip(stating, vectors, strict=True)
        ]
        for index, level in zip(stating, self._weights.levels(weighed), strict=True):
            worth = ruled[index]
            agreed = worth is not None and level_of(worth.importance) == level
            worths_found.append(
                worth if worth and agreed else _weighed(sentences[index], signals[index], level)
            )
        return worths_found

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
        before, mark_found, _ = head.rpartition(mark)
        if mark_found and len(before) >= LONGEST_SUMMARY // 3:
            return f"{before}…"
    return f"{head}…"


_WORD = re.compile(r"\w+(?:'\w+)?")
_LAUGHTER = re.compile(r"\b(?:(?:ha|he|hi|hua|ah){2,}h?|k{3,}|(?:rs){1,}|h+m+)\b")
_POLITE = re.compile(
    r"(?:\W*\b(?:hi|hello|hey|oi|ola|bob|please|por favor|(?:can|could) you(?: please)?(?: tell me|"
    r" explain)?|"
    r"(?:voce )?pode(?:ria)? me (?:dizer|explicar)|tell me|me diga|me explica|so|e|and)\b)+\W*"
)
_SPEAKER = re.compile(r"\b(?:i|i'm|i've|i'll|we|we're|we've|we'll|eu|nos|a gente)\b")

_LOOKUP_WORDS = 10
"""A look-up question has at most so many words behind its opening; longer ones tell of a situation."""

_FORGIVEN_WORDS = 1
"""So many words beside small talk may be a name ("Good morning, Clara!")."""


@dataclass(frozen=True, slots=True)
class Screened:
    """What became of a message: `heuristics` dropped it, `gold` forces it on, `judge` is neither.

    `indicator` is the words that decided it, folded, or a rule's name; empty for `judge`.
    """

    outcome: Literal["heuristics", "gold", "judge"]
    indicator: str = ""

    @property
    def passed(self) -> bool:
        """Whether the judge is to see it."""
        return self.outcome != "heuristics"


def screen(text: str, words: FunnelWords) -> Screened:
    """Layer 1 and layer 2 over one message; pure."""
    plain = folded(text)
    if gold := phrase_pattern(words.gold).search(plain):
        return Screened("gold", " ".join(gold[0].split()))
    if len(text.strip()) < words.min_characters:
        return Screened("heuristics", "short")
    phrase = ""
    for sentence in message_sentences(text):
        lowered = folded(sentence)
        if translation := _opening(lowered, words.translations):
            return Screened("heuristics", phrase or translation)
        trash = _small_talk(lowered, words) or _lookup(lowered, words)
        if not trash:
            return Screened("judge")
        phrase = phrase or trash
    return Screened("heuristics", phrase or "no words")


def _small_talk(sentence: str, words: FunnelWords) -> str:
    """The small talk that the sentence consists of; empty when it says more."""
    phrase = phrase_pattern(words.small_talk)
    rest = _LAUGHTER.sub(" ", sentence)
    matched = phrase.search(rest)
    others = len(_WORD.findall(phrase.sub(" ", rest)))
    if not _WORD.search(rest):
        return "laughter" if rest != sentence else "no words"
    return matched[0] if matched and others <= _FORGIVEN_WORDS else ""


def _lookup(sentence: str, words: FunnelWords) -> str:
    """The opening of a look-up question, when the sentence is one and nothing else."""
    opening = _opening(sentence, words.lookups)
    if not opening:
        return ""
    rest = sentence[sentence.index(opening) + len(opening) :]
    short = len(_WORD.findall(rest)) <= _LOOKUP_WORDS
    return opening if short and not _SPEAKER.search(rest) else ""


def _opening(sentence: str, phrases: tuple[str, ...]) -> str:
    """The phrase that the sentence begins with, politeness apart; empty when there is none."""
    polite = _POLITE.match(sentence)
    for start in {0, polite.end() if polite else 0}:
        if match := opening_pattern(phrases).match(sentence, start):
            return match[0].strip()
    return ""
