"""A team: work items with their events, the semantic memory of resources, threads and API keys.

PostgreSQL is supported from here on: what only it has (vectors as `halfvec`, row-level security, functions
for SQL clients) stands in `0004_postgresql.sql`.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def org() -> sa.Column[str]:
    """The column that leads every key."""
    return sa.Column("org_id", sa.String(64), nullable=False)


def upgrade() -> None:
    """Add the tables, and what jobs need to be tried later and to be queued again while they run."""
    op.add_column("jobs", sa.Column("not_before", sa.Float))
    op.add_column("jobs", sa.Column("version", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "users",
        org(),
        sa.Column("user_id", sa.String(128), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "user_id"),
    )
    op.create_table(
        "categories",
        org(),
        sa.Column("category_id", sa.BigInteger, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "category_id"),
        sa.UniqueConstraint("org_id", "name"),
    )
    op.create_table(
        "work_items",
        org(),
        sa.Column("work_item_id", sa.BigInteger, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("category_id", sa.BigInteger),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("priority", sa.String(32)),
        sa.Column("assignee_id", sa.String(128)),
        sa.Column("created_by", sa.String(128), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.Column("external_id", sa.Text),
        sa.Column("indexed_at", sa.Float),
        sa.PrimaryKeyConstraint("org_id", "work_item_id"),
        sa.UniqueConstraint("org_id", "external_id"),
    )
    op.create_index("work_items_by_category", "work_items", ["org_id", "category_id"])
    op.create_index("work_items_by_status", "work_items", ["org_id", "status"])
    op.create_table(
        "custom_fields",
        org(),
        sa.Column("field_id", sa.BigInteger, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("field_type", sa.String(16), nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "field_id"),
        sa.UniqueConstraint("org_id", "name"),
    )
    op.create_table(
        "custom_field_values",
        org(),
        sa.Column("work_item_id", sa.BigInteger, nullable=False),
        sa.Column("field_id", sa.BigInteger, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "work_item_id", "field_id"),
    )
    op.create_index("custom_field_values_by_field", "custom_field_values", ["org_id", "field_id"])
    op.create_table(
        "work_item_events",
        org(),
        sa.Column("event_id", sa.BigInteger, nullable=False),
        sa.Column("work_item_id", sa.BigInteger, nullable=False),
        sa.Column("event_type", sa.String(32), nullable=False),
        sa.Column("changes", sa.JSON, nullable=False),
        sa.Column("actor", sa.String(128), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "event_id"),
    )
    op.create_index("work_item_events_by_item", "work_item_events", ["org_id", "work_item_id", "event_id"])
    op.create_table(
        "collections",
        org(),
        sa.Column("collection_id", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "collection_id"),
        sa.UniqueConstraint("org_id", "name"),
    )
    op.create_table(
        "resources",
        org(),
        sa.Column("collection_id", sa.BigInteger, nullable=False),
        sa.Column("resource_id", sa.String(255), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("owner_id", sa.String(255), nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("model", sa.String(128), nullable=False),
        sa.Column("postings", sa.LargeBinary, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.Column("title_vector", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "collection_id", "resource_id"),
    )
    op.create_index("resources_by_id", "resources", ["org_id", "resource_id"])
    op.create_index("resources_by_sequence", "resources", ["org_id", "collection_id", "sequence"])
    op.create_table(
        "rag_searches",
        org(),
        sa.Column("search_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.String(128), nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("work_item_ids", sa.JSON, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "search_id"),
    )
    op.create_table(
        "rag_feedback",
        org(),
        sa.Column("feedback_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.String(128), nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("work_item_id", sa.BigInteger, nullable=False),
        sa.Column("helpful", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "feedback_id"),
        sa.UniqueConstraint("org_id", "user_id", "query", "work_item_id"),
    )
    op.create_table(
        "threads",
        org(),
        sa.Column("thread_id", sa.String(64), nullable=False),
        sa.Column("user_id", sa.String(128), nullable=False),
        sa.Column("work_item_id", sa.BigInteger),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "thread_id"),
    )
    op.create_table(
        "thread_messages",
        org(),
        sa.Column("message_id", sa.BigInteger, nullable=False),
        sa.Column("thread_id", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "message_id"),
    )
    op.create_index("thread_messages_by_thread", "thread_messages", ["org_id", "thread_id", "message_id"])
    op.create_table(
        "api_keys",
        org(),
        sa.Column("key_id", sa.String(32), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("secret_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.String(128), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("expires_at", sa.Float),
        sa.Column("last_used_at", sa.Float),
        sa.Column("revoked_at", sa.Float),
        sa.PrimaryKeyConstraint("org_id", "key_id"),
    )
    if op.get_bind().dialect.name == "postgresql":
        for name in ("0004_postgresql.sql", "0004_postgresql_reader.sql"):
            statements = Path(__file__).with_name(name).read_text("utf-8")
            # On the driver itself: the layer above takes a percent sign for a mark.
            op.get_bind().connection.cursor().execute(statements)
