-- A team: work items with their events, the semantic memory of resources, threads and API keys.
--
-- PostgreSQL is supported from here on: what only it has (vectors as `halfvec`, row-level security, functions
-- for SQL clients) stands in the files beside this one.

-- After an error it waits until then.
ALTER TABLE jobs ADD COLUMN not_before FLOAT;
-- Counted up when its subject changes again: whoever ran it for an earlier change must not end it.
ALTER TABLE jobs ADD COLUMN version INTEGER DEFAULT '0' NOT NULL;

CREATE TABLE users (
    org_id VARCHAR(64) NOT NULL,
    user_id VARCHAR(128) NOT NULL,
    name TEXT NOT NULL,
    created_at FLOAT NOT NULL,
    PRIMARY KEY (org_id, user_id)
);

CREATE TABLE categories (
    org_id VARCHAR(64) NOT NULL,
    category_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    created_at FLOAT NOT NULL,
    PRIMARY KEY (org_id, category_id),
    UNIQUE (org_id, name)
);

CREATE TABLE work_items (
    org_id VARCHAR(64) NOT NULL,
    work_item_id BIGINT NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    category_id BIGINT,
    status VARCHAR(32) NOT NULL,
    priority VARCHAR(32),
    assignee_id VARCHAR(128),
    created_by VARCHAR(128) NOT NULL,
    created_at FLOAT NOT NULL,
    updated_at FLOAT NOT NULL,
    -- What an import called the item, so that the same export does not make it twice.
    external_id TEXT,
    -- When the memory took the item last; empty while the memory does not have it.
    indexed_at FLOAT,
    PRIMARY KEY (org_id, work_item_id),
    UNIQUE (org_id, external_id)
);
CREATE INDEX work_items_by_category ON work_items (org_id, category_id);
CREATE INDEX work_items_by_status ON work_items (org_id, status);

CREATE TABLE custom_fields (
    org_id VARCHAR(64) NOT NULL,
    field_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    field_type VARCHAR(16) NOT NULL,
    -- The values that an enum may take, in their order; empty for other types.
    options JSON NOT NULL,
    PRIMARY KEY (org_id, field_id),
    UNIQUE (org_id, name)
);

CREATE TABLE custom_field_values (
    org_id VARCHAR(64) NOT NULL,
    work_item_id BIGINT NOT NULL,
    field_id BIGINT NOT NULL,
    -- As text whatever the type: 3.5, true, 2025-01-31, JSON with sorted keys.
    value TEXT NOT NULL,
    PRIMARY KEY (org_id, work_item_id, field_id)
);
CREATE INDEX custom_field_values_by_field ON custom_field_values (org_id, field_id);

CREATE TABLE work_item_events (
    org_id VARCHAR(64) NOT NULL,
    event_id BIGINT NOT NULL,
    work_item_id BIGINT NOT NULL,
    event_type VARCHAR(32) NOT NULL,
    -- What changed: {field: [before, after]}.
    changes JSON NOT NULL,
    actor VARCHAR(128) NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (org_id, event_id)
);
CREATE INDEX work_item_events_by_item ON work_item_events (org_id, work_item_id, event_id);

CREATE TABLE collections (
    org_id VARCHAR(64) NOT NULL,
    collection_id BIGINT NOT NULL,
    name VARCHAR(255) NOT NULL,
    settings JSON NOT NULL,
    PRIMARY KEY (org_id, collection_id),
    UNIQUE (org_id, name)
);

CREATE TABLE resources (
    org_id VARCHAR(64) NOT NULL,
    collection_id BIGINT NOT NULL,
    resource_id VARCHAR(255) NOT NULL,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    owner_id VARCHAR(255) NOT NULL,
    -- Counted up with every change: what a reader has not seen has a larger one.
    sequence BIGINT NOT NULL,
    model VARCHAR(128) NOT NULL,
    postings BLOB NOT NULL,
    -- Of title and content together, and of the title alone.
    vector BLOB NOT NULL,
    title_vector BLOB NOT NULL,
    PRIMARY KEY (org_id, collection_id, resource_id)
);
CREATE INDEX resources_by_id ON resources (org_id, resource_id);
CREATE INDEX resources_by_sequence ON resources (org_id, collection_id, sequence);

CREATE TABLE rag_searches (
    org_id VARCHAR(64) NOT NULL,
    search_id BIGINT NOT NULL,
    user_id VARCHAR(128) NOT NULL,
    query TEXT NOT NULL,
    work_item_ids JSON NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (org_id, search_id)
);

CREATE TABLE rag_feedback (
    org_id VARCHAR(64) NOT NULL,
    feedback_id BIGINT NOT NULL,
    user_id VARCHAR(128) NOT NULL,
    query TEXT NOT NULL,
    work_item_id BIGINT NOT NULL,
    helpful BOOLEAN NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (org_id, feedback_id),
    UNIQUE (org_id, user_id, query, work_item_id)
);

CREATE TABLE threads (
    org_id VARCHAR(64) NOT NULL,
    thread_id VARCHAR(64) NOT NULL,
    user_id VARCHAR(128) NOT NULL,
    -- The item that the conversation is about; empty: about all of them.
    work_item_id BIGINT,
    started_at FLOAT NOT NULL,
    PRIMARY KEY (org_id, thread_id)
);

CREATE TABLE thread_messages (
    org_id VARCHAR(64) NOT NULL,
    message_id BIGINT NOT NULL,
    thread_id VARCHAR(64) NOT NULL,
    role VARCHAR(16) NOT NULL,
    content TEXT NOT NULL,
    at FLOAT NOT NULL,
    PRIMARY KEY (org_id, message_id)
);
CREATE INDEX thread_messages_by_thread ON thread_messages (org_id, thread_id, message_id);

CREATE TABLE api_keys (
    org_id VARCHAR(64) NOT NULL,
    key_id VARCHAR(32) NOT NULL,
    name TEXT NOT NULL,
    -- SHA-256 of the secret, which itself is shown once and kept nowhere.
    secret_hash VARCHAR(64) NOT NULL,
    user_id VARCHAR(128) NOT NULL,
    role VARCHAR(16) NOT NULL,
    scopes JSON NOT NULL,
    created_at FLOAT NOT NULL,
    expires_at FLOAT,
    last_used_at FLOAT,
    revoked_at FLOAT,
    PRIMARY KEY (org_id, key_id)
);
