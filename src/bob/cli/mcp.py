"""`bob mcp`: the memory as tools for agents, over the Model Context Protocol."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import mcp_install, options
from bob.cli.output import Output, print_json, print_line
from bob.core.errors import MissingExtraError

if TYPE_CHECKING:
    from bob.app import Engine
    from bob.mcp.calls import Calls

mcp = typer.Typer(
    help="Serve the memory to agents over the Model Context Protocol.", invoke_without_command=True
)

_NO_FOLDER = Path(os.devnull)
"""Agents are started in folders of anybody: a bob.yaml there must not say whose memory they get."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    mcp_install.register(mcp)
    app.add_typer(mcp, name="mcp")


@mcp.callback(
    help="""Serve the memory to agents over the Model Context Protocol, on standard input and output (as
clients start it) or with --http on this machine. The settings mcp.* say what a client may do.

Examples:

    bob mcp install claude-code

    bob mcp --project garden --dry-run

    bob mcp --http --port 8765
"""
)
def serve(
    context: typer.Context,
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP on 127.0.0.1.")] = False,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="The port. [default: mcp.port]")
    ] = None,
    project: Annotated[list[str] | None, options.project("Show only this project (repeatable).")] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Do not write notes or memories; only report what would be done."),
    ] = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Serve, unless a command is named."""
    if options.is_for_command(context):
        return
    engine = _engine(config, database, project or (), dry_run, service=True)
    calls = _calls(engine)
    if http:
        _serve_http(calls, engine, engine.settings.mcp.port if port is None else port)
        return
    from bob.mcp.server import serve_stdio

    serve_stdio(calls)
    engine.close()


def _engine(
    config: Path | None,
    database: str | None,
    projects: list[str] | tuple[()],
    dry_run: bool,
    *,
    service: bool = False,
) -> Engine:
    from dataclasses import replace

    from bob.core.errors import UsageError

    loaded = options.loaded_settings(config, folder=_NO_FOLDER)
    settings = loaded.settings
    allowed = {project.lower() for project in settings.mcp.projects}
    if allowed and any(project.lower() not in allowed for project in projects):
        raise UsageError(f"--project: mcp.projects allows {', '.join(settings.mcp.projects)} only")
    changes = {
        "projects": tuple(projects) or settings.mcp.projects,
        "dry_run": dry_run or settings.mcp.dry_run,
    }
    chosen = settings.model_copy(update={"mcp": settings.mcp.model_copy(update=changes)})
    return options.engine_of(replace(loaded, settings=chosen), database, service=service)


def _calls(engine: Engine) -> Calls:
    try:
        import mcp as _  # noqa: F401 - most of the start, and what may be missing
    except ImportError as error:
        raise MissingExtraError("bob mcp", "mcp") from error
    from bob.mcp.calls import Calls
    from bob.mcp.permissions import permissions_of
    from bob.mcp.tool import ToolContext

    return Calls(ToolContext(engine, permissions_of(engine.settings), lambda: datetime.now().astimezone()))


def _serve_http(calls: Calls, engine: Engine, port: int) -> None:
    import secrets

    from bob.http import server
    from bob.http.guard import Guard
    from bob.mcp.server import PATH, begin_to_prepare, http_app

    kept = engine.settings.mcp.token
    token = kept.get_secret_value() if kept else secrets.token_urlsafe(32)
    listening = server.listen("127.0.0.1", port)
    print_line(f"Bob listens at {server.address_of(listening)}{PATH}. Ctrl-C ends.")
    if kept is None:
        print_line(f"Clients send: Authorization: Bearer {token}")
    begin_to_prepare(calls)
    limits = engine.settings.server
    most = limits.max_request_mb * 1024 * 1024
    server.serve_app(Guard(http_app(calls, token), most, (), limits.request_seconds), listening)
    engine.close()


@mcp.command("log", help="Show what agents did, newest last.")
def show_log(
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="Maximum number of entries.")
    ] = 20,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Show the log."""
    from bob.storage.agent_log import AgentLog

    engine = _engine(config, database, (), False)
    settings = engine.settings
    entries = AgentLog(engine.database.path).last(limit, settings.organization, settings.user)
    if as_json:
        print_json(entries)
        return
    out = Output()
    if not entries:
        out.print("No agent has called a tool yet.")
    for entry in entries:
        arguments = ", ".join(f"{key}={value}" for key, value in entry["arguments"].items())
        tried = " (dry run)" if entry["dry_run"] else ""
        out.print(
            f"{datetime.fromisoformat(entry['at']).astimezone():%Y-%m-%d %H:%M}  {entry['client']}  ",
            (entry["tool"], "bold"),
            f"({arguments}): {entry['outcome']}, {entry['results']}{tried}",
        )
