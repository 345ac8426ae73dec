"""What the health of an organization's memory is judged by, as its rows say it.

Whole tables are read.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from bob.health.facts import (
    CorrectionFacts,
    DocumentFacts,
    PagesFacts,
    SupersededFacts,
    VectorFacts,
)
from bob.storage.database import Transaction

_DOCUMENTS = """
SELECT d.document_id, d.path, d.project, d.title, d.source_type, d.source_date, d.source_date_kind, d.tags,
       d.extra, d.content_hash, d.mtime_ns, d.chunk_count, d.left_out, p.document_id
FROM documents d
LEFT JOIN past_documents p ON p.org_id = d.org_id AND p.document_id = d.document_id
WHERE d.org_id = :org ORDER BY d.path
"""

_TITLED = """
SELECT DISTINCT document_id FROM chunks
WHERE org_id = :org AND (CAST(heading_path AS TEXT) <> '[]'
    OR (ordinal = 0 AND lower(substr(text, 1, 2000)) LIKE '---%title:%'))
"""

_TEXTS = """
SELECT c.document_id, c.text, c.locator
FROM chunks c JOIN documents d ON d.org_id = c.org_id AND d.document_id = c.document_id
WHERE c.org_id = :org AND d.source_type = 'markdown'
ORDER BY c.document_id, c.ordinal
"""

_HEADINGS = """
SELECT heading_path, text FROM chunks WHERE org_id = :org AND document_id = :document_id ORDER BY ordinal
"""

_PAGES = """
SELECT d.path, d.project, c.locator
FROM documents d JOIN chunks c ON c.org_id = d.org_id AND c.document_id = d.document_id
WHERE d.org_id = :org AND d.source_type = 'pdf' ORDER BY d.path
"""

_VECTORS = """
SELECT (SELECT value FROM app_config WHERE org_id = :org AND key = 'embedder.model'),
       (SELECT count(*) FROM chunks WHERE org_id = :org),
       (SELECT count(*) FROM vectors WHERE org_id = :org AND model = :model AND sequence IS NOT NULL),
       (SELECT count(*) FROM jobs WHERE org_id = :org AND kind = 'embed' AND state = 'failed')
"""

_SUPERSEDED = """
SELECT decisions.decision_id, decisions.key, decisions.title, decisions.kind, decisions.locator,
       decisions.project, documents.path
FROM decisions JOIN documents ON documents.org_id = decisions.org_id
    AND documents.document_id = decisions.document_id
