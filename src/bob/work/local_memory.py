"""The memory of work items that Bob keeps itself: an `OrganizationMemory` over its own Hippocampus."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bob.core.errors import BobError, MemoryServiceError
from bob.work.items import collection_name
from bob.work.resource_rows import Resource
from bob.work.semantic_memory import Hippocampus

log = logging.getLogger(__name__)


class LocalMemory:
    """Collection and owner of an organization are `org:{org_id}` (seed 001)."""

    def __init__(self, of: Callable[[str], Hippocampus], relevance_floor: float) -> None:
        """`of` gives an organization's Hippocampus; what fits less than `relevance_floor` is not found."""
        self._of = of
        self._relevance_floor = relevance_floor

    def create_collection(self, org_id: str) -> None:
        """Make the organization's collection; one that is there stays as it is."""
        with _told("be made"):
            self._collection_id(org_id)

    def add_resource(self, org_id: str, resource_id: str, title: str, content: str) -> None:
        """Index a text under an id, in place of what the id had."""
        name = collection_name(org_id)
        with _told("take the text"):
            collection_id = self._collection_id(org_id)
            self._of(org_id).put([Resource(collection_id, resource_id, title, content, name)])

    def update_resource(self, org_id: str, resource_id: str, title: str, content: str) -> None:
        """Index the text anew; an id that is not there is added."""
        self.add_resource(org_id, resource_id, title, content)

    def delete_resource(self, org_id: str, resource_id: str) -> None:
        """Take an id out. It need not be there."""
        with _told("forget the text"):
            collection = self._of(org_id).named(collection_name(org_id))
            if collection is not None:
                self._of(org_id).delete(resource_id, collection.collection_id)

    def query(self, org_id: str, text: str, limit: int) -> list[tuple[str, float]]:
        """The ids whose texts fit, best first, each with its score from 0 to 1; none that do not fit."""
        name = collection_name(org_id)
        with _told("be searched"):
            collection = self._of(org_id).named(name)
            if collection is None:
                return []
            fitting = self._of(org_id).search(
                text, collection.collection_id, name, limit, self._relevance_floor
            )
        return [(match.resource_id, match.score) for match in fitting]

    def _collection_id(self, org_id: str) -> int:
        return self._of(org_id).collection(collection_name(org_id))[0].collection_id


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Whatever goes wrong below is logged, and told without its details."""
    try:
        yield
    except BobError as error:
        log.warning("the memory could not %s: %s", what, error)
        raise MemoryServiceError(
            f"The semantic index of your organization could not {what}; try again."
        ) from error
