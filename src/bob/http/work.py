"""Work items over HTTP: the truth about a team's work (SPEC K1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, NotRequired

from fastapi import Path, Query
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.core.principal import Role
from bob.http.authenticate import Caller, needs
from bob.http.failures import Body, JsonBytes
from bob.http.params import NOT_FOUND
from bob.http.shapes import Moment, Routes
from bob.work.import_items import Format
from bob.work.items import EventType, FieldType, WorkFilter

router = Routes(tags=["work"])

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


class NewName(Body):
    """A name."""

    name: str = Field(examples=["Payment Issues"])


class NewField(NewName):
    """A custom field."""

    field_type: str = Field(
        alias="type", description="text, enum, number, boolean, date or json.", examples=["enum"]
    )
    options: list[str] = Field([], description="Allowed values of an enum.", examples=[["iOS", "Android"]])


class PageQuery(Body):
    """Which part of a list."""

    after: int = Field(0, description="The `next` of the previous page.")
    limit: int = Field(
        50, description="Maximum number of results.", json_schema_extra={"minimum": 1, "maximum": 1000}
    )


class ItemsQuery(PageQuery):
    """Which items."""

    status: str | None = Field(None, examples=["OPEN"])
    category: str | None = Field(None, description="Its name.")
    priority: str | None = Field(None, examples=["HIGH"])
    assignee: str | None = Field(None, description="The assignee.")
    archived: bool = Field(False, description="Also archived items.")


class EventsQuery(PageQuery):
    """Which events."""

    item: int | None = Field(None, description="Only events of this item.")


Suggest = Annotated[bool, Query(description="Also list possible duplicates.")]

FieldName = Annotated[str, Path(description="The field's name.", examples=["Platform"])]

Number = Annotated[int, Path(description="The number.", examples=[45])]


class ImportWorkItemsRequest(Body):
    """An export."""

    text: str = Field(
        max_length=20_000_000, description="Text of the file.", examples=["title\nApp is slow\n"]
    )
    form: Format = Field(description="Format of the file.", examples=["csv"])
    source: str | None = Field(None, description="Name of the tracker, if two trackers use the same numbers.")
    dry_run: bool = Field(False, description="Only show what would be done.")


class WorkItem(TypedDict):
    """A work item as it is now."""

    id: int
    title: str
    description: str | None
    category_id: int | None
    category: str | None
    status: str
    priority: str | None
    assignee_id: str | None
    created_by: str
    created_at: Moment
    updated_at: Moment
    fields: dict[str, str]


class WorkItemsPage(TypedDict):
    """A page of items."""

    items: list[WorkItem]
    next: int | None


class Suggestions(TypedDict):
    """Items that look like the same, and the category of most of them."""

    work_item_ids: list[int]
    category_id: int | None
    category: str | None


class CreatedWorkItem(WorkItem):
    """A new item, and items that look like the same."""

    suggestions: NotRequired[Suggestions]


class WorkEvent(TypedDict):
    """What happened to an item; a change is a pair of before and after."""

    id: int
    work_item_id: int
    type: EventType
    changes: dict[str, list[Any]]
    actor: str
    at: Moment


class WorkEventsPage(TypedDict):
    """Events in order."""

    events: list[WorkEvent]
    next: int | None


class Category(TypedDict):
    """A category of items."""

    id: int
    name: str


class CategoriesList(TypedDict):
    """The categories, the oldest first."""

    categories: list[Category]


class CustomField(TypedDict):
    """A custom field of items."""

    id: int
    name: str
    type: FieldType
    options: list[str]


class CustomFieldsList(TypedDict):
    """The custom fields, in the order in which they were defined."""

    fields: list[CustomField]


class WorkImportReport(TypedDict):
    """What an import did; `errors` name the rows that were left out."""

    added: int
    changed: int
    unchanged: int
    categories: list[str]
    fields: list[str]
    errors: list[str]


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
Member = Annotated[Caller, needs(Role.MEMBER, SCOPE)]
Admin = Annotated[Caller, needs(Role.ADMIN, SCOPE)]


@router.get("/work/items", summary="List work items", response_model=WorkItemsPage)
def list_work_items(caller: Reader, query: Annotated[ItemsQuery, Query()]) -> Response:
    """A page of items in the order of their numbers; `next` asks for the following page, null when there
    is none."""
    conditions = WorkFilter(
        query.status, query.category, query.assignee, query.priority, archived=query.archived
    )
    page = caller.engine.team.work_items.page(conditions, query.after, query.limit)
    return JsonBytes({"items": [item.to_json() for item in page.items], "next": page.next_after})


@router.post("/work/items", summary="Create a work item", response_model=CreatedWorkItem, status_code=201)
def create_work_item(caller: Member, request: NewWorkItem, suggest: Suggest = False) -> Response:
    """The item as it is kept. With `suggest`, also items that look like the same, and a category."""
    team = caller.engine.team
    item = team.work_items.create(
        caller.principal.user_id, request.model_dump(exclude_unset=True), datetime.now(UTC)
    )
    made = item.to_json()
    if suggest:
        made["suggestions"] = team.rag_search.duplicates_of(item.title, item.description).to_json()
    return JsonBytes(made, 201, {"Location": f"/work/items/{item.work_item_id}"})


@router.post(
    "/work/suggestions", summary="Find duplicates before creating an item", response_model=Suggestions
)
def suggest_duplicates(caller: Reader, request: NewWorkItem) -> Response:
    """Items that look like the same, and the category of most of them. Nothing is kept."""
    suggestions = caller.engine.team.rag_search.duplicates_of(request.title, request.description)
    return JsonBytes(suggestions.to_json())


@router.get("/work/items/{number}", summary="Read a work item", response_model=WorkItem)
def read_work_item(caller: Reader, number: Number) -> Response:
    """The item as it is now."""
    return JsonBytes(caller.engine.team.work_items.get(number).to_json())


@router.patch("/work/items/{number}", summary="Change a work item", response_model=WorkItem)
def change_work_item(caller: Member, number: Number, request: WorkItemChange) -> Response:
    """The item as it is afterwards."""
    changes = request.model_dump(exclude_unset=True)
    item = caller.engine.team.work_items.update(caller.principal.user_id, number, changes, datetime.now(UTC))
    return JsonBytes(item.to_json())


@router.delete("/work/items/{number}", summary="Archive a work item", response_model=WorkItem)
def archive_work_item(caller: Member, number: Number) -> Response:
    """The item, archived: it is kept, and the memory forgets it."""
    item = caller.engine.team.work_items.archive(caller.principal.user_id, number, datetime.now(UTC))
    return JsonBytes(item.to_json())


@router.get("/work/events", summary="What happened", response_model=WorkEventsPage, responses=NOT_FOUND)
def list_work_events(caller: Reader, query: Annotated[EventsQuery, Query()]) -> Response:
    """Events in order, of one item or of all; `next` asks for those that follow, if there may be any."""
    events = caller.engine.team.work_items.events(query.item, query.after, query.limit)
    following = events[-1].event_id if len(events) == query.limit else None
    return JsonBytes({"events": [event.to_json() for event in events], "next": following})


@router.get("/work/categories", summary="List categories", response_model=CategoriesList)
def list_categories(caller: Reader) -> Response:
    """All categories, the oldest first."""
    categories = caller.engine.team.work_items.categories()
    return JsonBytes({"categories": [category.to_json() for category in categories]})


@router.post("/work/categories", summary="Make a category", response_model=Category, status_code=201)
def add_category(caller: Admin, request: NewName) -> Response:
    """The category."""
    made = caller.engine.team.work_items.add_category(request.name, datetime.now(UTC))
    return JsonBytes(made.to_json(), 201)


@router.patch("/work/categories/{number}", summary="Rename a category", response_model=Category)
def rename_category(caller: Admin, number: Number, request: NewName) -> Response:
    """The category; the memory learns the name for each of its items."""
    renamed = caller.engine.team.work_items.rename_category(
        caller.principal.user_id, number, request.name, datetime.now(UTC)
    )
    return JsonBytes(renamed.to_json())


@router.get("/work/fields", summary="List custom fields", response_model=CustomFieldsList)
def list_custom_fields(caller: Reader) -> Response:
    """All fields, in the order in which they were defined."""
    return JsonBytes({"fields": [field.to_json() for field in caller.engine.team.work_items.fields()]})


@router.post("/work/fields", summary="Define a custom field", response_model=CustomField, status_code=201)
def define_custom_field(caller: Admin, request: NewField) -> Response:
    """The field."""
    made = caller.engine.team.work_items.define_field(request.name, request.field_type, request.options)
    return JsonBytes(made.to_json(), 201)


@router.patch("/work/fields/{name}", summary="Rename a custom field", response_model=CustomField)
def rename_custom_field(caller: Admin, name: FieldName, request: NewName) -> Response:
    """The field; the memory learns the name for each item that has it."""
    renamed = caller.engine.team.work_items.rename_field(
        caller.principal.user_id, name, request.name, datetime.now(UTC)
    )
    return JsonBytes(renamed.to_json())


@router.post(
    "/work/items/import", summary="Import the items of another tracker", response_model=WorkImportReport
)
def import_work_items(caller: Member, request: ImportWorkItemsRequest) -> Response:
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
