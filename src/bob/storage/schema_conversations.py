"""The tables of conversations: chats with their messages, memories, and what prompts were made of."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from bob.storage.embedding_type import Embedding
from bob.storage.schema import metadata, org_column

chats = Table(
    "chats",
    metadata,
    org_column(),
    Column("chat_id", BigInteger, nullable=False),
    Column("user_id", String(128), nullable=False),
    Column("project", Text, nullable=False),
    Column("name", Text),
    Column("title", Text, nullable=False),
    Column("started_at", Float, nullable=False),
    Column("last_message_at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "chat_id"),
    UniqueConstraint("org_id", "user_id", "project", "name"),
    Index("chats_by_user", "org_id", "user_id", "last_message_at"),
)

messages = Table(
    "messages",
    metadata,
    org_column(),
    Column("message_id", BigInteger, nullable=False),
    Column("chat_id", BigInteger, nullable=False),
    Column("role", String(16), nullable=False),
    Column("content", Text, nullable=False),
    Column("sent_at", Float, nullable=False),
    # What the funnel found; empty until it has seen the message (seed 004).
    Column("summary", Text),
    Column("importance", Integer),
    Column("message_type", String(16)),
    Column("stopped_by", String(16)),
    Column("judged_by", Text),
    Column("judge_tokens", Integer),
    Column("judge_reason", Text),
    PrimaryKeyConstraint("org_id", "message_id"),
    Index("messages_by_chat", "org_id", "chat_id", "message_id"),
)

message_features = Table(
    "message_features",
    metadata,
    org_column(),
    Column("message_id", BigInteger, nullable=False),
    Column("model", String(128), nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("vector", Embedding, nullable=False),
    # The largest comes last: a row is read up to the column asked for, and of most rows it is not.
    Column("word_vectors", LargeBinary, nullable=False),
    PrimaryKeyConstraint("org_id", "model", "message_id"),
)

memories = Table(
    "memories",
    metadata,
    org_column(),
    Column("memory_id", BigInteger, nullable=False),
    Column("user_id", String(128), nullable=False),
    Column("project", Text, nullable=False),
    Column("chat_id", BigInteger),
    Column("summary", Text, nullable=False),
    Column("importance", Integer, nullable=False),
    Column("message_type", String(16), nullable=False),
    Column("valid_from", Float, nullable=False),
    Column("valid_until", Float),
    Column("superseded_by", BigInteger),
    Column("pinned", Boolean, nullable=False),
    Column("edited", Boolean, nullable=False),
    PrimaryKeyConstraint("org_id", "memory_id"),
    Index("memories_by_user", "org_id", "user_id", "project"),
    Index("memories_by_chat", "org_id", "chat_id"),
)

memory_sources = Table(
    "memory_sources",
    metadata,
    org_column(),
    Column("memory_id", BigInteger, nullable=False),
    Column("message_id", BigInteger, nullable=False),
    PrimaryKeyConstraint("org_id", "memory_id", "message_id"),
    Index("memory_sources_by_message", "org_id", "message_id"),
)

memory_features = Table(
    "memory_features",
    metadata,
    org_column(),
    Column("memory_id", BigInteger, nullable=False),
    Column("model", String(128), nullable=False),
    Column("features", LargeBinary, nullable=False),
    PrimaryKeyConstraint("org_id", "model", "memory_id"),
)

recalls = Table(
    "recalls",
    metadata,
    org_column(),
    # The reply that was written with the memory in its prompt.
    Column("message_id", BigInteger, nullable=False),
    Column("memory_id", BigInteger, nullable=False),
    PrimaryKeyConstraint("org_id", "message_id", "memory_id"),
    Index("recalls_by_memory", "org_id", "memory_id"),
)

receipts = Table(
    "receipts",
    metadata,
    org_column(),
    # The reply that came of the prompt.
    Column("message_id", BigInteger, nullable=False),
    Column("chat_id", BigInteger, nullable=False),
    Column("receipt", JSON, nullable=False),
    PrimaryKeyConstraint("org_id", "message_id"),
    Index("receipts_by_chat", "org_id", "chat_id", "message_id"),
)

provider_caches = Table(
    "provider_caches",
    metadata,
    org_column(),
    Column("provider", String(32), nullable=False),
    Column("model", String(128), nullable=False),
    Column("content_key", String(64), nullable=False),
    Column("name", Text, nullable=False),
    Column("expires_at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "provider", "model", "content_key"),
)
