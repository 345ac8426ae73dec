"""Chooses the passages that suit a question: the nearest parts of a corpus, within a budget of tokens
(SPEC J3)."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bob.core.protocols import Embedder
from bob.personas.corpus import read_cache, write_cache
from bob.personas.files import PersonaCorpus
from bob.personas.values import CACHE_NAME, MARK, CorpusPart, Passage
from bob.text.tokens import estimate_tokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_PARAGRAPH_END = re.compile(r"\n(?=[ \t\r]*\n)")
_WORD_END = re.compile(r"(?<=\S)(?=\s)")


@dataclass(frozen=True, slots=True)
class Near:
    """A part with its cosine to a question."""

    part: CorpusPart
    cosine: float


def nearest(
    parts: Sequence[CorpusPart],
    vectors: npt.NDArray[np.float32],
    question: npt.NDArray[np.float32],
    limit: int,
    threshold: float,
) -> list[Near]:
    """At most `limit` parts whose cosine is above the threshold, the nearest first, then in their order.

    `vectors` has shape (parts, dimension), `question` (dimension,).
    """
    found = [
        Near(part, float(cosine))
        for part, cosine in zip(parts, vectors @ question, strict=True)
        if cosine > threshold
    ]
    return sorted(found, key=lambda each: -each.cosine)[:limit]


def within(found: Iterable[Near], most_tokens: int, count: Callable[[str], int]) -> tuple[Passage, ...]:
    """The parts as passages, in order, which together have at most `most_tokens` tokens by `count`.

    The first part that has no room is cut between paragraphs, and nothing follows it. Only where nothing else
    would be left it is cut inside its first paragraph.
    """
    passages: list[Passage] = []
    left = most_tokens
    for each in found:
        text = prose(each.part)
        tokens = count(text)
        if tokens <= left:
            passages.append(Passage(each.part, each.cosine, text, each.part.end_line, tokens))
            left -= tokens
            continue
        cut = _beginning(each.part.text, left, count, _PARAGRAPH_END)
        if not passages and not cut:
            cut = _beginning(each.part.text, left, count, _WORD_END)
        if cut:
            text = _without_marks(cut)
            end_line = each.part.start_line + cut.count("\n")
            passages.append(Passage(each.part, each.cosine, text, end_line, count(text)))
        break
    return tuple(passages)


def prose(part: CorpusPart) -> str:
    """What a model is shown of a part: its text without marks, and without blank lines at its ends."""
    return _without_marks(part.text)


def embedded_text(part: CorpusPart) -> str:
    """What is embedded of a part: its headings, and its text."""
    return f"{' > '.join(part.heading_path)}\n\n{prose(part)}".strip()


def _without_marks(text: str) -> str:
    kept: list[str] = []
    for line in text.split("\n"):
        if MARK.match(line.rstrip("\r")):
            while kept and not kept[-1].strip():
                kept.pop()
        else:
            kept.append(line)
    return "\n".join(kept).strip("\r\n")


def _marks(text: str) -> list[tuple[int, int]]:
    """The ranges of the lines that are marks."""
    marks: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        if MARK.match(bare := line.rstrip("\r")):
            marks.append((start, start + len(bare)))
        start += len(line) + 1
    return marks


def _beginning(text: str, room: int, count: Callable[[str], int], end: re.Pattern[str]) -> str:
    """The longest beginning up to one of the ends that has room and holds more than headings, or nothing."""
    marks = _marks(text)
    # Half of a mark would be read as text.
    stops = [
        stop
        for stop in (match.start() for match in end.finditer(text))
        if not any(first <= stop < last for first, last in marks)
    ]
    at = bisect_right(stops, room, key=lambda stop: count(text[:stop]))
    found = text[: stops[at - 1]] if at else ""
    lines = (line for line in found.split("\n") if not MARK.match(line.rstrip("\r")))
    return found if any(line.strip() and not line.startswith("#") for line in lines) else ""


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
                f"the embeddings are made again each time, because {path} cannot be written: "
                f"{error.strerror}",
            )
        return vectors


def _places(parts: Sequence[CorpusPart]) -> tuple[tuple[int, int], ...]:
    return tuple((part.start_line, part.end_line) for part in parts)
