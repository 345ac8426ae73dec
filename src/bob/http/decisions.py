"""Decisions over HTTP: to read, to follow, and to put right (SPEC F4)."""

from __future__ import annotations

from datetime import date
from typing import Annotated, NotRequired

from fastapi import Path, Query, Request
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.core.decision import DateKind, DecisionKind, DecisionStatus, LinkKind, LinkOrigin
from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.decisions.service import DecisionPosition, DecisionQuery
from bob.http.authenticate import Caller, needs
from bob.http.failures import Body, JsonBytes, now, today
from bob.http.params import (
    DAY,
    LARGEST_ID,
    NOT_CHANGED,
    NOT_FOUND,
    bad_cursor,
    parse_day,
    read_cursor,
    tagged,
    write_cursor,
)
from bob.http.shapes import Day, Locator, Routes
from bob.text.dates import day_before

router = Routes(tags=["decisions"])

SCOPE = "knowledge"

"""Decisions, health, and notes."""


class DecisionsQuery(Body):
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
    min_confidence: float = Field(
        0, ge=0, le=1, description="Only decisions that Bob is so sure of.", examples=[0.8]
    )
    cursor: str | None = Field(None, max_length=10_000, description="The `next` of the previous page.")
    limit: int = Field(50, ge=1, le=500, description="Maximum number of results.")

    def caller(self, today: date) -> DecisionQuery:
        """The conditions. Raises RequestError: a date or an age is none."""
        until = parse_day("before", self.before)
        if self.older_than is not None:
            oldest = day_before(self.older_than, today)
            if oldest is None:
                raise RequestError(
                    "older_than", "older_than is not an age; use for example 90d, 26w, 6m or 2y"
                )
            until = oldest if until is None else min(until, oldest)
        return DecisionQuery(
            tuple(self.project),
            tuple(self.status),
            parse_day("after", self.after),
            until,
            self.query,
            self.min_confidence,
        )


class CorrectionRequest(Body):
    """How to put a decision right."""

    dry_run: bool = Field(False, description="Only show what would change.")


_DO_IT = CorrectionRequest()

"""What a request without a body asks for."""


class SupersedeRequest(CorrectionRequest):
    """Which decision took its place."""

    by: str = Field(
        min_length=1,
        max_length=100,
        description="The decision's id, or a record's number such as ADR-12.",
        examples=["ADR-7"],
    )


class DecisionEdit(CorrectionRequest):
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


class RejectedAlternative(TypedDict):
    """What was turned down."""

    text: str
    reason: str | None
    locator: Locator


class Decision(TypedDict):
    """A decision; `stated_status` is what its text says."""

    id: int
    name: str
    key: str
    project: str
    status: DecisionStatus
    stated_status: DecisionStatus
    corrected: bool
    title: str
    date: Day | None
    date_kind: DateKind | None
    kind: DecisionKind
    number: str | None
    statement: str
    context: str
    rejected: list[RejectedAlternative]
    confidence: float
    document_id: int
    path: str
    locator: Locator


class LinkedDecision(Decision):
    """A decision with the ids of those that it took the place of, and that took its own."""

    superseded_by: list[int]
    supersedes: list[int]


class UnresolvedLink(TypedDict):
    """A link of a decision that leads nowhere."""

    id: int
    target: str
    reason: str


class LostCorrection(TypedDict):
    """What was said of a decision that is gone."""

    project: str
    key: str
    about: str
    status: NotRequired[DecisionStatus]
    title: NotRequired[str]
    date: NotRequired[Day]
    superseded_by: NotRequired[str]


class PutAsideRecord(TypedDict):
    """A document that looks like a decision record and states no decision; `line` is where it begins."""

    path: str
    project: str
    title: str
    reason: str
    line: int | None


class DecisionsPage(TypedDict):
    """A page of decisions, the newest first."""

    decisions: list[LinkedDecision]
    unresolved_links: list[UnresolvedLink]
    lost_corrections: list[LostCorrection]
    put_aside: list[PutAsideRecord]
    next: str | None


class DecisionLink(TypedDict):
    """How a decision bears on another; `name` and `status` are the other's."""

    later: int
    earlier: int
    kind: LinkKind
    origin: LinkOrigin
    name: str
    status: DecisionStatus


class DecisionWithLinks(Decision):
    """A decision with its own links."""

    links: list[DecisionLink]
    unresolved_links: list[UnresolvedLink]


class DecisionBranch(TypedDict):
    """A decision in the history of another; `link` and `origin` are null where it repeats."""

    id: int
    name: str
    title: str
    status: DecisionStatus
    date: Day | None
    link: LinkKind | None
    origin: LinkOrigin | None


class EarlierDecision(DecisionBranch):
    """A decision that came before, and those before it."""

    earlier: list[EarlierDecision]


