"""`bob retry` and `bob rebuild`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.index import show
from bob.cli.output import counted, print_error, print_json, print_line
from bob.cli.progress import shown
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from bob.app import Engine
    from bob.documents.index_report import IndexReport


_REBUILD_HELP = """Drop the index and make it again from the files. No file is changed.

What was indexed of a folder that is not there now, such as one of a disk that is not mounted, stays as it is;
the exit code is then 3.
"""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("retry", help="Read failed files and run failed jobs again.")(retry)
    app.command("rebuild", help=_REBUILD_HELP)(rebuild)


def retry(as_json: options.Json = False, config: options.Config = None, database: options.Db = None) -> None:
    """Try again what failed."""
    engine = options.engine(config, database)
    folders, files, jobs = engine.maintain.retry()
    if not as_json:
        trying = f"Trying {counted(files, 'file')} and {counted(jobs, 'job')} again."
        print_line(trying if files or jobs else "Nothing has failed.")
    reports = _index_all(engine, folders if files or jobs else [], as_json)
    left = _run_jobs(engine) if jobs else 0
    if left:
        print_error(f"{counted(left, 'job')} left; bob status says why")
    if left or any(report.failures or report.vectors_error for report in reports):
        raise typer.Exit(3)


def _run_jobs(engine: Engine) -> int:
    """Run what waits; how many jobs did not succeed."""
    while engine.worker.run_once():
        pass
    jobs = engine.status.report()["jobs"]
    return int(jobs["queued"] + jobs["failed"])


def rebuild(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Make the index anew."""
    engine = options.engine(config, database)
    folders, unreachable = engine.maintain.folders(), engine.maintain.unreachable()
    for folder in unreachable:
        print_error(f"{folder}: not there; what was indexed of it stays as it is")
    if not folders:
        if unreachable:
            raise typer.Exit(3)
        raise UsageError("nothing is indexed yet; index a folder first: bob index FOLDER")
    if not yes:
        typer.confirm(f"Drop the index and read {len(folders)} folders again?", abort=True, err=True)
    engine.maintain.drop_index()
    reports = _index_all(engine, folders, as_json)
    if unreachable or any(report.failures or report.vectors_error for report in reports):
        raise typer.Exit(3)


def _index_all(engine: Engine, folders: list[Path], as_json: bool) -> list[IndexReport]:
    reports = []
    for folder in folders:
        with shown(as_json) as progress:
            reports.append(engine.knowledge.index_sources.again(folder, report=progress))
        if not as_json:
            show(reports[-1])
    if as_json:
        print_json([asdict(report) for report in reports])
    return reports
