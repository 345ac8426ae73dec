-- The first schema.

CREATE TABLE organizations (
    org_id VARCHAR(64) NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (org_id)
);

CREATE TABLE counters (
    org_id VARCHAR(64) NOT NULL,
    name VARCHAR(32) NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (org_id, name)
);

CREATE TABLE app_config (
    org_id VARCHAR(64) NOT NULL,
    key VARCHAR(64) NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (org_id, key)
);

CREATE TABLE sources (
    org_id VARCHAR(64) NOT NULL,
    path TEXT NOT NULL,
    project TEXT NOT NULL,
    PRIMARY KEY (org_id, path)
);

CREATE TABLE documents (
    org_id VARCHAR(64) NOT NULL,
    document_id BIGINT NOT NULL,
    path TEXT NOT NULL,
    project TEXT NOT NULL,
    title TEXT NOT NULL,
    source_type VARCHAR(32) NOT NULL,
    parser VARCHAR(64) NOT NULL,
    language VARCHAR(16),
    source_date DATE,
    source_date_kind VARCHAR(16),
    tags JSON NOT NULL,
    extra JSON NOT NULL,
    content_hash VARCHAR(64) NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    chunk_count INTEGER NOT NULL,
    PRIMARY KEY (org_id, document_id),
    UNIQUE (org_id, path)
);
CREATE INDEX documents_by_project ON documents (org_id, project);
CREATE INDEX documents_by_hash ON documents (org_id, content_hash);

CREATE TABLE chunks (
    org_id VARCHAR(64) NOT NULL,
    chunk_id BIGINT NOT NULL,
    document_id BIGINT NOT NULL,
    ordinal INTEGER NOT NULL,
    text TEXT NOT NULL,
    heading_path JSON NOT NULL,
    context TEXT NOT NULL,
    locator JSON NOT NULL,
    tokens INTEGER NOT NULL,
    content_hash VARCHAR(32) NOT NULL,
    PRIMARY KEY (org_id, chunk_id)
);
CREATE INDEX chunks_by_document ON chunks (org_id, document_id, ordinal);
CREATE INDEX chunks_by_hash ON chunks (org_id, content_hash);

CREATE TABLE chunk_postings (
    org_id VARCHAR(64) NOT NULL,
    chunk_id BIGINT NOT NULL,
    document_id BIGINT NOT NULL,
    postings BLOB NOT NULL,
    PRIMARY KEY (org_id, chunk_id)
);

CREATE TABLE removed_chunks (
    org_id VARCHAR(64) NOT NULL,
    chunk_id BIGINT NOT NULL,
    PRIMARY KEY (org_id, chunk_id)
);

CREATE TABLE vectors (
    org_id VARCHAR(64) NOT NULL,
    chunk_id BIGINT NOT NULL,
    model VARCHAR(128) NOT NULL,
    vector BLOB NOT NULL,
    -- Empty until all of a document's vectors are there: they become visible together (SPEC C4).
    sequence BIGINT,
    PRIMARY KEY (org_id, model, chunk_id)
);
CREATE INDEX vectors_by_sequence ON vectors (org_id, model, sequence);

CREATE TABLE jobs (
    org_id VARCHAR(64) NOT NULL,
    job_id BIGINT NOT NULL,
    kind VARCHAR(32) NOT NULL,
    subject BIGINT NOT NULL,
    state VARCHAR(16) NOT NULL,
    priority INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    worker TEXT,
    lease_until FLOAT,
    error TEXT,
    PRIMARY KEY (org_id, job_id),
    UNIQUE (org_id, kind, subject)
);
CREATE INDEX jobs_by_state ON jobs (org_id, state, priority, job_id);

CREATE TABLE failures (
    org_id VARCHAR(64) NOT NULL,
    path TEXT NOT NULL,
    code VARCHAR(32) NOT NULL,
    reason TEXT NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    PRIMARY KEY (org_id, path)
);