class LaterDecision(DecisionBranch):
    """A decision that came after, and those after it."""

    later: list[LaterDecision]


class DecisionHistory(Decision):
    """A decision, what came before it and what came after."""

    later: list[LaterDecision]
    earlier: list[EarlierDecision]


class ChangedDecision(TypedDict):
    """A decision before and after a correction."""

    before: Decision
    after: Decision


class DecisionChange(TypedDict):
    """What a correction changes, and whether it is done."""

    done: bool
    changed: list[ChangedDecision]


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
Member = Annotated[Caller, needs(Role.MEMBER, SCOPE)]


@router.get("/decisions", summary="List decisions", response_model=DecisionsPage, responses=NOT_CHANGED)
def list_decisions(caller: Reader, request: Request, query: Annotated[DecisionsQuery, Query()]) -> Response:
    """The newest first, as `bob decisions --json` prints them; `next` asks for the following page.
    `unresolved_links` are those of the page that lead nowhere; `lost_corrections` what was said of
    decisions that are gone; `put_aside` the documents that look like decision records and state no decision,
    with the reason."""
    after = None if query.cursor is None else _position(query.cursor)
    listed = caller.engine.knowledge.decisions.matching(query.caller(today()))
    page, end = listed.page(after, query.limit)
    following = None if end is None else write_cursor(end[0] and end[0].isoformat(), end[1])
    return tagged(request, page.to_json() | {"next": following})


@router.get(
    "/decisions/{decision}",
    summary="Read a decision",
    response_model=DecisionWithLinks,
    responses=NOT_CHANGED,
)
def read_decision(caller: Reader, request: Request, decision: DecisionId) -> Response:
    """Its text, context, what was turned down, and its links, as `bob decisions show --json` prints
    it."""
    service = caller.engine.knowledge.decisions
    shown = service.by_name(decision)
    return tagged(request, service.history(shown).shown(service.dropped(shown)))


@router.get(
    "/decisions/{decision}/history",
    summary="Read what a decision superseded, and what superseded it",
    response_model=DecisionHistory,
    responses=NOT_CHANGED,
)
def read_decision_history(caller: Reader, request: Request, decision: DecisionId) -> Response:
    """A tree: each of `earlier` has what came before it, each of `later` what came after."""
    service = caller.engine.knowledge.decisions
    return tagged(request, service.history(service.by_name(decision)).to_json())


@router.post(
    "/decisions/{decision}/supersede",
    summary="Mark a decision as superseded",
    response_model=DecisionChange,
    responses=NOT_FOUND,
)
def supersede_decision(caller: Member, decision: DecisionId, request: SupersedeRequest) -> Response:
    """What changed, each decision before and after. Your files are not touched, and it can be undone."""
    service = caller.engine.knowledge.decisions
    return JsonBytes(service.supersede(decision, request.by, now(), dry_run=request.dry_run).to_json())


@router.post(
    "/decisions/{decision}/reject", summary="Mark a decision as rejected", response_model=DecisionChange
)
def reject_decision(caller: Member, decision: DecisionId, request: CorrectionRequest = _DO_IT) -> Response:
    """What changed. Your files are not touched, and it can be undone."""
    service = caller.engine.knowledge.decisions
    return JsonBytes(service.edit(decision, now(), status="rejected", dry_run=request.dry_run).to_json())


@router.patch("/decisions/{decision}", summary="Correct a decision", response_model=DecisionChange)
def edit_decision(caller: Member, decision: DecisionId, request: DecisionEdit) -> Response:
    """Its status, title or date. Your files are not touched, and it can be undone."""
    title = " ".join((request.title or "").split()) or None
    if request.status is None and title is None and request.date is None:
        raise RequestError("status", "nothing to change; give status, title or date")
    change = caller.engine.knowledge.decisions.edit(
        decision,
        now(),
        status=request.status,
        title=title,
        date=parse_day("date", request.date),
        dry_run=request.dry_run,
    )
    return JsonBytes(change.to_json())


@router.post(
    "/decisions/{decision}/undo",
    summary="Remove the corrections of a decision",
    response_model=DecisionChange,
)
def undo_corrections(caller: Member, decision: DecisionId, request: CorrectionRequest = _DO_IT) -> Response:
    """What changed: its text counts again."""
    change = caller.engine.knowledge.decisions.undo(decision, now(), dry_run=request.dry_run)
    return JsonBytes(change.to_json())


def _position(text: str) -> DecisionPosition:
    match read_cursor(text, "cursor"):
        case [None, int() as decision_id] if 0 <= decision_id <= LARGEST_ID:
            return None, decision_id
        case [str() as dated, int() as decision_id] if 0 <= decision_id <= LARGEST_ID:
            return parse_day("cursor", dated), decision_id
    raise bad_cursor()
