"""What a message is worth: the funnel's layers, and the last one, the judge that needs no language model.

The judge has rules over a message's sentences, and a small trained model that weighs what the rules say with
the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from bob.conversations.compare_statements import new_part
from bob.conversations.prefilter import screen
from bob.conversations.signals import (
    BINDING,
    CUES,
    DECIDED,
    FACT,
    HEALTH,
    PASSING,
    PREFERRED,
    Signals,
    Worth,
    by_rules,
    cues_of,
    goes_on,
    signals_of,
    worth_of,
)
from bob.conversations.word_lists import FunnelWords
from bob.core.conversation import (
    LEAST_CONTEXT,
    LEAST_CRITICAL,
    Assessment,
    FunnelLayer,
    MessageRole,
    MessageType,
)
from bob.core.errors import ModelError
from bob.text.secrets import Redacted, redacted, without_account_numbers
from bob.text.sentences import CODE_FENCE, looks_like_code, message_sentences, without_code
from bob.text.words import folded

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bob.core.protocols import Embedder, Judge

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

_MOST_MEMORIES = 5
"""Memories that one message makes, the most important first."""

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
        only_code = looks_like_code(text)
        code = only_code or CODE_FENCE.search(text) is not None
        if role == "assistant":
            return self._assessed(Worth(0, "code" if code else "chat", "", "an assistant's own words"))
        said = [] if only_code else message_sentences(own_words(without_code(text)))
        if len(said) > _MOST_SENTENCES:
            said = [*said[: _MOST_SENTENCES // 2], *said[-_MOST_SENTENCES // 2 :]]
        sentences = [_Sentence.take_apart(sentence) for sentence in said]
        if sentences and sentences[0].opens_material:
            # A request with its material behind it: what follows is to be worked on, and claims nothing.
            sentences = sentences[:1]
        worths = self._worths(sentences)
        best = _best_of(worths, "")
        if code:
            return self._assessed(_about_code(best, sentences))
        further = [worth for worth in worths if worth is not best and worth.importance >= FACT]
        further = sorted(further, key=lambda worth: -worth.importance)[: _MOST_MEMORIES - 1]
        # In the order in which they were said: a later word may end an earlier one.
        kept = [worth for worth in worths if any(worth is other for other in further)]
        return replace(
            self._assessed(best),
            further=tuple(map(self._assessed, kept)) if best.importance >= FACT else (),
        )

    def _worths(self, sentences: Sequence[_Sentence]) -> list[Worth]:
        """The worth of each sentence: that of its best clause, with what goes on from it."""
        clauses = [clause for sentence in sentences for clause in sentence.clauses]
        # That a question or a request states nothing is not weighed: a message must not talk its way in.
        stating = [clause for clause in clauses if not clause.signals.says_nothing]
        stating = sorted(stating, key=lambda clause: -_promise(clause.ruled))[:_MOST_WEIGHED]
        weighed: dict[int, Worth] = {}
        if stating:
            vectors = self._embedder.embed([first_clause(clause.text) for clause in stating])
            rows = [
                features(clause.text, clause.signals, clause.ruled, vector)
                for clause, vector in zip(stating, vectors, strict=True)
            ]
            levels = self._weights.levels(rows)
            weighed = {
                id(clause): _settle_worth(clause, level)
                for clause, level in zip(stating, levels, strict=True)
            }
        worths: list[Worth] = []
        for sentence in sentences:
            heard = [weighed.get(id(clause), clause.ruled) for clause in sentence.clauses]
            best = _best_of([worth for worth in heard if worth is not None], sentence.text)
            before = worths[-1] if worths else None
            if before and before.importance >= FACT and sentence.goes_on:
                joined = f"{before.sentence} {sentence.text}"
                if len(joined) <= LONGEST_SUMMARY:
                    worths[-1] = replace(before, sentence=joined)
                    if best.importance <= before.importance:
                        continue
            worths.append(best)
        return worths

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
            "" if trivial else shortened(worth.sentence.lstrip(BULLETS)),
            worth.message_type,
            "judge" if trivial else None,
            judged_by=self.name,
            reason=worth.reason,
        )


@dataclass(frozen=True, slots=True)
class _Clause:
    """A statement with what it shows and what the rules make of it."""

    text: str
    signals: Signals
    ruled: Worth | None


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a message and its clauses: itself alone unless it rambles."""

    text: str
    clauses: tuple[_Clause, ...]

    @classmethod
    def take_apart(cls, text: str) -> _Sentence:
        """The sentence taken apart."""
        clauses = []
        for statement in clauses_of(text):
            signals = signals_of(first_clause(statement))
            clauses.append(_Clause(statement, signals, by_rules(statement, signals)))
        return cls(text, tuple(clauses))

    @property
    def opens_material(self) -> bool:
        """Whether it is a request with something behind it to work on."""
        return self.clauses[0].signals.requests and self.text.rstrip().endswith(":")

    @property
    def goes_on(self) -> bool:
        """Whether it only says more of what the sentence before it says."""
        return goes_on(self.text) and not self.clauses[0].signals.says_nothing


