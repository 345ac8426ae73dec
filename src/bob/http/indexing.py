"""Runs of the index: begun, watched and stopped; and what could not be read (SPEC A6, B5)."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

from fastapi import FastAPI, Path
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from bob.core.errors import NotFoundError, RefusedError, RequestError
from bob.core.principal import Role
from bob.documents.git_files import Include
from bob.documents.index_sources import GitWish
from bob.http.authenticate import Authenticator, Caller
from bob.http.event_stream import LastEventId, response, streamed
from bob.http.examples import FAILURE, INDEX_RUN, NOT_FOUND, answered
from bob.http.failures import Body, JsonBytes
from bob.http.index_runs import IndexRuns
from bob.http.library import SCOPE
from bob.http.paths import existing, named

_STREAM_EXAMPLE = 'id: 1\nevent: progress\ndata: {"phase": "files", "done": 12, "total": 40}\n\n'


class IndexRequest(Body):
    """What to read: a path, or the folders of a project once more."""

    path: str | None = Field(
        None,
        min_length=1,
        max_length=4096,
        description="A folder or file: an absolute path, or one from `~/`.",
        examples=["~/notes"],
    )
    project: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="With a path: project of its files. Without: the folders of this project are read again.",
    )
    at: str | None = Field(
        None,
        min_length=1,
        max_length=500,
        description="Branch, tag or commit of a git repository.",
        examples=["main"],
    )
    include: Include | None = Field(None, description="With `at`: docs (default), code or all.")
    history: bool | None = Field(None, description="With `at`: also past versions of files (default: no).")
    words_only: bool = Field(False, description="Make the vectors later.")


class RemoveRequest(Body):
    """What to take out of the index."""

    path: str = Field(
        min_length=1,
        max_length=4096,
        description="A folder or file, which may no longer exist: an absolute path, or one from `~/`.",
        examples=["~/old"],
    )
    at: str | None = Field(
        None, min_length=1, max_length=500, description="Remove only this ref of a git repository."
    )
    disk: str | None = Field(
        None,
        min_length=1,
        max_length=64,
        description="Disk of the other machine that read it (`elsewhere` in `GET /status`); default: "
        "this one's.",
    )


class RebuildRequest(Body):
    """Whether to do it."""

    yes: bool = Field(description="Must be true: searches find less until the run ends.")


RunId = Annotated[str, Path(description="The run's id.", examples=["q3Jm0Zc1nXo"])]


def register(app: FastAPI, auth: Authenticator, runs: IndexRuns) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    member = auth.needs(Role.MEMBER, SCOPE)
    admin = auth.needs(Role.ADMIN, SCOPE)
    at_home = auth.needs(Role.MEMBER, SCOPE, at_home=True)

    @app.post(
        "/index",
        summary="Bring the index up to date",
        tags=["index"],
        status_code=202,
        responses=NOT_FOUND | answered(INDEX_RUN, 202),
    )
    def index(request: IndexRequest, caller: Caller = member) -> Response:
        """A run in the background, to be watched at its `Location`. A path may be named only by the user of
        this machine; all who may write can have a project's folders read again."""
        folders = _folders(request, caller)
        project = request.project if request.path is not None else None
        run = runs.begin(
            caller.engine,
            folders,
            project,
            _wish(request),
            words_only=request.words_only,
            needed=caller.needed,
        )
        return JsonBytes(run.to_json(), 202, {"Location": f"/index/runs/{run.stream.stream_id}"})

    @app.get("/index/runs", summary="List runs", tags=["index"], responses=answered({"runs": [INDEX_RUN]}))
    def every(caller: Caller = reader) -> Response:
        """Those of this server, the newest first; a run is kept for ten minutes after its end."""
        return JsonBytes({"runs": [each.to_json() for each in runs.every(caller.engine)]})

    @app.get(
        "/index/runs/{run_id}",
        summary="Read the progress of a run",
        tags=["index"],
        responses=answered(INDEX_RUN),
    )
    def read(run_id: RunId, caller: Caller = reader) -> Response:
        """Its state (`waiting`, `running`, `done`, `stopped` or `failed`), progress and reports."""
        return JsonBytes(runs.at(caller.engine, run_id).to_json())

    @app.get(
        "/index/runs/{run_id}/events",
        summary="Watch a run",
        tags=["index"],
        response_class=StreamingResponse,
        responses=streamed(_STREAM_EXAMPLE),
    )
    async def events(run_id: RunId, last: LastEventId = None, caller: Caller = reader) -> Response:
        """Events: `progress`, a `report` for each folder, and last `done`, `stopped` or `error`. With
        `Last-Event-ID` it goes on after that event."""
        return response(runs.streams, runs.at(caller.engine, run_id).stream, last)

    @app.delete(
        "/index/runs/{run_id}",
        summary="Stop a run",
        tags=["index"],
        status_code=202,
        responses=answered(INDEX_RUN, 202),
    )
    def stop(run_id: RunId, caller: Caller = member) -> Response:
        """It ends at its next step; what was read is kept, and the next run goes on. Needs the role that the
        run was begun with."""
        run = runs.at(caller.engine, run_id)
        if run.stream.needed is not None:
            run.stream.needed.check(caller.principal, at_home=caller.at_home)
        run.stream.stop()
        return JsonBytes(run.to_json(), 202)

    @app.get(
        "/failures",
        summary="List files that could not be read",
        tags=["index"],
        responses=answered({"failures": [FAILURE]}),
    )
    def failures(caller: Caller = reader) -> Response:
        """Files with the reason, and what to do about it."""
        return JsonBytes({"failures": caller.engine.sources.library.failures()})

    @app.post(
        "/failures/retry",
        summary="Try failed files and jobs again",
        tags=["index"],
        status_code=202,
        responses=answered(INDEX_RUN, 202),
    )
    def retry(caller: Caller = member) -> Response:
        """A run over all indexed folders, which reads failed files again; failed jobs are tried, too."""
        folders, _, _ = caller.engine.maintain.retry()
        run = runs.begin(caller.engine, folders, needed=caller.needed)
        return JsonBytes(run.to_json(), 202, {"Location": f"/index/runs/{run.stream.stream_id}"})

    @app.post(
        "/index/remove",
        summary="Remove a folder from the index",
        tags=["index"],
        responses=answered({"path": "/home/you/old", "removed": 12}),
    )
    def remove(request: RemoveRequest, caller: Caller = at_home) -> Response:
        """With what was read from the commits of its repository, or one ref alone. No file is touched;
        `removed` counts the documents."""
        path = named(request.path, "path")
        removed = caller.engine.knowledge.index_sources.remove(path, request.at, request.disk)
        return JsonBytes({"path": str(path), "removed": removed})

    @app.post(
        "/index/rebuild",
        summary="Rebuild the index",
        tags=["index"],
        status_code=202,
        responses=answered(INDEX_RUN, 202),
    )
    def rebuild(request: RebuildRequest, caller: Caller = admin) -> Response:
        """A run that drops all that is derived from the indexed folders, and reads them again. No file is
        touched; chats, memories and what was said of decisions stay."""
        if not request.yes:
            raise RequestError("yes", "yes must be true, because this drops the index first")
        maintain = caller.engine.maintain
        folders = maintain.folders()
        if not folders:
            raise RequestError("yes", "nothing is indexed yet")
        run = runs.begin(caller.engine, folders, needed=caller.needed, before=maintain.drop_index)
        return JsonBytes(run.to_json(), 202, {"Location": f"/index/runs/{run.stream.stream_id}"})


def _wish(request: IndexRequest) -> GitWish | None:
    wish = GitWish(request.at, request.include, request.history)
    if request.path is not None:
        return wish
    if wish != GitWish():
        raise RequestError("at", "at, include and history require a path")
    return None


def _folders(request: IndexRequest, caller: Caller) -> list[FilePath]:
    if request.path is not None:
        if not caller.at_home:
            raise RefusedError(403, "only the user of this machine may name a path")
        return [existing(request.path, "path")]
    if request.project is None:
        raise RequestError("path", "path or project is required")
    found = next(
        (p for p in caller.engine.sources.library.projects() if p["project"] == request.project), None
    )
    if found is None or not found["folders"]:
        raise NotFoundError(f"no folders are indexed for the project {request.project!r}")
    folders = [FilePath(each) for each in found["folders"]]
    if caller.engine.disks.shared:
        # Those of other machines are read again there.
        here = set(caller.engine.maintain.folders())
        folders = [folder for folder in folders if folder in here] or folders
    return folders
