"""The health of what is known, over HTTP: findings, scores, and what Bob can mend (SPEC M1)."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.health.check import finding_of
from bob.health.values import Severity, narrowed, page_of
from bob.http.authenticate import Caller, needs
from bob.http.decisions import SCOPE
from bob.http.failures import Body, JsonBytes, now
from bob.http.params import LARGEST_ID, NOT_FOUND, bad_cursor, named_path, read_cursor, write_cursor
from bob.http.shapes import Moment, Routes

router = Routes(tags=["health"])

_LONGEST_ID = 200

TakenAt = Annotated[
    str | None,
    Field(
        max_length=40,
        description="`taken_at` of an earlier look, to continue reading it; default: a new look.",
        examples=["2025-03-03T08:59:00+00:00"],
    ),
]


class HealthQuery(Body):
    """Which findings, and which part of the list."""

    project: list[str] = Field(
        [], max_length=100, description="Only findings of these projects.", examples=[["garden"]]
    )
    rule: list[str] = Field(
        [], max_length=100, description="Only findings of these rules.", examples=[["stale"]]
    )
    cursor: str | None = Field(None, max_length=10_000, description="The `next` of the previous page.")
    limit: int = Field(50, ge=1, le=500, description="Maximum number of findings.")
    taken_at: TakenAt = None


class EvidenceQuery(Body):
    """Which part of a finding's evidence."""

    after: int = Field(0, ge=0, le=LARGEST_ID, description="Number of entries to skip.")
    limit: int = Field(
        500, ge=1, le=500, description="Maximum number of entries; `more_evidence` counts the rest."
    )
    taken_at: TakenAt = None


class FixRequest(Body):
    """Which findings to fix."""

    ids: list[Annotated[str, Field(max_length=_LONGEST_ID)]] = Field(
        [],
        max_length=1000,
        description="Ids of findings that can be fixed automatically.",
        examples=[["broken-link-3f2a9c01"]],
    )
    all: bool = Field(False, description="All findings that can be fixed automatically, instead of ids.")
    dry_run: bool = Field(False, description="Only show what would be done.")
    into: str | None = Field(
        None, min_length=1, max_length=4096, description="Folder for new notes, absolute or from `~/`."
    )


FindingId = Annotated[
    str,
    Path(description="The finding's id.", examples=["broken-link-3f2a9c01"], max_length=_LONGEST_ID),
]

HowMany = Annotated[int, Query(description="Maximum number of results.", ge=1, le=500)]


class Evidence(TypedDict):
    """What a finding rests on."""

    path: str | None
    line: int | None
    text: str


class Fix(TypedDict):
    """What to do about a finding; `applicable`: Bob can do it."""

    text: str
    command: str | None
    applicable: bool


class HealthFinding(TypedDict):
    """What is wrong, what it rests on, and what to do."""

    id: str
    rule: str
    title: str
    severity: Severity
    project: str
    about: str
    effect: float
    uses: int
    count: int
    evidence: list[Evidence]
    more_evidence: int
    fix: Fix


class ProjectScore(TypedDict):
    """A project's score from 0 to 100; "" is all projects together."""

    project: str
    score: int
    documents: int
    findings: dict[str, int]


class ProjectHealth(ProjectScore):
    """A project's score, and the ones before it."""

    history: list[int]


class HealthReport(TypedDict):
    """Scores, and a page of findings."""

    taken_at: str
    documents: int
    answers: int
    projects: list[ProjectHealth]
    findings: list[HealthFinding]
    dismissed: list[str]
    total: int
    next: str | None


class HealthRun(TypedDict):
    """The scores of one look."""

    taken_at: Moment
    projects: list[ProjectScore]


class HealthHistory(TypedDict):
    """Earlier looks, the oldest first."""

    runs: list[HealthRun]


class FixOutcome(TypedDict):
    """What became of a finding."""

    id: str
    done: bool
    did: str


class FixOutcomes(TypedDict):
    """What became of each finding."""

    outcomes: list[FixOutcome]


class Dismissal(TypedDict):
    """Whether a finding is dismissed."""

    id: str
    dismissed: bool


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
# Findings quote questions, whoever asked them.
Admin = Annotated[Caller, needs(Role.ADMIN, SCOPE)]
AtHome = Annotated[Caller, needs(Role.ADMIN, SCOPE, at_home=True)]


@router.get("/knowledge-health", summary="List what is wrong with the knowledge", response_model=HealthReport)
def check_health(caller: Admin, query: Annotated[HealthQuery, Query()]) -> Response:
    """Every project's score from 0 to 100, and what to fix first, as `bob health --json` prints it. The
    project "" is all together. `total` counts the findings of all pages. A finding that rests on much is
    shown with the first of it. A look at a large memory takes seconds: give `taken_at` for further pages,
    and to narrow."""
    look = caller.engine.knowledge.check_health.look(now(), query.taken_at)
    findings = narrowed(look, query.project, query.rule)
    page, end = page_of(findings, _finding(query.cursor), query.limit)
    following = None if end is None else write_cursor(end)
    return JsonBytes(page.to_json() | {"total": len(findings.findings), "next": following})


@router.get("/knowledge-health/history", summary="List past scores", response_model=HealthHistory)
def list_health_runs(caller: Reader, limit: HowMany = 100) -> Response:
    """Scores of earlier looks, the oldest first; a look is kept when its scores are new."""
    runs = caller.engine.knowledge.check_health.history(limit)
    return JsonBytes({"runs": [run.to_json() for run in runs]})


@router.get("/knowledge-health/findings/{finding}", summary="Read a finding", response_model=HealthFinding)
def read_finding(caller: Admin, finding: FindingId, query: Annotated[EvidenceQuery, Query()]) -> Response:
    """What it rests on, and what to do; dismissed ones, too."""
    look = caller.engine.knowledge.check_health.look(now(), query.taken_at)
    return JsonBytes(finding_of(look, finding).part(query.after, query.limit).to_json())


@router.post("/knowledge-health/fix", summary="Fix findings", response_model=FixOutcomes, responses=NOT_FOUND)
def fix_findings(caller: AtHome, request: FixRequest) -> Response:
    """What became of each: notes are written, links mended, files read again. `done` is false where it
    failed or was not to be done yet, and `did` says why or what."""
    if bool(request.ids) == request.all:
        raise RequestError("ids", "no findings named; give ids, or set all")
    outcomes = caller.engine.knowledge.fix_health.fix_findings(
        None if request.all else request.ids,
        now(),
        write=not request.dry_run,
        into=None if request.into is None else named_path(request.into, "into"),
    )
    return JsonBytes({"outcomes": [outcome.to_json() for outcome in outcomes]})


@router.post(
    "/knowledge-health/findings/{finding}/dismiss", summary="Dismiss a finding", response_model=Dismissal
)
def dismiss_finding(caller: Admin, finding: FindingId) -> Response:
    """It counts in no score from now on."""
    caller.engine.knowledge.check_health.dismiss([finding], now())
    return JsonBytes({"id": finding, "dismissed": True})


@router.post(
    "/knowledge-health/findings/{finding}/restore",
    summary="Restore a dismissed finding",
    response_model=Dismissal,
)
def restore_finding(caller: Admin, finding: FindingId) -> Response:
    """It counts again."""
    caller.engine.knowledge.check_health.restore([finding])
    return JsonBytes({"id": finding, "dismissed": False})


def _finding(text: str | None) -> str | None:
    if text is None:
        return None
    match read_cursor(text, "cursor"):
        case [str() as finding_id]:
            return finding_id
    raise bad_cursor()
