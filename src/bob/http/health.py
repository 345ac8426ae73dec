"""The health of what is known, over HTTP: findings, scores, and what Bob can mend (SPEC M1)."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path, Query
from pydantic import Field
from starlette.responses import Response

from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.health.check import finding_of
from bob.health.values import narrowed, page_of
from bob.http import paging
from bob.http.authenticate import Authenticator, Caller
from bob.http.decisions import SCOPE
from bob.http.examples import NOT_FOUND, answered
from bob.http.examples_care import DISMISSED, FINDING, HEALTH, HEALTH_FIXES, HEALTH_HISTORY
from bob.http.failures import Body, JsonBytes, now
from bob.http.library import LARGEST_ID
from bob.http.paths import named

_LONGEST_ID = 200


TakenAt = Annotated[
    str | None,
    Field(
        max_length=40,
        description="Number of an earlier run to continue reading; default: a new run.",
        examples=["2025-03-03T08:59:00+00:00"],
    ),
]


class HealthPage(Body):
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


class EvidencePage(Body):
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


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes. Fixes change files, so they are for the user of this machine alone."""
    reader = auth.needs(Role.READER, SCOPE)
    # Findings quote questions, whoever asked them.
    admin = auth.needs(Role.ADMIN, SCOPE)
    at_home = auth.needs(Role.ADMIN, SCOPE, at_home=True)

    @app.get(
        "/knowledge-health",
        summary="List what is wrong with the knowledge",
        tags=["health"],
        responses=answered(HEALTH),
    )
    def report(given: Annotated[HealthPage, Query()], caller: Caller = admin) -> Response:
        """Every project's score from 0 to 100, and what to fix first, as `bob health --json` prints it. The
        project "" is all together. `total` counts the findings of all pages. A finding that rests on much is
        shown with the first of it. A look at a large memory takes seconds: give `taken_at` for further pages,
        and to narrow."""
        look = caller.engine.knowledge.check_health.look(now(), given.taken_at)
        found = narrowed(look, given.project, given.rule)
        page, end = page_of(found, _finding(given.cursor), given.limit)
        following = None if end is None else paging.written(end)
        return JsonBytes(page.to_json() | {"total": len(found.findings), "next": following})

    @app.get(
        "/knowledge-health/history",
        summary="List past scores",
        tags=["health"],
        responses=answered(HEALTH_HISTORY),
    )
    def history(limit: HowMany = 100, caller: Caller = reader) -> Response:
        """Scores of earlier looks, the oldest first; a look is kept when its scores are new."""
        runs = caller.engine.knowledge.check_health.history(limit)
        return JsonBytes({"runs": [run.to_json() for run in runs]})

    @app.get(
        "/knowledge-health/findings/{finding}",
        summary="Read a finding",
        tags=["health"],
        responses=answered(FINDING),
    )
    def read(finding: FindingId, given: Annotated[EvidencePage, Query()], caller: Caller = admin) -> Response:
        """What it rests on, and what to do; dismissed ones, too."""
        look = caller.engine.knowledge.check_health.look(now(), given.taken_at)
        return JsonBytes(finding_of(look, finding).part(given.after, given.limit).to_json())

    @app.post(
        "/knowledge-health/fix",
        summary="Fix findings",
        tags=["health"],
        responses=NOT_FOUND | answered(HEALTH_FIXES),
    )
    def fix(request: FixRequest, caller: Caller = at_home) -> Response:
        """What became of each: notes are written, links mended, files read again. `done` is false where it
        failed or was not to be done yet, and `did` says why or what."""
        if bool(request.ids) == request.all:
            raise RequestError("ids", "no findings named; give ids, or set all")
        outcomes = caller.engine.knowledge.fix_health.fix_findings(
            None if request.all else request.ids,
            now(),
            write=not request.dry_run,
            into=None if request.into is None else named(request.into, "into"),
        )
        return JsonBytes({"outcomes": [outcome.to_json() for outcome in outcomes]})

    @app.post(
        "/knowledge-health/findings/{finding}/dismiss",
        summary="Dismiss a finding",
        tags=["health"],
        responses=answered(DISMISSED),
    )
    def dismiss(finding: FindingId, caller: Caller = admin) -> Response:
        """It counts in no score from now on."""
        caller.engine.knowledge.check_health.dismiss([finding], now())
        return JsonBytes({"id": finding, "dismissed": True})

    @app.post(
        "/knowledge-health/findings/{finding}/restore",
        summary="Restore a dismissed finding",
        tags=["health"],
        responses=answered(DISMISSED | {"dismissed": False}),
    )
    def restore(finding: FindingId, caller: Caller = admin) -> Response:
        """It counts again."""
        caller.engine.knowledge.check_health.restore([finding])
        return JsonBytes({"id": finding, "dismissed": False})


def _finding(text: str | None) -> str | None:
    if text is None:
        return None
    match paging.read(text, "cursor"):
        case [str() as finding_id]:
            return finding_id
    raise paging.refused()
