"""`bob memories`: what is remembered of chats, and how to put it right or forget it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.options import text_of
from bob.cli.output import Output, counted, print_error, print_json, print_line, when
from bob.core.errors import UsageError
from bob.core.private_files import write_private_file

if TYPE_CHECKING:
    from bob.app import Engine
    from bob.conversations.forgetting import ForgetPlan, ForgetReport, Mention
    from bob.core.conversation import ChatMessage, Memory

_EXCERPT = 100


def show_memory_line(memory: Memory, nearness: str = "") -> None:
    """A memory in a line."""
    marks = [f"said {memory.times_said} times"] if memory.times_said > 1 else []
    marks += ["pinned"] if memory.pinned else []
    if memory.valid_until is not None:
        successor = f", see {memory.superseded_by}" if memory.superseded_by else ""
        marks.append(f"until {memory.valid_until.astimezone():%Y-%m-%d}{successor}")
    about = f"  ({memory.scope.project})" if memory.scope.project else ""
    Output().print(
        f"{memory.memory_id:>5}  ",
        (f"{nearness}  " if nearness else "", "dim"),
        (f"{memory.importance:>3} {memory.message_type:10}  ", "cyan"),
        memory.summary,
        (about, "cyan"),
        (f"  {', '.join(marks)}" if marks else "", "dim"),
    )


def show_memory(memory: Memory, messages: Sequence[ChatMessage]) -> None:
    """A memory with the messages that said it."""
    show_memory_line(memory)
    out = Output()
    for message in messages:
        out.print()
        out.print(f"chat {message.chat_id}, {message.role}, {when(message.sent_at)}", style="dim")
        out.indented(message.text, 2)


def show_plan(plan: ForgetPlan) -> None:
    """What forgetting would take away."""
    out = Output()
    out.print("This would be deleted permanently:")
    for memory in plan.memories:
        show_memory_line(memory)
    _messages(out, "the words of the messages that said it:", plan.said)
    _messages(out, "the words of messages that repeat it:", plan.repeated)
    if plan.other_memories:
        out.print()
        out.print("These messages also support memories that are kept:")
        for memory in plan.other_memories:
            show_memory_line(memory)
    _mentions(out, "and these rows, which contain its words:", plan.mentions)
    _mentions(
        out,
        "These may be about it too. To delete them as well: --include KEY, or --include all:",
        plan.candidates,
    )
    _mentions(out, "This contains its words too, and is kept:", plan.left)
    numbers = " ".join(str(memory.memory_id) for memory in plan.memories)
    out.print()
    out.print(f"Nothing was deleted. To delete: bob memories forget {numbers} --yes", style="yellow")


def _messages(out: Output, heading: str, messages: Sequence[ChatMessage]) -> None:
    if not messages:
        return
    out.print()
    out.print(heading)
    for message in messages:
        line = " ".join(message.text.split())
        shown = line if len(line) <= _EXCERPT else f"{line[:_EXCERPT]}…"
        out.print(f"  chat {message.chat_id}, {message.role}: {shown}", style="dim")


def _mentions(out: Output, heading: str, mentions: Sequence[Mention]) -> None:
    if not mentions:
        return
    out.print()
    out.print(heading)
    for mention in mentions:
        because = f"  ({mention.left_because})" if mention.left_because else ""
        out.print(f"  {mention.key}  {mention.kind}: {mention.excerpt}{because}", style="dim")


def show_forgotten(report: ForgetReport) -> None:
    """What was done, what was searched afterwards, and what is left and why."""
    out = Output()
    size = sum(probe.size for probe in report.probes)
    memories = counted(report.memories, "memory", "memories")
    rows = "".join(f", {count} of {table}" for table, count in sorted(report.rows.items()))
    out.print(f"Forgotten: {memories}, the words of {counted(report.messages, 'message')}{rows}.")
    read = f"{counted(sum(report.searched.values()), 'row')} of {counted(len(report.searched), 'table')}"
    searched = f"{read} and {counted(len(report.probes), 'file')} ({size:,} bytes) searched"
    if report.gone and not report.left:
        out.print(f"{searched}: none of them contains the words.")
    else:
        out.print(f"{searched}. Left:")
    for mention in report.left:
        out.print(
            f"  {mention.key}  {mention.kind}: {mention.excerpt}  ({mention.left_because})", style="yellow"
        )
    for probe in report.probes:
        if probe.found:
            out.print(f"  still in {probe.path}, in no row known to Bob", style="red")
    out.print(f"Not searched: {'; '.join(report.beyond)}.", style="dim")


memories = typer.Typer(help="List, search, edit and forget memories of your chats.", no_args_is_help=True)

Number = Annotated[int, typer.Argument(help="The memory's number.", metavar="N", parser=options.number)]
Project = Annotated[str | None, options.project("Only memories of this project.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(memories, name="memories")


@memories.command(
    "list",
    help="""List memories, oldest first.

