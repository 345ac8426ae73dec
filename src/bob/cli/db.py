"""`bob db`: brings the schema up to date, checks it, and copies a database to another engine."""

from __future__ import annotations

from typing import Annotated

import typer

from bob.cli import options
from bob.cli.output import counted, print_json, print_line
from bob.cli.progress import shown_count
from bob.core.errors import UsageError

db = typer.Typer(help="Migrate, check and copy the database.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(db, name="db")


@db.command(
    "migrate",
    help="""Bring the schema up to date. Every command does this when it opens the database.

On PostgreSQL this requires the owner of the tables, and the extension vector, which an administrator
creates once with CREATE EXTENSION vector.

Example: BOB_DATABASE=postgresql://bob@db.example/bob bob db migrate
""",
)
def migrate(config: options.Config = None, database: options.Db = None) -> None:
    """Migrate."""
    from bob.storage.database import SCHEMA_HEAD

    opened = options.engine(config, database).database
    print_line(f"{opened} has schema {SCHEMA_HEAD} ({opened.engine}).")
    opened.close()


@db.command(
    "check",
    help="""Check the database for errors. The exit code is 1 if there are any.

Example: bob db check
""",
)
def check(as_json: options.Json = False, config: options.Config = None, database: options.Db = None) -> None:
    """Check."""
    from bob.storage.database import SCHEMA_HEAD

    opened = options.engine(config, database).database
    wrong = opened.check()
    if as_json:
        print_json({"database": str(opened), "engine": opened.engine, "schema": SCHEMA_HEAD, "wrong": wrong})
    else:
        print_line(f"{opened}: schema {SCHEMA_HEAD}, {opened.engine}")
        for line in wrong or ["No errors found."]:
            print_line(line)
    opened.close()
    if wrong:
        raise typer.Exit(1)


@db.command(
    "copy",
    help="""Copy all organizations to another database, each completely or not at all. The source is not
changed.

Example: bob db copy --from ~/.local/share/bob/bob.db --to postgresql://bob@db.example/bob
""",
)
def copy(
    source: Annotated[
        str, typer.Option("--from", metavar="DATABASE", help="A database file, or postgresql:// address.")
    ],
    target: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="DATABASE",
            help="Target: a database file or postgresql:// address, without rows of these organizations.",
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be copied.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Copy."""
    from bob.app.copy_database import CopyDatabase

    places = [options.engine(config, name).settings for name in (source, target)]
    if not (places[0].on_server or places[0].database_path.is_file()):
        raise UsageError(f"{source}: no such database")
    is_there = places[1].on_server or places[1].database_path.exists()
    source_database = options.engine(config, source).database
    target_database = options.engine(config, target).database if is_there or not dry_run else None
    service = CopyDatabase(source_database, target_database)
    with shown_count("rows") as report:
        copied = service.copy_organizations(dry_run=dry_run, report=report)
    if as_json:
        print_json({copy.org_id: copy.tables for copy in copied})
    for copy in [] if as_json else copied:
        print_line(f"{copy.org_id}: {counted(copy.rows, 'row')} in {counted(len(copy.tables), 'table')}")
    if not as_json:
        print_line("Nothing was written (--dry-run)." if dry_run else f"{target_database} has them.")
    source_database.close()
    if target_database is not None:
        target_database.close()
