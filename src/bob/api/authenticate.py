"""Each request has a known sender: all paths but `/health` are closed; routes say what they need (SPEC L2).

A middleware finds out who asks before the body is read. A route then asks for a role and a scope:

    reader = door.needs(Role.READER, "ai")

    @app.get("/ai/tools")
    def tools(asked: Asked = reader) -> Response:
        keys = asked.engine.team.api_keys.every()

Asked without credentials, a local server takes its user for the sender: nobody else reaches it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from bob.api.exposure import is_local
from bob.api.failures import response_to
from bob.domain.principal import Principal, Role
from bob.engine import Engine
from bob.errors import BobError, RefusedError

OPEN_PATHS = frozenset({"/", "/health"})

_PRINCIPAL = "bob.principal"

_FORWARDED = frozenset({b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip"})
"""A proxy sends these: who asks through it need not be on this machine."""

_Described = Annotated[Any, Depends(HTTPBearer(auto_error=False, description="A token (JWT) or an API key."))]
_DescribedKey = Annotated[Any, Depends(APIKeyHeader(name="x-api-key", auto_error=False))]
"""Only for the description of the routes: the middleware has read both by then."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks, and the engine of their organization. `at_home` is the user of this machine: nobody else may
    name a path on it."""

    principal: Principal
    engine: Engine
    at_home: bool


class Authenticator:
    """Knows who sends a request to one engine's server, and what they may do."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._ready = {engine.settings.organization}
        self._preparing = threading.Lock()

    def identify(self, headers: Iterable[tuple[bytes, bytes]]) -> Principal:
        """Who sends a request with these headers.

        Raises:
            RefusedError: 401, not known; 429, too many requests.
            StoreError: API keys cannot be looked up.
        """
        listed = list(headers)
        if not self._needs_credential(listed):
            settings = self._engine.settings
            return Principal(settings.organization, settings.user, Role.ADMIN)
        return self._engine.team.authenticate.run(_credential(listed))

    def authenticate(self, request: Request, role: Role, scope: str | None) -> Principal:
        """Who sends a request, if they may do what needs this role in this part of the server;
        None: the part is every key's.

        Raises:
            RefusedError: 403, they may not.
        """
        principal: Principal = request.scope[_PRINCIPAL]
        if not principal.role.covers(role):
            raise RefusedError(403, f"this needs the role {role}, and yours is {principal.role}")
        if scope is not None and principal.scopes and scope not in principal.scopes:
            raise RefusedError(
                403, f"this needs the scope {scope}, and your key has: {', '.join(sorted(principal.scopes))}"
            )
        return principal

    def needs(self, role: Role, scope: str | None, *, at_home: bool = False) -> Any:
        """The default of a route's parameter; the route gets the sender and their organization's engine. With
        `at_home` the sender has to be the user of this machine."""

        def asked(request: Request, _: _Described, __: _DescribedKey) -> Asked:
            principal = self.authenticate(request, role, scope)
            is_home = not self._needs_credential(request.scope["headers"])
            if at_home and not is_home:
                raise RefusedError(403, "this may be asked only by the user of this machine")
            return Asked(principal, self.engine_of(principal), is_home)

        return Depends(asked)

    def engine_of(self, principal: Principal) -> Engine:
        """The engine of the principal's organization. Its shared parts are made once, by one thread."""
        engine = self._engine.for_organization(principal.org_id)
        if principal.org_id not in self._ready:
            with self._preparing:
                make_parts(engine)
                self._ready.add(principal.org_id)
        return engine

    def _needs_credential(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        return any(name in _FORWARDED for name, _ in headers) or not is_local(self._engine)


class Identified:
    """Lets a request pass when it is known who sends it; the routes find the principal in its scope."""

    def __init__(self, app: ASGIApp, door: Authenticator) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "lifespan" and not _is_open(scope["path"]):
            try:
                scope[_PRINCIPAL] = await run_in_threadpool(self._door.identify, scope["headers"])
            except BobError as error:
                return await response_to(scope["path"], error)(scope, receive, send)
        return await self._app(scope, receive, send)


def _is_open(path: str) -> bool:
    """Whether anybody may read it: pages hold no data, and whether the server answers is no secret."""
    return path in OPEN_PATHS or path.startswith("/ui/")


def make_parts(engine: Engine) -> None:
    """Make the parts of an engine that requests share, before threads ask for them at once."""
    for part in (engine.search, engine.ask, engine.embed_texts, engine.conversations):
        assert part is not None
    conversations = engine.conversations
    for service in (
        conversations.chats,
        conversations.smart_context,
        conversations.proxy,
        conversations.remember,
    ):
        assert service is not None


def _credential(headers: list[tuple[bytes, bytes]]) -> str | None:
    """The one credential of a request; None when there is none, or more than one."""
    given = [(name, value) for name, value in headers if name in (b"authorization", b"x-api-key")]
    if len(given) != 1:
        return None
    ((name, value),) = given
    text = value.decode("latin-1").strip()
    if name == b"x-api-key":
        return text
    scheme, _, credential = text.partition(" ")
    return credential.strip() if scheme.lower() == "bearer" else None
