"""Chooses the passages that suit a question: the nearest parts of a corpus, within a budget of tokens
(SPEC J3)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bob.personas.values import MARK, CorpusPart, Passage

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


def _beginning(text: str, room: int, count: Callable[[str], int], end: re.Pattern[str]) -> str:
    """The longest beginning up to one of the ends that has room and holds more than headings, or nothing."""
    stops = [match.start() for match in end.finditer(text)]
    at = bisect_right(stops, room, key=lambda stop: count(text[:stop]))
    found = text[: stops[at - 1]] if at else ""
    lines = (line for line in found.split("\n") if not MARK.match(line.rstrip("\r")))
    return found if any(line.strip() and not line.startswith("#") for line in lines) else ""
