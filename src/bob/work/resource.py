"""What a semantic memory keeps: texts under ids, in collections (the Hippocampus protocol's nouns)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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

    `score` is a probability from 0 to 1 (see `bob.search.relevance`); the cosines are those of the query
    with the title and with the whole text, `words` is BM25 as a share of what it could be, `coverage` the
    share of the query's words that occur, weighted by rarity.
    """

    resource_id: str
    score: float
    title_cosine: float
    cosine: float
    words: float
    coverage: float