Examples:

    bob memories list

    bob memories list --project garden --all --json
""",
)
def list_memories(
    project: Project = None,
    every: Annotated[bool, typer.Option("--all", help="Also superseded memories.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """List."""
    engine = _caught_up(config, database)
    memories = engine.conversations.memories.of(engine.settings.user, project, current=not every)
    if as_json:
        print_json([memory.to_json() for memory in memories])
        return
    for memory in memories:
        show_memory_line(memory)
    if not memories:
        Output().print("No memories yet.")
    _show_funnel(engine)


@memories.command(
    "search",
    help="""Search memories by meaning.

Examples:

    bob memories search "which database"

    bob memories search "who is allergic" --limit 3 --json
""",
)
def search(
    query: Annotated[list[str], typer.Argument(help="The search text.", show_default=False)],
    project: Project = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many.")] = 10,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Search."""
    engine = _caught_up(config, database)
    scope = engine.conversations.scope(project or "")
    matches = engine.conversations.recall_memories.search(
        scope, options.query(query), limit, everywhere=project is None
    )
    if as_json:
        print_json(
            [
                match.memory.to_json()
                | {"nearness": round(match.nearness, 4), "score": round(match.score, 4)}
                for match in matches
            ]
        )
    else:
        for match in matches:
            show_memory_line(match.memory, f"{match.nearness:.2f}")
    if not matches:
        if not as_json:
            Output().print("No memories yet.")
        raise typer.Exit(1)


