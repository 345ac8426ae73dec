"""How much of a persona a set of questions brings out: which facets are found at all, and whether doubt is
found as well as confidence (SPEC J)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bob.personas.values import CorpusPart, Passage, Stance


@dataclass(frozen=True, slots=True)
class Facet:
    """A heading of the corpus with all of its parts, the first of which begins at `start_line`.

    `questions` counts those that find any of them; `cosine` is the best of these, and None without one.
    """

    heading_path: tuple[str, ...]
    start_line: int
    stance: Stance | None
    questions: int
    cosine: float | None

    @property
    def label(self) -> str:
        """The headings as one line."""
        return " › ".join(self.heading_path)

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "heading_path": list(self.heading_path),
            "start_line": self.start_line,
            "facet": self.stance,
            "questions": self.questions,
            "cosine": None if self.cosine is None else round(self.cosine, 4),
        }


@dataclass(frozen=True, slots=True)
class Side:
    """What is marked one way: how many facets there are and are found, and by how many questions any is."""

    facets: int
    found: int
    questions: int

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {"facets": self.facets, "found": self.found, "questions": self.questions}


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What the questions bring out of a corpus.

    `asked` has each question with its passages, and `source` says where the questions are from.
    """

    persona: str
    source: str
    asked: tuple[tuple[str, tuple[Passage, ...]], ...]
    facets: tuple[Facet, ...]
    doubt: Side
    confidence: Side
    notices: tuple[str, ...]

    @property
    def covered(self) -> int:
        """How many facets are found by any question."""
        return sum(facet.questions > 0 for facet in self.facets)

    @property
    def coverage(self) -> float | None:
        """The share of facets that are found, from 0 to 1; None without facets."""
        return self.covered / len(self.facets) if self.facets else None

    @property
    def doubt_in_corpus(self) -> float | None:
        """The share of doubt among marked facets, from 0 to 1; None without marks."""
        return _share(self.doubt.facets, self.confidence.facets)

    @property
    def doubt_in_answers(self) -> float | None:
        """The share of doubt among the marked facets that each question finds, added up over all questions;
        None when none is found."""
        counted = [0, 0]
        for _, passages in self.asked:
            marked = {passage.part.heading_path: passage.part.stance for passage in passages}
            for stance in marked.values():
                counted[0] += stance == "doubt"
                counted[1] += stance == "confidence"
        return _share(*counted)

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "persona": self.persona,
            "questions_from": self.source,
            "notices": list(self.notices),
            "coverage": _rounded(self.coverage),
            "balance": {
                "doubt": self.doubt.to_json(),
                "confidence": self.confidence.to_json(),
                "doubt_in_corpus": _rounded(self.doubt_in_corpus),
                "doubt_in_answers": _rounded(self.doubt_in_answers),
            },
            "facets": [facet.to_json() for facet in self.facets],
            "unreached": [list(facet.heading_path) for facet in self.facets if not facet.questions],
            "questions": [
                {
                    "question": question,
                    "passages": [
                        passage.part.to_json() | {"cosine": round(passage.cosine, 4)} for passage in passages
                    ],
                }
                for question, passages in self.asked
            ],
        }


def fidelity(
    persona: str,
    source: str,
    parts: Sequence[CorpusPart],
    asked: Sequence[tuple[str, tuple[Passage, ...]]],
    notices: Sequence[str],
) -> Fidelity:
    """The measures over questions with the passages that each found. Text without a heading is no facet."""
    facets = tuple(_facet(path, parts, asked) for path in _paths(parts))
    told = list(notices)
    if not any(facet.stance for facet in facets):
        told.append("no facet is marked, so there is no balance; write <!-- facet: doubt --> under a heading")
    return Fidelity(
        persona,
        source,
        tuple(asked),
        facets,
        _side("doubt", facets, asked),
        _side("confidence", facets, asked),
        tuple(told),
    )


def _paths(parts: Sequence[CorpusPart]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(part.heading_path for part in parts if part.heading_path and part.has_prose))


def _facet(
    path: tuple[str, ...],
    parts: Sequence[CorpusPart],
    asked: Sequence[tuple[str, tuple[Passage, ...]]],
) -> Facet:
    own = [part for part in parts if part.heading_path == path]
    cosines = [
        max(found)
        for _, passages in asked
        if (found := [passage.cosine for passage in passages if passage.part.heading_path == path])
    ]
    return Facet(path, own[0].start_line, own[0].stance, len(cosines), max(cosines, default=None))


def _side(stance: Stance, facets: Sequence[Facet], asked: Sequence[tuple[str, tuple[Passage, ...]]]) -> Side:
    own = [facet for facet in facets if facet.stance == stance]
    reached = sum(any(passage.part.stance == stance for passage in passages) for _, passages in asked)
    return Side(len(own), sum(each.questions > 0 for each in own), reached)


def _share(one: int, other: int) -> float | None:
    return one / (one + other) if one + other else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
