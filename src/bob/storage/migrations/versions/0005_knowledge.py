"""Knowledge care: decisions, git sources with past versions of documents, and health."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def org() -> sa.Column[str]:
    """The column that leads every key."""
    return sa.Column("org_id", sa.String(64), nullable=False)


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "decisions",
        org(),
        sa.Column("decision_id", sa.BigInteger, nullable=False),
        sa.Column("document_id", sa.BigInteger, nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("number", sa.Text),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("statement", sa.Text, nullable=False),
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("stated_status", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("date", sa.Date),
        sa.Column("date_kind", sa.String(16)),
        sa.Column("stated_date", sa.Date),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("locator", sa.JSON, nullable=False),
        sa.Column("rejected", sa.JSON, nullable=False),
        sa.Column("stated_links", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "decision_id"),
        sa.UniqueConstraint("org_id", "document_id", "key"),
    )
    op.create_index("decisions_by_project", "decisions", ["org_id", "project", "status"])
    op.create_table(
        "decision_links",
        org(),
        sa.Column("later_id", sa.BigInteger, nullable=False),
        sa.Column("earlier_id", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(24), nullable=False),
        sa.Column("origin", sa.String(8), nullable=False),
        sa.PrimaryKeyConstraint("org_id", "later_id", "earlier_id", "kind"),
    )
    op.create_index("decision_links_by_earlier", "decision_links", ["org_id", "earlier_id"])
    op.create_table(
        "decision_corrections",
        org(),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("changes", sa.JSON, nullable=False),
        sa.Column("given_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "project", "key"),
    )
    op.create_table(
        "extracted_documents",
        org(),
        sa.Column("document_id", sa.BigInteger, nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "document_id"),
    )
    op.create_table(
        "past_documents",
        org(),
        sa.Column("document_id", sa.BigInteger, nullable=False),
        sa.Column("valid_until", sa.Date, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "document_id"),
    )
    op.create_table(
        "git_sources",
        org(),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("ref", sa.Text, nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("commit_id", sa.String(64), nullable=False),
        sa.Column("tree_id", sa.String(64), nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "repository", "ref"),
    )
    op.create_table(
        "health_runs",
        org(),
        sa.Column("run_id", sa.BigInteger, nullable=False),
        sa.Column("taken_at", sa.Float, nullable=False),
        sa.Column("projects", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "run_id"),
    )
    op.create_table(
        "dismissed_findings",
        org(),
        sa.Column("finding", sa.String(64), nullable=False),
        sa.Column("dismissed_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "finding"),
    )
    if op.get_bind().dialect.name == "postgresql":
        statements = Path(__file__).with_name("0005_postgresql.sql").read_text("utf-8")
        # On the driver itself: the layer above takes a percent sign for a mark.
        op.get_bind().connection.cursor().execute(statements)
