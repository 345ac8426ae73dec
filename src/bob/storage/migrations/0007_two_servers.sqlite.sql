-- SQLite changes no key: the tables are made anew.

CREATE TABLE new_documents (
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
    disk_id VARCHAR(64) DEFAULT '' NOT NULL,
    CONSTRAINT pk_documents PRIMARY KEY (org_id, document_id),
    CONSTRAINT uq_documents_org_id UNIQUE (org_id, path, disk_id)
);
INSERT INTO new_documents (org_id, document_id, path, project, title, source_type, parser, language,
    source_date, source_date_kind, tags, extra, content_hash, size, mtime_ns, chunk_count)
SELECT org_id, document_id, path, project, title, source_type, parser, language, source_date,
    source_date_kind, tags, extra, content_hash, size, mtime_ns, chunk_count FROM documents;
DROP TABLE documents;
ALTER TABLE new_documents RENAME TO documents;
CREATE INDEX documents_by_hash ON documents (org_id, content_hash);
CREATE INDEX documents_by_project ON documents (org_id, project);

CREATE TABLE new_sources (
    org_id VARCHAR(64) NOT NULL,
    path TEXT NOT NULL,
    project TEXT NOT NULL,
    disk_id VARCHAR(64) DEFAULT '' NOT NULL,
    CONSTRAINT pk_sources PRIMARY KEY (org_id, path, disk_id)
);
INSERT INTO new_sources (org_id, path, project)
SELECT org_id, path, project FROM sources;
DROP TABLE sources;
ALTER TABLE new_sources RENAME TO sources;

CREATE TABLE new_failures (
    org_id VARCHAR(64) NOT NULL,
    path TEXT NOT NULL,
    code VARCHAR(32) NOT NULL,
    reason TEXT NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    disk_id VARCHAR(64) DEFAULT '' NOT NULL,
    CONSTRAINT pk_failures PRIMARY KEY (org_id, path, disk_id)
);
INSERT INTO new_failures (org_id, path, code, reason, size, mtime_ns)
SELECT org_id, path, code, reason, size, mtime_ns FROM failures;
DROP TABLE failures;
ALTER TABLE new_failures RENAME TO failures;

CREATE TABLE new_git_sources (
    org_id VARCHAR(64) NOT NULL,
    repository TEXT NOT NULL,
    ref TEXT NOT NULL,
    project TEXT NOT NULL,
    commit_id VARCHAR(64) NOT NULL,
    tree_id VARCHAR(64) NOT NULL,
    options JSON NOT NULL,
    disk_id VARCHAR(64) DEFAULT '' NOT NULL,
    CONSTRAINT pk_git_sources PRIMARY KEY (org_id, repository, ref, disk_id)
);
INSERT INTO new_git_sources (org_id, repository, ref, project, commit_id, tree_id, options)
SELECT org_id, repository, ref, project, commit_id, tree_id, options FROM git_sources;
DROP TABLE git_sources;
ALTER TABLE new_git_sources RENAME TO git_sources;
