"""`bob routine`: notes that Bob prepares of what it knows, every line with its source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import new, options
from bob.cli.output import print_json

if TYPE_CHECKING:
    from bob.notes.routines import Routine

routine = typer.Typer(
    help="Write routine notes from what Bob knows: for a day, a meeting, a week.", no_args_is_help=True
)

Project = Annotated[str | None, options.project("Only from this project.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(routine, name="routine")


@routine.command(
    "daily",
    help="""Write a note for the day, with what is still open: unticked tasks, and memories that ask or
promise something.

Examples:

    bob routine daily

    bob routine daily --project acme --dry-run
""",
)
def daily(
    project: Project = None,
    day: new.Day = None,
    into: new.Into = None,
    no_index: new.NoIndex = False,
    dry_run: new.DryRun = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Prepare a day."""
    _run("daily", "", project, day, into, no_index, dry_run, as_json, config, database)


@routine.command(
    "meeting",
    help="""Write a note for a meeting, with decisions and rejected alternatives on its topic, what files say
about it, and what is open in the project.

Examples:

    bob routine meeting renting out the press --project press

    bob routine meeting budget --date 2025-07-01 --dry-run
""",
)
def meeting(
    topic: Annotated[list[str], typer.Argument(help="Topic of the meeting.", show_default=False)],
    project: Project = None,
    day: new.Day = None,
    into: new.Into = None,
    no_index: new.NoIndex = False,
    dry_run: new.DryRun = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Prepare a meeting."""
    _run("meeting", " ".join(topic), project, day, into, no_index, dry_run, as_json, config, database)


@routine.command(
    "review",
    help="""Write a weekly review: old and still open decisions, unanswered questions of the last seven days,
and what is still open.

Examples:

    bob routine review

    bob routine review --project acme --json
""",
)
def review(
    project: Project = None,
    day: new.Day = None,
    into: new.Into = None,
    no_index: new.NoIndex = False,
    dry_run: new.DryRun = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Prepare a week's review."""
    _run("review", "", project, day, into, no_index, dry_run, as_json, config, database)


def _run(
    name: Routine,
    topic: str,
    project: str | None,
    day: str | None,
    into: Path | None,
    no_index: bool,
    dry_run: bool,
    as_json: bool,
    config: Path | None,
    database: str | None,
) -> None:
    routines = options.engine(config, database).knowledge.routines
    from bob.notes.routines import Occasion

    occasion = Occasion(new.day_of(day), project, topic, into)
    made = routines.write_routine(name, occasion, write=not dry_run, index=not no_index)
    if as_json:
        print_json(made.to_json())
    else:
        new.show(made.note, as_json=False)