@memories.command(
    "show",
    help="""Show a memory with the messages that it came from.

Example: bob memories show 3
""",
)
def show(
    number: Number,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Show."""
    engine = options.engine(config, database)
    service = engine.conversations.memories
    memory = service.at(engine.settings.user, number)
    messages = service.sources(memory)
    if as_json:
        print_json(memory.to_json() | {"messages": [message.to_json() for message in messages]})
    else:
        show_memory(memory, messages)


@memories.command(
    "edit",
    help="""Edit a memory: its text, its importance, or both.

Examples:

    bob memories edit 3 "The press costs 6 euros a day."

    bob memories edit 3 --importance 90
""",
)
def edit(
    number: Number,
    text: Annotated[list[str] | None, typer.Argument(help="The new text.", show_default=False)] = None,
    importance: Annotated[int | None, typer.Option(min=1, max=100, help="From 1 to 100.")] = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Edit."""
    if not text and importance is None:
        raise UsageError("nothing to change; give a new text or --importance")
    engine = options.engine(config, database)
    summary = " ".join(text) if text else None
    changed = engine.conversations.memories.edit(engine.settings.user, number, summary, importance)
    if as_json:
        print_json(changed.to_json())
    else:
        show_memory_line(changed)


@memories.command(
    "pin",
    help="""Pin a memory, so that every prompt with memories contains it.

Examples:

    bob memories pin 3

    bob memories pin 3 --off
""",
)
def pin(
    number: Number,
    off: Annotated[bool, typer.Option("--off", help="Unpin it.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Pin."""
    engine = options.engine(config, database)
    changed = engine.conversations.memories.pin(engine.settings.user, number, not off)
    if as_json:
        print_json(changed.to_json())
    else:
        show_memory_line(changed)


@memories.command(
    "forget",
    help="""Delete memories permanently, with the words of the messages that they came from.

Other rows with the same sentence or distinctive words are deleted too: saved questions, searches, lines of
the agents' log. Without --yes it only shows what would be deleted and kept. Afterwards it searches rows and
files for the words.

Examples:

    bob memories forget 3

    bob memories forget 3 5 --yes

    bob memories forget 3 --include messages:12 --exclude answers:4 --yes
""",
)
def forget(
    numbers: Annotated[
        list[int], typer.Argument(help="The memories' numbers.", metavar="N…", parser=options.number)
    ],
    include: Annotated[
        list[str] | None,
        typer.Option("--include", metavar="KEY", help="Key of a candidate to delete as well, or all."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", metavar="KEY", help="Key of a row to keep, such as answers:4."),
    ] = None,
    yes: options.Yes = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Forget."""
    engine = options.engine(config, database)
    service = engine.conversations.forget
    plan = service.plan(engine.settings.user, numbers)
    if not yes:
        if as_json:
            print_json({"plan": plan.to_json(), "done": None})
        else:
            show_plan(plan)
        return
    report = service.forget_memories(plan, include=include or (), exclude=exclude or ())
    if as_json:
        print_json({"plan": plan.to_json(), "done": report.to_json()})
    else:
        show_forgotten(report)
    if not report.gone:
        raise typer.Exit(1)


@memories.command(
    "export",
    help="""Write all memories as JSON lines, including superseded ones.

Examples:

    bob memories export --output memories.jsonl

    bob memories export | jq .summary
""",
)
def export(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="File to write, readable only by you."),
    ] = None,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Export."""
    engine = _caught_up(config, database)
    records = engine.conversations.memories.export(engine.settings.user)
    if output is None:
        for record in records:
            print_json(record, indent=None)
        return
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    try:
        write_private_file(output, "".join(f"{line}\n" for line in lines))
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror}") from error
    print_line(f"{counted(len(lines), 'memory', 'memories')} written to {output}")


@memories.command(
    "import",
    help="""Import memories from JSON lines, as written by export; only "summary" is required.

Example: bob memories import memories.jsonl
""",
)
def import_memories(
    file: Annotated[Path, typer.Argument(help="File to import; - reads standard input.", metavar="FILE")],
    project: Annotated[str | None, options.project("Project for lines without one.")] = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Import."""
    conversations = options.engine(config, database).conversations
    scope = conversations.scope(project or "")
    done = conversations.memories.import_lines(scope, text_of(file), str(file), options.now())
    if as_json:
        print_json(done.to_json())
    else:
        added = counted(done.added, "memory", "memories")
        print_line(f"{added} added, {done.known} already known")
    for error in done.errors:
        print_error(error)
    if done.errors:
        raise typer.Exit(3)


def _caught_up(config: Path | None, database: str | None) -> Engine:
    """The engine, after the funnel has seen all messages."""
    engine = options.engine(config, database)
    engine.conversations.remember.process_messages()
    return engine


def _show_funnel(engine: Engine) -> None:
    counts = engine.conversations.memories.funnel(engine.settings.user)
    judged = counts["judge"] + counts["kept"]
    tokens = f"{counts['judge_tokens']:,} tokens" if counts["judge_tokens"] else "no tokens"
    if sum(counts.values()):
        Output().print(
            f"Messages: {counts['kept']} remembered, {counts['heuristics']} dropped by rules, "
            f"{counts['recalled']} repeated text of Bob, {counts['judge']} trivial; "
            f"{judged} judged, {tokens}",
            style="dim",
        )
