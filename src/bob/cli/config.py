"""`bob config`: the settings in force."""

from __future__ import annotations

import typer

from bob.cli import options
from bob.cli.output import print_json, print_line


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("config", help="The settings in force, and where each comes from.")(config_)


def config_(as_json: options.Json = False, config: options.Config = None) -> None:
    """Show the settings."""
    from bob.settings import load_settings

    rows = load_settings(config).rows()
    if as_json:
        print_json({row.key: {"value": row.value, "origin": row.origin} for row in rows})
        return
    width = max(len(row.key) for row in rows)
    for row in rows:
        value = "" if row.value is None else row.value
        print_line(f"{row.key:{width}}  {value!s:30}  {row.origin}".rstrip())
