"""What documents share: the words of all of them as arrays, and chunks that stand in several."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bob.storage.database import Transaction

_COUNT_BITS = np.uint64(12)
_TEXT_COUNT = np.uint64(0xFF)
"""How postings are packed: see `bob.text.words`."""

_MOST_SHARED = 20
"""A chunk that stands in more documents than this is boilerplate, and says nothing about their being one."""

_POSTINGS = "SELECT document_id, postings FROM chunk_postings WHERE org_id = :org ORDER BY document_id"
_TOKENS = "SELECT document_id, sum(tokens) FROM chunks WHERE org_id = :org GROUP BY document_id"
_SHARED = """
SELECT c.content_hash, c.document_id, c.tokens FROM chunks c
JOIN (SELECT content_hash FROM chunks WHERE org_id = :org GROUP BY content_hash HAVING count(*) > 1) repeated
    ON repeated.content_hash = c.content_hash
WHERE c.org_id = :org
"""


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """The words of documents: `terms` (hashes of stems) of one document after another, document i's from
    `starts[i]` on; each has at least one."""

    document_ids: list[int]
    terms: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]


def document_terms(transaction: Transaction, document_ids: Container[int]) -> DocumentTerms:
    """The words in the texts of the wanted documents, headings left out."""
    ids: list[int] = []
    sizes: list[int] = []
    packed: list[bytes] = []
    for document_id, postings in transaction.execute(_POSTINGS):
        if document_id in document_ids:
            ids.append(document_id)
            sizes.append(len(postings) // 8)
            packed.append(postings)
    every = np.frombuffer(b"".join(packed), np.uint64)
    owner = np.repeat(np.array(ids, np.int64), sizes)
    in_text = (every & _TEXT_COUNT) > 0
    terms, owner = (every >> _COUNT_BITS)[in_text], owner[in_text]
    starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])[: len(owner)])
    return DocumentTerms([int(start) for start in owner[starts]], terms, starts)


def shared_chunks(transaction: Transaction) -> list[tuple[int, int, float]]:
    """Pairs of documents, with the share of the smaller one (in tokens) that both hold in equal chunks."""
    holders: dict[str, dict[int, int]] = defaultdict(dict)
    for content_hash, document_id, tokens in transaction.execute(_SHARED):
        holders[content_hash][document_id] = tokens
    common: dict[tuple[int, int], int] = defaultdict(int)
    for holder in holders.values():
        if 1 < len(holder) <= _MOST_SHARED:
            ids = sorted(holder)
            for index, one in enumerate(ids):
                for other in ids[index + 1 :]:
                    common[one, other] += holder[one]
    if not common:
        return []
    sizes = {row[0]: int(row[1]) for row in transaction.execute(_TOKENS)}
    return [
        (one, other, tokens / max(min(sizes[one], sizes[other]), 1))
        for (one, other), tokens in sorted(common.items())
    ]
