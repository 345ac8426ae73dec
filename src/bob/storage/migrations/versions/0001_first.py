"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def org() -> sa.Column[str]:
    """The column that leads every key."""
    return sa.Column("org_id", sa.String(64), nullable=False)


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "organizations",
        sa.Column("org_id", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
    )
    op.create_table(
        "counters",
        org(),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("value", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "name"),
    )
    op.create_table(
        "app_config",
        org(),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "key"),
    )
    op.create_table(
        "sources",
        org(),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "path"),
    )
    op.create_table(
        "documents",
        org(),
        sa.Column("document_id", sa.BigInteger, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("source_type", sa.String(32), nullable=False),
        sa.Column("parser", sa.String(64), nullable=False),
        sa.Column("language", sa.String(16)),
        sa.Column("source_date", sa.Date),
        sa.Column("source_date_kind", sa.String(16)),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("extra", sa.JSON, nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("mtime_ns", sa.BigInteger, nullable=False),
        sa.Column("chunk_count", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "document_id"),
        sa.UniqueConstraint("org_id", "path"),
    )
    op.create_index("documents_by_project", "documents", ["org_id", "project"])
    op.create_index("documents_by_hash", "documents", ["org_id", "content_hash"])
    op.create_table(
        "chunks",
        org(),
        sa.Column("chunk_id", sa.BigInteger, nullable=False),
        sa.Column("document_id", sa.BigInteger, nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("heading_path", sa.JSON, nullable=False),
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("locator", sa.JSON, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("content_hash", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "chunk_id"),
    )
    op.create_index("chunks_by_document", "chunks", ["org_id", "document_id", "ordinal"])
    op.create_index("chunks_by_hash", "chunks", ["org_id", "content_hash"])
    op.create_table(
        "chunk_postings",
        org(),
        sa.Column("chunk_id", sa.BigInteger, nullable=False),
        sa.Column("document_id", sa.BigInteger, nullable=False),
        sa.Column("postings", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "chunk_id"),
    )
    op.create_table(
        "removed_chunks",
        org(),
        sa.Column("chunk_id", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "chunk_id"),
    )
    op.create_table(
        "vectors",
        org(),
        sa.Column("chunk_id", sa.BigInteger, nullable=False),
        sa.Column("model", sa.String(128), nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.Column("sequence", sa.BigInteger),
        sa.PrimaryKeyConstraint("org_id", "model", "chunk_id"),
    )
    op.create_index("vectors_by_sequence", "vectors", ["org_id", "model", "sequence"])
    op.create_table(
        "jobs",
        org(),
        sa.Column("job_id", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("subject", sa.BigInteger, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("worker", sa.Text),
        sa.Column("lease_until", sa.Float),
        sa.Column("error", sa.Text),
        sa.PrimaryKeyConstraint("org_id", "job_id"),
        sa.UniqueConstraint("org_id", "kind", "subject"),
    )
    op.create_index("jobs_by_state", "jobs", ["org_id", "state", "priority", "job_id"])
    op.create_table(
        "failures",
        org(),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("mtime_ns", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "path"),
    )
