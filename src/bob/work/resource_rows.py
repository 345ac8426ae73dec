"""Collections and their resources: texts under ids, each with what a search needs of it (SPEC K4).

Every change takes a fresh number of the counter "resource", and so does every removal: whoever keeps an
index sees from one value whether anything happened, and reads only what has a larger number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bob.storage.database import HalfVector, Transaction


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

    `score` is a probability from 0 to 1 (see `bob.search.fusion`); the cosines are those of the query
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
    """What a search needs of a resource: its postings (see `bob.text.words`) and its two vectors in half
    precision, of the whole text and of the title, with the name of their model."""

    model: str
    postings: bytes
    vector: bytes
    title_vector: bytes


def collection_named(transaction: Transaction, name: str) -> Collection | None:
    """The collection of this name."""
    return _collection(transaction, "name = :name", {"name": name})


def collection_at(transaction: Transaction, collection_id: int) -> Collection | None:
    """The collection of this number."""
    return _collection(transaction, "collection_id = :collection_id", {"collection_id": collection_id})


def make_collection(transaction: Transaction, name: str, settings: Mapping[str, Any]) -> Collection:
    """A new collection; its name must be free."""
    (collection_id,) = transaction.take_ids("collection", 1)
    values = {"collection_id": collection_id, "name": name, "settings": json.dumps(dict(settings))}
    transaction.insert("collections", values)
    return Collection(collection_id, name, settings)


def put(transaction: Transaction, resource: Resource, features: ResourceFeatures) -> None:
    """Keep a resource, in place of what its collection had under its id."""
    (sequence,) = transaction.take_ids(COUNTER, 1)
    key = {"collection_id": resource.collection_id, "resource_id": resource.resource_id}
    values = {
        "title": resource.title,
        "content": resource.content,
        "owner_id": resource.owner_id,
        "sequence": sequence,
        "model": features.model,
        "postings": features.postings,
        "vector": HalfVector(features.vector),
        "title_vector": HalfVector(features.title_vector),
    }
    if not transaction.update("resources", key, values):
        transaction.insert("resources", key | values)


def fresh_id(transaction: Transaction, collection_id: int) -> str:
    """An id that the collection does not have."""
    while True:
        (number,) = transaction.take_ids("resource_id", 1)
        if by_id(transaction, collection_id, f"resource:{number}") is None:
            return f"resource:{number}"


def called(transaction: Transaction, resource_id: str) -> list[Resource]:
    """The resources with this id, one a collection that has it."""
    return _resources(transaction, "resource_id = :resource_id", {"resource_id": resource_id})


def by_id(transaction: Transaction, collection_id: int, resource_id: str) -> Resource | None:
    """A collection's resource by its id."""
    this = {"collection_id": collection_id, "resource_id": resource_id}
    resources = _resources(transaction, _THIS, this)
    return resources[0] if resources else None


def ids_in(transaction: Transaction, collection_id: int) -> set[str]:
    """The ids of a collection's resources."""
    rows = transaction.execute(
        "SELECT resource_id FROM resources WHERE org_id = :org AND collection_id = :collection_id",
        {"collection_id": collection_id},
    )
    return {str(name) for (name,) in rows}


def of_other_models(transaction: Transaction, model: str, limit: int) -> list[Resource]:
    """Some of the resources whose vectors are of another model than this."""
    others = "model <> :model ORDER BY collection_id, resource_id LIMIT :limit"
    return _resources(transaction, others, {"model": model, "limit": limit})


def remove(transaction: Transaction, collection_id: int, resource_id: str) -> bool:
    """Take a resource out; False when it was not there."""
    gone = transaction.execute(
        f"DELETE FROM resources WHERE org_id = :org AND {_THIS}",
        {"collection_id": collection_id, "resource_id": resource_id},
    ).rowcount
    if gone:
        transaction.take_ids(COUNTER, 1)
    return gone > 0


_THIS = "collection_id = :collection_id AND resource_id = :resource_id"


def _collection(transaction: Transaction, condition: str, values: Mapping[str, Any]) -> Collection | None:
    row = transaction.execute(
        f"SELECT collection_id, name, settings FROM collections WHERE org_id = :org AND {condition}", values
    ).fetchone()
    return None if row is None else Collection(int(row[0]), str(row[1]), json.loads(row[2]))


def _resources(transaction: Transaction, condition: str, values: Mapping[str, Any]) -> list[Resource]:
    rows = transaction.execute(
        "SELECT collection_id, resource_id, title, content, owner_id FROM resources"
        f" WHERE org_id = :org AND {condition}",
        values,
    )
    return [_resource(row) for row in rows]


def _resource(row: Sequence[Any]) -> Resource:
    return Resource(int(row[0]), str(row[1]), str(row[2]), str(row[3]), str(row[4]))
