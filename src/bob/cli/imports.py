"""`bob import`: bookmarks, highlights and annotations of PDFs become notes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bob.cli import options
from bob.cli.output import Output, counted, print_error, print_json, shown_path

if TYPE_CHECKING:
    from bob.notes.import_notes import ImportNotes, ImportPlan, ImportTarget

_SHOWN = 20

import_app = typer.Typer(
    help="Take over bookmarks, highlights and annotations into notes.", no_args_is_help=True
)

Export = Annotated[Path, typer.Argument(help="The exported file.", metavar="FILE", show_default=False)]
Into = Annotated[
    Path | None,
    typer.Option("--into", metavar="FOLDER", help="New notes go there: a folder that is allowed or indexed."),
]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A tag for new notes (repeatable).")]
Project = Annotated[str | None, options.project("The project of new notes.")]
Again = Annotated[bool, typer.Option("--again", help="Also what was deleted from the notes since.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what it would do, and do nothing.")]
NoIndex = Annotated[bool, typer.Option("--no-index", help="Leave the index as it is.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(import_app, name="import")


@import_app.command(
    "bookmarks",
    help="""Take over a browser's bookmarks: a note for each folder of them.

FILE is the HTML that every browser exports, Chrome's file Bookmarks, or Firefox's backup (.json, .jsonlz4).
Again with a newer file, only what is new is added, and what you changed in the notes stays. Programs in
bookmarks (javascript:) and pages of the browser are left out; files of your machine are no links.

Examples:

    bob import bookmarks bookmarks.html --dry-run

    bob import bookmarks ~/.config/google-chrome/Default/Bookmarks --into ~/notes/web
""",
)
def bookmarks(
    file: Export,
    form: Annotated[
        Literal["netscape", "chrome", "firefox"] | None,
        typer.Option("--from", help="What the file is; guessed without it."),
    ] = None,
    into: Into = None,
    tags: Tags = None,
    project: Project = None,
    again: Again = False,
    dry_run: DryRun = False,
    no_index: NoIndex = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Import bookmarks."""
    service = options.engine(config, database).knowledge.import_notes
    plan = service.bookmarks(file, form, _target(into, tags, project, again))
    _carry_out(service, plan, dry_run, not no_index, as_json)


@import_app.command(
    "highlights",
    help="""Take over passages that you marked elsewhere: a note for each book or article.

FILE is Kindle's «My Clippings.txt», Readwise's CSV, or any CSV or JSON with a text and, if it has them, a
source, an author, a note, a page and tags. Again with a newer file, only what is new is added.

Examples:

    bob import highlights "My Clippings.txt"

    bob import highlights readwise-data.csv --tag reading --dry-run
""",
)
def highlights(
    file: Export,
    into: Into = None,
    tags: Tags = None,
    project: Project = None,
    again: Again = False,
    dry_run: DryRun = False,
    no_index: NoIndex = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Import highlights."""
    service = options.engine(config, database).knowledge.import_notes
    plan = service.highlights(file, _target(into, tags, project, again))
    _carry_out(service, plan, dry_run, not no_index, as_json)


@import_app.command(
    "pdf-annotations",
    help="""Take over what you marked and wrote in PDFs: a note for each, with the marked words and the page.

Again after you marked more, only that is added. The PDFs are not changed.

Examples:

    bob import pdf-annotations contract.pdf

    bob import pdf-annotations papers/*.pdf --project thesis --dry-run
""",
)
def pdf_annotations(
    files: Annotated[list[Path], typer.Argument(help="PDFs.", metavar="PDF", show_default=False)],
    into: Into = None,
    tags: Tags = None,
    project: Project = None,
    again: Again = False,
    dry_run: DryRun = False,
    no_index: NoIndex = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Import annotations."""
    service = options.engine(config, database).knowledge.import_notes
    plan = service.annotations(files, _target(into, tags, project, again))
    _carry_out(service, plan, dry_run, not no_index, as_json)


def _target(into: Path | None, tags: list[str] | None, project: str | None, again: bool) -> ImportTarget:
    from bob.notes.import_notes import ImportTarget

    return ImportTarget(into, tuple(tags or ()), project, options.today(), again)


def _carry_out(service: ImportNotes, plan: ImportPlan, dry_run: bool, index: bool, as_json: bool) -> None:
    if not dry_run:
        service.apply(plan, index=index)
    if as_json:
        print_json(plan.to_json(done=not dry_run))
    else:
        _show(plan, dry_run)
    for each in plan.problems:
        print_error(each)
    if plan.problems:
        raise typer.Exit(3)


def _show(plan: ImportPlan, dry_run: bool) -> None:
    out = Output()
    for change in plan.changes[:_SHOWN]:
        what = "new    " if change.before is None else "changed"
        out.print((what, "green"), f"  {shown_path(str(change.planned.path))}  +{change.entries}")
    if len(plan.changes) > _SHOWN:
        out.print(f"and {counted(len(plan.changes) - _SHOWN, 'more note')}", style="dim")
    for reason, count in plan.withheld.items():
        out.print(f"{count:,} {reason}", style="yellow")
    verb = "would be added" if dry_run else "added"
    entries = "1 entry" if plan.entries == 1 else f"{plan.entries:,} entries"
    out.print(f"{entries} {verb} to {counted(len(plan.changes), 'note')}, {plan.known:,} known already")
