"""Tools over what is kept: read_note, write_note, remember, recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from bob.core.conversation import moment
from bob.core.errors import UsageError
from bob.mcp.tool import (
    MOST_NOTE_CHARACTERS,
    Arguments,
    PathText,
    Project,
    Query,
    Reply,
    Text,
    Tool,
    ToolContext,
    array,
    record,
)
from bob.text.secrets import redacted_line

if TYPE_CHECKING:
    from bob.conversations.recall_memories import RecalledMemory


class ReadNoteArguments(Arguments):
    """Which note."""

    path: PathText


def _read_note(context: ToolContext, arguments: ReadNoteArguments) -> Reply:
    path, text = context.engine.knowledge.agent_notes.read(arguments.path, context.permissions.allowed)
    if len(text) > MOST_NOTE_CHARACTERS:
        raise UsageError(
            f"the note has {len(text):,} characters, too many for one answer; read it in pieces with fetch"
        )
    return Reply({"path": str(path), "text": text})


READ_NOTE = Tool(
    "read_note",
    "Read a text file as it is on disk now, for example before an edit with write_note.",
    "read",
    ReadNoteArguments,
    record({"path": "string", "text": "string"}),
    _read_note,
)


class WriteNoteArguments(Arguments):
    """Where, what, and in place of what."""

    path: Annotated[PathText, Field(description="path of the note, below an allowed folder, ending in .md")]
    text: Text
    old: Annotated[Text | None, Field(description="the exact passage to replace in an existing note")] = None


def _write_note(context: ToolContext, arguments: WriteNoteArguments) -> Reply:
    notes, dry = context.engine.knowledge.agent_notes, context.permissions.dry_run
    done = notes.write(
        arguments.path, arguments.text, arguments.old, context.permissions.allowed, write=not dry
    )
    return Reply({"path": str(done.path), "written": done.written, "indexed": done.indexed})


WRITE_NOTE = Tool(
    "write_note",
    "Write a new Markdown note, or edit one: old is the exact passage to replace; it must "
    "occur exactly once. No answer quotes it.",
    "write",
    WriteNoteArguments,
    record({"path": "string", "written": "boolean", "indexed": "boolean"}),
    _write_note,
    reads=False,
    destroys=True,
    repeats=False,
)


class RememberArguments(Arguments):
    """What to remember."""

    text: Annotated[Query, Field(description="one fact, preference or decision, in a sentence")]
    project: Annotated[Project, Field(description="that it is about")] = ""


def _remember(context: ToolContext, arguments: RememberArguments) -> Reply:
    conversations = context.engine.conversations
    project = context.permissions.memory_project(arguments.project, conversations.chats.projects())
    if context.permissions.dry_run:
        text = redacted_line(arguments.text).text
        return Reply({"id": None, "text": text, "project": project, "kept": False})
    memory = conversations.remember.tell(conversations.scope(project), arguments.text)
    if memory is None:
        raise UsageError("the text has only what looks like a secret")
    content = {"id": memory.memory_id, "text": memory.summary, "project": memory.scope.project, "kept": True}
    return Reply(content)


REMEMBER = Tool(
    "remember",
    "Save one thing worth knowing in later conversations. Memories that it contradicts are superseded; "
    "secrets are "
    "left out.",
    "remember",
    RememberArguments,
    record({"id": {"type": ["integer", "null"]}, "text": "string", "project": "string", "kept": "boolean"}),
    _remember,
    reads=False,
    destroys=True,
)


class RecallArguments(Arguments):
    """What memories are about."""

    query: Query
    limit: Annotated[int, Field(ge=1, le=20)] = 6
    project: Project = ""


def _recall(context: ToolContext, arguments: RecallArguments) -> Reply:
    conversations = context.engine.conversations
    projects = context.permissions.memory_projects(arguments.project, conversations.chats.projects())
    if not context.permissions.dry_run:
        # What was said and not yet gone through the funnel would not be found.
        conversations.remember.process_messages()
    search = conversations.recall_memories.search
    recalled: list[RecalledMemory] = []
    for project in [None] if projects is None else projects:
        scope = conversations.scope(project or "")
        recalled += search(scope, arguments.query, arguments.limit, everywhere=project is None)
    best = sorted(recalled, key=lambda memory: (-memory.score, memory.memory.memory_id))[: arguments.limit]
    memories = [
        {
            "id": memory.memory.memory_id,
            "text": memory.memory.summary,
            "project": memory.memory.scope.project,
            "since": moment(memory.memory.valid_from),
        }
        for memory in best
    ]
    return Reply({"memories": memories}, count=len(memories))


RECALL = Tool(
    "recall",
    "Search memories of earlier conversations: valid facts, preferences and decisions.",
    "read",
    RecallArguments,
    record(
        {
            "memories": array(
                record({"id": "integer", "text": "string", "project": "string", "since": "string"})
            )
        }
    ),
    _recall,
)
