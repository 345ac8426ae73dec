"""A compiled prompt with its receipt: what stands in it, from where, and what was left out (SPEC H)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

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
                    "source": each.source,
                    "project": each.project,
                    "tokens": each.tokens,
                    "sha256": digest(each.text),
                    "memory_id": each.memory_id,
                }
                for each in self.pieces
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
        system = sum(each.tokens for each in self.segments)
        return system + sum(each.tokens for each in self.turns)

    @property
    def memory_ids(self) -> tuple[int, ...]:
        """The memories that stand in it."""
        found = (piece.memory_id for segment in self.segments for piece in segment.pieces)
        return tuple(each for each in found if each is not None)

    @property
    def system(self) -> str:
        """The system prompt as one text."""
        return "\n\n".join(each.text for each in self.segments)

    def receipt(self) -> dict[str, Any]:
        """What the prompt is made of, without any text of it."""
        return {
            "project": self.project,
            "pinned": self.pinned,
            "smart_context": self.smart,
            "tokens": self.tokens,
            "segments": [each.to_json() for each in self.segments],
            "messages": [each.to_json() for each in self.turns],
            "left_out": [each.to_json() for each in self.left_out],
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
    kept, left_out, room = [], [], tokens
    for piece in pieces:
        if piece.tokens <= room:
            kept.append(piece)
            room -= piece.tokens
        else:
            why = f"{of_what} is full: {piece.tokens} tokens, {room} of {tokens} are left"
            left_out.append(LeftOut(piece.source, piece.tokens, why))
    return Fitting(tuple(kept), tuple(left_out))
