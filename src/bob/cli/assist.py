"""`bob assist` and `bob rag-search`: questions about the team's work items."""

from __future__ import annotations

from typing import Annotated

import typer

from bob.cli import options
from bob.cli.output import print_json, print_line, print_text


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("assist", help=_ASSIST)(assist)
    app.command("rag-search", help=_SEARCH)(rag_search)


_ASSIST = """Answer a question about work items: has it been seen before, what is it like, what do such items
share?

The semantic index finds items, SQL gives the facts. Without a language model, rules answer these three
questions.

Examples:

    bob assist "Have we seen payment gateway timeouts before?"

    bob assist "Customer says checkout is broken" --json

    bob assist "What patterns do we see in mobile bugs?"
"""
_SEARCH = """Find work items by meaning: prints their numbers, best first, above the relevance threshold.

The exit code is 1 if none is found.

Examples:

    bob rag-search "login issues on mobile"

    bob rag-search "login issues on mobile" --limit 20 --json
"""


def assist(
    message: Annotated[str, typer.Argument(help="The question.", show_default=False)],
    thread: Annotated[str | None, typer.Option(help="Continue this thread.")] = None,
    steps: Annotated[
        bool, typer.Option("--steps", help="Also show the tool calls and their results.")
    ] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Ask."""
    engine = options.engine(config, database)
    name, found = engine.team.assist_threads.answer_in_thread(engine.settings.user, message, thread)
    if as_json:
        print_json({"thread_id": name, **found.to_json()})
        return
    if found.notice:
        print_line(f"({found.notice})")
    print_text(found.reply)
    for step in found.steps if steps else ():
        print_line()
        print_line(f"{step.tool}: {step.given.get('sql') or step.given.get('query')}")
        print_line(f"  {step.error or step.found.get('work_item_ids', step.found.get('rows'))}")


def rag_search(
    query: Annotated[str, typer.Argument(help="The search text.", show_default=False)],
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=50, help="Maximum number of results.")
    ] = 5,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Search."""
    engine = options.engine(config, database)
    team = engine.team
    items = team.rag_search.search_items(query, limit, user_id=engine.settings.user)
    if as_json:
        print_json({"success": True, "work_item_ids": items})
    for item in [] if as_json else team.work_items.those(items):
        print_line(f"#{item.work_item_id} {item.title} ({item.status})")
    if not items:
        if not as_json:
            print_line(
                "Nothing similar found. bob status shows pending index jobs; bob worker --once runs them."
            )
        raise typer.Exit(1)
