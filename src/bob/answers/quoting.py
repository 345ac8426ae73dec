"""Puts chosen units together to an answer in the sources' own words."""

from __future__ import annotations

from collections.abc import Sequence

from bob.answers.selection import Candidate
from bob.answers.values import Claim, Source
from bob.core.hit import FoundChunk

_LINKS = {"item": "\n- ", "row": "\n- "}
"""What stands before a claim that goes on in a paragraph."""


def source_at(n: int, chunk: FoundChunk, start: int, end: int) -> Source:
    """Source number `n`: characters `start` to `end` (excluded) of a chunk."""
    locator = chunk.locator.narrowed(chunk.text, start, end)
    return Source(n, chunk, locator, chunk.text[start:end], (start, end))


def cited(kept: Sequence[Candidate], before: int = 0) -> tuple[list[Source], list[Claim]]:
    """Sources and claims of the chosen units; units that stand side by side, in order, share one source.
    Numbers go on after `before`."""
    sources: list[Source] = []
    claims: list[Claim] = []
    for each in kept:
        last = sources[-1] if sources else None
        start = each.start
        if (
            last is not None
            and last.chunk.chunk_id == each.chunk.chunk_id
            and last.quote_range[0] <= start
            and not each.chunk.text[last.quote_range[1] : start].strip()
        ):
            start = last.quote_range[0]
            sources.pop()
        sources.append(source_at(before + len(sources) + 1, each.chunk, start, each.unit.end))
        claims.append(Claim(each.text, "supported", min(each.score, 1.0), (before + len(sources),)))
    return sources, claims


def paragraphs(kept: Sequence[Candidate], claims: Sequence[Claim], sources: Sequence[Source]) -> list[str]:
    """The answer's text: what comes from one document is one paragraph; items and rows are a list, and code
    stands by itself."""
    found: list[str] = []
    last_document: int | None = None
    for each, claim in zip(kept, claims, strict=True):
        chunk = sources[claim.citations[0] - 1].chunk
        marks = "".join(f"[{n}]" for n in claim.citations)
        if each.unit.kind == "code":
            found.append(f"```\n{claim.text}\n```\n{marks}")
            last_document = None
        elif chunk.document_id == last_document:
            found[-1] += f"{_LINKS.get(each.unit.kind, ' ')}{claim.text} {marks}"
        else:
            found.append(f"{claim.text} {marks}")
            last_document = chunk.document_id
    return found
