"""`bob doctor`: proves that all works on this machine, without the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from bob.cli import options
from bob.cli.output import Output, print_json

if TYPE_CHECKING:
    from bob.app import Engine
    from bob.app.status import Check


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor", help="Test the model, full-text search, the database and the parsers, offline.")(
        doctor
    )


def doctor(as_json: options.Json = False, config: options.Config = None, database: options.Db = None) -> None:
    """Check all parts."""
    print_checks(options.engine(config, database), as_json)


def print_checks(engine: Engine, as_json: bool) -> None:
    """Run the checks and print them; exit code 1 if one failed."""
    checks = list(engine.status.checks())
    if as_json:
        print_json(
            {
                "ready": all(check.passed for check in checks),
                "checks": [check_json(check) for check in checks],
            }
        )
    else:
        out = Output()
        for check in checks:
            out.print("ok  " if check.passed else "FAIL", style="green" if check.passed else "red", end="")
            out.print(f"  {check.name:18} {check.detail}")
    if not all(check.passed for check in checks):
        raise typer.Exit(1)


def check_json(check: Check) -> dict[str, Any]:
    """A check as JSON."""
    return {"name": check.name, "passed": check.passed, "detail": check.detail}
