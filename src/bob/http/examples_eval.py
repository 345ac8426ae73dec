"""Examples of what the routes of evaluations answer, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

RUN: dict[str, Any] = {
    "run_id": 12,
    "name": "main",
    "started_at": "2025-03-03T09:00:00+00:00",
    "golden": "/home/you/golden.jsonl",
    "golden_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "k": 10,
    "models": {"embedder": "all-MiniLM-L6-v2"},
    "settings": {"search.vector_weight": 0.6},
    "metrics": {"recall": 0.93, "passed": 0.9},
}
COMPARISON: dict[str, Any] = {
    "before": RUN | {"run_id": 11},
    "after": RUN,
    "golden_changed": False,
    "settings": {},
    "measures": {"recall": [0.9, 0.93]},
    "counts": {"regressed": 0, "improved": 1, "changed": 0, "added": 0, "removed": 0, "same": 29},
    "drifts": [],
}
SUGGESTED: dict[str, Any] = {
    "id": "9f86d081",
    "question": "When is the hedge cut?",
    "sources": [{"path": "notes/hedge.md"}],
    "confirmed": False,
}
