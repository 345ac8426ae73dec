"""Which chunks have open tasks in them."""

from __future__ import annotations

from bob.storage.database import Transaction

_WITH_BOXES = """
SELECT c.chunk_id FROM chunks c JOIN documents d ON d.org_id = c.org_id AND d.document_id = c.document_id
WHERE c.org_id = :org AND c.text LIKE '%[ ]%' AND d.source_type = 'markdown'
AND (:project = '' OR lower(d.project) = :project)
AND NOT EXISTS (SELECT 1 FROM past_documents p WHERE p.org_id = c.org_id AND p.document_id = c.document_id)
ORDER BY d.source_date DESC, d.path, c.ordinal LIMIT :limit
"""


def chunks_with_boxes(transaction: Transaction, project: str | None, limit: int) -> list[int]:
    """The chunks of Markdown files with an empty box, "[ ]", in them: those of the newest sources first."""
    values = {"project": (project or "").lower(), "limit": limit}
    return [chunk_id for (chunk_id,) in transaction.execute(_WITH_BOXES, values)]
