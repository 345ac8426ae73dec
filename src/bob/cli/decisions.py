"""`bob decisions`: what was decided, what holds of it, and how to put it right."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.decisions_output import show_change, show_decision, show_history, show_list
from bob.cli.output import Output, counted, print_json
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from bob.decisions.values import Change

decisions = typer.Typer(help="What was decided, and what holds of it.", invoke_without_command=True)

Id = Annotated[str, typer.Argument(help="Its id, or a record's number such as ADR-12.", metavar="ID")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")]


class Status(StrEnum):
    """How a decision stands."""

    PROPOSED = "proposed"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"
    REJECTED = "rejected"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(decisions, name="decisions")


_LIST = """List decisions, the newest first.

Examples:

    bob decisions

    bob decisions list --status active --older-than 2y

    bob decisions list --project shop --about "payment provider" --json
"""


@decisions.callback(help=_LIST)
@decisions.command("list", help=_LIST)
def list_decisions(
    context: typer.Context,
    projects: options.Projects = None,
    statuses: Annotated[
        list[Status] | None, typer.Option("--status", help="Only of this status (repeatable).")
    ] = None,
    about: Annotated[str, typer.Option("--about", help="Only with these words.")] = "",
    after: Annotated[
        str | None, typer.Option("--after", metavar="DATE", help="Only of this day or later.")
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", metavar="DATE", help="Only before this day.")
    ] = None,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="AGE", help="Only older ones: 90d, 26w, 6m or 2y.")
    ] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Read all documents again first.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """List."""
    if context.invoked_subcommand is not None:
        return
    from bob.decisions.values import DecisionQuery

    until = options.day("--before", before)
    if older_than is not None:
        oldest = _day_before(older_than)
        until = oldest if until is None else min(until, oldest)
    engine = options.engine(config, database)
    if rebuild:
        report = engine.knowledge.extract_decisions.run(rebuild=True)
        if not as_json:
            Output().print(f"{counted(report.documents, 'document')} read again.")
    query = DecisionQuery(
        tuple(projects or ()), tuple(statuses or ()), options.day("--after", after), until, about
    )
    listed = engine.knowledge.decisions.matching(query)
    if as_json:
        print_json(listed.to_json())
        return
    show_list(listed)
    if not listed.decisions:
        Output().print(
            "No decision was found." if engine.status.documents() else "The index is empty: bob index FOLDER"
        )


@decisions.command(
    "show",
    help="""Show a decision: its text, its context, what was turned down, and its links.

Examples:

    bob decisions show 3

    bob decisions show ADR-12 --json
""",
)
def show(
    decision: Id,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Show."""
    service = options.engine(config, database).knowledge.decisions
    found = service.at(decision)
    history, dropped = service.history(found), service.dropped(found)
    if as_json:
        print_json(history.shown(dropped))
    else:
        show_decision(history, dropped)


@decisions.command(
    "history",
    help="""Show what led to a decision, and what came of it.

Examples:

    bob decisions history ADR-7

    bob decisions history 3 --json
""",
)
def history(
    decision: Id,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """History."""
    service = options.engine(config, database).knowledge.decisions
    found = service.history(service.at(decision))
    if as_json:
        print_json(found.to_json())
    else:
        show_history(found)


@decisions.command(
    "supersede",
    help="""Say that a decision took another's place. Your files are not changed.

Examples:

    bob decisions supersede ADR-2 ADR-7

    bob decisions supersede 3 14 --dry-run
""",
)
def supersede(
    old: Annotated[str, typer.Argument(help="The decision that no longer holds.", metavar="OLD")],
    new: Annotated[str, typer.Argument(help="The one in its place.", metavar="NEW")],
    dry_run: DryRun = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Supersede."""
    service = options.engine(config, database).knowledge.decisions
    _report(service.supersede(old, new, options.now(), dry_run=dry_run), as_json)


@decisions.command(
    "reject",
    help="""Say that a decision was turned down. Your files are not changed.

Example: bob decisions reject ADR-9
""",
)
def reject(
    decision: Id,
    dry_run: DryRun = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Reject."""
    service = options.engine(config, database).knowledge.decisions
    _report(service.edit(decision, options.now(), status="rejected", dry_run=dry_run), as_json)


@decisions.command(
    "edit",
    help="""Put a decision's status, title or date right. Your files are not changed.

Examples:

    bob decisions edit ADR-9 --status active --date 2021-03-04

    bob decisions edit 3 --title "Orders live in PostgreSQL" --dry-run
""",
)
def edit(
    decision: Id,
    status: Annotated[Status | None, typer.Option(help="How it stands.")] = None,
    title: Annotated[str | None, typer.Option(help="What it is called.")] = None,
    dated: Annotated[str | None, typer.Option("--date", metavar="DATE", help="When it was made.")] = None,
    dry_run: DryRun = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Edit."""
    if status is None and dated is None and not (title or "").strip():
        raise UsageError("what shall change? Give --status, --title or --date")
    service = options.engine(config, database).knowledge.decisions
    change = service.edit(
        decision,
        options.now(),
        status=None if status is None else status.value,
        title=" ".join((title or "").split()) or None,
        date=options.day("--date", dated),
        dry_run=dry_run,
    )
    _report(change, as_json)


@decisions.command(
    "undo",
    help="""Drop all that you said of a decision: its text counts again.

Example: bob decisions undo ADR-9
""",
)
def undo(
    decision: Id,
    dry_run: DryRun = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Undo."""
    service = options.engine(config, database).knowledge.decisions
    _report(service.undo(decision, options.now(), dry_run=dry_run), as_json)


def _report(change: Change, as_json: bool) -> None:
    if as_json:
        print_json(change.to_json())
    else:
        show_change(change)


def _day_before(age: str) -> date:
    """The day that lies so far back."""
    from bob.text.ages import day_before

    day = day_before(age, options.today())
    if day is None:
        raise UsageError(f"--older-than: {age!r} is no age; write 90d, 26w, 6m or 2y")
    return day
