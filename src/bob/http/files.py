"""Files that are sent to the server: kept in a folder of its own, then indexed."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, File, Form, UploadFile
from starlette.responses import Response

from bob.core.errors import RequestError, UsageError
from bob.core.principal import Role
from bob.documents.index_sources import GitWish
from bob.documents.uploads import KeptUpload
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import INDEX_RUN, answered
from bob.http.failures import JsonBytes
from bob.http.index_runs import IndexRuns
from bob.http.library import SCOPE

_MOST_FILES = 100
_KEPT = {
    "name": "letter.md",
    "path": "/home/you/uploads/local/garden/letter.md",
    "new": True,
}

Files = Annotated[list[UploadFile], File(description="The files, at most 100.")]
Project = Annotated[str, Form(min_length=1, max_length=200, description="Project of the files.")]


def register(app: FastAPI, auth: Authenticator, runs: IndexRuns) -> None:
    """Add the route."""
    member = auth.needs(Role.MEMBER, SCOPE)

    @app.post(
        "/files",
        summary="Send files",
        tags=["index"],
        status_code=202,
        responses=answered({"files": [_KEPT], "run": INDEX_RUN}, 202),
    )
    def send(files: Files, project: Project = "uploads", caller: Caller = member) -> Response:
        """Kept in the folder `server.uploads` under names that are safe, then indexed by a run in the
        background. What is there under the same name with other content stays; the new file gets a number."""
        if len(files) > _MOST_FILES:
            raise RequestError("files", f"files: {len(files)} files; the limit is {_MOST_FILES}")
        service = caller.engine.sources.keep_uploads
        try:
            folder = service.folder_of(project)
        except UsageError as error:
            raise RequestError("project", f"project: {error}") from error
        kept: list[KeptUpload] = []
        for file in files:
            try:
                kept.append(service.save_file(project, file.filename or "", file.file))
            except UsageError as error:
                raise RequestError("files", f"files: {error}") from error
        run = runs.begin(caller.engine, [folder], project, GitWish(), needed=caller.needed)
        listed = [{"name": each.name, "path": str(each.path), "new": each.new} for each in kept]
        headers = {"Location": f"/index/runs/{run.stream.stream_id}"}
        return JsonBytes({"files": listed, "run": run.to_json()}, 202, headers)
