"""`bob index`: read folders into the index."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bob.cli import options
from bob.cli.output import Output, counted, duration, print_error, print_json, print_line, shown_path
from bob.cli.progress import shown
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from bob.app import Engine
    from bob.documents.index_report import IndexReport
    from bob.documents.left_out_rows import ReadInPart

_FILES_SHOWN = 10
_CATCH_UP_AFTER = 1_000
"""Milliseconds."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("index", help=_HELP)(index)


_HELP = """Index files and folders. Unchanged files are skipped, deleted files are removed from the index.

Words can be searched at once, vectors follow. Ctrl-C keeps what is done; the next run continues.

Examples:

    bob index ~/notes

    bob index ~/clients/acme --project acme --watch

    bob index ~/code/garden --at main --history

    bob index ~/old --remove
"""

Include = Literal["docs", "code", "all"]


def index(
    folders: Annotated[list[Path], typer.Argument(help="Folders or files.", show_default=False)],
    project: Annotated[
        str | None,
        options.project("Project of these files; by default the folder's name."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="REF", help="Index this branch, tag or commit of a git repository."),
    ] = None,
    include: Annotated[
        Include | None,
        typer.Option("--include", metavar="KIND", help="With --at: docs (default), code or all."),
    ] = None,
    history: Annotated[
        bool | None,
        typer.Option("--history/--no-history", help="With --at: also past versions of files (default: no)."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep running and index changes until Ctrl-C.")
    ] = False,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Make the vectors in a later run.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the folders from the index.")] = False,
    disk: Annotated[
        str | None,
        typer.Option(
            "--disk", metavar="NAME", help="With --remove: name of the other machine's disk (bob status)."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Index folders."""
    from bob.documents.index_sources import GitWish

    _check(folders, at, include, history, watch)
    if disk is not None and not remove:
        raise UsageError("--disk can be used only with --remove")
    engine = options.engine(config, database)
    sources = engine.knowledge.index_sources
    if remove:
        counts = {str(folder): sources.remove(folder, at, disk) for folder in folders}
        if as_json:
            print_json({"removed": counts})
        else:
            for path, count in counts.items():
                removed = counted(count, "document")
                print_line(f"{shown_path(path)}: {removed} removed from the index; no file was touched")
        return
    reports = []
    for folder in folders:
        with shown(quiet or as_json) as progress:
            seconds, wish = 0.0 if words_only else None, GitWish(at, include, history)
            report = sources.index_sources(folder, project, wish, report=progress, embed_seconds=seconds)
        reports.append(report)
        if not as_json:
            show(report)
        if report.interrupted:
            break
    if as_json:
        print_json([asdict(report) for report in reports] if len(reports) > 1 else asdict(reports[0]))
    if any(report.interrupted for report in reports):
        raise typer.Exit(130)
    if watch:
        with suppress(KeyboardInterrupt):
            _follow(engine, folders, project, embed_seconds=0.0 if words_only else None)
    if any(report.failures or report.vectors_error for report in reports):
        raise typer.Exit(3)


def index_first(engine: Engine, folder: Path, *, embed_seconds: float, quiet: bool) -> None:
    """Index what is about to be asked, and say on the standard error what is left out of it or waits."""
    with shown(quiet) as progress:
        report = engine.index_files.index_folder(folder, report=progress, embed_seconds=embed_seconds)
    if report.interrupted:
        raise typer.Exit(130)
    notes = []
    if report.failures:
        notes.append(f"{counted(len(report.failures), 'file')} could not be read (reasons: bob status)")
    if report.read_in_part:
        read = counted(len(report.read_in_part), "file was", "files were")
        notes.append(f"{read} read in part (what was left out: bob status)")
    if report.vectors_pending:
        pending = counted(report.vectors_pending, "vector")
        notes.append(f"{pending} pending (to continue: bob index {folder})")
    if notes and not quiet:
        print_error("; ".join(notes))


def _check(
    folders: list[Path], at: str | None, include: Include | None, history: bool | None, watch: bool
) -> None:
    from bob.documents.git.index_git import is_bare

    of_git = at is not None or any(is_bare(folder) for folder in folders)
    if not of_git and (include is not None or history is not None):
        raise UsageError("--include and --history require --at BRANCH, for a git repository")
    if of_git and watch:
        raise UsageError("--watch cannot be used with --at; run bob index again after a commit")


def show(report: IndexReport) -> None:
    """Print what a run did."""
    from bob.documents.index_report import HIDDEN

    out = Output()
    total = report.unchanged + report.added + report.changed + report.read_again + report.moved
    parts = [
        f"{count:,} {word}"
        for count, word in (
            (report.added, "new"),
            (report.changed, "changed"),
            (report.read_again, "read again by this version of Bob"),
            (report.moved, "moved"),
            (report.removed, "removed"),
            (report.unchanged, "unchanged"),
        )
        if count
    ]
    out.print(
        f"{shown_path(report.root)}: {counted(total, 'document')} ({', '.join(parts) or 'none'}) in project "
        f"{report.project}, {duration(report.words_seconds)}"
    )
    if report.chunks_embedded:
        rate = report.chunks_embedded / max(report.vectors_seconds, 0.001)
        out.print(
            f"{counted(report.chunks_embedded, 'vector')} in {duration(report.vectors_seconds)} "
            f"({rate:,.0f} chunks/s)"
        )
    skipped = dict(report.skipped)
    hidden = skipped.pop(HIDDEN, 0)
    if skipped:
        kinds = ", ".join(f"{ending} {count:,}" for ending, count in list(skipped.items())[:8])
        ones, many = "file is not a document and was", "files are not documents and were"
        out.print(f"{counted(sum(skipped.values()), ones, many)} passed over: {kinds}")
    if hidden:
        was = counted(hidden, "hidden file was", "hidden files were")
        out.print(f"{was} passed over; with ingest.hidden they are indexed.")
    for failure in report.failures[:_FILES_SHOWN]:
        out.print("not read", style="yellow", end="")
        out.print(f"  {shown_path(failure.path)}: {failure.reason}")
    if len(report.failures) > _FILES_SHOWN:
        more = counted(len(report.failures) - _FILES_SHOWN, "more file was", "more files were")
        out.print(f"{more} not read: see bob status", style="yellow")
    _show_read_in_part(out, report.read_in_part)
    if report.interrupted:
        out.print("Interrupted. What was read can be searched; run the command again to continue.")
    if report.vectors_error:
        out.print(f"No vectors: {report.vectors_error}", style="red")
    elif report.vectors_pending:
        out.print(
            f"{counted(report.vectors_pending, 'vector')} pending (bob index makes them); "
            "words can be searched already."
        )


def _show_read_in_part(out: Output, documents: list[ReadInPart]) -> None:
    """Print what was left out of documents that were read."""
    for document in documents[:_FILES_SHOWN]:
        out.print("read in part", style="yellow", end="")
        out.print(f"  {shown_path(document.path)}: {'; '.join(document.left_out)}")
    if len(documents) > _FILES_SHOWN:
        more = counted(len(documents) - _FILES_SHOWN, "more file was", "more files were")
        out.print(f"{more} read in part: see bob status", style="yellow")


def _follow(engine: Engine, folders: list[Path], project: str | None, *, embed_seconds: float | None) -> None:
    # It tells of Ctrl-C, which ends the watch as it should.
    logging.getLogger("watchfiles").setLevel(logging.ERROR)
    from watchfiles import watch as changes

    from bob.documents.scan import NEVER

    print_line("Watching for changes; Ctrl-C ends.")
    caught_up = False
    # The scan decides what counts; here tools' folders are only kept from waking it.
    for change in changes(
        *folders,
        watch_filter=lambda _, path: not NEVER.intersection(Path(path).parts),
        raise_interrupt=False,
        yield_on_timeout=True,
        rust_timeout=_CATCH_UP_AFTER,
    ):
        if not change and caught_up:
            continue
        # What changed while the first run was at work, before anyone watched, is found by looking once.
        caught_up = True
        for folder in folders:
            report = engine.index_files.index_folder(folder, project, embed_seconds=embed_seconds)
            if report.added or report.changed or report.moved or report.removed or report.failures:
                show(report)
            if report.interrupted:
                return
