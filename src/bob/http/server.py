"""Listens and serves the application until it is told to end."""

from __future__ import annotations

import signal
import socket
from contextlib import suppress
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp

from bob.app import Engine
from bob.app.disks import tell_of_other_servers
from bob.core.errors import UsageError
from bob.http.app import create_app
from bob.http.authenticate import Sessions, make_parts
from bob.http.guard import LOOPBACK
from bob.http.logs import set_up
from bob.http.slow_clients import PatientProtocol

_WAITING = 128
"""Connections that the system holds until they are taken."""

_MOST_DESCRIPTORS = 65_536

_SECONDS_FOR_REPLIES = 3
"""Replies under way get so long to end."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes one that is free.

    Raises:
        UsageError: this machine has no such address, or the port is taken.
    """
    try:
        addresses = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"--host {host}: no such address") from error
    family, kind, protocol, _, address = addresses[0]
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(_WAITING)
    except OSError as error:
        listening.close()
        raise UsageError(
            f"cannot listen on {host}:{port} ({error.strerror}); choose another --port"
        ) from error
    return listening


def address_of(listening: socket.socket) -> str:
    """The address for clients, without a path."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def check_upstream(engine: Engine, listening: socket.socket) -> None:
    """Raises UsageError: the upstream of the settings is the socket itself, so Bob would ask Bob for ever."""
    parts = urlsplit(engine.settings.llm.base_url or "")
    if parts.hostname in LOOPBACK and parts.port == listening.getsockname()[1]:
        raise UsageError(
            f"llm.base_url is {engine.settings.llm.base_url}, Bob's own address; choose another --port"
        )


def build_parts(engine: Engine) -> None:
    """Make the shared parts before threads ask for them, and begin to load the model."""
    engine.warm_up()
    make_parts(engine)
    assert engine.team.authenticate is not None


def server_of(engine: Engine, sessions: Sessions | None = None) -> uvicorn.Server:
    """The server, not started; `sessions` are those of browsers that were given a link."""
    return app_server(create_app(engine, sessions))


def app_server(app: ASGIApp) -> uvicorn.Server:
    """Serves an application, and logs no requests itself."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        http=PatientProtocol,
        # Bob speaks none.
        ws="none",
        server_header=False,
        # What is logged is marked on its way to a terminal, and colours are no exception.
        use_colors=False,
        timeout_graceful_shutdown=_SECONDS_FOR_REPLIES,
    )
    return uvicorn.Server(config)


def serve(engine: Engine, listening: socket.socket, sessions: Sessions) -> None:
    """Serve until Ctrl-C or SIGTERM; both end it in the same way."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    set_up(engine.settings.server.log_format)
    tell_of_other_servers(engine.database, engine.disks)
    _allow_connections()
    with listening, suppress(KeyboardInterrupt), engine.worker.beside():
        server_of(engine, sessions).run(sockets=[listening])


def serve_app(app: ASGIApp, listening: socket.socket) -> None:
    """Serve an application of another face until Ctrl-C or SIGTERM."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with listening, suppress(KeyboardInterrupt):
        app_server(app).run(sockets=[listening])


def _allow_connections() -> None:
    """Have as many open as the system allows: a thousand streams that wait are a thousand descriptors."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < target:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
