"""`bob chats`: the chats that there were, word for word; how to find a message, and how to delete a chat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.memories import show_memory_line
from bob.cli.output import Output, counted, print_json, source_line, when

if TYPE_CHECKING:
    from bob.conversations.chats import DeletePlan

chats = typer.Typer(help="List, search, read and delete your chats.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(chats, name="chats")


@chats.command(
    "list",
    help="""List chats, newest first.

Examples:

    bob chats list

    bob chats list --project garden --json
""",
)
def list_chats(
    project: Annotated[str | None, options.project("Only about this project.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="Maximum number of chats.")
    ] = 20,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """List."""
    engine = options.engine(config, database)
    chats = engine.conversations.chats.recent(engine.settings.user, limit, project)
    if as_json:
        print_json([chat.to_json() for chat in chats])
        return
    out = Output()
    for chat in chats:
        about = f"  ({chat.scope.project})" if chat.scope.project else ""
        title = chat.title or chat.name or "(no messages yet)"
        out.print(
            f"{chat.chat_id:>5}  {when(chat.last_message_at)}  {title}",
            (about, "cyan"),
            f"  {counted(chat.messages, 'message')}",
        )
    if not chats:
        out.print("No chats yet. Start one: bob chat")


@chats.command(
    "show",
    help="""Show all messages of a chat, with their memories and the sources that replies cite.

Examples:

    bob chats show 3

    bob chats show 3 --last 10 --json
""",
)
def show(
    chat_id: Annotated[int, typer.Argument(help="The chat's number.", metavar="N", parser=options.number)],
    last: Annotated[
        int | None, typer.Option("--last", min=1, max=1000, help="Show only the last N messages.")
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Show."""
    engine = options.engine(config, database)
    service = engine.conversations.chats
    chat = service.at(engine.settings.user, chat_id)
    messages, earlier = (service.messages(chat), None) if last is None else service.last_messages(chat, last)
    if as_json:
        print_json(
            chat.to_json() | {"messages": [message.to_json() for message in messages], "earlier": earlier}
        )
        return
    out = Output()
    for message in messages:
        out.print((f"{message.role}  ", "bold"), (when(message.sent_at), "dim"))
        out.indented(message.text, 2)
        for cited in message.sources:
            out.print(f"  [{cited.n}] ", *source_line(cited.path, cited.locator, cited.heading_path))
        if message.assessment is not None and message.assessment.importance:
            kind = f"{message.assessment.message_type} {message.assessment.importance}"
            out.print(f"  remembered ({kind}): {message.assessment.summary}", style="green")
        out.print()


@chats.command(
    "search",
    help="""Search the messages of your chats. The exit code is 1 if nothing is found.

Examples:

    bob chats search "when do we cut the hedge"

    bob chats search "which database did we choose" --project bob --limit 3 --json
""",
)
def search(
    query: Annotated[list[str], typer.Argument(help="The search text.", show_default=False)],
    project: Annotated[str | None, options.project("Only chats about this project.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="Maximum number of messages.")
    ] = 10,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Search."""
    engine = options.engine(config, database)
    service = engine.conversations.search_chats
    matches = service.search_messages(engine.settings.user, options.query(query), limit, project)
    if as_json:
        print_json(matches.to_json())
    else:
        out = Output()
        for message in matches.messages:
            about = f"  ({message.chat.scope.project})" if message.chat.scope.project else ""
            title = message.chat.title or message.chat.name or ""
            out.print(
                f"{message.chat.chat_id:>5}  {when(message.message.sent_at)}  {message.message.role}  ",
                (title, "dim"),
                (about, "cyan"),
            )
            out.indented(message.excerpt, 7)
        if matches.messages:
            out.print(f"To read on: bob chats show {matches.messages[0].chat.chat_id}", style="dim")
        else:
            out.print("Nothing found." if matches.searched else "No chats yet. Start one: bob chat")
        if matches.waiting:
            left_out = (
                f"{counted(matches.waiting, 'message')} not analysed yet: bob memories list analyses them"
            )
            out.print(left_out, style="yellow")
    if not matches.messages:
        raise typer.Exit(1)


@chats.command(
    "delete",
    help="""Delete a chat and its messages permanently. Its memories are kept unless you add --with-memories.

Without --yes it only shows what would be deleted.

Examples:

    bob chats delete 3

    bob chats delete 3 --with-memories --yes
""",
)
def delete(
    chat_id: Annotated[int, typer.Argument(help="The chat's number.", metavar="N", parser=options.number)],
    with_memories: Annotated[
        bool, typer.Option("--with-memories", help="Also delete memories that come only from this chat.")
    ] = False,
    yes: options.Yes = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Delete."""
    engine = options.engine(config, database)
    service = engine.conversations.delete_chat
    plan = service.plan(engine.settings.user, chat_id, with_memories=with_memories)
    if yes:
        service.delete_chat(plan)
    if as_json:
        print_json({"plan": plan.to_json(), "done": yes})
    else:
        _show_plan(plan, done=yes)


def _show_plan(plan: DeletePlan, *, done: bool) -> None:
    out = Output()
    chat = plan.chat
    about = f" ({chat.scope.project})" if chat.scope.project else ""
    name = f"chat {chat.chat_id}, {chat.title or chat.name or 'nothing said yet'}{about}"
    size = counted(chat.messages, "message")
    out.print(f"Deleted: {name}, {size}." if done else f"This would be deleted permanently: {name}, {size}")
    if plan.memories:
        out.print("with these memories from it:" if plan.with_memories else "Memories from it are kept:")
        for memory in plan.memories:
            show_memory_line(memory)
        if not plan.with_memories and not done:
            out.print("To delete them too: --with-memories.")
    if not done:
        flag = " --with-memories" if plan.with_memories else ""
        out.print(
            f"Nothing was deleted. To delete: bob chats delete {chat.chat_id}{flag} --yes", style="yellow"
        )
