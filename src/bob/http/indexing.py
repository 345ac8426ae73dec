"""Runs of the index: begun, watched and stopped; and what could not be read (SPEC A6, B5)."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated, Literal

from fastapi import File, Form, Path, UploadFile
from pydantic import Field
from starlette.responses import Response, StreamingResponse
from typing_extensions import TypedDict

from bob.core.errors import NotFoundError, RefusedError, RequestError, UsageError
from bob.core.principal import Role
from bob.documents.git.files import Include
from bob.documents.index_sources import GitWish
from bob.documents.uploads import KeptUpload
from bob.http.authenticate import Caller, needs
from bob.http.failures import Body, JsonBytes
from bob.http.index_runs import Runs, RunState
from bob.http.library import SCOPE
from bob.http.params import NOT_FOUND, existing_path, named_path
from bob.http.shapes import Nothing, Problem, Routes
from bob.http.streams import LastEventId, stream_response, streamed

router = Routes(tags=["index"])

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

_MOST_FILES = 100

_KEPT = {
    "name": "letter.md",
    "path": "/home/you/uploads/local/garden/letter.md",
    "new": True,
}

UploadFiles = Annotated[list[UploadFile], File(description="The files, at most 100.")]

UploadProject = Annotated[str, Form(min_length=1, max_length=200, description="Project of the files.")]


class FileFailure(TypedDict):
    """A file that could not be read, and why."""

    path: str
    code: str
    reason: str


class FailureWithAdvice(FileFailure):
    """A file that could not be read, why, and what to do about it."""

    advice: str


class FileReadInPart(TypedDict):
    """A file that was read in part, and a sentence for each part that was left out."""

    path: str
    left_out: list[str]


class FailuresList(TypedDict):
    """The files that could not be read, and those that were read in part."""

    failures: list[FailureWithAdvice]
    read_in_part: list[FileReadInPart]


class IndexProgress(TypedDict):
    """How far a run is: in files while reading, in chunks while making vectors."""

    phase: Literal["files", "vectors"]
    done: int
    total: int
    chunks: int
    failed: int


class FolderReport(TypedDict):
    """What a run did with a folder; of a git repository `commit` is what was read. `read_in_part` are
    files that this run read, and of which parts were left out."""

    root: str
    project: str
    commit: str | None
    added: int
    changed: int
    read_again: int
    moved: int
    removed: int
    unchanged: int
    chunks_added: int
    chunks_kept: int
    chunks_embedded: int
    vectors_pending: int
    failures: list[FileFailure]
    read_in_part: list[FileReadInPart]
    skipped: dict[str, int]
    words_seconds: float
    vectors_seconds: float
    vectors_error: str | None
    interrupted: bool


class IndexRun(TypedDict):
    """A run of the index."""

    run: str
    state: RunState
    folders: list[str]
    project: str | None
    progress: IndexProgress | None
    error: str | None
    reports: list[FolderReport]


class IndexRunsList(TypedDict):
    """Runs, the newest first."""

    runs: list[IndexRun]


class RemovedFolder(TypedDict):
    """A folder that is no longer indexed, and how many documents went with it."""

    path: str
    removed: int


class UploadedFile(TypedDict):
    """A file as it is kept; `new` is false when it was there already."""

    name: str
    path: str
    new: bool


class UploadedFiles(TypedDict):
    """The files that were sent, and the run that indexes them."""

    files: list[UploadedFile]
    run: IndexRun


class IndexEvents(TypedDict):
    """What a run's stream tells, by the event's name."""

    progress: IndexProgress
    report: FolderReport
    done: IndexRun
    error: Problem
    stopped: Nothing


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
Member = Annotated[Caller, needs(Role.MEMBER, SCOPE)]
Admin = Annotated[Caller, needs(Role.ADMIN, SCOPE)]
AtHome = Annotated[Caller, needs(Role.MEMBER, SCOPE, at_home=True)]


@router.post(
    "/index",
    summary="Bring the index up to date",
    response_model=IndexRun,
    status_code=202,
    responses=NOT_FOUND,
)
def start_indexing(caller: Member, request: IndexRequest, runs: Runs) -> Response:
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


@router.get("/index/runs", summary="List runs", response_model=IndexRunsList)
def list_index_runs(caller: Reader, runs: Runs) -> Response:
    """Those of this server, the newest first; a run is kept for ten minutes after its end."""
    return JsonBytes({"runs": [run.to_json() for run in runs.list_runs(caller.engine)]})


@router.get("/index/runs/{run_id}", summary="Read the progress of a run", response_model=IndexRun)
def read_index_run(caller: Reader, run_id: RunId, runs: Runs) -> Response:
    """Its state (`waiting`, `running`, `done`, `stopped` or `failed`), progress and reports."""
    return JsonBytes(runs.find(caller.engine, run_id).to_json())


@router.get(
    "/index/runs/{run_id}/events",
    summary="Watch a run",
    response_class=StreamingResponse,
    responses=streamed("IndexEvent", _STREAM_EXAMPLE),
)
async def watch_index_run(caller: Reader, run_id: RunId, runs: Runs, last: LastEventId = None) -> Response:
    """Events: `progress`, a `report` for each folder, and last `done`, `stopped` or `error`. With
    `Last-Event-ID` it goes on after that event."""
    return stream_response(runs.streams, runs.find(caller.engine, run_id).stream, last)


@router.delete("/index/runs/{run_id}", summary="Stop a run", response_model=IndexRun, status_code=202)
def stop_index_run(caller: Member, run_id: RunId, runs: Runs) -> Response:
    """It ends at its next step; what was read is kept, and the next run goes on. Needs the role that the
    run was begun with."""
    run = runs.find(caller.engine, run_id)
    if run.stream.needed is not None:
        run.stream.needed.check(caller.principal, at_home=caller.at_home)
    run.stream.stop()
    return JsonBytes(run.to_json(), 202)


@router.get("/failures", summary="List files that could not be read", response_model=FailuresList)
def list_failures(caller: Reader) -> Response:
    """Files with the reason, and what to do about it; and files that were read in part, with what was left
    out of each."""
    library = caller.engine.sources.library
    return JsonBytes({"failures": library.failures(), "read_in_part": library.read_in_part()})


@router.post(
    "/failures/retry", summary="Try failed files and jobs again", response_model=IndexRun, status_code=202
)
def retry_failures(caller: Member, runs: Runs) -> Response:
    """A run over all indexed folders, which reads failed files again; failed jobs are tried, too."""
    folders, _, _ = caller.engine.maintain.retry()
    run = runs.begin(caller.engine, folders, needed=caller.needed)
    return JsonBytes(run.to_json(), 202, {"Location": f"/index/runs/{run.stream.stream_id}"})


@router.post("/index/remove", summary="Remove a folder from the index", response_model=RemovedFolder)
def remove_folder(caller: AtHome, request: RemoveRequest) -> Response:
    """With what was read from the commits of its repository, or one ref alone. No file is touched;
    `removed` counts the documents."""
    path = named_path(request.path, "path")
    removed = caller.engine.knowledge.index_sources.remove(path, request.at, request.disk)
    return JsonBytes({"path": str(path), "removed": removed})


@router.post("/index/rebuild", summary="Rebuild the index", response_model=IndexRun, status_code=202)
def rebuild_index(caller: Admin, request: RebuildRequest, runs: Runs) -> Response:
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


@router.post("/files", summary="Send files", response_model=UploadedFiles, status_code=202)
def upload_files(
    caller: Member, files: UploadFiles, runs: Runs, project: UploadProject = "uploads"
) -> Response:
    """Kept in the folder `server.uploads` under names that are safe, then indexed by a run in the
    background. What is there under the same name with other content stays; the new file gets a number."""
    if len(files) > _MOST_FILES:
        raise RequestError("files", f"files: {len(files)} files; the limit is {_MOST_FILES}")
    service = caller.engine.sources.keep_uploads
    try:
        folder = service.folder_of(project)
    except UsageError as error:
        raise RequestError("project", f"project: {error}") from error
    uploads: list[KeptUpload] = []
    for file in files:
        try:
            uploads.append(service.save_file(project, file.filename or "", file.file))
        except UsageError as error:
            raise RequestError("files", f"files: {error}") from error
    run = runs.begin(caller.engine, [folder], project, GitWish(), needed=caller.needed)
    listed = [{"name": upload.name, "path": str(upload.path), "new": upload.new} for upload in uploads]
    headers = {"Location": f"/index/runs/{run.stream.stream_id}"}
    return JsonBytes({"files": listed, "run": run.to_json()}, 202, headers)


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
        return [existing_path(request.path, "path")]
    if request.project is None:
        raise RequestError("path", "path or project is required")
    listed = next(
        (p for p in caller.engine.sources.library.projects() if p["project"] == request.project), None
    )
    if listed is None or not listed["folders"]:
        raise NotFoundError(f"no folders are indexed for the project {request.project!r}")
    folders = [FilePath(folder) for folder in listed["folders"]]
    if caller.engine.disks.shared:
        # Those of other machines are read again there.
        here = set(caller.engine.maintain.folders())
        folders = [folder for folder in folders if folder in here] or folders
    return folders
