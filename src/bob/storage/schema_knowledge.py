"""The tables of knowledge care: decisions, git sources, and the history of the knowledge's health.

Decisions are an index, rebuilt from text; what a user said of one (`decision_corrections`) is truth. Beside
`org_id`, which leads every key, the rules of `bob.storage.schema` hold here too.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Date,
    Float,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from bob.storage.schema import disk_column, metadata, org_column

decisions = Table(
    "decisions",
    metadata,
    org_column(),
    Column("decision_id", BigInteger, nullable=False),
    Column("document_id", BigInteger, nullable=False),
    Column("project", Text, nullable=False),
    # Names it among its project's, and is the same when the same text is read again.
    Column("key", String(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("number", Text),
    Column("title", Text, nullable=False),
    Column("statement", Text, nullable=False),
    Column("context", Text, nullable=False),
    Column("stated_status", String(16), nullable=False),
    # What counts: the stated one, after links and corrections.
    Column("status", String(16), nullable=False),
    Column("date", Date),
    Column("date_kind", String(16)),
    Column("stated_date", Date),
    Column("confidence", Float, nullable=False),
    Column("locator", JSON, nullable=False),
    Column("rejected", JSON, nullable=False),
    Column("stated_links", JSON, nullable=False),
    PrimaryKeyConstraint("org_id", "decision_id"),
    UniqueConstraint("org_id", "document_id", "key"),
    Index("decisions_by_project", "org_id", "project", "status"),
)

decision_links = Table(
    "decision_links",
    metadata,
    org_column(),
    Column("later_id", BigInteger, nullable=False),
    Column("earlier_id", BigInteger, nullable=False),
    Column("kind", String(24), nullable=False),
    Column("origin", String(8), nullable=False),
    PrimaryKeyConstraint("org_id", "later_id", "earlier_id", "kind"),
    Index("decision_links_by_earlier", "org_id", "earlier_id"),
)

decision_corrections = Table(
    "decision_corrections",
    metadata,
    org_column(),
    Column("project", Text, nullable=False),
    Column("key", String(64), nullable=False),
    Column("changes", JSON, nullable=False),
    Column("given_at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "project", "key"),
)

extracted_documents = Table(
    "extracted_documents",
    metadata,
    org_column(),
    Column("document_id", BigInteger, nullable=False),
    Column("content_hash", String(64), nullable=False),
    # Of the extractor: a newer one reads every document again.
    Column("version", Integer, nullable=False),
    PrimaryKeyConstraint("org_id", "document_id"),
)

past_documents = Table(
    "past_documents",
    metadata,
    org_column(),
    Column("document_id", BigInteger, nullable=False),
    # The day from which a newer version of it held; a document that is not in this table holds now.
    Column("valid_until", Date, nullable=False),
    PrimaryKeyConstraint("org_id", "document_id"),
)

git_sources = Table(
    "git_sources",
    metadata,
    org_column(),
    Column("repository", Text, nullable=False),
    Column("ref", Text, nullable=False),
    Column("project", Text, nullable=False),
    Column("commit_id", String(64), nullable=False),
    Column("tree_id", String(64), nullable=False),
    Column("options", JSON, nullable=False),
    disk_column(),
    PrimaryKeyConstraint("org_id", "repository", "ref", "disk_id"),
)

health_runs = Table(
    "health_runs",
    metadata,
    org_column(),
    Column("run_id", BigInteger, nullable=False),
    Column("taken_at", Float, nullable=False),
    # {project: {"score": 0 to 100, "documents": n, "findings": {rule: n}}}
    Column("projects", JSON, nullable=False),
    PrimaryKeyConstraint("org_id", "run_id"),
)

dismissed_findings = Table(
    "dismissed_findings",
    metadata,
    org_column(),
    Column("finding", String(64), nullable=False),
    Column("dismissed_at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "finding"),
)
