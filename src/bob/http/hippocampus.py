"""`/hippocampus`: the memory as a service, in the protocol of Hippocampus, so that a Bob can be another's.

What a caller keeps and finds is its organization's alone, whatever names and owners it sends.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Header, Response
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from bob.core.errors import NotFoundError
from bob.core.principal import Role
from bob.http.authenticate import Caller, needs
from bob.http.failures import JsonBytes
from bob.http.params import NOT_FOUND
from bob.http.shapes import Routes
from bob.work.resource_rows import Resource

router = Routes(tags=["hippocampus"])

SCOPE = "hippocampus"

_MOST_CHARACTERS = 200_000

"""A text longer than a book's chapter is no resource: to embed it takes minutes."""

_Name = Annotated[str, Field(min_length=1, max_length=255)]

_CollectionHeader = Annotated[
    str | None,
    Header(alias="x-collection-id", description="Collection, if several have the resource."),
]


class _Body(BaseModel):
    """Fields that are not listed have no effect: clients of the protocol send some of their own."""

    model_config = ConfigDict(extra="ignore")


class CollectionRequest(_Body):
    """Which collection; `settings` are kept as they come."""

    name: _Name
    settings: dict[str, Any] | None = None


class TextRequest(_Body):
    """A resource's new text."""

    title: str = Field("", max_length=10_000)
    content: str = Field(max_length=_MOST_CHARACTERS)


class ResourceRequest(TextRequest):
    """A text and where it belongs; without `resourceId` it gets one."""

    collection_id: str | int = Field(alias="collectionId")
    owner_id: _Name = Field(alias="ownerId")
    resource_id: _Name | None = Field(None, alias="resourceId")


class SearchCollectionRequest(_Body):
    """What to look for, and among whose texts; without `minScore` what fits at all."""

    query: str = Field(min_length=1, max_length=10_000)
    collection_id: str | int = Field(alias="collectionId")
    owner_id: _Name = Field(alias="ownerId")
    limit: int = Field(10, ge=1, le=1000)
    min_score: float | None = Field(None, ge=0, le=1, alias="minScore")


class Collection(TypedDict):
    """A collection."""

    collectionId: str
    name: str


class AddedResource(TypedDict):
    """The id of a new resource."""

    resourceId: str
    status: Literal["indexed"]


class StoredResource(TypedDict):
    """A resource as it is now."""

    resourceId: str
    title: str
    content: str
    ownerId: str
    collectionId: str


class ResourceScore(TypedDict):
    """A resource that fits, with a score from 0 to 1."""

    resourceId: str
    score: float


class ResourceScores(TypedDict):
    """Resources, best first."""

    results: list[ResourceScore]


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
Member = Annotated[Caller, needs(Role.MEMBER, SCOPE)]


@router.post(
    "/hippocampus/collection", summary="Create a collection, or find it by name", response_model=Collection
)
def open_collection(caller: Member, body: CollectionRequest) -> Response:
    """`collectionId` and `name`; a name that exists gives the same collection."""
    collection, _ = caller.engine.team.hippocampus.collection(body.name, body.settings)
    return JsonBytes({"collectionId": str(collection.collection_id), "name": collection.name})


@router.post(
    "/hippocampus/resource", summary="Add a resource", response_model=AddedResource, responses=NOT_FOUND
)
def add_resource(caller: Member, body: ResourceRequest) -> Response:
    """In place of what the id had in the collection."""
    resource = caller.engine.team.hippocampus.add(
        _number(body.collection_id), body.resource_id, body.title, body.content, body.owner_id
    )
    return JsonBytes({"resourceId": resource.resource_id, "status": "indexed"})


@router.put(
    "/hippocampus/resource/{resource_id:path}", summary="Update a resource", response_model=StoredResource
)
def update_resource(
    caller: Member, resource_id: str, body: TextRequest, collection_id: _CollectionHeader = None
) -> Response:
    """The resource as it is now; 404 when there is none."""
    resource = caller.engine.team.hippocampus.replace(
        resource_id, body.title, body.content, _optional(collection_id)
    )
    return JsonBytes(_shown(resource))


@router.get(
    "/hippocampus/resource/{resource_id:path}", summary="Read a resource", response_model=StoredResource
)
def read_resource(caller: Reader, resource_id: str, collection_id: _CollectionHeader = None) -> Response:
    """Its title, content, owner and collection."""
    return JsonBytes(_shown(caller.engine.team.hippocampus.get(resource_id, _optional(collection_id))))


@router.delete("/hippocampus/resource/{resource_id:path}", summary="Delete a resource", status_code=204)
def delete_resource(caller: Member, resource_id: str, collection_id: _CollectionHeader = None) -> Response:
    """No error when it is not there."""
    caller.engine.team.hippocampus.delete(resource_id, _optional(collection_id))
    return Response(status_code=204)


@router.post(
    "/hippocampus/search",
    summary="Search resources by meaning",
    response_model=ResourceScores,
    responses=NOT_FOUND,
)
def search_resources(caller: Reader, body: SearchCollectionRequest) -> Response:
    """Ids and scores from 0 to 1, best first."""
    floor = caller.engine.settings.work.relevance_floor if body.min_score is None else body.min_score
    scores = caller.engine.team.hippocampus.search(
        body.query, _number(body.collection_id), body.owner_id, body.limit, floor
    )
    listed = [{"resourceId": score.resource_id, "score": round(score.score, 6)} for score in scores]
    return JsonBytes({"results": listed})


def _number(collection_id: str | int) -> int:
    """Bob's collections have numbers; what is none names no collection."""
    text = str(collection_id)
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise NotFoundError("no such collection")
    return int(text)


def _optional(collection_id: str | None) -> int | None:
    return None if collection_id is None else _number(collection_id)


def _shown(resource: Resource | None) -> dict[str, str]:
    if resource is None:
        raise NotFoundError("no such resource")
    return {
        "resourceId": resource.resource_id,
        "title": resource.title,
        "content": resource.content,
        "ownerId": resource.owner_id,
        "collectionId": str(resource.collection_id),
    }
