"""A text as the index holds it: parsed and cut by the real parsers and the real chunker."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bob.core.decision import DatedDocument, FoundDecision, Passage
from bob.decisions import extract as extraction
from bob.documents.parse_file import ParsedFile, ParseFile, ParseJob

_MAX_BYTES = 50_000_000


def extract(document: DatedDocument, passages: list[Passage]) -> tuple[FoundDecision, ...]:
    """The decisions of a document."""
    return extraction.extract(document, passages).decisions


def document_of(text: str, name: str = "notes.md") -> tuple[DatedDocument, list[Passage]]:
    """What `extract` is given of a file with this text and name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode())
        return document_at(path)


def document_at(
    path: Path, min_tokens: int = 200, max_tokens: int = 500
) -> tuple[DatedDocument, list[Passage]]:
    """What `extract` is given of a file."""
    job = ParseJob(str(path), path.stat().st_size, path.stat().st_mtime_ns, "small")
    parsed = ParseFile(_MAX_BYTES, min_tokens, max_tokens)(job)
    assert isinstance(parsed, ParsedFile)
    record = parsed.record
    document = DatedDocument(
        path=record.path,
        title=record.title,
        source_type=record.source_type,
        source_date=record.source_date.value if record.source_date else None,
        source_date_kind=record.source_date.kind if record.source_date else None,
        extra=record.extra,
    )
    chunks = [each.chunk for each in parsed.chunks]
    return document, [Passage(each.text, each.heading_path, each.locator) for each in chunks]
