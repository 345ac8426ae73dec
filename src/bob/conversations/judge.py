"""What a message is worth: the funnel's layers, and the last one, the judge that needs no language model.

The judge has rules over a message's sentences, and a small trained model that weighs what the rules say with
the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from bob.conversations.compare_statements import new_part
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
from bob.text.words import folded, opening_pattern, phrase_pattern

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
        sentences = [] if only_code else statements(own_words(without_code(text)))
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
        best = max(
            worths,
            # Of equal ones, the one that stands by itself sums up its message better.
            key=lambda worth: (worth.importance, not worth.pointing),
            default=Worth(0, "chat", "", "nothing said"),
        )
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
        worths_found = [worth for index, worth in enumerate(ruled) if worth and index not in stating]
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
    plain, finds = folded(text), _patterns_of(words)
    if gold := finds.gold.search(plain):
        return Screened("gold", " ".join(gold[0].split()))
    if len(text.strip()) < words.min_characters:
        return Screened("heuristics", "short")
    phrase = ""
    for sentence in message_sentences(text):
        lowered = folded(sentence)
        if translation := _opening(lowered, finds.translations):
            return Screened("heuristics", phrase or translation)
        trash = _small_talk(lowered, finds.small_talk) or _lookup(lowered, finds.lookups)
        if not trash:
            return Screened("judge")
        phrase = phrase or trash
    return Screened("heuristics", phrase or "no words")


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The words of the first two layers, each list as one pattern."""

    small_talk: re.Pattern[str]
    lookups: re.Pattern[str]
    translations: re.Pattern[str]
    gold: re.Pattern[str]


@lru_cache(16)
def _patterns_of(words: FunnelWords) -> _Patterns:
    return _Patterns(
        phrase_pattern(words.small_talk),
        opening_pattern(words.lookups),
        opening_pattern(words.translations),
        phrase_pattern(words.gold),
    )


def _small_talk(sentence: str, phrase: re.Pattern[str]) -> str:
    """The small talk that the sentence consists of; empty when it says more."""
    rest = _LAUGHTER.sub(" ", sentence)
    matched = phrase.search(rest)
    others = len(_WORD.findall(phrase.sub(" ", rest)))
    if not _WORD.search(rest):
        return "laughter" if rest != sentence else "no words"
    return matched[0] if matched and others <= _FORGIVEN_WORDS else ""


def _lookup(sentence: str, pattern: re.Pattern[str]) -> str:
    """The opening of a look-up question, when the sentence is one and nothing else."""
    opening = _opening(sentence, pattern)
    if not opening:
        return ""
    rest = sentence[sentence.index(opening) + len(opening) :]
    short = len(_WORD.findall(rest)) <= _LOOKUP_WORDS
    return opening if short and not _SPEAKER.search(rest) else ""


def _opening(sentence: str, pattern: re.Pattern[str]) -> str:
    """The phrase that the sentence begins with, politeness apart; empty when there is none."""
    polite = _POLITE.match(sentence)
    for start in {0, polite.end() if polite else 0}:
        if match := pattern.match(sentence, start):
            return match[0].strip()
    return ""


_RAMBLE = 25
"""Words; a longer sentence usually has several things to say."""

_SHORTEST_CLAUSE = 4
"""Words: what is shorter ("anyway, in the end, …") belongs to what follows."""

_CLAUSE = re.compile(r"[,;] |: | – | - ")


def own_words(text: str) -> str:
    """The text without lines that quote another's (`> …`)."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))


def statements(text: str) -> list[str]:
    """The sentences of a text. One that rambles is given once for each clause, from there to its end, so
    that what it comes to in the end is judged apart from what it passed on the way."""
    clauses: list[str] = []
    for sentence in message_sentences(text):
        if len(sentence.split()) <= _RAMBLE:
            clauses.append(sentence)
            continue
        start = 0
        for mark in _CLAUSE.finditer(sentence):
            if len(sentence[start : mark.start()].split()) >= _SHORTEST_CLAUSE:
                clauses.append(sentence[start:].strip())
                start = mark.end()
        clauses.append(sentence[start:].strip())
    return clauses


def first_clause(statement: str) -> str:
    """What a statement is judged by: a clause of a ramble, else all of it."""
    if len(statement.split()) <= _RAMBLE:
        return statement
    for mark in _CLAUSE.finditer(statement):
        if len(statement[: mark.start()].split()) >= _SHORTEST_CLAUSE:
            return statement[: mark.start()]
    return statement


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
        return replace(worth, summary=redacted(worth.summary).text)


def _stopped(layer: FunnelLayer, reason: str) -> Assessment:
    return Assessment(0, "", "chat", layer, reason=reason)
