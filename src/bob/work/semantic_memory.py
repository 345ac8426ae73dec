"""The semantic memory of an organization: texts under ids, found by what they mean (SPEC K4).

It is what Bob serves under `/hippocampus`, and what its own work items are found by. Texts are embedded
before they are written, so that whatever is kept can be found at once, by words and by meaning.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bob.core.errors import NotFoundError, RequestError
from bob.core.protocols import Embedder
from bob.core.storable import encodable
from bob.search.fusion import relevance
from bob.search.ranking import Bm25, kth_largest
from bob.search.snapshot import pack
from bob.storage.database import Database, Transaction
from bob.text.words import postings, query_terms
from bob.work import resource_rows
from bob.work.item_text import searched_text
from bob.work.question import asked_for
from bob.work.resource_index import ResourceIndex
from bob.work.resource_rows import Collection, Relevance, Resource, ResourceFeatures

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BM25 = Bm25(k1=1.2, b=0.75, heading_weight=1.0)
"""As everywhere in Bob; the relevance of `bob.search.fusion` is fitted over it."""

_TEXTS_AT_ONCE = 64
"""Resources embedded and written in one transaction."""

REMEMBERED = 2_000
"""Queries whose vectors are kept, those used last: 3 MB at 384 dimensions."""


class QueryVectors:
    """Embeds queries, each once. Safe to share between threads."""

    def __init__(self, embedder: Embedder, remembered: int = REMEMBERED) -> None:
        self._embedder = embedder
        self._remembered = remembered
        self._known: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, query: str) -> npt.NDArray[np.float32]:
        """The query's vector, shape (dimension,). Raises ModelError."""
        return self.of_all([query])[0]

    def of_all(self, queries: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """The vectors of all queries, in order. Raises ModelError."""
        with self._lock:
            found = {query: self._known[query] for query in queries if query in self._known}
        missing = [query for query in dict.fromkeys(queries) if query not in found]
        if missing:
            found |= dict(zip(missing, self._embedder.embed(missing), strict=True))
        with self._lock:
            for each in found:
                self._known[each] = found[each]
                self._known.move_to_end(each)
            while len(self._known) > self._remembered:
                self._known.popitem(last=False)
        return [found[query] for query in queries]


class Hippocampus:
    """One organization's collections and resources. Safe to share between threads."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._queries = QueryVectors(embedder)
        self._indexes: dict[int, ResourceIndex] = {}
        self._opening = threading.Lock()

    def collection(self, name: str, settings: Mapping[str, Any] | None = None) -> tuple[Collection, bool]:
        """The collection of this name, and whether it was made just now; one that is there stays as it is."""
        with self._database.read() as transaction:
            collection = resource_rows.collection_named(transaction, name)
        if collection is not None:
            return collection, False
        with self._database.write() as transaction:
            # Another may have made it since.
            collection = resource_rows.collection_named(transaction, name)
            if collection is not None:
                return collection, False
            return resource_rows.make_collection(transaction, name, settings or {}), True

    def named(self, name: str) -> Collection | None:
        """The collection of this name, None when nobody has made it."""
        with self._database.read() as transaction:
            return resource_rows.collection_named(transaction, name)

    def put(self, resources: Sequence[Resource]) -> None:
        """Keep resources, each in place of what its collection has under its id.

        Raises NotFoundError: no such collection. Raises ModelError.
        """
        for collection_id in {resource.collection_id for resource in resources}:
            with self._database.read() as transaction:
                self._check_collection(transaction, collection_id)
        for start in range(0, len(resources), _TEXTS_AT_ONCE):
            some = [_writable(resource) for resource in resources[start : start + _TEXTS_AT_ONCE]]
            features = self._features(some)
            with self._database.write() as transaction:
                for resource, its in zip(some, features, strict=True):
                    resource_rows.put(transaction, resource, its)

    def add(
        self, collection_id: int, resource_id: str | None, title: str, content: str, owner_id: str
    ) -> Resource:
        """Keep one resource; without an id it gets a fresh one. Raises as `put`."""
        named = resource_id or self._fresh_id(collection_id)
        resource = Resource(collection_id, named, title, content, owner_id)
        self.put([resource])
        return resource

    def replace(
        self, resource_id: str, title: str, content: str, collection_id: int | None = None
    ) -> Resource | None:
        """Give a resource another text; None when there is no such resource.

        Raises RequestError: several collections have one, and none is named. Raises ModelError.
        """
        stored = self.get(resource_id, collection_id)
        if stored is None:
            return None
        changed = _writable(Resource(stored.collection_id, resource_id, title, content, stored.owner_id))
        (features,) = self._features([changed])
        with self._database.write() as transaction:
            # Deleted while its new text was embedded: it stays deleted.
            if resource_rows.by_id(transaction, stored.collection_id, resource_id) is None:
                return None
            resource_rows.put(transaction, changed, features)
        return changed

    def get(self, resource_id: str, collection_id: int | None = None) -> Resource | None:
        """The resource of this id, None when there is none.

        Raises RequestError: several collections have one, and none is named.
        """
        with self._database.read() as transaction:
            if collection_id is not None:
                return resource_rows.by_id(transaction, collection_id, resource_id)
            resources = resource_rows.called(transaction, resource_id)
        if len(resources) > 1:
            raise RequestError("collectionId", "several collections have this resource; name one of them")
        return resources[0] if resources else None

    def ids(self, collection_id: int) -> set[str]:
        """The ids of a collection's resources."""
        with self._database.read() as transaction:
            return resource_rows.ids_in(transaction, collection_id)

    def delete(self, resource_id: str, collection_id: int | None = None) -> bool:
        """Take a resource out; False when it was not there. Raises RequestError, as `get`."""
        stored = self.get(resource_id, collection_id)
        if stored is None:
            return False
        with self._database.write() as transaction:
            return resource_rows.remove(transaction, stored.collection_id, resource_id)

    def search(
        self, query: str, collection_id: int, owner_id: str, limit: int, min_score: float = 0.0
    ) -> list[Relevance]:
        """An owner's resources that fit with a probability of `min_score` or more, best first.

        Raises NotFoundError: no such collection. Raises ModelError.
        """
        import numpy as np

        view = self._index(collection_id).view()
        mask = view.of_owner(owner_id)
        if not mask.any() or limit < 1:
            return []
        features = asked_for(query)
        words, coverage = view.words(query_terms(features), mask, BM25)
        titles, contents = view.cosines(self._queries.of(features))
        scores = relevance(titles, contents, words, coverage)
        rows = np.flatnonzero(mask & (scores >= min_score))
        if len(rows) > limit:
            rows = rows[scores[rows] >= kth_largest(scores[rows], limit)]
        # Equal scores by id: rows stand in the order of changes, which says nothing.
        order = sorted(rows.tolist(), key=lambda row: (-scores[row], view.ids[row]))[:limit]
        return [
            Relevance(
                view.ids[row],
                float(scores[row]),
                float(titles[row]),
                float(contents[row]),
                float(words[row]),
                float(coverage[row]),
            )
            for row in order
        ]

    def renew(self) -> int:
        """Make vectors anew that are of another model than this; returns how many."""
        renewed = 0
        while True:
            with self._database.read() as transaction:
                old = resource_rows.of_other_models(transaction, self._embedder.model_id, _TEXTS_AT_ONCE)
            if not old:
                return renewed
            self.put(old)
            renewed += len(old)

    def _features(self, resources: Sequence[Resource]) -> list[ResourceFeatures]:
        texts = [searched_text(resource.title, resource.content) for resource in resources]
        # A resource without a title is its text, in both respects.
        titles = [resource.title or text for resource, text in zip(resources, texts, strict=True)]
        vectors = self._embedder.embed([*texts, *titles])
        model = self._embedder.model_id
        return [
            ResourceFeatures(
                model,
                postings(text, (resource.title,), None),
                pack(vectors[row]),
                pack(vectors[len(resources) + row]),
            )
            for row, (resource, text) in enumerate(zip(resources, texts, strict=True))
        ]

    def _fresh_id(self, collection_id: int) -> str:
        with self._database.write() as transaction:
            return resource_rows.fresh_id(transaction, collection_id)

    def _index(self, collection_id: int) -> ResourceIndex:
        with self._opening:
            if collection_id not in self._indexes:
                with self._database.read() as transaction:
                    self._check_collection(transaction, collection_id)
                self._indexes[collection_id] = ResourceIndex(
                    self._database,
                    collection_id,
                    self._embedder.model_id,
                    self._embedder.dimension,
                )
            return self._indexes[collection_id]

    def _check_collection(self, transaction: Transaction, collection_id: int) -> None:
        if resource_rows.collection_at(transaction, collection_id) is None:
            raise NotFoundError("no such collection")


def _writable(resource: Resource) -> Resource:
    """Without what a database's text cannot hold: lone surrogates, and in PostgreSQL the character 0."""
    title, content = (_clean(part) for part in (resource.title, resource.content))
    return replace(resource, title=title, content=content)


def _clean(text: str) -> str:
    return encodable(text).replace("\0", "")
