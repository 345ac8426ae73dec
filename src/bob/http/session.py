"""Logging a browser in and out, and who it speaks for (ADR 22)."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import TypedDict

from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http.authenticate import BrowserSessions, Caller, Sessions, credential_of, needs
from bob.http.failures import JsonBytes, error_response
from bob.http.guard import cookie_name, session_of
from bob.http.shapes import Routes

router = Routes(tags=["session"])


class Sender(TypedDict):
    """Who asks, and what they may do; no scopes: all."""

    user: str
    organization: str
    role: Role
    scopes: list[str]
    at_home: bool


class SenderAndSession(Sender):
    """Who asks, and whether a session of this browser says so."""

    signed_in: bool


class BrowserLink(TypedDict):
    """A path that logs one browser in, once."""

    path: str


Anyone = Annotated[Caller, needs(Role.READER, None)]
NewSession = Annotated[Caller, needs(Role.READER, None, not_kept="secret")]
AtHome = Annotated[Caller, needs(Role.ADMIN, None, at_home=True, not_kept="secret")]


@router.get("/session", summary="Who asks", response_model=SenderAndSession)
def read_session(caller: Anyone, request: Request, sessions: BrowserSessions) -> Response:
    """The user, organization and role that requests like this one speak for. `at_home`: the user of this
    machine, who may name paths and open files. `signed_in`: a session of this browser says who it is."""
    signed_in = sessions.find(session_of(request.scope["headers"])) is not None
    return JsonBytes(_who(caller) | {"signed_in": signed_in})


@router.post(
    "/session",
    summary="Sign in a browser",
    response_model=Sender,
    responses={400: {"description": "The key or token is missing."}},
)
def log_in(caller: NewSession, request: Request, sessions: BrowserSessions) -> Response:
    """With a key or token in a header, the answer sets a cookie that stands for it from now on."""
    credential = credential_of(request.scope["headers"])
    if credential is None:
        raise RequestError("Authorization", "send the key or token as Authorization: Bearer …")
    answer = JsonBytes(_who(caller))
    set_cookie(answer, request.scope, sessions.begin(credential))
    return answer


@router.delete("/session", summary="Sign out a browser", status_code=204)
def log_out(caller: Anyone, request: Request, sessions: BrowserSessions) -> Response:
    """Ends the session of the cookie, if there is one."""
    sessions.end(session_of(request.scope["headers"]))
    answer = Response(status_code=204)
    answer.delete_cookie(cookie_name(request.scope["headers"]), httponly=True, samesite="strict")
    return answer


@router.post(
    "/session/links", summary="Create a link for another browser", response_model=BrowserLink, status_code=201
)
def create_link(caller: AtHome, sessions: BrowserSessions) -> Response:
    """A path that logs one browser in, once, as the user of this machine."""
    return JsonBytes({"path": f"/?token={sessions.new_link()}"}, 201)


class Links:
    """Serves the link that `bob serve` prints: `/?token=…` becomes `/` with a cookie, once."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        is_link = scope["type"] == "http" and scope["path"] == "/" and b"token=" in scope["query_string"]
        if not is_link or scope["method"] != "GET":
            return await self._app(scope, receive, send)
        token = Request(scope).query_params.get("token", "")
        word = self._sessions.redeem(token)
        if word is None:
            if self._sessions.find(session_of(scope["headers"])) is not None:
                return await RedirectResponse("/", 303)(scope, receive, send)
            reason = "this link was already used; bob serve prints a new one when it starts"
            return await error_response("/", 403, reason)(scope, receive, send)
        answer = RedirectResponse("/", 303)
        set_cookie(answer, scope, word)
        return await answer(scope, receive, send)


def set_cookie(answer: Response, scope: Scope, word: str) -> None:
    """Give a browser its session: no script reads it, and no other site's page sends it."""
    headers = scope["headers"]
    secure = scope["scheme"] == "https" or (b"x-forwarded-proto", b"https") in headers
    answer.set_cookie(cookie_name(headers), word, httponly=True, samesite="strict", secure=secure)


def _who(caller: Caller) -> dict[str, object]:
    principal = caller.principal
    return {
        "user": principal.user_id,
        "organization": principal.org_id,
        "role": principal.role.value,
        "scopes": sorted(principal.scopes),
        "at_home": caller.at_home,
    }
