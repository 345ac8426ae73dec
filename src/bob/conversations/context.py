"""A compiled prompt with its receipt: what stands in it, from where, and what was left out (SPEC H)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from bob.core.caching import CachedPrefix, PromptPart, PromptRules, cached_prefix
from bob.core.prompt import Usage
from bob.llm.prices import Cost, ModelPrices, cost

SegmentName = Literal["project", "inspiration", "memories", "earlier"]
"""The parts of the system prompt, the most stable first: the active project (truth), other projects
(inspiration), memories of other chats about this project, and summaries of this chat."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text of one source, as the prompt holds it. `memory_id` is set when it is a memory.

    `project` is where it comes from; `source` names it for the model and for people.
    """

    source: str
    project: str
    text: str
    tokens: int
    memory_id: int | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What did not go into the prompt, and why."""

    source: str
    tokens: int
    why: str

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {"source": self.source, "tokens": self.tokens, "why": self.why}


@dataclass(frozen=True, slots=True)
class ContextSegment:
    """One part of the system prompt. `cached` says that a cache breakpoint lies after it."""

    name: SegmentName
    text: str
    tokens: int
    cached: bool = False
    pieces: tuple[Piece, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The segment without its text: hashes tell whether it is the same as in another prompt."""
        return {
            "name": self.name,
            "tokens": self.tokens,
            "bytes": len(self.text.encode("utf-8", "replace")),
            "sha256": digest(self.text),
            "cached": self.cached,
            "sources": [
                {
                    "source": piece.source,
                    "project": piece.project,
                    "tokens": piece.tokens,
                    "sha256": digest(piece.text),
                    "memory_id": piece.memory_id,
                }
                for piece in self.pieces
            ],
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the prompt with its tokens."""

    role: Literal["user", "assistant"]
    text: str
    tokens: int

    def to_json(self) -> dict[str, Any]:
        """The message without its text."""
        return {"role": self.role, "tokens": self.tokens, "sha256": digest(self.text)}


@dataclass(frozen=True, slots=True)
class Compiled:
    """A whole prompt, ordered from the most stable part to the least.

    `pinned` says whether the project stands in it whole, rather than in its best passages; `smart` whether
    other chats and projects were looked at.
    """

    project: str
    segments: tuple[ContextSegment, ...]
    turns: tuple[Turn, ...]
    pinned: bool
    smart: bool
    left_out: tuple[LeftOut, ...] = field(default=())

    @property
    def tokens(self) -> int:
        """Tokens of the whole prompt, as estimated."""
        system = sum(segment.tokens for segment in self.segments)
        return system + sum(turn.tokens for turn in self.turns)

    @property
    def memory_ids(self) -> tuple[int, ...]:
        """The memories that stand in it."""
        ids = (piece.memory_id for segment in self.segments for piece in segment.pieces)
        return tuple(memory_id for memory_id in ids if memory_id is not None)

    @property
    def system(self) -> str:
        """The system prompt as one text."""
        return "\n\n".join(segment.text for segment in self.segments)

    def receipt(self) -> dict[str, Any]:
        """What the prompt is made of, without any text of it."""
        return {
            "project": self.project,
            "pinned": self.pinned,
            "smart_context": self.smart,
            "tokens": self.tokens,
            "segments": [segment.to_json() for segment in self.segments],
            "messages": [turn.to_json() for turn in self.turns],
            "left_out": [piece.to_json() for piece in self.left_out],
        }


def digest(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hex."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Fitting:
    """The pieces that fit, in their order, and those that do not."""

    kept: tuple[Piece, ...]
    left_out: tuple[LeftOut, ...]


def fitting(pieces: Sequence[Piece], tokens: int, of_what: str) -> Fitting:
    """Keep each piece that still fits; a long one that does not keeps no later, shorter one out."""
    fitted, left_out, room = [], [], tokens
    for piece in pieces:
        if piece.tokens <= room:
            fitted.append(piece)
            room -= piece.tokens
        else:
            why = f"{of_what} is full: {piece.tokens} tokens, {room} of {tokens} are left"
            left_out.append(LeftOut(piece.source, piece.tokens, why))
    return Fitting(tuple(fitted), tuple(left_out))


@dataclass(frozen=True, slots=True)
class Prediction:
    """`dollars` is for the prompt alone, `saved` what the cache should spare; both None without prices.

    `differs` names what is not as in the last prompt before the breakpoint: files where files changed.
    """

    prefix: CachedPrefix
    dollars: Decimal | None
    saved: Decimal | None
    differs: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "cache_read_tokens": self.prefix.read_tokens,
            "cache_write_tokens": self.prefix.write_tokens,
            "outcome": self.prefix.outcome,
            "dollars": None if self.dollars is None else str(self.dollars),
            "saved": None if self.saved is None else str(self.saved),
            "differs": list(self.differs),
        }


class PredictCost:
    """Predicts for one model; `prices` gives those of today, None where they are not known."""

    def __init__(self, rules: PromptRules, prices: Callable[[], ModelPrices | None]) -> None:
        self._rules = rules
        self._prices = prices

    def predict_cost(
        self, before: Mapping[str, Any] | None, compiled: Compiled, idle_seconds: float = 0.0
    ) -> Prediction:
        """`before` is the receipt of the prompt that was sent `idle_seconds` ago, None for a first one."""
        receipt = compiled.receipt()
        earlier = [] if before is None else parts_of(before)
        prefix = cached_prefix(earlier, parts_of(receipt), self._rules, idle_seconds)
        rest = compiled.tokens - prefix.read_tokens - prefix.write_tokens
        expected = cost(Usage(rest, 0, prefix.write_tokens, prefix.read_tokens), self._prices())
        return Prediction(
            prefix,
            None if expected is None else expected.dollars,
            None if expected is None else expected.saved,
            () if before is None else changed(before, receipt),
        )

    def of(self, usage: Usage | None) -> Cost | None:
        """What a request cost by the provider's own count."""
        return cost(usage, self._prices())


def parts_of(receipt: Mapping[str, Any]) -> list[PromptPart]:
    """A receipt's parts as the rules of caching see them."""
    system = [
        PromptPart(part["name"], part["sha256"], part["tokens"], part["cached"])
        for part in receipt["segments"]
    ]
    messages = [
        PromptPart(f"message {n} ({message['role']})", message["sha256"], message["tokens"], system=False)
        for n, message in enumerate(receipt["messages"], 1)
    ]
    return system + messages


def changed(before: Mapping[str, Any], receipt: Mapping[str, Any]) -> tuple[str, ...]:
    """What is otherwise in the project's segment than in an earlier receipt's: its files by name."""
    old = next((segment for segment in before["segments"] if segment["name"] == "project"), None)
    new = receipt["segments"][0]
    if old is None or old["sha256"] == new["sha256"]:
        return ()
    was = {source["source"]: source["sha256"] for source in old["sources"]}
    now = {source["source"]: source["sha256"] for source in new["sources"]}
    differ = [f"{name} is new" for name in now if name not in was]
    differ += [f"{name} is gone" for name in was if name not in now]
    differ += [f"{name} changed" for name in now if name in was and was[name] != now[name]]
    return tuple(differ) or ("the name of the project or of the assistant changed",)
