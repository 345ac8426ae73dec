"""Collections and their resources: texts under ids, each with what a search needs of it (SPEC K4).

Every change takes a fresh number of the counter "resource", and so does every removal: whoever keeps an
index sees from one value whether anything happened, and reads only what has a larger number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from bob.storage.counters import next_ids
from bob.storage.schema_team import collections, resources


@dataclass(frozen=True, slots=True)
class Collection:
    """A set of resources that are searched together; `settings` are the caller's, kept as they came."""

    collection_id: int
    name: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Resource:
    """A text under an id. `owner_id` says whose it is within its collection."""

    collection_id: int
    resource_id: str
    title: str
    content: str
    owner_id: str


@dataclass(frozen=True, slots=True)
class Relevance:
    """How well a resource fits a query, and why.

    `score` is a probability from 0 to 1 (see `bob.search.ranking`); the cosines are those of the query
    with the title and with the whole text, `words` is BM25 as a share of what it could be, `coverage` the
    share of the query's words that occur, weighted by rarity.
    """

    resource_id: str
    score: float
    title_cosine: float
    cosine: float
    words: float
    coverage: float


COUNTER = "resource"


@dataclass(frozen=True, slots=True)
class ResourceFeatures:
    """What a search needs of a resource: its postings (see `bob.text.terms`) and its two vectors in half
    precision, of the whole text and of the title, with the name of their model."""

    model: str
    postings: bytes
    vector: bytes
    title_vector: bytes


def collection_named(connection: Connection, org_id: str, name: str) -> Collection | None:
    """The collection of this name."""
    return _collection(connection, (collections.c.org_id == org_id) & (collections.c.name == name))


def collection_at(connection: Connection, org_id: str, collection_id: int) -> Collection | None:
    """The collection of this number."""
    here = (collections.c.org_id == org_id) & (collections.c.collection_id == collection_id)
    return _collection(connection, here)


def make_collection(
    connection: Connection, org_id: str, name: str, settings: Mapping[str, Any]
) -> Collection:
    """A new collection; its name must be free."""
    (collection_id,) = next_ids(connection, org_id, "collection", 1)
    values = {"org_id": org_id, "collection_id": collection_id, "name": name, "settings": dict(settings)}
    connection.execute(insert(collections).values(values))
    return Collection(collection_id, name, settings)


def put(connection: Connection, org_id: str, resource: Resource, features: ResourceFeatures) -> None:
    """Keep a resource, in place of what its collection had under its id."""
    (sequence,) = next_ids(connection, org_id, COUNTER, 1)
    values = {
        "title": resource.title,
        "content": resource.content,
        "owner_id": resource.owner_id,
        "sequence": sequence,
        "model": features.model,
        "postings": features.postings,
        "vector": features.vector,
        "title_vector": features.title_vector,
    }
    replaced = connection.execute(
        update(resources).where(_this(org_id, resource.collection_id, resource.resource_id)).values(values)
    )
    if not replaced.rowcount:
        key = {
            "org_id": org_id,
            "collection_id": resource.collection_id,
            "resource_id": resource.resource_id,
        }
        connection.execute(insert(resources).values(key | values))


def fresh_id(connection: Connection, org_id: str, collection_id: int) -> str:
    """An id that the collection does not have."""
    while True:
        (number,) = next_ids(connection, org_id, "resource_id", 1)
        if at(connection, org_id, collection_id, f"resource:{number}") is None:
            return f"resource:{number}"


def called(connection: Connection, org_id: str, resource_id: str) -> list[Resource]:
    """The resources with this id, one a collection that has it."""
    here = (resources.c.org_id == org_id) & (resources.c.resource_id == resource_id)
    return [_resource(row) for row in connection.execute(_text().where(here))]


def at(connection: Connection, org_id: str, collection_id: int, resource_id: str) -> Resource | None:
    """A collection's resource by its id."""
    row = connection.execute(_text().where(_this(org_id, collection_id, resource_id))).first()
    return None if row is None else _resource(row)


def ids_in(connection: Connection, org_id: str, collection_id: int) -> set[str]:
    """The ids of a collection's resources."""
    here = (resources.c.org_id == org_id) & (resources.c.collection_id == collection_id)
    return {str(row[0]) for row in connection.execute(select(resources.c.resource_id).where(here))}


def of_other_models(connection: Connection, org_id: str, model: str, limit: int) -> list[Resource]:
    """Some of the resources whose vectors are of another model than this."""
    asked = _text().where(resources.c.org_id == org_id, resources.c.model != model)
    asked = asked.order_by(resources.c.collection_id, resources.c.resource_id).limit(limit)
    return [_resource(row) for row in connection.execute(asked)]


def remove(connection: Connection, org_id: str, collection_id: int, resource_id: str) -> bool:
    """Take a resource out; False when it was not there."""
    gone = connection.execute(delete(resources).where(_this(org_id, collection_id, resource_id)))
    if gone.rowcount:
        next_ids(connection, org_id, COUNTER, 1)
    return bool(gone.rowcount)


def _collection(connection: Connection, here: ColumnElement[bool]) -> Collection | None:
    row = connection.execute(
        select(collections.c.collection_id, collections.c.name, collections.c.settings).where(here)
    ).first()
    return None if row is None else Collection(int(row[0]), str(row[1]), row[2])


def _this(org_id: str, collection_id: int, resource_id: str) -> ColumnElement[bool]:
    return (
        (resources.c.org_id == org_id)
        & (resources.c.collection_id == collection_id)
        & (resources.c.resource_id == resource_id)
    )


def _text() -> Any:
    return select(
        resources.c.collection_id,
        resources.c.resource_id,
        resources.c.title,
        resources.c.content,
        resources.c.owner_id,
    )


def _resource(row: Sequence[Any]) -> Resource:
    return Resource(int(row[0]), str(row[1]), str(row[2]), str(row[3]), str(row[4]))
