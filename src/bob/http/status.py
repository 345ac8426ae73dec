"""Check that the server runs (liveness), whether it can work, and its counts."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from fastapi import Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.app.settings import LoadedSettings, Settings, known_keys
from bob.core.errors import StoreError
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller, needs
from bob.http.failures import JsonBytes
from bob.http.index_runs import Runs
from bob.http.indexing import FileFailure, FileReadInPart
from bob.http.library import SCOPE
from bob.http.request_log import CONTENT_TYPE, ServerMetrics
from bob.http.shapes import Moment, Routes
from bob.http.streams import Background
from bob.storage.agent_log import AgentLog

router = Routes(tags=["status"])

_METRICS = 'bob_requests_total{method="GET",route="/search",status="200"} 12\n'

HowMany = Annotated[int, Query(description="Maximum number of results.", ge=1, le=10_000)]


class VectorCounts(TypedDict):
    """How many chunks have vectors, and how many wait for them."""

    done: int
    pending: int


class JobCounts(TypedDict):
    """Jobs by state, and the errors of those that failed."""

    queued: int
    running: int
    failed: int
    errors: list[str]


class EmbeddingModel(TypedDict):
    """The model that makes vectors."""

    id: str
    dimension: int


class DatabaseState(TypedDict):
    """The database; its path is for the user of the machine alone."""

    path: NotRequired[str]
    bytes: int
    schema: str


class ProjectCounts(TypedDict):
    """What a project has."""

    project: str
    documents: int
    chunks: int


class SourceTypeCount(TypedDict):
    """How many documents are of a type."""

    source_type: str
    documents: int


class IndexedFolder(TypedDict):
    """A folder that is indexed."""

    path: str
    project: str


class DiskCount(TypedDict):
    """How many documents another machine read."""

    disk: str
    documents: int


class Status(TypedDict):
    """What is indexed, and what waits."""

    documents: int
    past_documents: int
    read_by_older_version: int
    chunks: int
    vectors: VectorCounts
    failures: list[FileFailure]
    read_in_part: list[FileReadInPart]
    jobs: JobCounts
    model: EmbeddingModel
    database: DatabaseState
    organization: str
    projects: list[ProjectCounts]
    source_types: list[SourceTypeCount]
    sources: list[IndexedFolder]
    elsewhere: list[DiskCount]


class Check(TypedDict):
    """A test of one part."""

    name: str
    passed: bool
    detail: str


class Checks(TypedDict):
    """Tests of all parts; `ready`: all passed."""

    ready: bool
    checks: list[Check]


class Setting(TypedDict):
    """A setting with its value, its default and what it means."""

    key: str
    value: Any
    default: Any
    description: str


class SettingsList(TypedDict):
    """Every setting."""

    settings: list[Setting]


class Liveness(TypedDict):
    """The server runs."""

    status: Literal["ok"]


class Readiness(TypedDict):
    """Whether the server can work."""

    ready: bool


class AgentCall(TypedDict):
    """What an agent asked for over the Model Context Protocol."""

    at: Moment
    organization: str
    user: str
    client: str
    protocol: str
    tool: str
    arguments: dict[str, Any]
    dry_run: bool
    outcome: str
    results: int
    milliseconds: int


class AgentCalls(TypedDict):
    """Calls of agents, the newest last."""

    calls: list[AgentCall]


Admin = Annotated[Caller, needs(Role.ADMIN, None)]
Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
AdminAtHome = Annotated[Caller, needs(Role.ADMIN, SCOPE, at_home=True)]
ReaderAtHome = Annotated[Caller, needs(Role.READER, None, at_home=True)]


@router.get("/health", summary="Check that the server runs (liveness)", response_model=Liveness)
async def check_liveness() -> Response:
    """Always `{"status": "ok"}`; `GET /ready` looks deeper, and `GET /doctor` deeper still."""
    return JsonBytes({"status": "ok"})


@router.get(
    "/ready",
    summary="Check that the server can work (readiness)",
    response_model=Readiness,
    responses={503: {"description": "Not now.", "model": Readiness}},
)
async def check_readiness(request: Request) -> Response:
    """200 when the database can be read, else 503."""
    can = await run_in_threadpool(_can_work, request.app.state.authenticator)
    return JsonBytes({"ready": can}, 200 if can else 503)


@router.get(
    "/metrics",
    summary="Metrics for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}, "example": _METRICS}}}},
)
def read_metrics(caller: Admin, streams: Background, runs: Runs, metrics: ServerMetrics) -> Response:
    """Requests by route and status, how long they took, and what waits. Nothing of what was asked."""
    jobs = caller.engine.status.jobs()
    gauges = {
        "bob_jobs_waiting": ("Waiting jobs of the organization.", int(jobs["queued"])),
        "bob_jobs_running": ("Running jobs of the organization.", int(jobs["running"])),
        "bob_jobs_failed": ("Failed jobs of the organization.", int(jobs["failed"])),
        "bob_streams_running": ("Running answers and evaluations.", streams.running()),
        "bob_index_runs": ("Running and waiting index runs.", runs.streams.running()),
    }
    return Response(metrics.text(gauges), media_type=CONTENT_TYPE)


@router.get("/status", summary="Read what is indexed", response_model=Status)
def read_status(caller: Reader) -> Response:
    """Counts, failures, jobs and projects, as `bob status --json` prints them."""
    report = caller.engine.status.report()
    if not caller.at_home:
        # Where a team's database is concerns who runs the server.
        del report["database"]["path"]
    return JsonBytes(report)


@router.get("/doctor", summary="Test all parts", response_model=Checks)
def check_parts(caller: AdminAtHome) -> Response:
    """Tries the model, full text, the database and the parsers, as `bob doctor --json` does. `ready` is
    false when one of them fails."""
    checks = list(caller.engine.status.checks())
    listed = [{"name": check.name, "passed": check.passed, "detail": check.detail} for check in checks]
    return JsonBytes({"ready": all(check.passed for check in checks), "checks": listed})


@router.get("/settings", summary="The settings", response_model=SettingsList)
def list_settings(caller: AdminAtHome) -> Response:
    """Every key with its value, its default and what it means; secrets are hidden. They are changed in
    files and in the environment: `bob config` says where each comes from."""
    return JsonBytes({"settings": _described(caller.engine.settings)})


@router.get("/mcp/log", summary="What agents did", response_model=AgentCalls)
def list_agent_calls(caller: ReaderAtHome, limit: HowMany = 20) -> Response:
    """Those of `bob mcp` on this machine, the newest last; as `bob mcp log --json` prints them."""
    log, org_id = AgentLog(caller.engine.database.path), caller.engine.settings.organization
    return JsonBytes({"calls": log.last(limit, org_id, caller.principal.user_id)})


def _can_work(auth: Authenticator) -> bool:
    try:
        return auth.can_work()
    except StoreError:
        return False


def _described(settings: Settings) -> list[dict[str, Any]]:
    fields = known_keys()
    usual = {row.key: row.value for row in LoadedSettings(Settings(), {}).rows()}
    return [
        {
            "key": row.key,
            "value": row.value,
            "default": usual.get(row.key),
            "description": fields[row.key].description,
        }
        for row in LoadedSettings(settings, {}).rows()
    ]
