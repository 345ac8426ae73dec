"""`bob work`: a team's work items, kept in SQL, from which the memory learns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bob.cli import options, work_setup
from bob.cli.output import print_json
from bob.cli.work_output import show_events, show_item, show_page
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from bob.work.items import WorkItem

work = typer.Typer(help="Keep, list and search a team's work items.", no_args_is_help=True)

Number = Annotated[int, typer.Argument(help="The item's number.", metavar="N", parser=options.number)]
Description = Annotated[str | None, typer.Option("--description", "-d", help="What the item is about.")]
Category = Annotated[str | None, typer.Option("--category", "-c", help="A category's name.")]
Status = Annotated[str | None, typer.Option("--status", "-s", help="One of the setting work.statuses.")]
Priority = Annotated[str | None, typer.Option("--priority", help="One of the setting work.priorities.")]
Assignee = Annotated[str | None, typer.Option("--assignee", "-a", help="Assignee of the item.")]
Fields = Annotated[
    list[str] | None,
    typer.Option("--field", "-f", metavar="NAME=VALUE", help="Value of a custom field (repeatable)."),
]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many.")]
After = Annotated[int, typer.Option("--after", metavar="N", min=0, help="Continue after this number.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    work_setup.register(work)
    app.add_typer(work, name="work")


@work.command(
    "add",
    help="""Add an item.

Examples:

    bob work add "App is slow on mobile" --category "Bug Reports" --priority high

    bob work add "Renew the certificate" --assignee ana --field Due=2026-11-30 --json
""",
)
def add(
    title: Annotated[list[str], typer.Argument(help="Title of the item.", show_default=False)],
    description: Description = None,
    category: Category = None,
    status: Status = None,
    priority: Priority = None,
    assignee: Assignee = None,
    fields: Fields = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Add."""
    engine = options.engine(config, database)
    values = _given(" ".join(title), description, category, status, priority, assignee, fields)
    _show(engine.team.work_items.create(engine.settings.user, values, options.now()), as_json)


@work.command(
    "list",
    help="""List items in the order of their numbers; archived ones with --all or --status archived.

Examples:

    bob work list --status "in progress" --assignee ana

    bob work list --category "Bug Reports" --limit 20 --after 40 --json
""",
)
def list_items(
    status: Status = None,
    category: Category = None,
    assignee: Assignee = None,
    priority: Priority = None,
    every: Annotated[bool, typer.Option("--all", help="Also archived items.")] = False,
    limit: Limit = 50,
    after: After = 0,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """List."""
    from bob.work.items import WorkFilter

    conditions = WorkFilter(status, category, assignee, priority, archived=every)
    page = options.engine(config, database).team.work_items.page(conditions, after, limit)
    if as_json:
        print_json({"items": [item.to_json() for item in page.items], "next_after": page.next_after})
    else:
        show_page(page)


@work.command(
    "show",
    help="""Show an item.

Example: bob work show 8
""",
)
def show(
    number: Number,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Show."""
    _show(options.engine(config, database).team.work_items.get(number), as_json)


@work.command(
    "edit",
    help="""Change an item. An empty value removes the old one.

Examples:

    bob work edit 8 --status done

    bob work edit 8 --assignee "" --field Severity=Critical --field Due=
""",
)
def edit(
    number: Number,
    title: Annotated[str | None, typer.Option("--title", "-t", help="Title of the item.")] = None,
    description: Description = None,
    category: Category = None,
    status: Status = None,
    priority: Priority = None,
    assignee: Assignee = None,
    fields: Fields = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Edit."""
    values = _given(title, description, category, status, priority, assignee, fields)
    if not values:
        raise UsageError(
            "nothing to change; give for example --status done (all options: bob work edit --help)"
        )
    engine = options.engine(config, database)
    _show(engine.team.work_items.update(engine.settings.user, number, values, options.now()), as_json)


@work.command(
    "archive",
    help="""Archive items: they leave the semantic index and bob work list.

To bring an item back: bob work edit N --status open

Example: bob work archive 8 9
""",
)
def archive(
    numbers: Annotated[
        list[int], typer.Argument(help="The items' numbers.", metavar="N…", parser=options.number)
    ],
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Archive."""
    engine = options.engine(config, database)
    service = engine.team.work_items
    for number in numbers:
        service.get(number)
    done = [service.archive(engine.settings.user, number, options.now()) for number in numbers]
    if as_json:
        print_json([item.to_json() for item in done])
    else:
        for item in done:
            show_item(item, brief=True)


@work.command(
    "log",
    help="""Show the changes of an item, or of all items, oldest first.

Examples:

    bob work log 8

    bob work log --after 100 --json
""",
)
def log(
    number: Annotated[
        int | None, typer.Argument(help="The item's number; default: all items.", metavar="[N]", min=1)
    ] = None,
    limit: Limit = 50,
    after: After = 0,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Log."""
    events = options.engine(config, database).team.work_items.events(number, after, limit)
    if as_json:
        print_json([event.to_json() for event in events])
    else:
        show_events(events)


def _given(
    title: str | None,
    description: str | None,
    category: str | None,
    status: str | None,
    priority: str | None,
    assignee: str | None,
    fields: Sequence[str] | None,
) -> dict[str, Any]:
    """What the flags say of an item."""
    named = {
        "title": title,
        "description": description,
        "category": category,
        "status": status,
        "priority": priority,
        "assignee_id": assignee,
    }
    values: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    if fields:
        values["fields"] = _pairs(fields)
    return values


def _pairs(fields: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for field in fields:
        name, equals, value = field.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--field: «{field}» is not of the form NAME=VALUE")
        if name.strip() in pairs:
            raise UsageError(f"--field: {name.strip()} must not be given twice")
        pairs[name.strip()] = value
    return pairs


def _show(item: WorkItem, as_json: bool) -> None:
    if as_json:
        print_json(item.to_json())
    else:
        show_item(item)