WHERE decisions.org_id = :org AND decisions.status = 'superseded'
ORDER BY documents.path, decisions.decision_id
"""

_SUCCESSORS = """
SELECT l.earlier_id, l.later_id, t.title, t.date, d.path
FROM decision_links l
JOIN decisions t ON t.org_id = l.org_id AND t.decision_id = l.later_id
JOIN documents d ON d.org_id = t.org_id AND d.document_id = t.document_id
WHERE l.org_id = :org AND l.kind = 'supersedes' ORDER BY l.earlier_id, t.date, l.later_id
"""

_LOST_CORRECTIONS = """
SELECT c.project, c.key, c.changes FROM decision_corrections c
LEFT JOIN decisions d ON d.org_id = c.org_id AND d.project = c.project AND d.key = c.key
WHERE c.org_id = :org AND d.decision_id IS NULL ORDER BY c.project, c.key
"""


def documents(transaction: Transaction) -> list[DocumentFacts]:
    """All documents, by path."""
    headed = {row[0] for row in transaction.execute(_TITLED)}
    return [_document(row, headed) for row in transaction.execute(_DOCUMENTS)]


def markdown_texts(
    transaction: Transaction, is_wanted: Callable[[str], bool]
) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """Each Markdown document's id with its chunks: the line on which each begins (from 1), and its text.
    Documents in which no text is wanted are left out."""
    current, pieces = 0, list[tuple[str, str]]()
    for document_id, text, locator in transaction.execute(_TEXTS):
        if document_id != current:
            if any(is_wanted(text) for _, text in pieces):
                yield current, _placed(pieces)
            pieces = []
        current = document_id
        pieces.append((locator, text))
    if any(is_wanted(text) for _, text in pieces):
        yield current, _placed(pieces)


def _placed(pieces: Sequence[tuple[str, str]]) -> list[tuple[int, str]]:
    return [(int(json.loads(locator)["start_line"]), text) for locator, text in pieces]


def headings_and_texts(transaction: Transaction, document_id: int) -> tuple[list[str], list[str]]:
    """The headings of a document in order (those above a chunk are repeated only where they change), and the
    texts of its chunks."""
    found: list[str] = []
    texts: list[str] = []
    before: list[str] = []
    for packed, text in transaction.execute(_HEADINGS, {"document_id": document_id}):
        path = json.loads(packed)
        texts.append(text)
        shared = 0
        while shared < min(len(path), len(before)) and path[shared] == before[shared]:
            shared += 1
        found += path[shared:]
        before = path
    return found, texts


def partly_read(transaction: Transaction) -> list[PagesFacts]:
    """PDFs with a page that has no text."""
    pages: dict[tuple[str, str], set[int]] = defaultdict(set)
    totals: dict[tuple[str, str], int] = {}
    for path, project, packed in transaction.execute(_PAGES):
        locator = json.loads(packed)
        pages[path, project].add(int(locator["page"]))
        totals[path, project] = int(locator["total_pages"])
    return [
        PagesFacts(path, project, len(read), totals[path, project])
        for (path, project), read in pages.items()
        if len(read) < totals[path, project]
    ]


def vectors(transaction: Transaction, model: str) -> VectorFacts:
    """How far the vectors are those of `model`."""
    (row,) = transaction.execute(_VECTORS, {"model": model}).fetchall()
    stored, chunks, published, failed = row
    return VectorFacts(stored, model, int(chunks), int(chunks) - int(published), int(failed))


def superseded(transaction: Transaction) -> list[SupersededFacts]:
    """The superseded decisions, each with what took its place."""
    later: dict[int, list[tuple[int, str, str | None, str]]] = defaultdict(list)
    for earlier_id, *rest in transaction.execute(_SUCCESSORS):
        later[earlier_id].append((rest[0], rest[1], rest[2], rest[3]))
    return [_superseded(row, later) for row in transaction.execute(_SUPERSEDED)]


def lost_corrections(transaction: Transaction) -> list[CorrectionFacts]:
    """Corrections of decisions that are no longer found."""
    rows = transaction.execute(_LOST_CORRECTIONS)
    return [CorrectionFacts(project, key, json.loads(changes)) for project, key, changes in rows]


def _document(row: Sequence[Any], headed: set[int]) -> DocumentFacts:
    document_id, path, project, title, source_type, dated, kind, tags, extra, *rest = row
    content_hash, mtime_ns, chunk_count, left_out, past = rest
    return DocumentFacts(
        document_id,
        path,
        project,
        title,
        source_type,
        date.fromisoformat(dated) if dated else None,
        kind,
        tuple(json.loads(tags)),
        json.loads(extra),
        content_hash,
        int(mtime_ns),
        int(chunk_count),
        left_out=tuple(json.loads(left_out)),
        headed=document_id in headed,
        past=past is not None,
    )


def _superseded(
    row: Sequence[Any], later: Mapping[int, Sequence[tuple[int, str, str | None, str]]]
) -> SupersededFacts:
    decision_id, key, title, kind, locator, project, path = row
    chain: list[tuple[int, str, str | None, str]] = []
    current_id, seen = decision_id, {decision_id}
    while (following := later.get(current_id)) and following[-1][0] not in seen:
        chain.append(following[-1])
        current_id = following[-1][0]
        seen.add(current_id)
    since = chain[0][2] if chain else None
    return SupersededFacts(
        key,
        title,
        path,
        project,
        whole=kind == "record",
        locator=json.loads(locator),
        successors=tuple(link[3] for link in chain),
        current_title=chain[-1][1] if chain else None,
        current_path=chain[-1][3] if chain else None,
        since=date.fromisoformat(since) if since else None,
    )
