"""Shows members and readers of a server no folder above those that are indexed.

The user of the machine and its administrators see where files are, to open and to care for them. To everybody
else `/srv/team/notes/plan.md` is `notes/plan.md`, and an upload is `PROJECT/letter.md`; a filter by path
takes both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bob.app import Engine
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, sender_of
from bob.http.failures import json_bytes
from bob.http.guard import values

_MESSAGES = frozenset({"detail", "message", "reason", "advice", "error", "errors"})
"""Fields in which a path may stand among words. Elsewhere a path is the whole value."""

_TEXTS = frozenset({"text", "content", "quote", "question", "answer", "title"})
"""Fields of words that are somebody's, also where they begin as a path does."""

_END = r"(?=[/@:'\"\s,;)\]]|\Z)"
"""What may follow the name of a folder, so that it is not the beginning of a longer one."""

_DATA = b"data: "


class RelativePaths:
    """Rewrites the paths in JSON and in events that go to anybody but the administrators."""

    def __init__(self, app: ASGIApp, auth: Authenticator) -> None:
        self._app = app
        self._door = auth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        sender = sender_of(scope)
        if sender is None or sender.role is Role.ADMIN or self._door.is_at_home(scope["headers"]):
            return await self._app(scope, receive, send)
        engine = await run_in_threadpool(self._door.engine_of, sender)
        return await self._app(scope, receive, _Rewriting(engine, send))


class _Rewriting:
    """Sends one response: JSON when it is whole, events as their lines come, all else as it is."""

    def __init__(self, engine: Engine, send: Send) -> None:
        self._engine = engine
        self._send = send
        self._start: Message | None = None
        self._waiting = b""
        self._kind = ""
        self._shown: ShownPaths | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kinds = values(message.get("headers", ()), b"content-type")
            self._kind = kinds[0].partition(";")[0] if kinds else ""
            if self._kind.endswith("json"):
                self._start = message
                return
        elif message["type"] == "http.response.body" and self._start is not None:
            self._waiting += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_whole(self._start)
            return
        elif message["type"] == "http.response.body" and self._kind == "text/event-stream":
            message = {**message, "body": await self._lines(message)}
        await self._send(message)

    async def _send_whole(self, start: Message) -> None:
        body = await self._rewritten(self._waiting)
        headers = [header for header in start["headers"] if header[0].lower() != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    async def _lines(self, message: Message) -> bytes:
        *whole, self._waiting = (self._waiting + message.get("body", b"")).split(b"\n")
        if not message.get("more_body", False) and self._waiting:
            whole.append(self._waiting)
            self._waiting = b""
        lines = [
            _DATA + await self._rewritten(line.removeprefix(_DATA)) if line.startswith(_DATA) else line
            for line in whole
        ]
        return b"".join(line + b"\n" for line in lines)

    async def _rewritten(self, body: bytes) -> bytes:
        if b"/" not in body and b"\\" not in body:
            return body
        if self._shown is None:
            self._shown = await run_in_threadpool(shown_to_members, self._engine)
        try:
            content = json.loads(body)
        except ValueError:
            return body
        shown = self._shown.rewrite(content)
        return body if shown == content else json_bytes(shown)


class ShownPaths:
    """What is shown of paths below `folders` and `uploads`.

    >>> shown = ShownPaths(["/srv/team/notes"], "/srv/uploads/acme")
    >>> shown.rewrite({"path": "/srv/team/notes/plan.md", "text": "see /srv/team/notes/plan.md"})
    {'path': 'notes/plan.md', 'text': 'see /srv/team/notes/plan.md'}
    >>> shown.rewrite({"reason": "cannot read /srv/uploads/acme/garden/a.md"})
    {'reason': 'cannot read garden/a.md'}
    """

    def __init__(self, folders: Iterable[str], uploads: str) -> None:
        self._names = {folder: PurePath(folder).name for folder in folders} | {uploads + "/": ""}
        # Outermost first: what lies below two of them has one name.
        roots = sorted((root for root in self._names if root.strip("/")), key=len)
        ends = (re.escape(root) if root.endswith("/") else re.escape(root) + _END for root in roots)
        self._root = re.compile(rf"(?<![\w./@-])(?:{'|'.join(ends)})")

    def rewrite(self, content: Any, field: str = "") -> Any:
        """JSON with its paths as they are shown."""
        if isinstance(content, dict):
            return {self._path(name): self.rewrite(value, name) for name, value in content.items()}
        if isinstance(content, list):
            return [self.rewrite(value, field) for value in content]
        if not isinstance(content, str) or field in _TEXTS:
            return content
        return self._root.sub(self._name, content) if field in _MESSAGES else self._path(content)

    def _path(self, text: str) -> str:
        match = self._root.match(text)
        return text if match is None else self._name(match) + text[match.end() :]

    def _name(self, match: re.Match[str]) -> str:
        return self._names[match[0]]


def shown_to_members(engine: Engine) -> ShownPaths:
    """The rule of an organization: its folders, uploads and, on this machine, its database."""
    folders = [*engine.sources.library.folders(), str(engine.database)]
    return ShownPaths(folders, str(engine.sources.keep_uploads.folder))