def _best_of(worths: Sequence[Worth], text: str) -> Worth:
    """The most important thing said; of equal ones, the one that stands by itself sums it up better."""
    nothing = Worth(0, "chat", text, "nothing said")
    return max(worths, key=lambda worth: (worth.importance, not worth.pointing), default=nothing)


def _settle_worth(clause: _Clause, level: Level) -> Worth:
    """The worth of a clause by the rules and its weighed band. What the rules are sure of stands, and what
    has a figure or a name is not trivial; that "I" or "my" is in it is only a hint."""
    ruled = clause.ruled
    weighed = _weighed(clause.text, clause.signals, level)
    if ruled is None or level_of(ruled.importance) == level:
        return ruled or weighed
    is_sure = ruled.importance >= PREFERRED or (ruled.importance > FACT and level == "trivial")
    return ruled if is_sure and weighed.importance < ruled.importance else weighed


def _about_code(best: Worth, sentences: Sequence[_Sentence]) -> Worth:
    """The worth of a message that has code in it."""
    signals = [clause.signals for sentence in sentences for clause in sentence.clauses]
    if best.importance == 0 and any(signal.asks or signal.passing for signal in signals):
        return Worth(PASSING, "code", sentences[0].text, "asks about code")
    kind: MessageType = "code" if best.importance < DECIDED else best.message_type
    return Worth(best.importance, kind, best.sentence, best.reason)


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


_RAMBLE = 25
"""Words; a longer sentence usually has several things to say."""

_SHORTEST_CLAUSE = 4
"""Words: what is shorter ("anyway, in the end, …") belongs to what follows."""

_CLAUSE = re.compile(r"[,;] |: | – | - ")


