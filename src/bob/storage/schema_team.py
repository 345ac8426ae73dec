"""The tables of a team: work items and who works on them, their semantic memory, and who may ask.

Work items are truth; resources are what a Hippocampus keeps for its callers (SPEC K). Beside `org_id`, which
leads every key, the rules of `bob.storage.schema` hold here too.
"""

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

users = Table(
    "users",
    metadata,
    org_column(),
    Column("user_id", String(128), nullable=False),
    Column("name", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "user_id"),
)

categories = Table(
    "categories",
    metadata,
    org_column(),
    Column("category_id", BigInteger, nullable=False),
    Column("name", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "category_id"),
    UniqueConstraint("org_id", "name"),
)

work_items = Table(
    "work_items",
    metadata,
    org_column(),
    Column("work_item_id", BigInteger, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text),
    Column("category_id", BigInteger),
    Column("status", String(32), nullable=False),
    Column("priority", String(32)),
    Column("assignee_id", String(128)),
    Column("created_by", String(128), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    # What an import called the item, so that the same export does not make it twice.
    Column("external_id", Text),
    # When the memory took the item last; empty while the memory does not have it.
    Column("indexed_at", Float),
    PrimaryKeyConstraint("org_id", "work_item_id"),
    UniqueConstraint("org_id", "external_id"),
    Index("work_items_by_category", "org_id", "category_id"),
    Index("work_items_by_status", "org_id", "status"),
)

custom_fields = Table(
    "custom_fields",
    metadata,
    org_column(),
    Column("field_id", BigInteger, nullable=False),
    Column("name", Text, nullable=False),
    Column("field_type", String(16), nullable=False),
    # The values that an enum may take, in their order; empty for other types.
    Column("options", JSON, nullable=False),
    PrimaryKeyConstraint("org_id", "field_id"),
    UniqueConstraint("org_id", "name"),
)

custom_field_values = Table(
    "custom_field_values",
    metadata,
    org_column(),
    Column("work_item_id", BigInteger, nullable=False),
    Column("field_id", BigInteger, nullable=False),
    # As text whatever the type: 3.5, true, 2025-01-31, JSON with sorted keys.
    Column("value", Text, nullable=False),
    PrimaryKeyConstraint("org_id", "work_item_id", "field_id"),
    Index("custom_field_values_by_field", "org_id", "field_id"),
)

work_item_events = Table(
    "work_item_events",
    metadata,
    org_column(),
    Column("event_id", BigInteger, nullable=False),
    Column("work_item_id", BigInteger, nullable=False),
    Column("event_type", String(32), nullable=False),
    # What changed: {field: [before, after]}.
    Column("changes", JSON, nullable=False),
    Column("actor", String(128), nullable=False),
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "event_id"),
    Index("work_item_events_by_item", "org_id", "work_item_id", "event_id"),
)

collections = Table(
    "collections",
    metadata,
    org_column(),
    Column("collection_id", BigInteger, nullable=False),
    Column("name", String(255), nullable=False),
    Column("settings", JSON, nullable=False),
    PrimaryKeyConstraint("org_id", "collection_id"),
    UniqueConstraint("org_id", "name"),
)

resources = Table(
    "resources",
    metadata,
    org_column(),
    Column("collection_id", BigInteger, nullable=False),
    Column("resource_id", String(255), nullable=False),
    Column("title", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("owner_id", String(255), nullable=False),
    # Counted up with every change: what a reader has not seen has a larger one.
    Column("sequence", BigInteger, nullable=False),
    Column("model", String(128), nullable=False),
    Column("postings", LargeBinary, nullable=False),
    # Of title and content together, and of the title alone.
    Column("vector", Embedding, nullable=False),
    Column("title_vector", Embedding, nullable=False),
    PrimaryKeyConstraint("org_id", "collection_id", "resource_id"),
    Index("resources_by_id", "org_id", "resource_id"),
    Index("resources_by_sequence", "org_id", "collection_id", "sequence"),
)

rag_searches = Table(
    "rag_searches",
    metadata,
    org_column(),
    Column("search_id", BigInteger, nullable=False),
    Column("user_id", String(128), nullable=False),
    Column("query", Text, nullable=False),
    Column("work_item_ids", JSON, nullable=False),
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "search_id"),
)

rag_feedback = Table(
    "rag_feedback",
    metadata,
    org_column(),
    Column("feedback_id", BigInteger, nullable=False),
    Column("user_id", String(128), nullable=False),
    Column("query", Text, nullable=False),
    Column("work_item_id", BigInteger, nullable=False),
    Column("helpful", Boolean, nullable=False),
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "feedback_id"),
    UniqueConstraint("org_id", "user_id", "query", "work_item_id"),
)

threads = Table(
    "threads",
    metadata,
    org_column(),
    Column("thread_id", String(64), nullable=False),
    Column("user_id", String(128), nullable=False),
    # The item that the conversation is about; empty: about all of them.
    Column("work_item_id", BigInteger),
    Column("started_at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "thread_id"),
)

thread_messages = Table(
    "thread_messages",
    metadata,
    org_column(),
    Column("message_id", BigInteger, nullable=False),
    Column("thread_id", String(64), nullable=False),
    Column("role", String(16), nullable=False),
    Column("content", Text, nullable=False),
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("org_id", "message_id"),
    Index("thread_messages_by_thread", "org_id", "thread_id", "message_id"),
)

api_keys = Table(
    "api_keys",
    metadata,
    org_column(),
    Column("key_id", String(32), nullable=False),
    Column("name", Text, nullable=False),
    # SHA-256 of the secret, which itself is shown once and kept nowhere.
    Column("secret_hash", String(64), nullable=False),
    Column("user_id", String(128), nullable=False),
    Column("role", String(16), nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float),
    Column("last_used_at", Float),
    Column("revoked_at", Float),
    PrimaryKeyConstraint("org_id", "key_id"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    org_column(),
    # SHA-256 of who sent it (user and credential), method, path and key.
    Column("request", String(64), nullable=False),
    Column("user_id", String(128), nullable=False),
    # Of the body: the same key with another body is an error.
    Column("digest", String(64), nullable=False),
    Column("created_at", Float, nullable=False),
    # Which process serves it, which of its requests, and until when it has the right to.
    Column("worker", Text, nullable=False),
    Column("token", String(32), nullable=False),
    Column("lease_until", Float, nullable=False),
    # Set in the same transaction as the first row that the request changes.
    Column("changed", Boolean, nullable=False),
    # The answer; empty while the request is under way.
    Column("status", Integer),
    Column("headers", Text),
    Column("body", LargeBinary),
    # Why the answer itself is not here: it has a secret, it is too large, or it was forgotten.
    Column("not_kept", String(16)),
    PrimaryKeyConstraint("org_id", "request"),
    Index("idempotency_keys_by_age", "org_id", "created_at"),
)
