"""`bob chats`: the chats that there were, word for word."""

from __future__ import annotations

from typing import Annotated

import typer

from bob.cli import options
from bob.cli.output import Output, counted, print_json

chats = typer.Typer(help="List and read your chats.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(chats, name="chats")


@chats.command(
    "list",
    help="""List chats, the last one first.

Examples:

    bob chats list

    bob chats list --project garden --json
""",
)
def list_chats(
    project: Annotated[str | None, typer.Option("--project", "-p", help="Only about this project.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many to list.")] = 20,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """List."""
    engine = options.engine(config, database)
    found = engine.conversations.chats.recent(engine.settings.user, limit, project)
    if as_json:
        print_json([each.to_json() for each in found])
        return
    out = Output()
    for each in found:
        when = each.last_message_at.astimezone().strftime("%Y-%m-%d %H:%M")
        about = f"  ({each.scope.project})" if each.scope.project else ""
        title = each.title or each.name or "(nothing said yet)"
        out.print(
            f"{each.chat_id:>5}  {when}  {title}", (about, "cyan"), f"  {counted(each.messages, 'message')}"
        )
    if not found:
        out.print("No chat yet: bob chat")


@chats.command(
    "show",
    help="""Show a chat word for word, with what was remembered of it.

Examples:

    bob chats show 3

    bob chats show 3 --json
""",
)
def show(
    chat_id: Annotated[int, typer.Argument(help="The chat's number.", metavar="N")],
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Show."""
    engine = options.engine(config, database)
    chat = engine.conversations.chats.at(engine.settings.user, chat_id)
    messages = engine.conversations.chats.messages(chat)
    if as_json:
        print_json(chat.to_json() | {"messages": [each.to_json() for each in messages]})
        return
    out = Output()
    for each in messages:
        when = each.sent_at.astimezone().strftime("%Y-%m-%d %H:%M")
        out.print((f"{each.role}  ", "bold"), (when, "dim"))
        out.indented(each.text, 2)
        if each.assessment is not None and each.assessment.importance:
            kind = f"{each.assessment.message_type} {each.assessment.importance}"
            out.print(f"  remembered ({kind}): {each.assessment.summary}", style="green")
        out.print()
