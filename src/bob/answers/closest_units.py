"""What came closest to answering a question that nothing answers, as the audit shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bob.answers.candidates import Candidate
from bob.core.locator import locator_to_json
from bob.core.search import Hit

_MOST_SHOWN = 3
_MOST_CHARACTERS = 300


def closest_units(hits: Sequence[Hit], candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """The best units, each of another chunk; of equal ones that of the better hit first."""
    best = sorted(candidates, key=lambda candidate: -candidate.score)
    of_hits = [next((c for c in best if c.chunk.chunk_id == hit.chunk.chunk_id), None) for hit in hits]
    nearest = sorted(filter(None, of_hits), key=lambda candidate: -candidate.score)
    return [
        {
            "document_id": candidate.chunk.document_id,
            "path": candidate.chunk.path,
            "title": candidate.chunk.title,
            "locator": locator_to_json(candidate.chunk.locator),
            "text": candidate.text[:_MOST_CHARACTERS],
            "score": round(candidate.score, 4),
        }
        for candidate in nearest[:_MOST_SHOWN]
    ]
