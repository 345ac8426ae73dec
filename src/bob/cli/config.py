"""`bob config`: the settings in force."""

from __future__ import annotations

from typing import Any

import typer

from bob.cli import options
from bob.cli.output import print_json, print_line
from bob.cli.trust import plain_value, value_in_words


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("config", help="Show the settings in force, and where each comes from.")(config_)


def config_(as_json: options.Json = False, config: options.Config = None) -> None:
    """Show the settings."""
    from bob.app.settings import shown_value

    loaded = options.loaded_settings(config)
    rows, ignored = loaded.rows(), loaded.ignored
    values = (
        {} if ignored is None else {key: shown_value(key, value) for key, value in ignored.values.items()}
    )
    if as_json:
        shown: dict[str, Any] = {row.key: {"value": row.value, "origin": row.origin} for row in rows}
        for key, value in values.items():
            assert ignored is not None
            row = shown.setdefault(key, {"value": None, "origin": "default"})
            row["ignored"] = {
                "value": plain_value(value),
                "origin": str(ignored.file.path),
                "reason": ignored.reason,
            }
        print_json(shown)
        return
    width = max(len(row.key) for row in rows)
    for row in rows:
        value = "" if row.value is None else row.value
        print_line(f"{row.key:{width}}  {value!s:30}  {row.origin}".rstrip())
    for key, value in values.items():
        assert ignored is not None
        origin = f"ignored, since {ignored.reason}: {ignored.file.path}"
        print_line(f"{key:{width}}  {value_in_words(value):30}  {origin}")
