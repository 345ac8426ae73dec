"""`bob decisions`: what was decided, what holds of it, and how to put it right."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bob.cli import options
from bob.cli.output import Output, Piece, counted, print_json, source_line
from bob.core.errors import UsageError
from bob.text.visible import visible_line

if TYPE_CHECKING:
    from bob.core.decision import Decision
    from bob.decisions.resolve import Dropped
    from bob.decisions.service import Branch, Change, History, Listed

_STYLES = {
    "active": "green",
    "proposed": "cyan",
    "superseded": "yellow",
    "deprecated": "yellow",
    "rejected": "red",
}
_FORWARD = {
    "supersedes": "superseded by",
    "partly_supersedes": "partly superseded by",
    "amends": "amended by",
}
_BACKWARD = {"supersedes": "supersedes", "partly_supersedes": "partly supersedes", "amends": "amends"}


_MOST_PUT_ASIDE = 10


def show_list(listed: Listed) -> None:
    """Decisions, a line each, and what is to be told of them."""
    out = Output()
    names = {decision.decision_id: decision.name for decision in listed.decisions}
    projects = {decision.project for decision in listed.decisions}
    for decision in listed.decisions:
        by = [
            names.get(link.later, f"#{link.later}")
            for link in listed.links
            if link.earlier == decision.decision_id and link.kind == "supersedes"
        ]
        notes = [f"by {', '.join(by)}"] if by and decision.status == "superseded" else []
        notes += [decision.project] if len(projects) > 1 else []
        notes += ["corrected"] if decision.corrected else []
        notes += _undated(decision)
        out.print(*_line(decision), (f"  ({'; '.join(notes)})" if notes else "", "dim"))
    if listed.dropped:
        out.print()
        links = counted(len(listed.dropped), "stated link")
        out.print(f"{links} could not be followed:", style="dim")
        for dropped in listed.dropped:
            out.print(f"  {names[dropped.decision_id]}: {_dropped(dropped)}", style="dim")
    if listed.lost:
        out.print()
        out.print("Your corrections of these are kept, although they are gone:", style="yellow")
        for lost in listed.lost:
            out.print(f"  {lost.about} ({lost.project}): {_said(lost.to_json())}")


def show_put_aside(listed: Listed) -> None:
    """What looks like a decision record and is not in the list, with the reason."""
    if not listed.put_aside:
        return
    out = Output()
    out.print()
    out.print("These look like decision records, and state no decision:", style="dim")
    for text in listed.put_aside[:_MOST_PUT_ASIDE]:
        line = f":{text.text.line}" if text.text.line else ""
        out.print(f"  {visible_line(text.path)}{line}: {text.text.reason}", style="dim")
    if len(listed.put_aside) > _MOST_PUT_ASIDE:
        more = len(listed.put_aside) - _MOST_PUT_ASIDE
        out.print(f"  … and {more} more: bob decisions --json", style="dim")


def _line(decision: Decision) -> list[Piece]:
    dated = "          " if decision.day is None else decision.day.isoformat()
    number = f"{decision.name}  " if decision.found.number else ""
    return [
        f"{decision.decision_id:>5}  ",
        (f"{decision.status:10}  ", _STYLES[decision.status]),
        (f"{dated}  ", "dim"),
        (number, "bold"),
        decision.found.title,
    ]


def _undated(decision: Decision) -> list[str]:
    """What to tell of a decision whose only date is that of its file on this disk."""
    return [] if decision.day == decision.date else [f"no date; its file is of {decision.date}"]


def _dropped(dropped: Dropped) -> str:
    return f"«{dropped.target}» {dropped.reason}"


def _said(changes: dict[str, Any]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {value}" for name, value in changes.items() if name != "about"
    )


def show_decision(history: History, dropped: Sequence[Dropped]) -> None:
    """All that is known of a decision."""
    out, decision = Output(), history.decision
    stated = decision.found
    out.print(*_line(decision), style="")
    for note in _undated(decision):
        out.print(f"       {note}", style="dim")
    if decision.corrected:
        out.print("       corrected by you; to undo: bob decisions undo", style="dim")
    out.print("       ", *source_line(decision.path, stated.locator, ()))
    _block(out, "Decision", stated.statement)
    _block(out, "Context", stated.context)
    if stated.rejected:
        out.print()
        out.print("Turned down", style="bold")
        for rejected in stated.rejected:
            reason = f" ({' '.join(rejected.reason.split())})" if rejected.reason else ""
            out.indented(f"- {' '.join(rejected.text.split())}{reason}", 2)
    links = [
        *((_FORWARD, branch) for branch in history.later),
        *((_BACKWARD, branch) for branch in history.earlier),
    ]
    if links or dropped:
        out.print()
        out.print("Links", style="bold")
    for words, branch in links:
        out.print("  ", *_branch(branch, words))
    for one in dropped:
        out.print(f"  {_dropped(one)}", style="dim")


def _block(out: Output, heading: str, text: str) -> None:
    if text.strip():
        out.print()
        out.print(heading, style="bold")
        for line in text.strip().splitlines():
            out.indented(line, 2)


def show_history(history: History) -> None:
    """A decision as a tree, what came of it above what led to it."""
    out = Output()
    out.print(*_line(history.decision))
    rows = [
        *((_FORWARD, branch) for branch in history.later),
        *((_BACKWARD, branch) for branch in history.earlier),
    ]
    _tree(out, rows, "       ")
    if not rows:
        out.print("       no other decision is linked to it", style="dim")


def _tree(out: Output, rows: Sequence[tuple[dict[str, str], Branch]], indent: str) -> None:
    for index, (words, branch) in enumerate(rows):
        last = index == len(rows) - 1
        out.print((f"{indent}{'└' if last else '├'} ", "dim"), *_branch(branch, words))
        _tree(
            out, [(words, branch_after) for branch_after in branch.onward], indent + ("  " if last else "│ ")
        )


def _branch(branch: Branch, words: dict[str, str]) -> list[Piece]:
    decision = branch.decision
    how = words[branch.link.kind] if branch.link else ""
    suffix = " (your correction)" if branch.link and branch.link.origin == "user" else ""
    dated = "" if decision.day is None else f", {decision.day.isoformat()}"
    title = f" {decision.found.title}" if decision.found.number else ""
    return [
        (f"{how} ", "dim"),
        (decision.name, "bold"),
        f"{title} ",
        (f"[{decision.status}{dated}]", _STYLES[decision.status]),
        (suffix, "dim"),
    ]


def show_change(change: Change) -> None:
    """What a correction did, or would do."""
    out = Output()
    for before, after in change.changed:
        moves = [
            f"{name} {was or 'none'} → {now or 'none'}"
            for name, was, now in (
                ("status", before.status, after.status),
                ("title", f"«{before.found.title}»", f"«{after.found.title}»"),
                ("date", before.date, after.date),
            )
            if was != now
        ]
        out.print(*_line(after), (f"  {'; '.join(moves) or 'nothing changes'}", "dim"))
    if not change.done:
        out.print("Nothing was changed. To change it, omit --dry-run.", style="yellow")


decisions = typer.Typer(
    help="List, show and correct decisions, and what superseded them.", invoke_without_command=True
)

Id = Annotated[
    str, typer.Argument(help="The decision's id, or a record's number such as ADR-12.", metavar="ID")
]
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


_LIST = """List decisions, newest first.

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
        list[Status] | None, typer.Option("--status", help="Only decisions with this status (repeatable).")
    ] = None,
    about: Annotated[str, typer.Option("--about", help="Only decisions with these words.")] = "",
    after: Annotated[
        str | None, typer.Option("--after", metavar="DATE", help="Only decisions of this day or later.")
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", metavar="DATE", help="Only decisions before this day.")
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than", metavar="AGE", help="Only decisions older than this: 90d, 26w, 6m or 2y."
        ),
    ] = None,
    min_confidence: Annotated[
        float,
        typer.Option(
            "--min-confidence",
            min=0,
            max=1,
            help="Only decisions that Bob is so sure of: records have 0.75 to 0.95, marked lines 0.75 to "
            "0.9, sentences 0.6 to 0.8.",
        ),
    ] = 0,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Read all documents again first.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """List."""
    if options.is_for_command(context):
        return
    from bob.decisions.service import DecisionQuery

    until = options.day("--before", before)
    if older_than is not None:
        oldest = _day_before(older_than)
        until = oldest if until is None else min(until, oldest)
    engine = options.engine(config, database)
    if rebuild:
        report = engine.extract_decisions.extract_decisions(rebuild=True)
        if not as_json:
            Output().print(f"{counted(report.documents, 'document')} read again.")
    query = DecisionQuery(
        tuple(projects or ()),
        tuple(statuses or ()),
        options.day("--after", after),
        until,
        about,
        min_confidence,
    )
    listed = engine.knowledge.decisions.matching(query)
    if as_json:
        print_json(listed.to_json())
        return
    show_list(listed)
    if not listed.decisions:
        Output().print(
            "No decisions found." if engine.status.documents() else "The index is empty: bob index FOLDER"
        )
    if query == DecisionQuery(query.projects):
        show_put_aside(listed)


