"""Examples of what routes answer, for the OpenAPI document."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

ITEM: dict[str, Any] = {
    "id": 45,
    "title": "Payment gateway timeout at checkout",
    "description": "The gateway gives up after 30 seconds.",
    "category_id": 2,
    "category": "Payment Issues",
    "status": "OPEN",
    "priority": "HIGH",
    "assignee_id": "ana",
    "created_by": "mia",
    "created_at": "2025-01-31T09:00:00+00:00",
    "updated_at": "2025-01-31T09:00:00+00:00",
    "fields": {"Platform": "iOS"},
}
SUGGESTIONS: dict[str, Any] = {"work_item_ids": [45], "category_id": 2, "category": "Payment Issues"}
EVENT: dict[str, Any] = {
    "id": 7,
    "work_item_id": 45,
    "type": "UPDATED",
    "changes": {"status": ["OPEN", "IN_PROGRESS"]},
    "actor": "ana",
    "at": "2025-01-31T09:30:00+00:00",
}
CATEGORY: dict[str, Any] = {"id": 2, "name": "Payment Issues"}
FIELD: dict[str, Any] = {"id": 1, "name": "Platform", "type": "enum", "options": ["iOS", "Android"]}
IMPORTED: dict[str, Any] = {
    "added": 12,
    "changed": 1,
    "unchanged": 30,
    "categories": ["Payment Issues"],
    "fields": [],
    "errors": [],
}
ROWS: dict[str, Any] = {
    "success": True,
    "columns": ["status", "items"],
    "rows": [["OPEN", 3], ["DONE", 12]],
    "truncated": False,
    "milliseconds": 4,
}
UNANSWERED: dict[str, Any] = {
    "query": "export to the old billing system",
    "times": 3,
    "last_at": "2025-01-31T09:00:00+00:00",
}
ASSISTANCE: dict[str, Any] = {
    "success": True,
    "thread_id": "taVrUJYP3-X9ivWoiKpfDA",
    "reply": "Yes, there is 1 similar item:\n#45 Payment gateway timeout at checkout (OPEN, HIGH)",
    "work_item_ids": [45],
    "steps": [
        {
            "tool": "rag_search",
            "input": {"query": "payment gateway timeouts", "limit": 5},
            "output": {"success": True, "work_item_ids": [45]},
        }
    ],
}

_LINES: dict[str, Any] = {"kind": "lines", "heading": "Hedge", "start_line": 3, "end_line": 3}
_CLAIM: dict[str, Any] = {
    "text": "The hedge is cut in the last week of August.",
    "verdict": "supported",
    "score": 1.0,
    "citations": [1],
}
_SOURCE: dict[str, Any] = {
    "n": 1,
    "document_id": 3,
    "chunk_id": 8,
    "path": "/home/you/notes/hedge.md",
    "title": "Hedge",
    "project": "garden",
    "heading_path": ["Hedge"],
    "locator": _LINES,
    "quote": "The hedge is cut in the last week of August.",
    "quote_range": [0, 44],
    "source_date": "2025-03-02",
    "source_date_kind": "front_matter",
}
ANSWER: dict[str, Any] = {
    "answer_id": 12,
    "question": "When is the hedge cut?",
    "found": True,
    "written_by": None,
    "notices": [],
    "answer": "The hedge is cut in the last week of August. [1]",
    "claims": [_CLAIM],
    "sources": [_SOURCE],
    "date_confidence": {
        "level": "high",
        "reason": "the source says when it was written",
        "newest": "2025-03-02",
        "oldest": "2025-03-02",
        "outdated": False,
    },
    "audit": {"retrieved": [], "used": [8], "support": 0.93},
}
FEEDBACK: dict[str, Any] = {
    "answer_id": 12,
    "verdict": "helpful",
    "note": None,
    "given_at": "2025-03-03T09:00:00+00:00",
}
JUDGED: dict[str, Any] = {
    "answer_id": 12,
    "asked_at": "2025-03-03T08:59:30+00:00",
    "question": "When is the hedge cut?",
    "filters": {"projects": ["garden"]},
    "found": True,
    "feedback": [FEEDBACK],
}
HIT: dict[str, Any] = {
    "rank": 1,
    "score": 0.94,
    "document_id": 3,
    "chunk_id": 8,
    "path": "/home/you/notes/hedge.md",
    "title": "Hedge",
    "project": "garden",
    "source_type": "markdown",
    "source_date": "2025-03-02",
    "heading_path": ["Hedge"],
    "locator": _LINES,
    "text": "The hedge is cut in the last week of August.",
    "explain": {
        "words": 0.4,
        "vectors": 0.54,
        "bm25": 3.1,
        "cosine": 0.71,
        "words_rank": 1,
        "vectors_rank": 1,
    },
}
PROJECT: dict[str, Any] = {
    "project": "garden",
    "documents": 12,
    "chunks": 57,
    "newest": "2025-03-02",
    "folders": ["/home/you/notes"],
}
DOCUMENT: dict[str, Any] = {
    "document_id": 3,
    "path": "/home/you/notes/hedge.md",
    "project": "garden",
    "title": "Hedge",
    "source_type": "markdown",
    "language": "en",
    "source_date": "2025-03-02",
    "source_date_kind": "front_matter",
    "tags": ["plan"],
    "extra": {},
    "content_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "size": 512,
    "chunks": 1,
    "disk": None,
}
CHUNK: dict[str, Any] = {
    "chunk_id": 8,
    "ordinal": 0,
    "heading_path": ["Hedge"],
    "locator": _LINES,
    "text": "The hedge is cut in the last week of August.",
}
FAILURE: dict[str, Any] = {
    "path": "/home/you/notes/letter.docx",
    "code": "encrypted",
    "reason": "the file is protected by a password",
    "advice": "Save a copy without the password, or leave it out with .bobignore.",
}
INDEX_RUN: dict[str, Any] = {
    "run": "q3Jm0Zc1nXo",
    "state": "running",
    "folders": ["/home/you/notes"],
    "project": None,
    "progress": {"phase": "files", "done": 12, "total": 40, "chunks": 57, "failed": 0},
    "error": None,
    "reports": [],
}
STATUS: dict[str, Any] = {
    "documents": 12,
    "chunks": 57,
    "vectors": {"done": 57, "pending": 0},
    "failures": [],
    "jobs": {"queued": 0, "running": 0, "failed": 0, "errors": []},
    "model": {"id": "all-MiniLM-L6-v2", "dimension": 384},
    "database": {"path": "/home/you/.local/share/bob/bob.db", "bytes": 1048576, "schema": "0007"},
    "organization": "local",
    "projects": [{"project": "garden", "documents": 12, "chunks": 57}],
    "source_types": [{"source_type": "markdown", "documents": 12}],
    "sources": [{"path": "/home/you/notes", "project": "garden"}],
    "elsewhere": [],
}
SETTING: dict[str, Any] = {
    "key": "search.limit",
    "value": 10,
    "default": 10,
    "description": "How many results are shown.",
}
SOURCE_PAGE: dict[str, Any] = {
    "document_id": 3,
    "path": "/home/you/notes/hedge.md",
    "title": "Hedge",
    "locator": _LINES,
    "kind": "lines",
    "first_line": 1,
    "total_lines": 3,
    "lines": ["# Hedge", "", "The hedge is cut in the last week of August."],
    "changed": False,
}
OPENED: dict[str, Any] = {"command": ["code", "--goto", "/home/you/notes/hedge.md:3"], "done": True}
WHO: dict[str, Any] = {
    "user": "me",
    "organization": "local",
    "role": "admin",
    "scopes": [],
    "at_home": True,
}
CHECKS: dict[str, Any] = {
    "ready": True,
    "checks": [{"name": "full text", "passed": True, "detail": "words are found by their stems"}],
}

NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"description": "Not found."}}
"""For routes whose body may name what is not there."""


_OPEN = frozenset(
    {
        "arguments",
        "extra",
        "fields",
        "filters",
        "locator",
        "measures",
        "metrics",
        "models",
        "part_locator",
        "settings",
    }
)
"""Objects whose keys are not always the same."""

_ANYTHING = frozenset({"default", "value"})


def answered(
    example: Any, status: int = 200, optional: Collection[str] = ()
) -> dict[int | str, dict[str, Any]]:
    """The description of a route's answer, with the shape of the example; `optional` names its keys that may
    be missing."""
    schema = shape_of(example, optional)
    return {status: {"content": {"application/json": {"schema": schema, "example": example}}}}


def shape_of(example: Any, optional: Collection[str] = (), depth: int = 2) -> dict[str, Any]:
    """The JSON Schema of what looks like the example, two objects deep: the keys that there always are, and
    their kinds; anything may be null.

    >>> shape_of({"n": 1}, depth=1)
    {'type': ['object', 'null'], 'properties': {'n': {'type': ['number', 'null']}}, 'required': ['n']}
    """
    if isinstance(example, dict):
        if not depth:
            return {"type": ["object", "null"]}
        inner = {key: _shape_at(key, each, depth - 1) for key, each in example.items()}
        required = [key for key in example if key not in optional]
        return {"type": ["object", "null"], "properties": inner, "required": required}
    if isinstance(example, list):
        items = shape_of(example[0], (), depth) if example else {}
        return {"type": ["array", "null"], "items": items}
    for kind, name in ((bool, "boolean"), (int | float, "number"), (str, "string")):
        if isinstance(example, kind):
            return {"type": [name, "null"]}
    return {}


def _shape_at(key: str, example: Any, depth: int) -> dict[str, Any]:
    if key in _ANYTHING:
        return {}
    return shape_of(example, (), 0 if key in _OPEN else depth)
