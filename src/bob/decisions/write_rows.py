"""Writes decisions: what was extracted of a document, what follows from links, and what users said.

Extracted rows are an index. A row whose document is gone is not read any more; it stays until its project is
resolved again, which is how that project is known. So is a document that was read since: its version is
negative until its decisions are resolved with those of the project.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, insert, or_, select, update

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
from bob.core.locator import locator_from_json, locator_to_json
from bob.decisions.rows import correction_from
from bob.storage.counters import next_ids
from bob.storage.schema import chunks, documents
from bob.storage.schema_knowledge import (
    decision_corrections,
    decision_links,
    decisions,
    extracted_documents,
    past_documents,
)


@dataclass(frozen=True, slots=True)
class Unread:
    """A document whose decisions are still to be extracted, with its passages in order."""

    document_id: int
    project: str
    content_hash: str
    document: DatedDocument
    passages: tuple[Passage, ...]


def unread_ids(connection: Connection, org_id: str, version: int) -> list[int]:
    """The documents whose present text was not read by this version of the extractor. Past versions of
    documents are not read: what they say is no longer said."""
    current = and_(
        extracted_documents.c.org_id == documents.c.org_id,
        extracted_documents.c.document_id == documents.c.document_id,
        extracted_documents.c.content_hash == documents.c.content_hash,
        extracted_documents.c.version.in_((version, -version)),
    )
    asked = (
        select(documents.c.document_id)
        .where(documents.c.org_id == org_id, ~exists().where(current), ~_is_past())
        .order_by(documents.c.document_id)
    )
    return [int(row[0]) for row in connection.execute(asked)]


def _is_past() -> ColumnElement[bool]:
    return exists().where(
        past_documents.c.org_id == documents.c.org_id,
        past_documents.c.document_id == documents.c.document_id,
    )


def unread(connection: Connection, org_id: str, document_ids: Sequence[int]) -> list[Unread]:
    """Documents as extraction reads them; those that are gone meanwhile are left out."""
    passages: dict[int, list[Passage]] = {each: [] for each in document_ids}
    rows = connection.execute(
        select(chunks.c.document_id, chunks.c.text, chunks.c.heading_path, chunks.c.locator)
        .where(chunks.c.org_id == org_id, chunks.c.document_id.in_(document_ids))
        .order_by(chunks.c.document_id, chunks.c.ordinal)
    )
    for document_id, text, heading_path, locator in rows:
        passages[document_id].append(Passage(text, tuple(heading_path), locator_from_json(locator)))
    found = connection.execute(
        select(documents)
        .where(documents.c.org_id == org_id, documents.c.document_id.in_(document_ids))
        .order_by(documents.c.document_id)
    )
    return [
        Unread(
            row.document_id,
            row.project,
            row.content_hash,
            DatedDocument(
                row.path, row.title, row.source_type, row.source_date, row.source_date_kind, row.extra
            ),
            tuple(passages[row.document_id]),
        )
        for row in found
    ]


def save(
    connection: Connection,
    org_id: str,
    found: Sequence[tuple[Unread, Sequence[FoundDecision]]],
    version: int,
) -> None:
    """Put the decisions of documents in place of what was known of them; a key that a document has already
    keeps its id."""
    ids = [each.document_id for each, _ in found]
    known: dict[int, dict[str, int]] = defaultdict(dict)
    here = and_(decisions.c.org_id == org_id, decisions.c.document_id.in_(ids))
    rows = connection.execute(
        select(decisions.c.document_id, decisions.c.key, decisions.c.decision_id).where(here)
    )
    for document_id, key, decision_id in rows:
        known[document_id][key] = decision_id
    for each, of_document in found:
        if of_document or each.document_id in known:
            _replace(connection, org_id, each, of_document, known[each.document_id])
    read = and_(extracted_documents.c.org_id == org_id, extracted_documents.c.document_id.in_(ids))
    connection.execute(delete(extracted_documents).where(read))
    marks = [
        {
            "org_id": org_id,
            "document_id": each.document_id,
            "content_hash": each.content_hash,
            "version": -version if each.document_id in known else version,
        }
        for each, _ in found
    ]
    if marks:
        connection.execute(insert(extracted_documents), marks)


def _replace(
    connection: Connection,
    org_id: str,
    read: Unread,
    found: Sequence[FoundDecision],
    known: Mapping[str, int],
) -> None:
    unique = {each.key: each for each in found}
    new = [each for key, each in unique.items() if key not in known]
    _remove(connection, org_id, [number for key, number in known.items() if key not in unique])
    for key, each in unique.items():
        if key in known:
            at = and_(decisions.c.org_id == org_id, decisions.c.decision_id == known[key])
            values = _values(each) | {"project": read.project}
            connection.execute(update(decisions).where(at).values(**values))
    if new:
        ids = next_ids(connection, org_id, "decision", len(new))
        own = {"org_id": org_id, "document_id": read.document_id, "project": read.project}
        rows = [
            own | {"decision_id": number, "status": each.status} | _values(each)
            for number, each in zip(ids, new, strict=True)
        ]
        connection.execute(insert(decisions), rows)


def _values(found: FoundDecision) -> dict[str, Any]:
    return {
        "key": found.key,
        "kind": found.kind,
        "number": found.number,
        "title": found.title,
        "statement": found.statement,
        "context": found.context,
        "stated_status": found.status,
        "stated_date": found.stated_date,
        "confidence": found.confidence,
        "locator": locator_to_json(found.locator),
        "rejected": [rejected_to_json(each) for each in found.rejected],
        "stated_links": [asdict(each) for each in found.links],
    }


def _remove(connection: Connection, org_id: str, decision_ids: Sequence[int]) -> None:
    for at in range(0, len(decision_ids), 500):
        part = decision_ids[at : at + 500]
        links = decision_links.c.later_id.in_(part) | decision_links.c.earlier_id.in_(part)
        connection.execute(delete(decision_links).where(decision_links.c.org_id == org_id, links))
        rows = decisions.c.decision_id.in_(part)
        connection.execute(delete(decisions).where(decisions.c.org_id == org_id, rows))


_SAME_DOCUMENT = and_(
    decisions.c.org_id == documents.c.org_id, decisions.c.document_id == documents.c.document_id
)


def unresolved(connection: Connection, org_id: str) -> set[str]:
    """The projects whose decisions are not resolved as they are now: a document was read, went away, or
    belongs to another project."""
    read = and_(
        extracted_documents.c.org_id == documents.c.org_id,
        extracted_documents.c.document_id == documents.c.document_id,
        extracted_documents.c.version < 0,
    )
    changed = connection.execute(
        select(documents.c.project).where(documents.c.org_id == org_id, exists().where(read)).distinct()
    )
    return {row[0] for row in changed} | {
        name for row in _misplaced(connection, org_id) for name in row[1:3] if name
    }


def _misplaced(connection: Connection, org_id: str) -> list[tuple[int, str, str | None]]:
    """Decisions of documents that are gone or past, or in another project: id, project as it was and is."""
    asked = (
        select(decisions.c.decision_id, decisions.c.project, documents.c.project, _is_past())
        .select_from(decisions.outerjoin(documents, _SAME_DOCUMENT))
        .where(decisions.c.org_id == org_id)
        .where(
            or_(documents.c.project.is_(None), documents.c.project != decisions.c.project, _is_past()),
        )
    )
    rows = connection.execute(asked).all()
    return [(int(number), was, None if past else now) for number, was, now, past in rows]


def tidy(connection: Connection, org_id: str) -> None:
    """Remove the decisions of documents that are gone or past, and follow those that changed the project."""
    misplaced = _misplaced(connection, org_id)
    _remove(connection, org_id, [number for number, _, now in misplaced if now is None])
    for number, _, now in misplaced:
        if now is not None:
            at = and_(decisions.c.org_id == org_id, decisions.c.decision_id == number)
            connection.execute(update(decisions).where(at).values(project=now))


def stated(connection: Connection, org_id: str, project: str) -> dict[int, tuple[StatedDecision, Effective]]:
    """The decisions of a project by id: what is stated of each, and what was last found to count."""
    rows = connection.execute(
        select(decisions, documents.c.path, documents.c.source_date, documents.c.source_date_kind)
        .select_from(decisions.join(documents, _SAME_DOCUMENT))
        .where(decisions.c.org_id == org_id, decisions.c.project == project)
    )
    return {
        int(row.decision_id): (
            StatedDecision(
                row.decision_id,
                row.path,
                row.key,
                row.kind,
                row.number,
                row.title,
                row.stated_status,
                row.stated_date,
                tuple(
                    StatedLink(each["kind"], each["target"], each["backward"]) for each in row.stated_links
                ),
                row.source_date,
                row.source_date_kind,
            ),
            (row.status, row.date, row.date_kind),
        )
        for row in rows
    }


def settle(
    connection: Connection,
    org_id: str,
    project: str,
    effective: Mapping[int, Effective],
    links: Sequence[DecisionLink],
) -> None:
    """Write what follows of links and corrections: the decisions of a project that changed, by id, and all
    links between its decisions, in place of those before."""
    for number, (status, dated, kind) in effective.items():
        at = and_(decisions.c.org_id == org_id, decisions.c.decision_id == number)
        connection.execute(update(decisions).where(at).values(status=status, date=dated, date_kind=kind))
    own = select(decisions.c.decision_id).where(decisions.c.org_id == org_id, decisions.c.project == project)
    either = decision_links.c.later_id.in_(own) | decision_links.c.earlier_id.in_(own)
    connection.execute(delete(decision_links).where(decision_links.c.org_id == org_id, either))
    if links:
        rows = [
            {
                "org_id": org_id,
                "later_id": each.later,
                "earlier_id": each.earlier,
                "kind": each.kind,
                "origin": each.origin,
            }
            for each in links
        ]
        connection.execute(insert(decision_links), rows)
    of_project = select(documents.c.document_id).where(
        documents.c.org_id == org_id, documents.c.project == project
    )
    read = and_(
        extracted_documents.c.org_id == org_id,
        extracted_documents.c.version < 0,
        extracted_documents.c.document_id.in_(of_project),
    )
    connection.execute(update(extracted_documents).where(read).values(version=-extracted_documents.c.version))


def corrections_of(connection: Connection, org_id: str, project: str) -> dict[str, Correction]:
    """What users said of a project's decisions, by key."""
    rows = connection.execute(
        select(
            decision_corrections.c.key, decision_corrections.c.changes, decision_corrections.c.given_at
        ).where(decision_corrections.c.org_id == org_id, decision_corrections.c.project == project)
    )
    return {row.key: correction_from(project, row.key, row.changes, row.given_at) for row in rows}


def correct(connection: Connection, org_id: str, correction: Correction) -> None:
    """Keep what a user says of a decision, in place of what was said before; nothing when it is empty."""
    at = and_(
        decision_corrections.c.org_id == org_id,
        decision_corrections.c.project == correction.project,
        decision_corrections.c.key == correction.key,
    )
    connection.execute(delete(decision_corrections).where(at))
    if not correction.empty:
        connection.execute(
            insert(decision_corrections).values(
                org_id=org_id,
                project=correction.project,
                key=correction.key,
                changes=correction.to_json(),
                given_at=correction.given_at.timestamp(),
            )
        )


def forget_extraction(connection: Connection, org_id: str) -> None:
    """Have every document read again; ids and corrections stay."""
    connection.execute(delete(extracted_documents).where(extracted_documents.c.org_id == org_id))
