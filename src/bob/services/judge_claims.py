"""Checks claims against the texts that they cite, without a language model (SPEC E2)."""

from __future__ import annotations

from collections.abc import Sequence

from bob.domain.hit import FoundChunk
from bob.domain.judgement import Judgement


class JudgeClaims:
    """Judges claims; remembers the sentences of the chunks that it has read."""

    def run(self, claims: Sequence[tuple[str, Sequence[FoundChunk]]]) -> list[Judgement]:
        """One judgement a claim, each given with the chunks that it is to be checked against."""
        raise NotImplementedError(claims)
