"""Decisions over HTTP: to read, to follow, and to put right (SPEC F4)."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import FastAPI, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from bob.core.decision import DecisionStatus
from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.decisions.service import DecisionPosition, DecisionQuery
from bob.http import paging
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import NOT_FOUND, answered
from bob.http.examples_care import DECISION_CHANGE, DECISION_HISTORY, DECISIONS, SHOWN_DECISION
from bob.http.failures import Body, JsonBytes, now, today
from bob.http.filter_params import DAY, day
from bob.http.paging import NOT_CHANGED, tagged
from bob.text.dates import day_before

SCOPE = "knowledge"
"""Decisions, health, and notes."""


class DecisionsPage(Body):
    """Which decisions, and which part of the list."""

    project: list[str] = Field(
        [], max_length=100, description="Only decisions of these projects.", examples=[["shop"]]
    )
    status: list[DecisionStatus] = Field(
        [], max_length=100, description="Only decisions with these statuses.", examples=[["active"]]
    )
    query: str = Field(
        "", max_length=10_000, description="Only decisions with these words.", examples=["payment"]
    )
    after: str | None = Field(
        None, description=f"Only decisions of this day or later. {DAY}", examples=["2021"]
    )
    before: str | None = Field(
        None, description=f"Only decisions before this day. {DAY}", examples=["2025-06"]
    )
    older_than: str | None = Field(
        None,
        description="Only decisions older than this: 90d, 26w, 6m or 2y.",
        examples=["2y"],
        max_length=20,
    )
    cursor: str | None = Field(None, max_length=10_000, description="The `next` of the previous page.")
    limit: int = Field(50, ge=1, le=500, description="Maximum number of results.")

    def caller(self, today: date) -> DecisionQuery:
        """The conditions. Raises RequestError: a date or an age is none."""
        until = day("before", self.before)
        if self.older_than is not None:
            oldest = day_before(self.older_than, today)
            if oldest is None:
                raise RequestError(
                    "older_than", "older_than is not an age; use for example 90d, 26w, 6m or 2y"
                )
            until = oldest if until is None else min(until, oldest)
        return DecisionQuery(
            tuple(self.project), tuple(self.status), day("after", self.after), until, self.query
        )


class Correcting(Body):
    """How to put a decision right."""

    dry_run: bool = Field(False, description="Only show what would change.")


_DO_IT = Correcting()
"""What a request without a body asks for."""


class Superseding(Correcting):
    """Which decision took its place."""

    by: str = Field(
        min_length=1,
        max_length=100,
        description="The decision's id, or a record's number such as ADR-12.",
        examples=["ADR-7"],
    )


class DecisionEdit(Correcting):
    """What to put right; what is left out stays as it is."""

    status: DecisionStatus | None = Field(None, description="The new status.")
    title: str | None = Field(
        None, max_length=1000, description="The new title.", examples=["Orders live in PostgreSQL"]
    )
    date: str | None = Field(None, description=f"The new date. {DAY}", examples=["2021-03-04"])


DecisionId = Annotated[
    str,
    Path(
        description="The decision's id, or a record's number such as ADR-12.",
        examples=["ADR-12"],
        max_length=100,
    ),
]


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    member = auth.needs(Role.MEMBER, SCOPE)

    @app.get(
        "/decisions",
        summary="List decisions",
        tags=["decisions"],
        responses=NOT_CHANGED | answered(DECISIONS),
    )
    def every(
        request: Request, given: Annotated[DecisionsPage, Query()], caller: Caller = reader
    ) -> Response:
        """The newest first, as `bob decisions --json` prints them; `next` asks for the following page.
        `unresolved_links` are those of the page that lead nowhere; `lost_corrections` what was said of
        decisions that are gone."""
        after = None if given.cursor is None else _position(given.cursor)
        listed = caller.engine.knowledge.decisions.matching(given.caller(today()))
        page, end = listed.page(after, given.limit)
        following = None if end is None else paging.written(end[0] and end[0].isoformat(), end[1])
        return tagged(request, page.to_json() | {"next": following})

    @app.get(
        "/decisions/{decision}",
        summary="Read a decision",
        tags=["decisions"],
        responses=NOT_CHANGED | answered(SHOWN_DECISION),
    )
    def read(request: Request, decision: DecisionId, caller: Caller = reader) -> Response:
        """Its text, context, what was turned down, and its links, as `bob decisions show --json` prints
        it."""
        service = caller.engine.knowledge.decisions
        found = service.at(decision)
        return tagged(request, service.history(found).shown(service.dropped(found)))

    @app.get(
        "/decisions/{decision}/history",
        summary="Read what a decision superseded, and what superseded it",
        tags=["decisions"],
        responses=NOT_CHANGED | answered(DECISION_HISTORY),
    )
    def history(request: Request, decision: DecisionId, caller: Caller = reader) -> Response:
        """A tree: each of `earlier` has what came before it, each of `later` what came after."""
        service = caller.engine.knowledge.decisions
        return tagged(request, service.history(service.at(decision)).to_json())

    @app.post(
        "/decisions/{decision}/supersede",
        summary="Mark a decision as superseded",
        tags=["decisions"],
        responses=NOT_FOUND | answered(DECISION_CHANGE),
    )
    def supersede(decision: DecisionId, request: Superseding, caller: Caller = member) -> Response:
        """What changed, each decision before and after. Your files are not touched, and it can be undone."""
        service = caller.engine.knowledge.decisions
        return JsonBytes(service.supersede(decision, request.by, now(), dry_run=request.dry_run).to_json())

    @app.post(
        "/decisions/{decision}/reject",
        summary="Mark a decision as rejected",
        tags=["decisions"],
        responses=answered(DECISION_CHANGE),
    )
    def reject(decision: DecisionId, request: Correcting = _DO_IT, caller: Caller = member) -> Response:
        """What changed. Your files are not touched, and it can be undone."""
        service = caller.engine.knowledge.decisions
        return JsonBytes(service.edit(decision, now(), status="rejected", dry_run=request.dry_run).to_json())

    @app.patch(
        "/decisions/{decision}",
        summary="Correct a decision",
        tags=["decisions"],
        responses=answered(DECISION_CHANGE),
    )
    def edit(decision: DecisionId, request: DecisionEdit, caller: Caller = member) -> Response:
        """Its status, title or date. Your files are not touched, and it can be undone."""
        title = " ".join((request.title or "").split()) or None
        if request.status is None and title is None and request.date is None:
            raise RequestError("status", "nothing to change; give status, title or date")
        change = caller.engine.knowledge.decisions.edit(
            decision,
            now(),
            status=request.status,
            title=title,
            date=day("date", request.date),
            dry_run=request.dry_run,
        )
        return JsonBytes(change.to_json())

    @app.post(
        "/decisions/{decision}/undo",
        summary="Remove the corrections of a decision",
        tags=["decisions"],
        responses=answered(DECISION_CHANGE),
    )
    def undo(decision: DecisionId, request: Correcting = _DO_IT, caller: Caller = member) -> Response:
        """What changed: its text counts again."""
        change = caller.engine.knowledge.decisions.undo(decision, now(), dry_run=request.dry_run)
        return JsonBytes(change.to_json())


def _position(text: str) -> DecisionPosition:
    match paging.read(text, "cursor"):
        case [None, int() as decision_id] if 0 <= decision_id <= paging.LARGEST:
            return None, decision_id
        case [str() as dated, int() as decision_id] if 0 <= decision_id <= paging.LARGEST:
            return day("cursor", dated), decision_id
    raise paging.refused()
