-- Conversations: chats with their messages, memories, and what prompts were made of.

CREATE TABLE chats (
    org_id VARCHAR(64) NOT NULL,
    chat_id BIGINT NOT NULL,
    user_id VARCHAR(128) NOT NULL,
    project TEXT NOT NULL,
    name TEXT,
    title TEXT NOT NULL,
    started_at FLOAT NOT NULL,
    last_message_at FLOAT NOT NULL,
    PRIMARY KEY (org_id, chat_id),
    UNIQUE (org_id, user_id, project, name)
);
CREATE INDEX chats_by_user ON chats (org_id, user_id, last_message_at);

CREATE TABLE messages (
    org_id VARCHAR(64) NOT NULL,
    message_id BIGINT NOT NULL,
    chat_id BIGINT NOT NULL,
    role VARCHAR(16) NOT NULL,
    content TEXT NOT NULL,
    sent_at FLOAT NOT NULL,
    -- What the funnel found; empty until it has seen the message (seed 004).
    summary TEXT,
    importance INTEGER,
    message_type VARCHAR(16),
    stopped_by VARCHAR(16),
    judged_by TEXT,
    judge_tokens INTEGER,
    judge_reason TEXT,
    PRIMARY KEY (org_id, message_id)
);
CREATE INDEX messages_by_chat ON messages (org_id, chat_id, message_id);

CREATE TABLE message_features (
    org_id VARCHAR(64) NOT NULL,
    message_id BIGINT NOT NULL,
    model VARCHAR(128) NOT NULL,
    terms BLOB NOT NULL,
    vector BLOB NOT NULL,
    -- The largest comes last: a row is read up to the column asked for, and of most rows it is not.
    word_vectors BLOB NOT NULL,
    PRIMARY KEY (org_id, model, message_id)
);

CREATE TABLE memories (
    org_id VARCHAR(64) NOT NULL,
    memory_id BIGINT NOT NULL,
    user_id VARCHAR(128) NOT NULL,
    project TEXT NOT NULL,
    chat_id BIGINT,
    summary TEXT NOT NULL,
    importance INTEGER NOT NULL,
    message_type VARCHAR(16) NOT NULL,
    valid_from FLOAT NOT NULL,
    valid_until FLOAT,
    superseded_by BIGINT,
    pinned BOOLEAN NOT NULL,
    edited BOOLEAN NOT NULL,
    PRIMARY KEY (org_id, memory_id)
);
CREATE INDEX memories_by_user ON memories (org_id, user_id, project);
CREATE INDEX memories_by_chat ON memories (org_id, chat_id);

CREATE TABLE memory_sources (
    org_id VARCHAR(64) NOT NULL,
    memory_id BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    PRIMARY KEY (org_id, memory_id, message_id)
);
CREATE INDEX memory_sources_by_message ON memory_sources (org_id, message_id);

CREATE TABLE memory_features (
    org_id VARCHAR(64) NOT NULL,
    memory_id BIGINT NOT NULL,
    model VARCHAR(128) NOT NULL,
    features BLOB NOT NULL,
    PRIMARY KEY (org_id, model, memory_id)
);

CREATE TABLE recalls (
    org_id VARCHAR(64) NOT NULL,
    -- The reply that was written with the memory in its prompt.
    message_id BIGINT NOT NULL,
    memory_id BIGINT NOT NULL,
    PRIMARY KEY (org_id, message_id, memory_id)
);
CREATE INDEX recalls_by_memory ON recalls (org_id, memory_id);

CREATE TABLE receipts (
    org_id VARCHAR(64) NOT NULL,
    -- The reply that came of the prompt.
    message_id BIGINT NOT NULL,
    chat_id BIGINT NOT NULL,
    receipt JSON NOT NULL,
    PRIMARY KEY (org_id, message_id)
);
CREATE INDEX receipts_by_chat ON receipts (org_id, chat_id, message_id);

CREATE TABLE provider_caches (
    org_id VARCHAR(64) NOT NULL,
    provider VARCHAR(32) NOT NULL,
    model VARCHAR(128) NOT NULL,
    content_key VARCHAR(64) NOT NULL,
    name TEXT NOT NULL,
    expires_at FLOAT NOT NULL,
    PRIMARY KEY (org_id, provider, model, content_key)
);
