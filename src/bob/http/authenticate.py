"""Each request has a known sender: all paths but a few are closed; routes say what they need (SPEC L2).

A middleware finds out who asks before the body is read. A route then asks for a role and a scope:

    Reader = Annotated[Caller, needs(Role.READER, "ai")]

    @router.get("/ai/tools")
    def list_assistant_tools(caller: Reader) -> Response:
        keys = caller.engine.team.api_keys.every()

Asked without credentials, a local server takes its user for the sender: nobody else reaches it.

Sessions of browsers live in memory and end with the server (ADR 22). A session that began with a key is worth
what the key is worth: each request has it looked at anew.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from bob.app import Engine
from bob.core.errors import BobError, RefusedError, UsageError
from bob.core.principal import Principal, Role
from bob.http.failures import response_to
from bob.http.guard import LOOPBACK, session_of
from bob.storage.idempotency import NotKept
from bob.storage.organizations import every_organization

_IDLE_SECONDS = 12 * 3600.0
_MOST = 1_000


@dataclass(slots=True)
class Session:
    """Who a browser speaks for: the sender of `credential`; None: the user of this machine."""

    credential: str | None
    used_at: float


class Sessions:
    """All sessions of one server, by the hash of what the cookie holds."""

    def __init__(self) -> None:
        self._links: set[bytes] = set()
        self._sessions: dict[bytes, Session] = {}
        self._lock = threading.Lock()

    def new_link(self) -> str:
        """A word that begins one session of the user of this machine."""
        word = secrets.token_urlsafe(32)
        with self._lock:
            self._links.add(_hashed(word))
        return word

    def redeem(self, word: str) -> str | None:
        """What the cookie has to hold; None when the word was used already, or never given."""
        with self._lock:
            if _hashed(word) not in self._links:
                return None
            self._links.discard(_hashed(word))
        return self.begin(None)

    def begin(self, credential: str | None) -> str:
        """What the cookie of a new session has to hold."""
        word = secrets.token_urlsafe(32)
        now = time.monotonic()
        with self._lock:
            self._sessions = {
                key: session
                for key, session in self._sessions.items()
                if now - session.used_at < _IDLE_SECONDS
            }
            while len(self._sessions) >= _MOST:
                del self._sessions[min(self._sessions, key=lambda key: self._sessions[key].used_at)]
            self._sessions[_hashed(word)] = Session(credential, now)
        return word

    def find(self, word: str | None) -> Session | None:
        """The session of a cookie, if there is one."""
        if word is None:
            return None
        session = self._sessions.get(_hashed(word))
        now = time.monotonic()
        if session is None or now - session.used_at > _IDLE_SECONDS:
            return None
        session.used_at = now
        return session

    def end(self, word: str | None) -> None:
        """End the session of a cookie."""
        if word is not None:
            with self._lock:
                self._sessions.pop(_hashed(word), None)


def _hashed(word: str) -> bytes:
    # Looked up by a hash, what is compared byte by byte tells nothing of the word.
    return hashlib.sha256(word.encode("utf-8", "replace")).digest()


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
    def in_words(self) -> str:
        """For the description of a route."""
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
        session = None if _gives_any(listed) else self.sessions.find(session_of(listed))
        if session is not None:
            credential = session.credential
        return self._engine.team.authenticate.identify_sender(credential)

    def admit(self, scope: Scope, needed: Needed) -> Caller:
        """The identified sender of a request, with the engine of their organization.

        Raises:
            RefusedError: 403, they may not do what the route does.
        """
        principal: Principal = scope[_PRINCIPAL]
        is_home = self.is_at_home(scope["headers"])
        needed.check(principal, at_home=is_home)
        caller = Caller(principal, self.engine_of(principal), is_home, needed)
        attempt: Attempt | None = scope.get(ATTEMPT)
        if attempt is not None:
            attempt.begin(caller)
        return caller

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
        session = None if _gives_any(listed) else self.sessions.find(session_of(listed))
        return session is not None and session.credential is None


def needs(role: Role, scope: str | None, *, at_home: bool = False, not_kept: NotKept | None = None) -> Any:
    """What a route asks of its sender, to annotate a parameter with: the route gets the sender and their
    organization's engine. With `at_home` the sender has to be the user of this machine. `not_kept` is why no
    answer of the route is kept: it has a secret, or what should be forgotten."""
    needed = Needed(role, scope, at_home, not_kept)

    def admit_caller(request: Request) -> Caller:
        authenticator: Authenticator = request.app.state.authenticator
        return authenticator.admit(request.scope, needed)

    # For the description of the routes.
    admit_caller.needed = needed  # type: ignore[attr-defined]
    return Depends(admit_caller)


async def _browser_sessions(request: Request) -> Sessions:
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator.sessions


BrowserSessions = Annotated[Sessions, Depends(_browser_sessions)]
"""The sessions of this server's browsers."""


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
    principal: Principal | None = scope.get(_PRINCIPAL)
    return principal


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
    credentials = [(name, value) for name, value in headers if name in _CREDENTIALS]
    if len(credentials) != 1:
        return None
    ((name, value),) = credentials
    text = value.decode("latin-1").strip()
    if name == b"x-api-key":
        return text
    scheme, _, credential = text.partition(" ")
    return credential.strip() if scheme.lower() == "bearer" else None


def _gives_any(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request has a credential of its own, which then counts in place of its cookie."""
    return any(name in _CREDENTIALS for name, _ in headers)
