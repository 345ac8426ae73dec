"""Each request has a known sender: all paths but a few are closed; routes say what they need (SPEC L2).

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
from typing import Any, Protocol

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from bob.app import Engine
from bob.core.errors import BobError, RefusedError
from bob.core.principal import Principal, Role
from bob.http.exposure import is_local
from bob.http.failures import response_to
from bob.http.guard import session_of
from bob.http.sessions import Sessions
from bob.storage.idempotency import NotKept
from bob.storage.organizations import every_organization

OPEN_PATHS = frozenset({"/", "/health", "/ready"})
OPEN_FOLDER = "/ui/"
"""The pages' own files: the same for everybody, and nothing of anybody's."""

_PRINCIPAL = "bob.principal"
ATTEMPT = "bob.attempt"
"""Where a request with an `Idempotency-Key` has what is to be asked before its route is."""

_CREDENTIALS = (b"authorization", b"x-api-key")

_FORWARDED = frozenset({b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip"})
"""A proxy sends these: who asks through it need not be on this machine."""


@dataclass(frozen=True, slots=True)
class Needed:
    """What a route asks of its sender; `scope` None: any. `not_kept`: why its answers are not kept for those
    who send a request again."""

    role: Role
    scope: str | None
    at_home: bool
    not_kept: NotKept | None = None

    def check(self, principal: Principal, *, at_home: bool) -> None:
        """See that somebody may do it.

        Raises:
            RefusedError: 403, they may not.
        """
        if not principal.role.covers(self.role):
            raise RefusedError(403, f"this requires the role {self.role}; yours is {principal.role}")
        if self.scope is not None and principal.scopes and self.scope not in principal.scopes:
            scopes = ", ".join(sorted(principal.scopes))
            raise RefusedError(403, f"this requires the scope {self.scope}; your key has: {scopes}")
        if self.at_home and not at_home:
            raise RefusedError(403, "only the user of this machine may do this")

    @property
    def told(self) -> str:
        """In words."""
        scope = "" if self.scope is None else f" and the scope `{self.scope}`"
        home = "; only the user of this machine may" if self.at_home else ""
        return f"Requires the role `{self.role}`{scope}{home}."


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, the engine of their organization, and what the route needed. `at_home` is the user of this
    machine: nobody else may name a path on it."""

    principal: Principal
    engine: Engine
    at_home: bool
    needed: Needed

    @property
    def sees_folders(self) -> bool:
        """Whether they may know where on the server files are."""
        return self.at_home or self.principal.role is Role.ADMIN


class Attempt(Protocol):
    """A request with an `Idempotency-Key`."""

    def begin(self, caller: Caller) -> None:
        """Called when the sender may do what they ask; raises what answers them when it was done already."""


class Authenticator:
    """Knows who sends a request to one engine's server, and what they may do."""

    def __init__(self, engine: Engine, sessions: Sessions | None = None) -> None:
        self._engine = engine
        self.sessions = sessions or Sessions()
        self._ready = {engine.settings.organization}
        self._preparing = threading.Lock()

    def identify(self, headers: Iterable[tuple[bytes, bytes]]) -> Principal:
        """Who sends a request with these headers.

        Raises:
            RefusedError: 401, not known; 429, too many requests.
            StoreError: API keys cannot be looked up.
        """
        listed = list(headers)
        if self.is_at_home(listed):
            settings = self._engine.settings
            return Principal(settings.organization, settings.user, Role.ADMIN)
        credential = credential_of(listed)
        session = None if _gives_any(listed) else self.sessions.at(session_of(listed))
        if session is not None:
            credential = session.credential
        return self._engine.team.authenticate.identify_sender(credential)

    def needs(
        self, role: Role, scope: str | None, *, at_home: bool = False, not_kept: NotKept | None = None
    ) -> Any:
        """The default of a route's parameter; the route gets the sender and their organization's engine. With
        `at_home` the sender has to be the user of this machine. `not_kept` is why no answer of the route is
        kept: it has a secret, or what should be forgotten."""
        needed = Needed(role, scope, at_home, not_kept)

        def caller(request: Request) -> Caller:
            principal: Principal = request.scope[_PRINCIPAL]
            is_home = self.is_at_home(request.scope["headers"])
            needed.check(principal, at_home=is_home)
            found = Caller(principal, self.engine_of(principal), is_home, needed)
            attempt: Attempt | None = request.scope.get(ATTEMPT)
            if attempt is not None:
                attempt.begin(found)
            return found

        # For the description of the routes.
        caller.needs = needed  # type: ignore[attr-defined]
        return Depends(caller)

    def prune(self) -> None:
        """Forget old keys of requests, of all organizations."""
        for org_id in every_organization(self._engine.database):
            self._engine.for_organization(org_id).team.answer_once.prune()

    def can_work(self) -> bool:
        """Whether the database can be read. Raises StoreError: it cannot."""
        return self._engine.status.documents() >= 0

    def engine_of(self, principal: Principal) -> Engine:
        """The engine of the principal's organization. Its shared parts are made once, by one thread."""
        engine = self._engine.for_organization(principal.org_id)
        if principal.org_id not in self._ready:
            with self._preparing:
                make_parts(engine)
                self._ready.add(principal.org_id)
        return engine

    def is_at_home(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Whether the user of this machine sends a request with these headers: straight to it, and either
        nobody else can ask, or their browser came by the link that `bob serve` printed."""
        listed = list(headers)
        if any(name in _FORWARDED for name, _ in listed):
            return False
        if is_local(self._engine):
            return True
        session = None if _gives_any(listed) else self.sessions.at(session_of(listed))
        return session is not None and session.credential is None


class Identified:
    """Lets a request pass when it is known who sends it; the routes find the principal in its scope."""

    def __init__(self, app: ASGIApp, auth: Authenticator) -> None:
        self._app = app
        self._door = auth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "lifespan" and not is_open(scope["path"]):
            try:
                scope[_PRINCIPAL] = await run_in_threadpool(self._door.identify, scope["headers"])
            except BobError as error:
                return await response_to(scope["path"], error)(scope, receive, send)
        return await self._app(scope, receive, send)


def is_open(path: str) -> bool:
    """Whether a path is everybody's."""
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


def sender_of(scope: Scope) -> Principal | None:
    """Who sends a request, None where nobody had to say so."""
    found: Principal | None = scope.get(_PRINCIPAL)
    return found


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


def credential_of(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The one credential in a request's headers; None when there is none, or more than one."""
    given = [(name, value) for name, value in headers if name in _CREDENTIALS]
    if len(given) != 1:
        return None
    ((name, value),) = given
    text = value.decode("latin-1").strip()
    if name == b"x-api-key":
        return text
    scheme, _, credential = text.partition(" ")
    return credential.strip() if scheme.lower() == "bearer" else None


def _gives_any(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request has a credential of its own, which then counts in place of its cookie."""
    return any(name in _CREDENTIALS for name, _ in headers)
