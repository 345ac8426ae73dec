"""The web pages: files of this package, read once: no path of a request ever reaches the disk (SPEC L5).

They hold no data: what they show, they ask of the routes beside them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import Request
from starlette.responses import Response

from bob.http.failures import error_response
from bob.http.shapes import Routes

router = Routes()

FOLDER = "/ui/"

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

"""What a page may load: files of this server, and no script or style in the page itself."""

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    # Asked for again each time, and answered in one line while it is the same.
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    kind: str
    tag: str


@router.get("/", include_in_schema=False)
def show_index(request: Request) -> Response:
    """The page that draws all pages."""
    return _answer(request, "index.html")


@router.get("/ui/{name:path}", include_in_schema=False)
def show_file(name: str, request: Request) -> Response:
    """A script, a style or a drawing of the pages."""
    return _answer(request, name)


def _answer(request: Request, name: str) -> Response:
    page = _page_files().get(name)
    if page is None:
        return error_response(request.url.path, 404, "no such page")
    headers = _HEADERS | {"ETag": page.tag}
    if request.headers.get("if-none-match") == page.tag:
        return Response(status_code=304, headers=headers)
    return Response(page.content, headers=headers, media_type=page.kind)


@cache
def _page_files() -> dict[str, _File]:
    made: dict[str, _File] = {}

    def read_folder(folder: Traversable, prefix: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                read_folder(entry, f"{prefix}{entry.name}/")
                continue
            kind = _TYPES.get(entry.name.rpartition(".")[2])
            if kind is not None:
                content = entry.read_bytes()
                made[prefix + entry.name] = _File(
                    content, kind, f'"{hashlib.sha256(content).hexdigest()[:20]}"'
                )

    read_folder(files("bob") / "ui", "")
    return made
