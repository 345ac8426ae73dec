"""`bob work category`, `bob work field` and `bob work import`: what items are made of, and where from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from bob.cli import options
from bob.cli.options import text_of
from bob.cli.output import Output, print_error, print_json
from bob.cli.work_output import field_line, show_import
from bob.core.errors import UsageError

category_app = typer.Typer(help="Add, list and rename categories of work items.", no_args_is_help=True)
field_app = typer.Typer(help="Add, list and rename custom fields of work items.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The name.", show_default=False)]
OldName = Annotated[str, typer.Argument(help="The present name.", metavar="NAME", show_default=False)]
NewName = Annotated[str, typer.Argument(help="The new name.", metavar="NEW", show_default=False)]


def register(work: typer.Typer) -> None:
    """Add the commands to `bob work`."""
    work.add_typer(category_app, name="category")
    work.add_typer(field_app, name="field")
    work.command("import", help=_IMPORT_HELP)(import_items)


@category_app.command(
    "add",
    help="""Add a category.

Example: bob work category add "Bug Reports"
""",
)
def add_category(
    name: Name,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Add."""
    made = options.engine(config, database).team.work_items.add_category(name, options.now())
    _print(made.to_json(), made.name, as_json)


@category_app.command(
    "list",
    help="""List the categories.

Example: bob work category list --json
""",
)
def list_categories(
    as_json: options.Json = False, config: options.Config = None, database: options.Db = None
) -> None:
    """List."""
    categories = options.engine(config, database).team.work_items.categories()
    if as_json:
        print_json([category.to_json() for category in categories])
        return
    for category in categories:
        Output().print(f"{category.category_id:>5}  ", category.name)
    if not categories:
        Output().print("No categories yet. Add one: bob work category add NAME")


@category_app.command(
    "rename",
    help="""Rename a category; its items are indexed again.

Example: bob work category rename "Bug Reports" Bugs
""",
)
def rename_category(
    name: OldName,
    new: NewName,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Rename."""
    engine = options.engine(config, database)
    made = engine.team.work_items.rename_category(engine.settings.user, name, new, options.now())
    _print(made.to_json(), made.name, as_json)


@field_app.command(
    "add",
    help="""Add a custom field to all items.

Types: text, enum, number, boolean, date, json. Text, enum and boolean values are also in the semantic index.

Examples:

    bob work field add Severity --type enum --option Minor --option Critical

    bob work field add Due --type date
""",
)
def add_field(
    name: Name,
    field_type: Annotated[str, typer.Option("--type", help="Type of the values.")] = "text",
    choices: Annotated[
        list[str] | None, typer.Option("--option", help="Allowed value of an enum (repeatable).")
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Add."""
    service = options.engine(config, database).team.work_items
    made = service.define_field(name, field_type, choices or ())
    _print(made.to_json(), field_line(made), as_json)


@field_app.command(
    "list",
    help="""List the custom fields with their types.

Example: bob work field list --json
""",
)
def list_fields(
    as_json: options.Json = False, config: options.Config = None, database: options.Db = None
) -> None:
    """List."""
    fields = options.engine(config, database).team.work_items.fields()
    if as_json:
        print_json([field.to_json() for field in fields])
        return
    for field in fields:
        Output().print(field_line(field))
    if not fields:
        Output().print("No custom fields yet. Add one: bob work field add NAME --type TYPE")


@field_app.command(
    "rename",
    help="""Rename a custom field; items that have it are indexed again.

Example: bob work field rename Platform System
""",
)
def rename_field(
    name: OldName,
    new: NewName,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Rename."""
    engine = options.engine(config, database)
    made = engine.team.work_items.rename_field(engine.settings.user, name, new, options.now())
    _print(made.to_json(), field_line(made), as_json)


_IMPORT_HELP = """Import items that another tracker exported. Importing the same file again changes nothing.

csv: the first line names the columns title, description, status, priority, category, assignee, id; any other
column is a custom field of a guessed type. github: JSON as gh prints it with --json, or of the REST API.
jira: a CSV export, or the JSON of a search.

Examples:

    bob work import tasks.csv --from csv --dry-run

    bob work import - --from github < export.json

    bob work import jira.csv --from jira --source support --json
"""


def import_items(
    file: Annotated[Path, typer.Argument(help="File to import; - reads standard input.", metavar="FILE")],
    form: Annotated[Literal["csv", "github", "jira"], typer.Option("--from", help="Format of the file.")],
    source: Annotated[
        str | None,
        typer.Option("--source", help="Name of the tracker, if two trackers use the same numbers."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Import."""
    engine = options.engine(config, database)
    text = text_of(file)
    try:
        report = engine.team.import_work_items.import_items(
            engine.settings.user, text, form, options.now(), source=source, dry_run=dry_run
        )
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    if as_json:
        print_json(report.to_json())
    else:
        show_import(report, dry_run)
    for error_line in report.errors:
        print_error(f"{file}: {error_line}")
    if report.errors:
        raise typer.Exit(3)


def _print(value: dict[str, Any], line: str, as_json: bool) -> None:
    if as_json:
        print_json(value)
    else:
        Output().print(line)