@decisions.command(
    "show",
    help="""Show a decision: its text, context, rejected alternatives and links.

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
    decision_found = service.by_name(decision)
    history, dropped = service.history(decision_found), service.dropped(decision_found)
    if as_json:
        print_json(history.shown(dropped))
    else:
        show_decision(history, dropped)


@decisions.command(
    "history",
    help="""Show what a decision superseded, and what superseded it.

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
    history = service.history(service.by_name(decision))
    if as_json:
        print_json(history.to_json())
    else:
        show_history(history)


@decisions.command(
    "supersede",
    help="""Mark a decision as superseded by another. Your files are not changed.

Examples:

    bob decisions supersede ADR-2 ADR-7

    bob decisions supersede 3 14 --dry-run
""",
)
def supersede(
    old: Annotated[str, typer.Argument(help="The superseded decision.", metavar="OLD")],
    new: Annotated[str, typer.Argument(help="The decision that supersedes it.", metavar="NEW")],
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
    help="""Mark a decision as rejected. Your files are not changed.

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
    help="""Correct a decision's status, title or date. Your files are not changed.

Examples:

    bob decisions edit ADR-9 --status active --date 2021-03-04

    bob decisions edit 3 --title "Orders live in PostgreSQL" --dry-run
""",
)
def edit(
    decision: Id,
    status: Annotated[Status | None, typer.Option(help="The new status.")] = None,
    title: Annotated[str | None, typer.Option(help="The new title.")] = None,
    dated: Annotated[str | None, typer.Option("--date", metavar="DATE", help="The new date.")] = None,
    dry_run: DryRun = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Edit."""
    if status is None and dated is None and not (title or "").strip():
        raise UsageError("nothing to change; give --status, --title or --date")
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
    help="""Remove your corrections of a decision, so that its text counts again.

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
    from bob.text.dates import day_before

    day = day_before(age, options.today())
    if day is None:
        raise UsageError(f"--older-than: {age!r} is not an age; use for example 90d, 26w, 6m or 2y")
    return day
