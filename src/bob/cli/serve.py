"""`bob serve`: Bob for browsers and other programs."""

from __future__ import annotations

import os
import sys
import threading
from typing import Annotated

import typer

from bob.cli import options
from bob.cli.output import print_error, print_line


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve", help=_HELP)(serve)


_HELP = """Serve the pages, the HTTP API and OpenAI's API on this machine.

Any program that lets you set the address of OpenAI's API can use it: your project's documents are in each
prompt, and messages are kept in your chats. Without a language model, replies quote your files.
The link for your browser works once.

Examples:

    bob serve

    bob serve --open

    bob serve --port 9000

    OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=none some-program --model bob/garden
"""


def serve(
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; other than loopback it needs keys or tokens.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one. [default: server.port]"),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the pages in your browser.")] = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Serve."""
    from bob.http import authenticate, server
    from bob.http.authenticate import Sessions

    engine = options.engine(config, database, service=True)
    authenticate.check_exposure(engine, host)
    listening = server.listen(host, engine.settings.server.port if port is None else port)
    server.check_upstream(engine, listening)
    server.build_parts(engine)
    address, llm = server.address_of(listening), engine.settings.llm
    behind = "quoting your files" if llm.provider == "none" else f"in front of {llm.provider}:{llm.model}"
    print_line(f"Bob listens at {address}, {behind}. Ctrl-C ends.")
    key = "none" if authenticate.is_local(engine) else "KEY (bob keys create NAME --user USER)"
    print_line(f"For clients: OPENAI_BASE_URL={address}/v1 OPENAI_API_KEY={key}")
    print_line("Its model: bob, or bob/PROJECT to talk about a project.")
    browsers, page = Sessions(), address
    if authenticate.is_loopback(host):
        page = f"{address}/?token={browsers.new_link()}"
        print_line(f"For your browser (works once): {page}")
    if not authenticate.is_loopback(host):
        print_error("without TLS, anybody on the network path can read keys; see docs/server.md")
    if open_:
        _open(page)
    server.serve(engine, listening, browsers)
    engine.close()
    _leave()


def _open(page: str) -> None:
    """Have the browser ask for the page, which waits until it is served."""
    import webbrowser

    if not webbrowser.open(page):
        print_error("cannot open a browser; open the address yourself")


def _leave() -> None:
    """End at once if a thread still waits for an upstream: it cannot be woken, and nobody waits for it."""
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        sys.stdout.flush()
        os._exit(0)
