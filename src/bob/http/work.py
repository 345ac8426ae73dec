"""Work items over HTTP: the truth about a team's work (SPEC K1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query
from pydantic import Field
from starlette.responses import Response

from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import CATEGORY, EVENT, FIELD, ITEM, NOT_FOUND, SUGGESTIONS, answered
from bob.http.failures import Body, JsonBytes
from bob.work.items import WorkFilter

SCOPE = "work"


class WorkItemChange(Body):
    """What to change; what is left out stays as it is, and null takes a value away."""

    title: str | None = Field(None, examples=["Customer says app is slow on mobile"])
    description: str | None = Field(None, examples=["The dashboard takes more than five seconds."])
    category: str | int | None = Field(
        None, description="Name or number of the category.", examples=["Bug Reports"]
    )
    status: str | None = Field(None, examples=["IN_PROGRESS"])
    priority: str | None = Field(None, examples=["HIGH"])
    assignee_id: str | None = Field(None, description="The assignee.", examples=["ana"])
    fields: dict[str, Any] = Field(
        {}, description="Values of custom fields, by name.", examples=[{"Platform": "iOS"}]
    )


class NewWorkItem(WorkItemChange):
    """A new item; it needs a title."""

    title: str = Field(examples=["Customer says app is slow on mobile"])


class Named(Body):
    """A name."""

    name: str = Field(examples=["Payment Issues"])


class NewField(Named):
    """A custom field."""

    field_type: str = Field(
        alias="type", description="text, enum, number, boolean, date or json.", examples=["enum"]
    )
    options: list[str] = Field([], description="Allowed values of an enum.", examples=[["iOS", "Android"]])


class Page(Body):
    """Which part of a list."""

    after: int = Field(0, description="The `next` of the previous page.")
    limit: int = Field(
        50, description="Maximum number of results.", json_schema_extra={"minimum": 1, "maximum": 1000}
    )


class ItemsPage(Page):
    """Which items."""

    status: str | None = Field(None, examples=["OPEN"])
    category: str | None = Field(None, description="Its name.")
    priority: str | None = Field(None, examples=["HIGH"])
    assignee: str | None = Field(None, description="The assignee.")
    archived: bool = Field(False, description="Also archived items.")


class EventsPage(Page):
    """Which events."""

    item: int | None = Field(None, description="Only events of this item.")


Suggest = Annotated[bool, Query(description="Also list possible duplicates.")]
FieldName = Annotated[str, Path(description="The field's name.", examples=["Platform"])]
Number = Annotated[int, Path(description="The number.", examples=[45])]


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    member = auth.needs(Role.MEMBER, SCOPE)
    admin = auth.needs(Role.ADMIN, SCOPE)

    @app.get(
        "/work/items",
        summary="List work items",
        tags=["work"],
        responses=answered({"items": [ITEM], "next": 45}),
    )
    def items(given: Annotated[ItemsPage, Query()], caller: Caller = reader) -> Response:
        """A page of items in the order of their numbers; `next` asks for the following page, null when there
        is none."""
        wanted = WorkFilter(
            given.status, given.category, given.assignee, given.priority, archived=given.archived
        )
        page = caller.engine.team.work_items.page(wanted, given.after, given.limit)
        return JsonBytes({"items": [item.to_json() for item in page.items], "next": page.next_after})

    @app.post(
        "/work/items",
        summary="Create a work item",
        tags=["work"],
        status_code=201,
        responses=answered(ITEM | {"suggestions": SUGGESTIONS}, 201, optional={"suggestions"}),
    )
    def create(request: NewWorkItem, suggest: Suggest = False, caller: Caller = member) -> Response:
        """The item as it is kept. With `suggest`, also items that look like the same, and a category."""
        team = caller.engine.team
        item = team.work_items.create(
            caller.principal.user_id, request.model_dump(exclude_unset=True), datetime.now(UTC)
        )
        made = item.to_json()
        if suggest:
            made["suggestions"] = team.rag_search.duplicates_of(item.title, item.description).to_json()
        return JsonBytes(made, 201, {"Location": f"/work/items/{item.work_item_id}"})

    @app.post(
        "/work/suggestions",
        summary="Find duplicates before creating an item",
        tags=["work"],
        responses=answered(SUGGESTIONS),
    )
    def suggest(request: NewWorkItem, caller: Caller = reader) -> Response:
        """Items that look like the same, and the category of most of them. Nothing is kept."""
        found = caller.engine.team.rag_search.duplicates_of(request.title, request.description)
        return JsonBytes(found.to_json())

    @app.get("/work/items/{number}", summary="Read a work item", tags=["work"], responses=answered(ITEM))
    def read(number: Number, caller: Caller = reader) -> Response:
        """The item as it is now."""
        return JsonBytes(caller.engine.team.work_items.get(number).to_json())

    @app.patch("/work/items/{number}", summary="Change a work item", tags=["work"], responses=answered(ITEM))
    def change(number: Number, request: WorkItemChange, caller: Caller = member) -> Response:
        """The item as it is afterwards."""
        given = request.model_dump(exclude_unset=True)
        item = caller.engine.team.work_items.update(
            caller.principal.user_id, number, given, datetime.now(UTC)
        )
        return JsonBytes(item.to_json())

    @app.delete(
        "/work/items/{number}",
        summary="Archive a work item",
        tags=["work"],
        responses=answered(ITEM | {"status": "ARCHIVED"}),
    )
    def archive(number: Number, caller: Caller = member) -> Response:
        """The item, archived: it is kept, and the memory forgets it."""
        item = caller.engine.team.work_items.archive(caller.principal.user_id, number, datetime.now(UTC))
        return JsonBytes(item.to_json())

    @app.get(
        "/work/events",
        summary="What happened",
        tags=["work"],
        responses=NOT_FOUND | answered({"events": [EVENT], "next": 7}),
    )
    def events(given: Annotated[EventsPage, Query()], caller: Caller = reader) -> Response:
        """Events in order, of one item or of all; `next` asks for those that follow, if there may be any."""
        found = caller.engine.team.work_items.events(given.item, given.after, given.limit)
        following = found[-1].event_id if len(found) == given.limit else None
        return JsonBytes({"events": [each.to_json() for each in found], "next": following})

    @app.get(
        "/work/categories",
        summary="List categories",
        tags=["work"],
        responses=answered({"categories": [CATEGORY]}),
    )
    def categories(caller: Caller = reader) -> Response:
        """All categories, the oldest first."""
        found = caller.engine.team.work_items.categories()
        return JsonBytes({"categories": [each.to_json() for each in found]})

    @app.post(
        "/work/categories",
        summary="Make a category",
        tags=["work"],
        status_code=201,
        responses=answered(CATEGORY, 201),
    )
    def add_category(request: Named, caller: Caller = admin) -> Response:
        """The category."""
        made = caller.engine.team.work_items.add_category(request.name, datetime.now(UTC))
        return JsonBytes(made.to_json(), 201)

    @app.patch(
        "/work/categories/{number}",
        summary="Rename a category",
        tags=["work"],
        responses=answered(CATEGORY),
    )
    def rename_category(number: Number, request: Named, caller: Caller = admin) -> Response:
        """The category; the memory learns the name for each of its items."""
        renamed = caller.engine.team.work_items.rename_category(
            caller.principal.user_id, number, request.name, datetime.now(UTC)
        )
        return JsonBytes(renamed.to_json())

    @app.get(
        "/work/fields", summary="List custom fields", tags=["work"], responses=answered({"fields": [FIELD]})
    )
    def fields(caller: Caller = reader) -> Response:
        """All fields, in the order in which they were defined."""
        return JsonBytes({"fields": [field.to_json() for field in caller.engine.team.work_items.fields()]})

    @app.post(
        "/work/fields",
        summary="Define a custom field",
        tags=["work"],
        status_code=201,
        responses=answered(FIELD, 201),
    )
    def define_field(request: NewField, caller: Caller = admin) -> Response:
        """The field."""
        made = caller.engine.team.work_items.define_field(request.name, request.field_type, request.options)
        return JsonBytes(made.to_json(), 201)

    @app.patch(
        "/work/fields/{name}", summary="Rename a custom field", tags=["work"], responses=answered(FIELD)
    )
    def rename_field(name: FieldName, request: Named, caller: Caller = admin) -> Response:
        """The field; the memory learns the name for each item that has it."""
        renamed = caller.engine.team.work_items.rename_field(
            caller.principal.user_id, name, request.name, datetime.now(UTC)
        )
        return JsonBytes(renamed.to_json())
