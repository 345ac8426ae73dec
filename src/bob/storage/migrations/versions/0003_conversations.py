"""Conversations: chats with their messages, memories, and what prompts were made of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def org() -> sa.Column[str]:
    """The column that leads every key."""
    return sa.Column("org_id", sa.String(64), nullable=False)


def upgrade() -> None:
    """Add the tables; those that are there stay as they are."""
    op.create_table(
        "chats",
        org(),
        sa.Column("chat_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.String(128), nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("last_message_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "chat_id"),
        sa.UniqueConstraint("org_id", "user_id", "project", "name"),
    )
    op.create_index("chats_by_user", "chats", ["org_id", "user_id", "last_message_at"])
    op.create_table(
        "messages",
        org(),
        sa.Column("message_id", sa.BigInteger, nullable=False),
        sa.Column("chat_id", sa.BigInteger, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("sent_at", sa.Float, nullable=False),
        sa.Column("summary", sa.Text),
        sa.Column("importance", sa.Integer),
        sa.Column("message_type", sa.String(16)),
        sa.Column("stopped_by", sa.String(16)),
        sa.Column("judged_by", sa.Text),
        sa.Column("judge_tokens", sa.Integer),
        sa.Column("judge_reason", sa.Text),
        sa.PrimaryKeyConstraint("org_id", "message_id"),
    )
    op.create_index("messages_by_chat", "messages", ["org_id", "chat_id", "message_id"])
    op.create_table(
        "message_features",
        org(),
        sa.Column("message_id", sa.BigInteger, nullable=False),
        sa.Column("model", sa.String(128), nullable=False),
        sa.Column("terms", sa.LargeBinary, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.Column("word_vectors", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "model", "message_id"),
    )
    op.create_table(
        "memories",
        org(),
        sa.Column("memory_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.String(128), nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("chat_id", sa.BigInteger),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("importance", sa.Integer, nullable=False),
        sa.Column("message_type", sa.String(16), nullable=False),
        sa.Column("valid_from", sa.Float, nullable=False),
        sa.Column("valid_until", sa.Float),
        sa.Column("superseded_by", sa.BigInteger),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("edited", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "memory_id"),
    )
    op.create_index("memories_by_user", "memories", ["org_id", "user_id", "project"])
    op.create_index("memories_by_chat", "memories", ["org_id", "chat_id"])
    op.create_table(
        "memory_sources",
        org(),
        sa.Column("memory_id", sa.BigInteger, nullable=False),
        sa.Column("message_id", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "memory_id", "message_id"),
    )
    op.create_index("memory_sources_by_message", "memory_sources", ["org_id", "message_id"])
    op.create_table(
        "memory_features",
        org(),
        sa.Column("memory_id", sa.BigInteger, nullable=False),
        sa.Column("model", sa.String(128), nullable=False),
        sa.Column("features", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "model", "memory_id"),
    )
    op.create_table(
        "recalls",
        org(),
        sa.Column("message_id", sa.BigInteger, nullable=False),
        sa.Column("memory_id", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "message_id", "memory_id"),
    )
    op.create_index("recalls_by_memory", "recalls", ["org_id", "memory_id"])
    op.create_table(
        "receipts",
        org(),
        sa.Column("message_id", sa.BigInteger, nullable=False),
        sa.Column("chat_id", sa.BigInteger, nullable=False),
        sa.Column("receipt", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "message_id"),
    )
    op.create_index("receipts_by_chat", "receipts", ["org_id", "chat_id", "message_id"])
    op.create_table(
        "provider_caches",
        org(),
        sa.Column("provider", sa.String(32), nullable=False),
        sa.Column("model", sa.String(128), nullable=False),
        sa.Column("content_key", sa.String(64), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "provider", "model", "content_key"),
    )
