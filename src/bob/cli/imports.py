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
    help="Import bookmarks, highlights and PDF annotations as notes.", no_args_is_help=True
)

Export = Annotated[Path, typer.Argument(help="The exported file.", metavar="FILE", show_default=False)]
Into = Annotated[
    Path | None,
    typer.Option("--into", metavar="FOLDER", help="Folder for new notes; it must be allowed or indexed."),
]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="Tag for new notes (repeatable).")]
Project = Annotated[str | None, options.project("Project of new notes.")]
Again = Annotated[bool, typer.Option("--again", help="Also import again what you deleted from the notes.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")]
NoIndex = Annotated[bool, typer.Option("--no-index", help="Do not index the new notes.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(import_app, name="import")


@import_app.command(
    "bookmarks",
    help="""Import a browser's bookmarks: one note for each bookmark folder.

FILE is the HTML that every browser exports, Chrome's file Bookmarks, or Firefox's backup (.json, .jsonlz4).
With a newer file only new bookmarks are added, and your changes in the notes stay. Programs in bookmarks
(javascript:) and pages of the browser are left out; addresses of local files are not linked.

Examples:

    bob import bookmarks bookmarks.html --dry-run

    bob import bookmarks ~/.config/google-chrome/Default/Bookmarks --into ~/notes/web
""",
)
def bookmarks(
    file: Export,
    form: Annotated[
        Literal["netscape", "chrome", "firefox"] | None,
        typer.Option("--from", help="Format of the file; detected by default."),
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
    help="""Import highlights: one note for each book or article.

FILE is Kindle's «My Clippings.txt», Readwise's CSV, or any CSV or JSON with a text and optionally a source,
an author, a note, a page and tags. With a newer file only new highlights are added.

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
    help="""Import highlights and comments of PDFs: one note for each PDF, with the marked words and the page.

Run it again to add new ones. The PDFs are not changed.

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
    for problem in plan.problems:
        print_error(problem)
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
    out.print(f"{entries} {verb} to {counted(len(plan.changes), 'note')}, {plan.known:,} already imported")
