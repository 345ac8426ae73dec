"""Whether a server may start where others reach it: only if it can tell who asks (SPEC L2)."""

from __future__ import annotations

from bob.app import Engine
from bob.core.errors import UsageError
from bob.http.guard import LOOPBACK

_TWO_WAYS = (
    "Create an API key (bob keys create NAME --user USER), or set up tokens "
    "(one of the settings auth.jwt_secret, auth.jwks_url, auth.jwks_file, auth.public_key_file)"
)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens there."""
    return host.strip("[]") in LOOPBACK


def is_local(engine: Engine) -> bool:
    """Whether a request without credentials is taken for the user's of this machine: nobody else can ask, and
    nothing says how to tell who does."""
    settings = engine.settings
    others = settings.auth.algorithm is not None or settings.on_server or bool(settings.server.hosts)
    return not others and not engine.team.authenticate.keys_exist


def check_exposure(engine: Engine, host: str) -> None:
    """See that whoever reaches the server has to say who they are.

    Raises:
        UsageError: others would reach it, and nobody could be told from anybody; or nobody could ask it.
        SettingsError: the settings `auth.*` cannot be used.
    """
    settings = engine.settings
    reasons = {
        f"--host {host}: other machines can reach it": not is_loopback(host),
        "server.hosts allows other hosts": bool(settings.server.hosts),
        "a PostgreSQL database is a team's": settings.on_server,
    }
    why = next((reason for reason, holds in reasons.items() if holds), None)
    # Also in local mode: what is wrong with auth.* is told now, and not with the first request.
    can_be_passed = engine.team.authenticate.can_be_passed
    if why is not None and not can_be_passed:
        raise UsageError(f"{why}, and no authentication is set up. {_TWO_WAYS}")
    if not is_loopback(host) and not settings.server.hosts:
        raise UsageError(f"--host {host}: set server.hosts to the host names of this server")