def own_words(text: str) -> str:
    """The text without lines that quote another's (`> …`)."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))


def statements(text: str) -> list[str]:
    """The sentences of a text, those that ramble clause by clause."""
    return [clause for sentence in message_sentences(text) for clause in clauses_of(sentence)]


def clauses_of(sentence: str) -> list[str]:
    """The sentence. One that rambles is given once for each clause, from there to its end, so that what it
    comes to in the end is judged apart from what it passed on the way."""
    if len(sentence.split()) <= _RAMBLE:
        return [sentence]
    clauses = []
    start = 0
    for mark in _CLAUSE.finditer(sentence):
        if len(sentence[start : mark.start()].split()) >= _SHORTEST_CLAUSE:
            clauses.append(sentence[start:].strip())
            start = mark.end()
    return [*clauses, sentence[start:].strip()]


def first_clause(statement: str) -> str:
    """What a statement is judged by: a clause of a ramble, else all of it."""
    if len(statement.split()) <= _RAMBLE:
        return statement
    for mark in _CLAUSE.finditer(statement):
        if len(statement[: mark.start()].split()) >= _SHORTEST_CLAUSE:
            return statement[: mark.start()]
    return statement


BULLETS = " \t-*•"
"""What may stand before a statement in a list."""

_ACCEPTS = re.compile(
    r"\W*(?:(?:yes|ok|okay|agreed|perfect|great|sure|sounds good|good idea|deal|sim|certo|combinado|perfeito|"
    r"otimo|fechado|beleza|concordo|boa ideia)\b\W*)*"
    r"(?:agreed|deal|i agree|we agree|good idea|(?:let's|lets) (?:do|go with|use) (?:that|it|this)|"
    r"do (?:that|it)|"
    r"go (?:ahead|with (?:that|it))|that's (?:it|decided|what we do)|we'll do that|i'll take (?:that|it)|"
    r"accepted|"
    r"concordo|combinado|fechado|boa ideia|vamos (?:com|fazer|nessa|de) ?(?:isso|essa|esse)?|pode ser assim|"
    r"faca isso|faz isso|aceito|fica assim)\b"
    r"(?:\W+(?:then|please|thanks|thank you|entao|por favor|obrigad[oa]|assim|bob))*\W*$"
)
_PROPOSES = re.compile(
    r"^\W*(?:(?:in that case|then|so|for (?:this|that|your case)|nesse caso|então)\W+)?"
    r"(?:i(?:'d| would)? (?:suggest|recommend|propose|go with|advise)|i would use|let's (?:go with|use)|"
    r"my (?:suggestion|recommendation|proposal)(?: is|:)|we (?:could|should) (?:use|go with)|"
    r"(?:eu )?(?:sugiro|recomendo|proponho|sugeriria|recomendaria)|minha (?:sugestão|recomendação)(?: é|:)|"
    r"(?:podemos|poderíamos|devemos) usar)\W*(?:(?:that|to|que|we|you|vocês?)\b\W*)*",
    re.IGNORECASE,
)


def accepted_proposal(text: str, previous: str) -> str:
    """The one proposal of `previous`, the assistant's message before, when `text` does nothing but accept it.

    The sentence without its "I suggest"; empty when the text says more, or there are several proposals, so
    that it is not plain which one is meant.
    """
    if not _ACCEPTS.match(folded(text)):
        return ""
    proposals = []
    for sentence in message_sentences(without_code(previous)):
        proposal = _PROPOSES.sub("", sentence)
        if proposal != sentence and not sentence.endswith("?") and proposal:
            proposals.append(proposal[0].upper() + proposal[1:])
    return proposals[0] if len(proposals) == 1 else ""


ACCEPTED = 75
"""Importance of a proposal that the user accepted: a decision, below one in the user's own words."""


class Funnel:
    """Assesses messages one by one; holds nothing of them."""

    def __init__(self, words: FunnelWords, judge: Judge) -> None:
        self._words = words
        self._judge = judge

    def assess(
        self, text: str | Redacted, role: MessageRole, injected: Sequence[str] = (), *, previous: str = ""
    ) -> Assessment:
        """What a message is worth.

        Args:
            text: as it was sent: secrets are taken out before anything else sees it; or without them already.
            injected: the memories and context that were put into this chat's recent prompts.
            previous: the assistant's message before a user's, so that "agreed" can be understood.

        Raises:
            ModelError: the embedding model is damaged.
        """
        clean = without_account_numbers((text if isinstance(text, Redacted) else redacted(text)).text)
        if not clean and text:
            return _stopped("heuristics", "account number")
        screened = screen(clean, self._words)
        if role == "user" and previous and screened.outcome != "gold":
            proposal = accepted_proposal(clean, redacted(previous).text)
            if proposal and new_part(proposal, injected).text:
                summary = shortened(proposal)
                return Assessment(ACCEPTED, summary, "decision", None, "rules", reason="the user accepted it")
        if not screened.passed:
            return _stopped("heuristics", screened.indicator)
        part = new_part(clean, injected)
        if not part.text:
            return _stopped("recalled", part.repeated[0])
        if part.repeated and not screen(part.text, self._words).passed:
            return _stopped("recalled", part.repeated[0])
        worth = self._judge.judge(part.text, role)
        # The judge's summary may be free text of a language model: nothing secret was given, none may come.
        further = tuple(replace(one, summary=redacted(one.summary).text) for one in worth.further)
        return replace(worth, summary=redacted(worth.summary).text, further=further)


def _stopped(layer: FunnelLayer, reason: str) -> Assessment:
    return Assessment(0, "", "chat", layer, reason=reason)
