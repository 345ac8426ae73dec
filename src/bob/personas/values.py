"""A persona: parts of a corpus about somebody, and the passages of it that suit a question (SPEC J)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

Stance = Literal["doubt", "confidence"]
"""What a part of a corpus shows of its subject, as its author marked it."""

MARK = re.compile(r"^ {0,3}<!--\s*facet:\s*+((?:.*?\S)??)\s*-->\s*$", re.IGNORECASE)
"""A line that marks the part in which it stands: `<!-- facet: doubt -->`."""

CACHE_NAME = "corpus.embeddings.json"
"""The file beside a corpus that keeps the vectors of its parts."""


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """Whole lines of a corpus, counted from 1, both ends included.

    `heading_path` holds the `##` and `###` headings above it; it is empty for text outside of them. `text` is
    the text at the lines. `tokens` is an estimate. `has_prose` is False when only headings, marks and blank
    lines are in it.
    """

    heading_path: tuple[str, ...]
    start_line: int
    end_line: int
    text: str
    tokens: int
    has_prose: bool = True
    stance: Stance | None = None

    @property
    def label(self) -> str:
        """The headings as one line."""
        return " › ".join(self.heading_path) or "(outside of ## headings)"

    def to_json(self) -> dict[str, Any]:
        """The part without its text."""
        return {
            "heading_path": list(self.heading_path),
            "start_line": self.start_line,
            "end_line": self.end_line,
            "tokens": self.tokens,
            "facet": self.stance,
        }


@dataclass(frozen=True, slots=True)
class Passage:
    """What a question found: a part of the corpus, or its beginning where not all of it had room.

    `text` are the lines of the part up to `end_line`, without marks. `cosine` is from -1 to 1.
    """

    part: CorpusPart
    cosine: float
    text: str
    end_line: int
    tokens: int

    @property
    def is_cut(self) -> bool:
        """Whether there was no room for the end of the part."""
        return self.end_line < self.part.end_line

    def to_json(self) -> dict[str, Any]:
        """The passage with its place."""
        return self.part.to_json() | {
            "end_line": self.end_line,
            "tokens": self.tokens,
            "cosine": round(self.cosine, 4),
            "cut": self.is_cut,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Interview:
    """A question to a persona, and what came of it.

    `answer` is None without a language model, or when it gave none; `brief` is what the model was told, or
    would be: it can be given to any other. `written_by` names the model that wrote the answer.
    """

    persona: str
    question: str
    answer: str | None
    brief: str
    passages: tuple[Passage, ...]
    notices: tuple[str, ...]
    written_by: str | None = None

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "persona": self.persona,
            "question": self.question,
            "answer": self.answer,
            "written_by": self.written_by,
            "notices": list(self.notices),
            "passages": [passage.to_json() for passage in self.passages],
            "brief": self.brief,
        }


@dataclass(frozen=True, slots=True)
class InterviewGuide:
    """Questions for an interviewer, and what they rest on.

    Without `written_by` the questions are made from headings by rule.
    """

    persona: str
    topics: tuple[str, ...]
    questions: tuple[str, ...]
    brief: str
    passages: tuple[Passage, ...]
    notices: tuple[str, ...]
    written_by: str | None = None

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "persona": self.persona,
            "topics": list(self.topics),
            "questions": list(self.questions),
            "written_by": self.written_by,
            "notices": list(self.notices),
            "passages": [passage.to_json() for passage in self.passages],
            "brief": self.brief,
        }
