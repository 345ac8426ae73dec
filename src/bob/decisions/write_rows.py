"""Writes decisions: what was extracted of a document, what follows from links, and what users said.

Extracted rows are an index. A row whose document is gone is not read any more; it stays until its project is
resolved again, which is how that project is known. So is a document that was read since: its version is
negative until its decisions are resolved with those of the project.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bob.core.decision import (
    Correction,
    DatedDocument,
    DecisionLink,
    Effective,
    FoundDecision,
    Passage,
    StatedDecision,
    StatedLink,
    rejected_to_json,
)
from bob.core.document import writer_of
from bob.core.locator import locator_from_json, locator_to_json
from bob.decisions.status import correction_from, day_of
from bob.storage.database import Transaction

if TYPE_CHECKING:
    from bob.decisions.extract import Extraction


@dataclass(frozen=True, slots=True)
class Unread:
    """A document whose decisions are still to be extracted, with its passages in order."""

    document_id: int
    project: str
    content_hash: str
    document: DatedDocument
    passages: tuple[Passage, ...]


_PAST = "EXISTS (SELECT 1 FROM past_documents p WHERE p.org_id = :org AND p.document_id = d.document_id)"


def unread_ids(transaction: Transaction, version: int) -> list[int]:
    """The documents whose present text was not read by this version of the extractor. Past versions of
    documents are not read: what they say is no longer said."""
    rows = transaction.execute(
        "SELECT d.document_id FROM documents d WHERE d.org_id = :org AND NOT EXISTS ("
        " SELECT 1 FROM extracted_documents e WHERE e.org_id = :org AND e.document_id = d.document_id"
        " AND e.content_hash = d.content_hash AND e.version IN (:version, -:version))"
        f" AND NOT {_PAST} ORDER BY d.document_id",
        {"version": version},
    )
    return [int(document_id) for (document_id,) in rows]


def unread(transaction: Transaction, document_ids: Sequence[int]) -> list[Unread]:
    """Documents as extraction reads them; those that are gone meanwhile are left out."""
    passages: dict[int, list[Passage]] = {document_id: [] for document_id in document_ids}
    chunks = transaction.execute(
        "SELECT document_id, text, heading_path, context, locator FROM chunks"
        " WHERE org_id = :org AND document_id IN :ids ORDER BY document_id, ordinal",
        {"ids": document_ids},
    )
    for document_id, text, heading_path, context, locator in chunks:
        if writer_of(context):
            continue  # what Bob copied or an assistant wrote decides nothing
        cited = locator_from_json(json.loads(locator))
        passages[document_id].append(Passage(text, tuple(json.loads(heading_path)), cited))
    documents = transaction.execute(
        "SELECT document_id, project, content_hash, path, title, source_type, source_date, source_date_kind,"
        " extra FROM documents WHERE org_id = :org AND document_id IN :ids ORDER BY document_id",
        {"ids": document_ids},
    )
    unread = []
    for document_id, project, content_hash, path, title, source_type, dated, dated_by, extra in documents:
        document = DatedDocument(path, title, source_type, day_of(dated), dated_by, json.loads(extra))
        unread.append(Unread(document_id, project, content_hash, document, tuple(passages[document_id])))
    return unread


def save(
    transaction: Transaction,
    extracted: Sequence[tuple[Unread, Extraction]],
    version: int,
) -> None:
    """Put the decisions of documents in place of what was known of them; a key that a document has already
    keeps its id."""
    ids = [document.document_id for document, _ in extracted]
    keys: dict[int, dict[str, int]] = defaultdict(dict)
    rows = transaction.execute(
        "SELECT document_id, key, decision_id FROM decisions WHERE org_id = :org AND document_id IN :ids",
        {"ids": ids},
    )
    for document_id, key, decision_id in rows:
        keys[document_id][key] = decision_id
    for document, extraction in extracted:
        if extraction.decisions or document.document_id in keys:
            _replace(transaction, document, extraction.decisions, keys[document.document_id])
    transaction.execute(
        "DELETE FROM extracted_documents WHERE org_id = :org AND document_id IN :ids", {"ids": ids}
    )
    transaction.insert(
        "extracted_documents",
        *(
            {
                "document_id": document.document_id,
                "content_hash": document.content_hash,
                "version": -version if document.document_id in keys else version,
                "put_aside": json.dumps([asdict(text) for text in extraction.put_aside]),
            }
            for document, extraction in extracted
        ),
    )


def _replace(
    transaction: Transaction, read: Unread, found_decisions: Sequence[FoundDecision], keys: Mapping[str, int]
) -> None:
    unique = {decision.key: decision for decision in found_decisions}
    new = [decision for key, decision in unique.items() if key not in keys]
    _remove(transaction, [number for key, number in keys.items() if key not in unique])
    for key, decision in unique.items():
        if key in keys:
            values = _values(decision) | {"project": read.project}
            transaction.update("decisions", {"decision_id": keys[key]}, values)
    if new:
        ids = transaction.take_ids("decision", len(new))
        own = {"document_id": read.document_id, "project": read.project}
        transaction.insert(
            "decisions",
            *(
                own | {"decision_id": number, "status": decision.status} | _values(decision)
                for number, decision in zip(ids, new, strict=True)
            ),
        )


def _values(decision: FoundDecision) -> dict[str, Any]:
    return {
        "key": decision.key,
        "kind": decision.kind,
        "number": decision.number,
        "title": decision.title,
        "statement": decision.statement,
        "context": decision.context,
        "stated_status": decision.status,
        "stated_date": decision.stated_date and decision.stated_date.isoformat(),
        "confidence": decision.confidence,
        "locator": json.dumps(locator_to_json(decision.locator)),
        "rejected": json.dumps([rejected_to_json(alternative) for alternative in decision.rejected]),
        "stated_links": json.dumps([asdict(link) for link in decision.links]),
    }


def _remove(transaction: Transaction, decision_ids: Sequence[int]) -> None:
    if decision_ids:
        ids = {"ids": decision_ids}
        transaction.execute(
            "DELETE FROM decision_links WHERE org_id = :org AND (later_id IN :ids OR earlier_id IN :ids)", ids
        )
        transaction.execute("DELETE FROM decisions WHERE org_id = :org AND decision_id IN :ids", ids)


def unresolved(transaction: Transaction) -> set[str]:
    """The projects whose decisions are not resolved as they are now: a document was read, went away, or
    belongs to another project."""
    changed = transaction.execute(
        "SELECT DISTINCT d.project FROM documents d WHERE d.org_id = :org AND EXISTS ("
        " SELECT 1 FROM extracted_documents e WHERE e.org_id = :org AND e.document_id = d.document_id"
        " AND e.version < 0)"
    )
    projects = {project for (project,) in changed}
    return projects | {name for row in _misplaced(transaction) for name in row[1:3] if name}


def _misplaced(transaction: Transaction) -> list[tuple[int, str, str | None]]:
    """Decisions of documents that are gone or past, or in another project: id, project as it was and is."""
    rows = transaction.execute(
        f"SELECT e.decision_id, e.project, d.project, {_PAST} FROM decisions e"
        " LEFT JOIN documents d ON d.org_id = :org AND d.document_id = e.document_id"
        f" WHERE e.org_id = :org AND (d.project IS NULL OR d.project <> e.project OR {_PAST})"
    )
    return [(int(number), was, None if past else now) for number, was, now, past in rows]


def tidy(transaction: Transaction) -> None:
    """Remove the decisions of documents that are gone or past, and follow those that changed the project."""
    misplaced = _misplaced(transaction)
    _remove(transaction, [number for number, _, now in misplaced if now is None])
    for number, _, now in misplaced:
        if now is not None:
            transaction.update("decisions", {"decision_id": number}, {"project": now})


def stated(transaction: Transaction, project: str) -> dict[int, tuple[StatedDecision, Effective]]:
    """The decisions of a project by id: what is stated of each, and what was last found to count."""
    rows = transaction.execute(
        "SELECT e.decision_id, d.path, e.key, e.kind, e.number, e.title, e.stated_status, e.stated_date,"
        " e.stated_links, d.source_date, d.source_date_kind, e.status, e.date, e.date_kind FROM decisions e"
        " JOIN documents d ON d.org_id = :org AND d.document_id = e.document_id"
        " WHERE e.org_id = :org AND e.project = :project",
        {"project": project},
    )
    stated_decisions = {}
    for *own, packed, dated, dated_by, status, day, day_kind in rows:
        decision_id, path, key, kind, number, title, stated_status, stated_date = own
        decision = StatedDecision(
            decision_id,
            path,
            key,
            kind,
            number,
            title,
            stated_status,
            day_of(stated_date),
            tuple(StatedLink(**load) for load in json.loads(packed)),
            day_of(dated),
            dated_by,
        )
        stated_decisions[int(decision_id)] = decision, (status, day_of(day), day_kind)
    return stated_decisions


def settle(
    transaction: Transaction,
    project: str,
    effective: Mapping[int, Effective],
    links: Sequence[DecisionLink],
) -> None:
    """Write what follows of links and corrections: the decisions of a project that changed, by id, and all
    links between its decisions, in place of those before."""
    for number, (status, dated, kind) in effective.items():
        values = {"status": status, "date": dated and dated.isoformat(), "date_kind": kind}
        transaction.update("decisions", {"decision_id": number}, values)
    own = "(SELECT decision_id FROM decisions WHERE org_id = :org AND project = :project)"
    transaction.execute(
        f"DELETE FROM decision_links WHERE org_id = :org AND (later_id IN {own} OR earlier_id IN {own})",
        {"project": project},
    )
    transaction.insert(
        "decision_links",
        *(
            {
                "later_id": link.later,
                "earlier_id": link.earlier,
                "kind": link.kind,
                "origin": link.origin,
            }
            for link in links
        ),
    )
    transaction.execute(
        "UPDATE extracted_documents SET version = -version WHERE org_id = :org AND version < 0"
        " AND document_id IN (SELECT document_id FROM documents WHERE org_id = :org AND project = :project)",
        {"project": project},
    )


def corrections_of(transaction: Transaction, project: str) -> dict[str, Correction]:
    """What users said of a project's decisions, by key."""
    rows = transaction.execute(
        "SELECT key, changes, given_at FROM decision_corrections WHERE org_id = :org AND project = :project",
        {"project": project},
    )
    return {
        key: correction_from(project, key, json.loads(changes), given_at) for key, changes, given_at in rows
    }


def correct(transaction: Transaction, correction: Correction) -> None:
    """Keep what a user says of a decision, in place of what was said before; nothing when it is empty."""
    this = {"project": correction.project, "key": correction.key}
    transaction.execute(
        "DELETE FROM decision_corrections WHERE org_id = :org AND project = :project AND key = :key", this
    )
    if not correction.empty:
        kept_row = {
            "changes": json.dumps(correction.to_json()),
            "given_at": correction.given_at.timestamp(),
        }
        transaction.insert("decision_corrections", this | kept_row)


def forget_extraction(transaction: Transaction) -> None:
    """Have every document read again; ids and corrections stay."""
    transaction.execute("DELETE FROM extracted_documents WHERE org_id = :org")
