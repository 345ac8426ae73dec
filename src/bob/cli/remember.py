"""`bob remember`: keep something by hand, by the line, or a whole conversation that was had elsewhere."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bob.cli import options
from bob.cli.memories import show_memory_line
from bob.cli.output import Output, counted, print_error, print_json
from bob.core.errors import BobError, UsageError
from bob.storage.paths import absolute

if TYPE_CHECKING:
    from bob.app.conversations import Conversations
    from bob.conversations.transcript import Taken

PRE_COMPACT_SECONDS = 20
"""A client that is about to shorten its conversation waits so long at the most: it asks for what was
remembered right afterwards. At other events it does not wait; what is left is done by the next command."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("remember", help=_HELP)(remember)


_HELP = """Save a memory. Memories that it contradicts are superseded.

With --lines each line becomes a memory. With --from-chat a whole conversation is kept as a chat, and what
matters becomes memories: JSON lines with role and content, or text with "User:" and "Assistant:". Importing
a conversation again adds only what is new. --hook does the same for the conversation that a coding agent
names in an event on standard input.

Examples:

    bob remember "The press is rented out at 5 euros a day." --project garden

    git log -1 --format=%B | bob remember - --project bob

    bob remember --lines - --project bob < decisions.txt

    bob remember --from-chat conversation.jsonl --chat monday --project bob
"""


def remember(
    text: Annotated[
        list[str] | None,
        typer.Argument(help="Text to remember; - reads standard input.", show_default=False),
    ] = None,
    project: Annotated[str | None, options.project("Project of the memory.")] = None,
    importance: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="Importance from 1 to 100; default: rated automatically."),
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Make a memory of each non-empty line.")] = False,
    from_chat: Annotated[
        Path | None,
        typer.Option("--from-chat", metavar="FILE", help="File with a conversation; - reads standard input."),
    ] = None,
    chat: Annotated[
        str | None,
        typer.Option("--chat", metavar="NAME", help="Name of that chat; default: the file's name."),
    ] = None,
    hook: Annotated[
        bool, typer.Option("--hook", help="Read a coding agent's event from standard input.")
    ] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Remember."""
    if sum((bool(text), from_chat is not None, hook)) != 1:
        raise UsageError("nothing to remember; give a text, --from-chat or --hook")
    if from_chat is None and chat is not None:
        raise UsageError("--chat requires --from-chat")
    if not text and (lines or importance is not None):
        raise UsageError("--lines and --importance cannot be combined with --from-chat or --hook")
    if hook:
        _event(project, config, database)
        return
    conversations = options.engine(config, database).conversations
    if from_chat is not None:
        _conversation(conversations, from_chat, chat, project or "", as_json)
        return
    text_given = options.standard_input() if text == ["-"] else " ".join(text or ())
    scope, service = conversations.scope(project or ""), conversations.remember
    if lines:
        memories = service.tell_lines(scope, text_given, importance)
    else:
        memories = [memory for memory in [service.tell(scope, text_given, importance)] if memory is not None]
    if not memories:
        if not text_given.strip():
            raise UsageError("the text must not be empty")
        raise UsageError("nothing to remember: the text must say more than secrets and account numbers")
    if as_json:
        print_json([memory.to_json() for memory in memories] if lines else memories[0].to_json())
        return
    for memory in memories:
        show_memory_line(memory)


def _conversation(
    conversations: Conversations, file: Path, chat: str | None, project: str, as_json: bool
) -> None:
    if str(file) == "-" and chat is None:
        raise UsageError("missing option --chat; use bob remember --from-chat - --chat NAME")
    taken = _taken(conversations, file, chat or file.stem, project)
    done = conversations.remember.process_messages()
    if as_json:
        print_json(taken.to_json() | {"remembered": done.to_json()})
    else:
        made = counted(done.added, "memory", "memories")
        new = f"{counted(taken.added, 'message')} added, {taken.known} already known"
        Output().print(f"chat {taken.chat.chat_id}: {new}; {made} made")
        if taken.unreadable:
            Output().print(f"{counted(taken.unreadable, 'line')} could not be read", style="yellow")
    if done.error is not None:
        print_error(f"messages are waiting to be analysed: {done.error}")
        raise typer.Exit(3)


def _taken(conversations: Conversations, file: Path, name: str, project: str) -> Taken:
    try:
        # A client may be writing the file: half a character at its end is no reason to leave all out.
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    text = raw.decode("utf-8", errors="replace")
    return conversations.take_transcript.read(conversations.scope(project), name, text)


def _event(project: str | None, config: Path | None, database: str | None) -> None:
    """Take in the conversation that an event names. Nothing is printed, and what fails is no reason for the
    agent to stop: its clients take exit code 2 for that, so it is 1."""
    try:
        event = _read_event()
        file = absolute(Path(event["transcript_path"]))
        if not file.is_file():
            return  # Nothing has been said yet.
        conversations = options.engine(config, database).conversations
        about = project
        if about is None:
            about = conversations.chats.project_at(Path(event.get("cwd") or Path.cwd()))
        _taken(conversations, file, event.get("session_id") or file.stem, about)
        if event.get("hook_event_name") == "PreCompact":
            until = time.monotonic() + PRE_COMPACT_SECONDS
            conversations.remember.process_messages(stopped=lambda: time.monotonic() > until)
    except BobError as error:
        print_error(str(error))
        raise typer.Exit(1) from error


def _read_event() -> dict[str, Any]:
    try:
        event = json.loads(options.standard_input())
    except (ValueError, RecursionError, UsageError):
        event = None
    if not isinstance(event, dict) or not isinstance(event.get("transcript_path"), str):
        raise UsageError("--hook requires the event as JSON on standard input, with transcript_path")
    named = ("cwd", "session_id", "hook_event_name")
    return {"transcript_path": event["transcript_path"]} | {
        name: event[name] for name in named if isinstance(event.get(name), str)
    }
