"""What fits: pieces in order until the tokens are used up, and why the others were left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bob.conversations.context import LeftOut, Piece


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
