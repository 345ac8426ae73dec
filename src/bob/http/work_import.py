"""Other trackers' items, taken in over HTTP (SPEC K1)."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import FastAPI
from pydantic import Field
from starlette.responses import Response

from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import IMPORTED, answered
from bob.http.failures import Body, JsonBytes
from bob.http.work import SCOPE
from bob.work.import_items import Format


class ImportWorkItemsRequest(Body):
    """An export."""

    text: str = Field(
        max_length=20_000_000, description="Text of the file.", examples=["title\nApp is slow\n"]
    )
    form: Format = Field(description="Format of the file.", examples=["csv"])
    source: str | None = Field(None, description="Name of the tracker, if two trackers use the same numbers.")
    dry_run: bool = Field(False, description="Only show what would be done.")


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the route."""
    member = auth.needs(Role.MEMBER, SCOPE)

    @app.post(
        "/work/items/import",
        summary="Import the items of another tracker",
        tags=["work"],
        responses=answered(IMPORTED),
    )
    def take_in(request: ImportWorkItemsRequest, caller: Caller = member) -> Response:
        """The same export again changes nothing. `categories` and `fields` are those that were made for it,
        `errors` name the rows that were left out."""
        report = caller.engine.team.import_work_items.import_items(
            caller.principal.user_id,
            request.text,
            request.form,
            datetime.now(UTC),
            source=request.source,
            dry_run=request.dry_run,
        )
        return JsonBytes(report.to_json())
