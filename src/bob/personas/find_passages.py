"""Finds the passages of a persona's corpus that suit a question, by embeddings that are kept beside it
(SPEC J2, J3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bob.core.protocols import Embedder
from bob.personas.choice import Near, embedded_text, nearest, within
from bob.personas.embedding_cache import CACHE_NAME, read_cache, write_cache
from bob.personas.files import PersonaCorpus
from bob.personas.values import CorpusPart, Passage
from bob.text.tokens import estimate_tokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class PassageOptions:
    """How passages are chosen; see `bob.app.settings.PersonaSettings`."""

    limit: int
    threshold: float
    corpus_tokens: int


class FindPassages:
    """Searches one corpus with one embedder."""

    def __init__(self, embedder: Embedder, corpus: PersonaCorpus, options: PassageOptions) -> None:
        self._embedder = embedder
        self._corpus = corpus
        self._options = options
        self._vectors: npt.NDArray[np.float32] | None = None
        self.notices: tuple[str, ...] = ()
        """What is to be said after a search."""

    def for_each(self, questions: Sequence[str]) -> list[tuple[Passage, ...]]:
        """The passages for each question on its own, the nearest first. Raises ModelError."""
        return [self._within(near) for near in self._nearest(questions)]

    def for_all(self, topics: Mapping[str, str]) -> tuple[tuple[Passage, ...], list[str]]:
        """Passages for topics that share one budget, and the topics that found none. `topics` has for each
        what is searched for.

        Topics take turns, each with its nearest part first; a part is given once. Raises ModelError.
        """
        found = self._nearest(list(topics.values()))
        merged: dict[int, Near] = {}
        for rank in range(self._options.limit):
            for near in found:
                if rank < len(near):
                    merged.setdefault(near[rank].part.start_line, near[rank])
        missed = [topic for topic, near in zip(topics, found, strict=True) if not near]
        return self._within(merged.values()), missed

    def _within(self, near: Iterable[Near]) -> tuple[Passage, ...]:
        return within(near, self._options.corpus_tokens, estimate_tokens)

    def _nearest(self, texts: Sequence[str]) -> list[list[Near]]:
        if self._vectors is None:
            self._vectors = self._embeddings()
        options = self._options
        return [
            nearest(self._corpus.searched, self._vectors, row, options.limit, options.threshold)
            for row in self._embedder.embed(texts)
        ]

    def _embeddings(self) -> npt.NDArray[np.float32]:
        """A row for each part that is searched, from the file beside the corpus if it still fits."""
        corpus, model_id = self._corpus, self._embedder.model_id
        path = corpus.path.with_name(CACHE_NAME)
        kept = read_cache(path, model_id)
        if kept is not None and kept.places != _places(corpus.searched):
            kept = None
        if kept is not None and kept.is_of(corpus.stamp):
            return kept.vectors
        content_hash = hashlib.sha256(corpus.text.encode("utf-8", "surrogatepass")).hexdigest()
        if kept is not None and kept.content_hash == content_hash:
            # It looks changed and is not. Where the new looks cannot be kept, the next run hashes again.
            with suppress(OSError):
                write_cache(path, model_id, corpus.stamp, content_hash, corpus.searched, kept.vectors)
            return kept.vectors
        vectors = self._embedder.embed([embedded_text(each) for each in corpus.searched])
        try:
            write_cache(path, model_id, corpus.stamp, content_hash, corpus.searched, vectors)
        except OSError as error:
            self.notices = (
                f"the embeddings are made anew each time: {path} cannot be written: {error.strerror}",
            )
        return vectors


def _places(parts: Sequence[CorpusPart]) -> tuple[tuple[int, int], ...]:
    return tuple((each.start_line, each.end_line) for each in parts)
