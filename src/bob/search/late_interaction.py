"""Reranks by late interaction: every token of the query looks for its best match in the text (SPEC D4).

Khattab and Zaharia, "ColBERT" (2020), with the token vectors of the model that embeds anyway, so nothing is
trained or downloaded for it. docs/adr/0015-reranker.md has what it gives and costs.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bob.core.document import embedding_text
from bob.core.protocols import TokenEmbedder
from bob.core.search import FoundChunk
from bob.search.ranking import Floats

REMEMBERED_TOKENS = 100_000
"""The vectors of so many tokens are kept, those used last: 77 MB at 384 dimensions in half precision."""

Halves = npt.NDArray[np.float16]


class LateInteraction:
    """A `Reranker` over token vectors. Those of chunks are kept in memory, so a chunk that comes up again
    costs a product of matrices. Safe to share between threads."""

    name = "late-interaction"

    def __init__(self, embedder: TokenEmbedder, remembered_tokens: int = REMEMBERED_TOKENS) -> None:
        self._embedder = embedder
        self._limit = remembered_tokens
        self._known: OrderedDict[str, Halves] = OrderedDict()
        self._tokens = 0
        self._lock = threading.Lock()

    def scores(self, query: str, chunks: Sequence[FoundChunk]) -> Floats:
        """One score a chunk, shape (len(chunks),): see `best_matches`. Raises ModelError."""
        (query_vectors,) = self._embedder.token_vectors([query])
        return np.array([best_matches(query_vectors, vector) for vector in self._vectors(chunks)], np.float32)

    def _vectors(self, chunks: Sequence[FoundChunk]) -> list[Halves]:
        with self._lock:
            vectors = {
                chunk.content_hash: self._known[chunk.content_hash]
                for chunk in chunks
                if chunk.content_hash in self._known
            }
        missing = {chunk.content_hash: chunk for chunk in chunks if chunk.content_hash not in vectors}
        texts = [embedding_text(chunk.heading_path, chunk.context, chunk.text) for chunk in missing.values()]
        # Half precision also where they are used at once: a score does not depend on what is remembered.
        made = [token_vector.astype(np.float16) for token_vector in self._embedder.token_vectors(texts)]
        vectors |= dict(zip(missing, made, strict=True))
        self._remember(vectors)
        return [vectors[chunk.content_hash] for chunk in chunks]

    def _remember(self, used: dict[str, Halves]) -> None:
        with self._lock:
            for key, vectors in used.items():
                if key not in self._known:
                    self._known[key] = vectors
                    self._tokens += len(vectors)
                self._known.move_to_end(key)
            while self._tokens > self._limit:
                _, dropped = self._known.popitem(last=False)
                self._tokens -= len(dropped)


def best_matches(query: Floats, text: Floats | Halves) -> float:
    """The mean over the query's tokens of the best cosine to any token of the text, between -1 and 1; 0 when
    one of them has no token. Rows are token vectors of length 1, shape (tokens, dimension)."""
    if not len(query) or not len(text):
        return 0.0
    return float((query @ text.astype(np.float32).T).max(axis=1).mean())
