"""The tables, declared once for both engines; knows nothing of what is stored or why.

`org_id` leads every primary key and index. Ids are counted per organization (`counters`), so a
larger id was always committed later: readers find what is new by "greater than the last I saw".
Moments are seconds since 1970.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from bob.storage.embedding_type import Embedding

metadata = MetaData()


def org_column() -> Column[str]:
    """The column that leads every key."""
    return Column("org_id", String(64), nullable=False)


def disk_column() -> Column[str]:
    """The disk that a path is on: machines may have different files at one path (`documents.disk_rows`).
    Empty in a database that is one machine's."""
    return Column("disk_id", String(64), nullable=False, server_default="")


organizations = Table(
    "organizations",
    metadata,
    Column("org_id", String(64), primary_key=True),
    Column("name", Text, nullable=False),
)

counters = Table(
    "counters",
    metadata,
    org_column(),
    Column("name", String(32), nullable=False),
    Column("value", BigInteger, nullable=False),
    PrimaryKeyConstraint("org_id", "name"),
)

app_config = Table(
    "app_config",
    metadata,
    org_column(),
    Column("key", String(64), nullable=False),
    Column("value", Text, nullable=False),
    PrimaryKeyConstraint("org_id", "key"),
)

sources = Table(
    "sources",
    metadata,
    org_column(),
    Column("path", Text, nullable=False),
    Column("project", Text, nullable=False),
    disk_column(),
    PrimaryKeyConstraint("org_id", "path", "disk_id"),
)

documents = Table(
    "documents",
    metadata,
    org_column(),
    Column("document_id", BigInteger, nullable=False),
    Column("path", Text, nullable=False),
    Column("project", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("source_type", String(32), nullable=False),
    Column("parser", String(64), nullable=False),
    Column("language", String(16)),
    Column("source_date", Date),
    Column("source_date_kind", String(16)),
    Column("tags", JSON, nullable=False),
    Column("extra", JSON, nullable=False),
    Column("content_hash", String(64), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("chunk_count", Integer, nullable=False),
    disk_column(),
    PrimaryKeyConstraint("org_id", "document_id"),
    UniqueConstraint("org_id", "path", "disk_id"),
    Index("documents_by_project", "org_id", "project"),
    Index("documents_by_hash", "org_id", "content_hash"),
)

chunks = Table(
    "chunks",
    metadata,
    org_column(),
    Column("chunk_id", BigInteger, nullable=False),
    Column("document_id", BigInteger, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("heading_path", JSON, nullable=False),
    Column("context", Text, nullable=False),
    Column("locator", JSON, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("content_hash", String(32), nullable=False),
    PrimaryKeyConstraint("org_id", "chunk_id"),
    Index("chunks_by_document", "org_id", "document_id", "ordinal"),
    Index("chunks_by_hash", "org_id", "content_hash"),
)

chunk_postings = Table(
    "chunk_postings",
    metadata,
    org_column(),
    Column("chunk_id", BigInteger, nullable=False),
    Column("document_id", BigInteger, nullable=False),
    Column("postings", LargeBinary, nullable=False),
    PrimaryKeyConstraint("org_id", "chunk_id"),
)

removed_chunks = Table(
    "removed_chunks",
    metadata,
    org_column(),
    Column("chunk_id", BigInteger, nullable=False),
    Column("sequence", BigInteger, nullable=False, server_default="0"),
    PrimaryKeyConstraint("org_id", "chunk_id"),
    Index("removed_chunks_by_sequence", "org_id", "sequence"),
)

snapshots = Table(
    "snapshots",
    metadata,
    org_column(),
    # A folder of snapshots: each machine has one of its own (`bob.storage.removals`).
    Column("cache_id", String(32), nullable=False),
    Column("last_removal", BigInteger, nullable=False),
    Column("made_at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "cache_id"),
)

vectors = Table(
    "vectors",
    metadata,
    org_column(),
    Column("chunk_id", BigInteger, nullable=False),
    Column("model", String(128), nullable=False),
    Column("vector", Embedding, nullable=False),
    # Empty until all of a document's vectors are there: they become visible together (SPEC C4).
    Column("sequence", BigInteger),
    PrimaryKeyConstraint("org_id", "model", "chunk_id"),
    Index("vectors_by_sequence", "org_id", "model", "sequence"),
)

jobs = Table(
    "jobs",
    metadata,
    org_column(),
    Column("job_id", BigInteger, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("subject", BigInteger, nullable=False),
    Column("state", String(16), nullable=False),
    Column("priority", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("worker", Text),
    Column("lease_until", Float),
    Column("error", Text),
    # After an error it waits until then.
    Column("not_before", Float),
    # Counted up when its subject changes again: whoever ran it for an earlier change must not end it.
    Column("version", Integer, nullable=False, server_default="0"),
    PrimaryKeyConstraint("org_id", "job_id"),
    UniqueConstraint("org_id", "kind", "subject"),
    Index("jobs_by_state", "org_id", "state", "priority", "job_id"),
)

failures = Table(
    "failures",
    metadata,
    org_column(),
    Column("path", Text, nullable=False),
    Column("code", String(32), nullable=False),
    Column("reason", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    disk_column(),
    PrimaryKeyConstraint("org_id", "path", "disk_id"),
)

answers = Table(
    "answers",
    metadata,
    org_column(),
    Column("answer_id", BigInteger, nullable=False),
    Column("asked_at", Float, nullable=False),
    Column("question", Text, nullable=False),
    Column("filters", JSON, nullable=False),
    Column("found", Boolean, nullable=False),
    Column("answer", JSON, nullable=False),
    PrimaryKeyConstraint("org_id", "answer_id"),
)

feedback = Table(
    "feedback",
    metadata,
    org_column(),
    Column("answer_id", BigInteger, nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("note", Text),
    Column("given_at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "answer_id", "verdict"),
)

eval_runs = Table(
    "eval_runs",
    metadata,
    org_column(),
    Column("run_id", BigInteger, nullable=False),
    Column("started_at", Float, nullable=False),
    Column("name", Text),
    Column("golden", Text, nullable=False),
    Column("golden_hash", String(64), nullable=False),
    Column("k", Integer, nullable=False),
    Column("models", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("metrics", JSON, nullable=False),
    PrimaryKeyConstraint("org_id", "run_id"),
    Index("eval_runs_by_golden", "org_id", "golden", "run_id"),
)

eval_results = Table(
    "eval_results",
    metadata,
    org_column(),
    Column("run_id", BigInteger, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("question_id", Text, nullable=False),
    Column("result", JSON, nullable=False),
    PrimaryKeyConstraint("org_id", "run_id", "ordinal"),
    UniqueConstraint("org_id", "run_id", "question_id"),
)
