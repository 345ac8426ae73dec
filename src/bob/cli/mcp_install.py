"""`bob mcp install` and `bob mcp uninstall`: tell a client of the server, and take it back."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from bob.cli import options
from bob.cli.output import print_error, print_line, print_text, shown_path

if TYPE_CHECKING:
    from bob.mcp.clients import Places, System

Client = Annotated[
    str,
    typer.Argument(
        help="claude-desktop, claude-code, cursor, vscode, windsurf, zed, codex, gemini, lm-studio, or "
        "opencode.",
        show_default=False,
    ),
]
Dry = Annotated[bool, typer.Option("--dry-run", help="Only print the changed file.")]

_HELP = """Add an entry "bob" to a client's settings, so that it can start Bob. The rest of the file is
unchanged, and a copy of the original is kept beside it (.before-bob).

Examples:

    bob mcp install claude-code --project garden

    bob mcp install cursor --dry-run

    bob mcp install zed --print
"""


def register(mcp: typer.Typer) -> None:
    """Add the commands."""
    mcp.command("install", help=_HELP)(install)
    mcp.command("uninstall", help="Remove the entry from a client's settings.")(uninstall)


def install(
    client: Client,
    dry_run: Dry = False,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print only the entry, for any other client.")
    ] = False,
    project: Annotated[
        list[str] | None, options.project("Show the client only this project (repeatable).")
    ] = None,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Install."""
    from bob.mcp.clients import recipe_of
    from bob.mcp.install import installing, snippet

    recipe, command = recipe_of(client), _command(project or [], config, database)
    if only_print:
        print_text(snippet(recipe, command), end="")
        return
    change = installing(recipe, _places(), command)
    if dry_run:
        print_text(f"would write {shown_path(str(change.path))}:\n\n{change.after}", end="")
        return
    if change.after == change.before:
        print_line(f"{recipe.title} already has the entry: {shown_path(str(change.path))}")
        return
    change.write()
    file_path = shown_path(str(change.path))
    print_line(f"{recipe.title} can now start Bob: {file_path}. {recipe.after}")
    _warn_of_environment()


def uninstall(client: Client, dry_run: Dry = False) -> None:
    """Uninstall."""
    from bob.mcp.clients import recipe_of
    from bob.mcp.install import uninstalling

    recipe = recipe_of(client)
    change = uninstalling(recipe, _places())
    if change.before is None or change.after == change.before:
        print_line(f"{recipe.title} has no entry for Bob: {shown_path(str(change.path))}")
    elif dry_run:
        print_text(f"would write {shown_path(str(change.path))}:\n\n{change.after}", end="")
    else:
        change.write()
        print_line(f"{recipe.title} no longer starts Bob: {shown_path(str(change.path))}")


def _command(projects: list[str], config: Path | None, database: str | None) -> list[str]:
    """What a client starts, from whatever folder and with whatever PATH."""
    found = shutil.which("bob")
    command = [str(Path(found).absolute())] if found else [sys.executable, "-m", "bob.cli.main"]
    command.append("mcp")
    for project in projects:
        command += ["--project", project]
    if config is not None:
        command += ["--config", str(config.absolute())]
    if database is not None:
        server = "://" in database
        command += ["--database", database if server else str(Path(database).expanduser().absolute())]
    return command


def _places() -> Places:
    from bob.mcp.clients import Places

    home = Path.home()
    system = cast("System", sys.platform if sys.platform in ("darwin", "win32") else "linux")
    roaming = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    return Places(system, home, Path.cwd(), roaming)


def _warn_of_environment() -> None:
    """Programs that are not started from this shell have none of its variables."""
    names = sorted(name for name in os.environ if name.startswith("BOB_"))
    if names:
        print_error(
            f"set only in this shell, so the client may not have them: {', '.join(names)}. "
            "Put them into your bob.yaml, or use --config and --database"
        )
