"""Examples of what the routes of chats, memories and personas answer, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

CHAT: dict[str, Any] = {
    "chat_id": 3,
    "project": "garden",
    "name": None,
    "title": "When is the hedge cut?",
    "messages": 2,
    "started_at": "2025-03-03T08:59:00+00:00",
    "last_message_at": "2025-03-03T08:59:30+00:00",
}
MESSAGE: dict[str, Any] = {
    "message_id": 7,
    "chat_id": 3,
    "role": "user",
    "text": "We cut the hedge in the last week of August.",
    "sent_at": "2025-03-03T08:59:00+00:00",
    "importance": 60,
    "summary": "The hedge is cut in the last week of August.",
    "message_type": "fact",
    "stopped_by": None,
    "sources": [],
}
FOUND_MESSAGE: dict[str, Any] = {
    "chat_id": 3,
    "project": "garden",
    "title": "When is the hedge cut?",
    "message_id": 7,
    "role": "user",
    "sent_at": "2025-03-03T08:59:00+00:00",
    "excerpt": "We cut the hedge in the last week of August.",
    "text": "We cut the hedge in the last week of August.",
    "score": 0.91,
    "nearness": 0.72,
}
RECEIPT: dict[str, Any] = {
    "project": "garden",
    "pinned": True,
    "smart_context": False,
    "tokens": 1210,
    "segments": [],
    "messages": [],
    "left_out": [],
}
REPLY: dict[str, Any] = {
    "chat_id": 3,
    "message_id": 8,
    "reply": "In the last week of August. [1]",
    "written_by": None,
    "notices": [],
    "usage": None,
    "cost": None,
    "checked": None,
    "sources": [],
    "context": RECEIPT,
}
PREVIEW: dict[str, Any] = {
    "system": "<project_context>…</project_context>",
    "messages": [{"role": "user", "content": "When is the hedge cut?"}],
    "receipt": RECEIPT | {"predicted": None},
}
BRIEF: dict[str, Any] = {
    "project": "garden",
    "text": "# What Bob remembers of garden",
    "tokens": 210,
    "memory_ids": [3],
    "left_out": 0,
}
MEMORY: dict[str, Any] = {
    "memory_id": 3,
    "project": "garden",
    "chat_id": 3,
    "summary": "The hedge is cut in the last week of August.",
    "importance": 60,
    "level": "context",
    "message_type": "fact",
    "valid_from": "2025-03-03T08:59:00+00:00",
    "valid_until": None,
    "superseded_by": None,
    "pinned": False,
    "edited": False,
    "times_said": 1,
}
FOUND_MEMORY: dict[str, Any] = MEMORY | {"nearness": 0.72, "score": 0.58}
FUNNEL: dict[str, int] = {
    "waiting": 0,
    "heuristics": 4,
    "recalled": 1,
    "judge": 2,
    "kept": 3,
    "judge_tokens": 0,
}
FORGET_PLAN: dict[str, Any] = {
    "memories": [MEMORY],
    "messages_that_said_it": [MESSAGE],
    "messages_that_repeat_it": [],
    "other_memories_of_these_messages": [],
    "other_rows": [],
    "candidates": [],
    "left": [],
}
FORGET_REPORT: dict[str, Any] = {
    "memories": 1,
    "messages": 1,
    "rows": {"answers": 1},
    "gone": True,
    "searched": {"answers": 12, "messages": 40},
    "left": [],
    "also_in_documents": [],
    "compacted": False,
    "probes": [{"path": "/home/you/.local/share/bob/bob.db", "bytes": 1048576, "found": []}],
    "beyond": ["copies that you or other programs made"],
}
DELETE_PLAN: dict[str, Any] = {"chat": CHAT, "memories_made_of_it": [MEMORY], "with_memories": False}
PERSONA_FOLDER: dict[str, Any] = {
    "name": "ines",
    "path": "/home/you/.local/share/bob/personas/ines",
    "voice.md": True,
    "corpus.md": True,
}
PERSONA: dict[str, Any] = {
    "name": "ines",
    "path": "/home/you/.local/share/bob/personas/ines",
    "voice_tokens": 6,
    "voice": "Ines speaks in short sentences.",
    "parts": [{"heading_path": ["Childhood"], "start_line": 1, "end_line": 12, "tokens": 210, "facet": None}],
    "notices": [],
}
_WRITTEN: dict[str, Any] = {"written_by": None, "notices": [], "passages": [], "brief": "You are Ines. …"}
INTERVIEW: dict[str, Any] = {
    "persona": "ines",
    "question": "Do you trust your memory?",
    "answer": None,
} | _WRITTEN
GUIDE: dict[str, Any] = {
    "persona": "ines",
    "topics": ["style"],
    "questions": ["What do you remember of your childhood?"],
} | _WRITTEN
TAKEN: dict[str, Any] = {
    "chat_id": 3,
    "name": "monday",
    "added": 2,
    "known": 0,
    "unreadable": 0,
    "remembered": {"messages": 2, "added": 1, "said_again": 0, "superseded": 0, "error": None},
}
FIDELITY: dict[str, Any] = {
    "persona": "ines",
    "questions_from": "headings",
    "notices": [],
    "coverage": 0.8,
    "balance": {"doubt": {}, "confidence": {}, "doubt_in_corpus": 0.2, "doubt_in_answers": 0.2},
    "facets": [],
    "unreached": [],
    "questions": [],
}
