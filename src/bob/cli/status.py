"""`bob status`: what the index holds."""

from __future__ import annotations

from typing import Annotated

import typer

from bob.cli import doctor, options
from bob.cli.output import Output, counted, print_json, shown_path, size


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("status", help="Show what is indexed, what is pending, and what failed and why.")(status)


def status(
    check: Annotated[bool, typer.Option("--check", help="Also run the tests of bob doctor.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Show the state of the index."""
    engine = options.engine(config, database)
    report = engine.status.report()
    if as_json:
        if check:
            report["checks"] = [doctor.check_json(check) for check in engine.status.checks()]
        print_json(report)
        return
    out = Output()
    past = f" ({report['past_documents']:,} of them past versions)" if report["past_documents"] else ""
    out.print(
        f"{report['documents']:,} documents{past}, {report['chunks']:,} chunks, "
        f"vectors {report['vectors']['done']:,} done and {report['vectors']['pending']:,} pending"
    )
    for row in report["projects"]:
        out.print(f"  {row['project']}: {row['documents']:,} documents, {row['chunks']:,} chunks")
    if not report["documents"]:
        out.print("  Nothing is indexed yet: bob index FOLDER")
    for row in report["elsewhere"]:
        read = counted(row["documents"], "document was", "documents were")
        out.print(
            f"  {read} read from another machine's disk, {row['disk']}: can be found here, but not opened"
        )
    if report["read_by_older_version"]:
        read = counted(report["read_by_older_version"], "document was", "documents were")
        out.print(f"  {read} read by an older version of Bob: bob index FOLDER reads them again")
    out.print(f"model     {report['model']['id']}, {report['model']['dimension']} dimensions")
    out.print(f"database  {shown_path(report['database']['path'])}, {size(report['database']['bytes'])}")
    counts = report["jobs"]
    out.print(f"jobs      {counts['queued']} queued, {counts['running']} running, {counts['failed']} failed")
    for error in counts["errors"]:
        out.print(f"  failed  {error}", style="red")
    if report["failures"]:
        out.print(f"{counted(len(report['failures']), 'file')} could not be read (bob retry tries again):")
        for failure in report["failures"]:
            out.print(f"  {shown_path(failure['path'])}: {failure['reason']}")
    if report["read_in_part"]:
        read = counted(len(report["read_in_part"]), "file was", "files were")
        out.print(f"{read} read in part. Left out:")
        for document in report["read_in_part"]:
            out.print(f"  {shown_path(document['path'])}: {'; '.join(document['left_out'])}")
    if check:
        doctor.print_checks(engine, as_json=False)
