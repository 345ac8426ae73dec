"""Work items over HTTP: the truth about a team's work (SPEC K1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from bob.api.authenticate import Asked, Authenticator
from bob.api.failures import JsonBytes
from bob.domain.principal import Role
from bob.domain.work import WorkFilter

_SCOPE = "work"


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WorkItemChange(_Body):
    """What to change; what is left out stays as it is, and null takes a value away."""

    title: str | None = Field(None, examples=["Customer says app is slow on mobile"])
    description: str | None = None
    category: str | int | None = Field(None, description="Its name or number.", examples=["Bug Reports"])
    status: str | None = Field(None, examples=["IN_PROGRESS"])
    priority: str | None = Field(None, examples=["HIGH"])
    assignee_id: str | None = None
    fields: dict[str, Any] = Field({}, description="Values by field name.", examples=[{"Platform": "iOS"}])


class NewWorkItem(WorkItemChange):
    """A new item; it needs a title."""

    title: str = Field(examples=["Customer says app is slow on mobile"])


class Named(_Body):
    """A name."""

    name: str


class NewField(Named):
    """A custom field."""

    field_type: str = Field(alias="type", description="text, enum, number, boolean, date or json.")
    options: list[str] = Field([], description="The values of an enum.")


Limit = Annotated[int, Query(ge=1, le=1000, description="How many at the most.")]
After = Annotated[int, Query(ge=0, description="As `next` of the page before.")]


def register(app: FastAPI, door: Authenticator) -> None:
    """Add the routes."""
    reader = door.needs(Role.READER, _SCOPE)
    member = door.needs(Role.MEMBER, _SCOPE)
    admin = door.needs(Role.ADMIN, _SCOPE)

    @app.get("/work/items", summary="List work items", tags=["work"])
    def items(
        status: str | None = None,
        category: str | None = None,
        priority: str | None = None,
        assignee: str | None = None,
        after: After = 0,
        limit: Limit = 50,
        asked: Asked = reader,
    ) -> Response:
        """A page of items in the order of their numbers; `next` asks for the following page."""
        wanted = WorkFilter(status, category, priority, assignee)
        page = asked.engine.team.work_items.page(wanted, after, limit)
        return JsonBytes({"items": [each.to_json() for each in page.items], "next": page.next_after})

    @app.post("/work/items", summary="Make a work item", tags=["work"], status_code=201)
    def create(request: NewWorkItem, suggest: bool = False, asked: Asked = member) -> Response:
        """The item as it is kept. With `suggest`, also items that look like the same, and a category."""
        team = asked.engine.team
        item = team.work_items.create(
            asked.principal.user_id, request.model_dump(exclude_unset=True), datetime.now(UTC)
        )
        made = item.to_json()
        if suggest:
            made["suggestions"] = team.rag_search.duplicates_of(item.title, item.description).to_json()
        return JsonBytes(made, 201, {"Location": f"/work/items/{item.work_item_id}"})

    @app.post("/work/suggestions", summary="Look for duplicates before making an item", tags=["work"])
    def suggest(request: NewWorkItem, asked: Asked = reader) -> Response:
        """Items that look like the same, and the category of most of them. Nothing is kept."""
        found = asked.engine.team.rag_search.duplicates_of(request.title, request.description)
        return JsonBytes(found.to_json())

    @app.get("/work/items/{number}", summary="Read a work item", tags=["work"])
    def read(number: int, asked: Asked = reader) -> Response:
        """The item as it is now."""
        return JsonBytes(asked.engine.team.work_items.get(number).to_json())

    @app.patch("/work/items/{number}", summary="Change a work item", tags=["work"])
    def change(number: int, request: WorkItemChange, asked: Asked = member) -> Response:
        """The item as it is afterwards."""
        given = request.model_dump(exclude_unset=True)
        item = asked.engine.team.work_items.update(asked.principal.user_id, number, given, datetime.now(UTC))
        return JsonBytes(item.to_json())

    @app.delete("/work/items/{number}", summary="Archive a work item", tags=["work"])
    def archive(number: int, asked: Asked = member) -> Response:
        """The item, archived: it is kept, and the memory forgets it."""
        item = asked.engine.team.work_items.archive(asked.principal.user_id, number, datetime.now(UTC))
        return JsonBytes(item.to_json())

    @app.get("/work/events", summary="What happened", tags=["work"])
    def events(
        item: int | None = None, after: After = 0, limit: Limit = 50, asked: Asked = reader
    ) -> Response:
        """Events in order, of one item or of all."""
        found = asked.engine.team.work_items.events(item, after, limit)
        return JsonBytes({"events": [each.to_json() for each in found]})

    @app.get("/work/categories", summary="List categories", tags=["work"])
    def categories(asked: Asked = reader) -> Response:
        """All categories, the oldest first."""
        found = asked.engine.team.work_items.categories()
        return JsonBytes({"categories": [{"id": each.category_id, "name": each.name} for each in found]})

    @app.post("/work/categories", summary="Make a category", tags=["work"], status_code=201)
    def add_category(request: Named, asked: Asked = admin) -> Response:
        """The category."""
        made = asked.engine.team.work_items.add_category(request.name, datetime.now(UTC))
        return JsonBytes({"id": made.category_id, "name": made.name}, 201)

    @app.patch("/work/categories/{number}", summary="Rename a category", tags=["work"])
    def rename_category(number: int, request: Named, asked: Asked = admin) -> Response:
        """The category; the memory learns the name for each of its items."""
        renamed = asked.engine.team.work_items.rename_category(
            asked.principal.user_id, number, request.name, datetime.now(UTC)
        )
        return JsonBytes({"id": renamed.category_id, "name": renamed.name})

    @app.get("/work/fields", summary="List custom fields", tags=["work"])
    def fields(asked: Asked = reader) -> Response:
        """All fields, in the order in which they were defined."""
        return JsonBytes({"fields": [_field(each) for each in asked.engine.team.work_items.fields()]})

    @app.post("/work/fields", summary="Define a custom field", tags=["work"], status_code=201)
    def define_field(request: NewField, asked: Asked = admin) -> Response:
        """The field."""
        made = asked.engine.team.work_items.define_field(request.name, request.field_type, request.options)
        return JsonBytes(_field(made), 201)

    @app.patch("/work/fields/{name}", summary="Rename a custom field", tags=["work"])
    def rename_field(name: str, request: Named, asked: Asked = admin) -> Response:
        """The field; the memory learns the name for each item that has it."""
        renamed = asked.engine.team.work_items.rename_field(
            asked.principal.user_id, name, request.name, datetime.now(UTC)
        )
        return JsonBytes(_field(renamed))


def _field(field: Any) -> dict[str, Any]:
    return {
        "id": field.field_id,
        "name": field.name,
        "type": str(field.field_type),
        "options": list(field.options),
    }
