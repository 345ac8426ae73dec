"""Examples of what the routes of decisions, health, notes, lint, verify and keys answer, for the OpenAPI
document."""

from __future__ import annotations

from typing import Any

DECISION: dict[str, Any] = {
    "id": 3,
    "name": "ADR 7",
    "key": "adr-7",
    "project": "shop",
    "status": "active",
    "stated_status": "active",
    "corrected": False,
    "title": "Orders live in PostgreSQL",
    "date": "2021-03-04",
    "date_kind": "front_matter",
    "kind": "record",
    "number": "7",
    "statement": "We will keep the orders in a PostgreSQL database.",
    "context": "The orders of a day no longer fit.",
    "rejected": [{"text": "CockroachDB", "reason": "nobody here has run it", "locator": {}}],
    "confidence": 0.95,
    "document_id": 12,
    "path": "/home/you/shop/adr/0007-orders.md",
    "locator": {"kind": "lines", "heading": "Decision", "start_line": 15, "end_line": 17},
}
_UNRESOLVED: dict[str, Any] = {"id": 3, "target": "ADR 99", "reason": "no decision is called so"}
DECISIONS: dict[str, Any] = {
    "decisions": [DECISION | {"superseded_by": [], "supersedes": [1]}],
    "unresolved_links": [_UNRESOLVED],
    "lost_corrections": [],
    "next": None,
}
SHOWN_DECISION: dict[str, Any] = DECISION | {
    "links": [
        {
            "later": 3,
            "earlier": 1,
            "kind": "supersedes",
            "origin": "text",
            "name": "ADR 2",
            "status": "superseded",
        }
    ],
    "unresolved_links": [_UNRESOLVED],
}
_EARLIER: dict[str, Any] = {
    "id": 1,
    "name": "ADR 2",
    "title": "Orders in MySQL",
    "status": "superseded",
    "date": "2019-05-02",
    "link": "supersedes",
    "origin": "text",
    "earlier": [],
}
DECISION_HISTORY: dict[str, Any] = DECISION | {"later": [], "earlier": [_EARLIER]}
DECISION_CHANGE: dict[str, Any] = {
    "done": True,
    "changed": [{"before": DECISION, "after": DECISION | {"status": "rejected", "corrected": True}}],
}

FINDING: dict[str, Any] = {
    "id": "broken-link-3f2a9c01",
    "rule": "broken-link",
    "title": "Link to «old/gate.md» leads nowhere",
    "severity": "error",
    "project": "garden",
    "about": "old/gate.md",
    "effect": 20.0,
    "uses": 1,
    "count": 1,
    "evidence": [{"path": "/home/you/notes/fence.md", "line": 6, "text": "See [the gate](old/gate.md)."}],
    "more_evidence": 0,
    "fix": {
        "text": "Link gate.md instead.",
        "command": "bob health fix broken-link-3f2a9c01",
        "applicable": True,
    },
}
_PROJECT: dict[str, Any] = {
    "project": "garden",
    "score": 87,
    "documents": 12,
    "findings": {"broken-link": 1},
}
HEALTH: dict[str, Any] = {
    "taken_at": "2025-03-03T09:00:00+00:00",
    "documents": 12,
    "answers": 40,
    "projects": [_PROJECT | {"history": [81, 87]}],
    "findings": [FINDING],
    "dismissed": ["orphan-note-3f2a9c01"],
    "total": 1,
    "next": None,
}
HEALTH_HISTORY: dict[str, Any] = {"runs": [{"taken_at": "2025-03-03T09:00:00+00:00", "projects": [_PROJECT]}]}
HEALTH_FIXES: dict[str, Any] = {
    "outcomes": [
        {
            "id": "broken-link-3f2a9c01",
            "done": True,
            "did": "linked gate.md in /home/you/notes/fence.md",
        }
    ]
}
DISMISSED: dict[str, Any] = {"id": "orphan-note-3f2a9c01", "dismissed": True}

IMPORT_PLAN: dict[str, Any] = {
    "done": False,
    "entries": 12,
    "known": 3,
    "notes": [{"path": "/home/you/notes/bookmarks/garden.md", "new": True, "entries": 12}],
    "withheld": {},
    "problems": [],
}
TEMPLATE: dict[str, Any] = {
    "kind": "meeting",
    "about": "What was said and settled in a meeting",
    "folder": "meetings",
    "needs": ["title"],
    "fields": ["title", "date", "project", "tags", "attendees"],
}
WHOLE_TEMPLATE: dict[str, Any] = TEMPLATE | {
    "file": "{{date}}-{{title}}",
    "defaults": {"attendees": ""},
    "body": "\n# {{title}}\n",
}
NOTE: dict[str, Any] = {"path": "/home/you/notes/gate.md", "text": "# Gate\n\nThe gate is oiled.\n"}
SAVED_NOTE: dict[str, Any] = NOTE | {"written": True, "indexed": True}
CAPTURED: dict[str, Any] = {"kind": "meeting"} | SAVED_NOTE
LINT: dict[str, Any] = {
    "files": 1,
    "findings": [
        {
            "path": "note.md",
            "rule": "BOB004",
            "name": "missing-date",
            "severity": "warning",
            "line": 1,
            "column": 1,
            "end_line": 1,
            "end_column": 2,
            "message": "The note has no date.",
            "remedy": "Write the date into the front matter.",
            "fixable": False,
        }
    ],
    "unreadable": [],
}
LINT_FIX: dict[str, Any] = {
    "text": "# Gate\n",
    "repairs": [{"path": "note.md", "diff": "--- a/note.md\n+++ b/note.md\n"}],
    "done": False,
}
ROUTINE: dict[str, Any] = CAPTURED | {
    "lines": {"open_loops": [{"text": "Oil the gate", "path": "/home/you/notes/gate.md"}]}
}
_JUDGED_CLAIM: dict[str, Any] = {"text": "The hedge is cut in May.", "verdict": "contradicted", "score": 0.02}
_COUNTS: dict[str, int] = {"supported": 0, "partly": 0, "contradicted": 1, "unsupported": 0}
VERIFIED: dict[str, Any] = {
    "holds": False,
    "counts": _COUNTS,
    "claims": [_JUDGED_CLAIM | {"range": [0, 24], "line": 1}],
    "marked": "The hedge is cut in May. [contradicted]",
    "remaining": "",
}
RECHECKED: dict[str, Any] = {
    "answer_id": 12,
    "question": "When is the hedge cut?",
    "holds": False,
    "counts": _COUNTS,
    "claims": [_JUDGED_CLAIM | {"before": "supported", "quotes_stand": False, "gone": []}],
}
KEY: dict[str, Any] = {
    "key_id": "3f0c9a5d1b7e2468",
    "name": "laptop",
    "user": "ana",
    "role": "member",
    "scopes": ["rag"],
    "created_at": "2025-03-03T09:00:00+00:00",
    "expires_at": None,
    "last_used_at": None,
    "revoked_at": None,
}
AGENT_CALL: dict[str, Any] = {
    "at": "2025-03-03T09:00:00+00:00",
    "client": "a client 1.0",
    "tool": "search",
    "arguments": {"query": "hedge"},
    "outcome": "done",
    "results": 3,
    "dry_run": False,
}


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
