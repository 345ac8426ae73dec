"""`bob trust`: which folders' settings files are in force."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bob.cli import options
from bob.cli.output import print_json, print_line, print_notice
from bob.core.errors import UsageError
from bob.text.visible import visible_line

if TYPE_CHECKING:
    from bob.app.folder_settings import FolderFile, FolderTrust


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("trust", help=_HELP)(trust)


_HELP = """Trust the settings in the bob.yaml of a folder, as it is now.

A bob.yaml may come with somebody else's folder. Until you trust it, only harmless settings take effect, such
as chunk.* and most of search.*; all others are ignored, and each command says so. When the file changes, it
has to be trusted again. Without a terminal, --yes is required.

Examples:

    bob trust

    bob trust ~/code/garden --yes

    bob trust --list

    bob trust --revoke ~/code/garden
"""


def trust(
    folder: Annotated[
        Path | None, typer.Argument(help="The folder with the bob.yaml. [default: the working folder]")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the files that you trust.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Stop trusting the folder's file.")] = False,
    yes: options.Yes = False,
    as_json: options.Json = False,
) -> None:
    """Trust a folder's settings."""
    from bob.app.folder_settings import FolderTrust
    from bob.app.settings import state_home

    records = FolderTrust(state_home(os.environ))
    if list_:
        if folder is not None or revoke:
            raise UsageError("--list cannot be combined with a folder or --revoke")
        _list(records, as_json)
        return
    root = (folder or Path()).absolute()
    if revoke:
        _revoke(records, root, as_json)
        return
    _trust(records, root, yes, as_json)


def _trust(records: FolderTrust, folder: Path, yes: bool, as_json: bool) -> None:
    from bob.app.folder_settings import read_folder_file, split_settings
    from bob.app.settings import known_keys, shown_value

    file = read_folder_file(folder)
    if file is None:
        raise UsageError(f"{visible_line(str(folder))}: there is no bob.yaml in this folder")
    values = file.values
    _, others = split_settings(values, known_keys())
    shown = {key: shown_value(key, value) for key, value in values.items()}
    is_ignored = bool(others) and not records.trusts(file)
    if not as_json or (is_ignored and not yes):
        # What is asked for is seen first; standard output is for the JSON.
        _show(file, shown, others, print_notice if as_json else print_line)
    if is_ignored and not yes:
        _ask(file)
    if is_ignored:
        records.trust(file, options.now())
    if as_json:
        print_json(
            {
                "path": file.name,
                "sha256": file.sha256,
                "trusted": bool(others),
                "settings": [
                    {"key": key, "value": plain_value(value), "needs_trust": key in others}
                    for key, value in shown.items()
                ],
            }
        )
    elif not others:
        print_line("Nothing in it needs trust.")
    else:
        print_line("Trusted, until it changes." if is_ignored else "Already trusted.")


def _show(
    file: FolderFile, shown: dict[str, Any], others: dict[str, Any], print_to: Callable[[str], None]
) -> None:
    print_to(str(file.path))
    if os.path.realpath(file.path) != file.name:
        print_to(f"  is a link to {os.path.realpath(file.path)}")
    for key, value in shown.items():
        harmless = "" if key in others else "  (needs no trust)"
        print_to(f"  {key}: {value_in_words(value)}{harmless}")


def _ask(file: FolderFile) -> None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            f"{visible_line(str(file.path))}: cannot ask without a terminal; use --yes to trust it"
        )
    typer.confirm("Trust these settings?", abort=True, err=True)


def _revoke(records: FolderTrust, folder: Path, as_json: bool) -> None:
    from bob.app.folder_settings import trust_name

    name = trust_name(folder)
    if not records.revoke(folder):
        raise UsageError(f"{visible_line(name)}: not trusted")
    if as_json:
        print_json({"path": name, "trusted": False})
    else:
        print_line(f"{name}: no longer trusted.")


def _list(records: FolderTrust, as_json: bool) -> None:
    rows = [
        {
            "path": record["name"],
            "sha256": record.get("sha256"),
            "trusted_at": record.get("trusted_at"),
            "state": _state(record),
        }
        for record in records.every()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        print_line(f"{row['path']}  {row['trusted_at']}  {row['state']}")
    if not rows:
        print_line("No trusted folders.")


def _state(record: dict[str, Any]) -> str:
    """Whether the file still is what was trusted."""
    from bob.app.folder_settings import read_folder_file
    from bob.core.errors import SettingsError

    try:
        file = read_folder_file(Path(record["name"]).parent)
    except SettingsError:
        return "unreadable"
    if file is None:
        return "gone"
    return "in force" if file.sha256 == record.get("sha256") else "changed"


def plain_value(value: Any) -> Any:
    """The value as JSON has it; a day of YAML is a text."""
    return json.loads(json.dumps(value, default=str))


def value_in_words(value: Any) -> str:
    """The value for a person."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
