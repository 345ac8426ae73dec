"""Questions to a persona: made from headings by rule, read from a file, or out of what a model wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bob.personas.values import CorpusPart

_QUESTION_MARKS = ("?", "？", "؟")
_NUMBER = re.compile(r"^(?:part\s+)?(?:\d+(?:\.\d+)*|[ivxIVX]+)(?:[.):]\s*|\s+[-–—]\s+)", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:>\s*)*(?:[-*+•]\s+|\(?\d{1,3}[.)]\s+)?")
_EMPHASIS = re.compile(r"^([*_]{1,2})(?=\w)(.*?)\1$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)

_BY_STANCE = {
    "doubt": "What about «{}» do you still not trust in yourself?",
    "confidence": "What makes you so sure about «{}», and what would change your mind?",
    None: "What does «{}» mean to you, and what has it cost you?",
}


def questions_from_headings(parts: Iterable[CorpusPart]) -> list[str]:
    """One question for each facet, in order; the same headings give the same questions."""
    found: dict[tuple[str, ...], str] = {}
    for part in parts:
        if part.heading_path and part.has_prose and part.heading_path not in found:
            found[part.heading_path] = _question(part)
    return list(dict.fromkeys(found.values()))


def listed_questions(text: str) -> list[str]:
    """The questions of a file: each line that is no heading, comment or rule, without bullet or number."""
    lines = (line.strip() for line in _COMMENT.sub("", text).splitlines())
    kept = (_bare(line) for line in lines if not line.startswith(("#", "---", "***", "```")))
    return list(dict.fromkeys(filter(None, kept)))


def written_questions(reply: str) -> list[str]:
    """The questions in what a model wrote: the lines that end as a question does."""
    bare = (_bare(line) for line in reply.splitlines())
    return list(dict.fromkeys(line for line in bare if line.endswith(_QUESTION_MARKS)))


def _bare(line: str) -> str:
    return _EMPHASIS.sub(r"\2", _BULLET.sub("", line).strip())


def _question(part: CorpusPart) -> str:
    heading = _NUMBER.sub("", part.heading_path[-1]) or part.heading_path[-1]
    if heading.endswith(_QUESTION_MARKS):
        return heading
    return _BY_STANCE[part.stance].format(heading.rstrip(".:;! "))
