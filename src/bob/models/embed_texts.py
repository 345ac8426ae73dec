"""Embeds texts for others, with the model that Bob searches by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bob.core.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """Vectors of length 1, shape (texts, dimension), and the tokens of all texts together."""

    vectors: npt.NDArray[np.float32]
    tokens: int


class EmbedTexts:
    """Embeds texts; `count` gives a text's tokens, as exactly as the model allows."""

    def __init__(self, embedder: Embedder, count: Callable[[str], int]) -> None:
        self._embedder = embedder
        self._count = count

    def run(self, texts: Sequence[str]) -> EmbeddedTexts:
        """The vectors, in order. Raises ModelError."""
        return EmbeddedTexts(self._embedder.embed(texts), sum(map(self._count, texts)))
