-- Knowledge care: decisions, git sources with past versions of documents, and health.

CREATE TABLE decisions (
    org_id VARCHAR(64) NOT NULL,
    decision_id BIGINT NOT NULL,
    document_id BIGINT NOT NULL,
    project TEXT NOT NULL,
    -- Names it among its project's, and is the same when the same text is read again.
    key VARCHAR(64) NOT NULL,
    kind VARCHAR(16) NOT NULL,
    number TEXT,
    title TEXT NOT NULL,
    statement TEXT NOT NULL,
    context TEXT NOT NULL,
    stated_status VARCHAR(16) NOT NULL,
    -- What counts: the stated one, after links and corrections.
    status VARCHAR(16) NOT NULL,
    date DATE,
    date_kind VARCHAR(16),
    stated_date DATE,
    confidence FLOAT NOT NULL,
    locator JSON NOT NULL,
    rejected JSON NOT NULL,
    stated_links JSON NOT NULL,
    PRIMARY KEY (org_id, decision_id),
    UNIQUE (org_id, document_id, key)
);
CREATE INDEX decisions_by_project ON decisions (org_id, project, status);

CREATE TABLE decision_links (
    org_id VARCHAR(64) NOT NULL,
    later_id BIGINT NOT NULL,
    earlier_id BIGINT NOT NULL,
    kind VARCHAR(24) NOT NULL,
    origin VARCHAR(8) NOT NULL,
    PRIMARY KEY (org_id, later_id, earlier_id, kind)
);
CREATE INDEX decision_links_by_earlier ON decision_links (org_id, earlier_id);

CREATE TABLE decision_corrections (
    org_id VARCHAR(64) NOT NULL,
    project TEXT NOT NULL,
    key VARCHAR(64) NOT NULL,
    changes JSON NOT NULL,
    given_at FLOAT NOT NULL,
    PRIMARY KEY (org_id, project, key)
);

CREATE TABLE extracted_documents (
    org_id VARCHAR(64) NOT NULL,
    document_id BIGINT NOT NULL,
    content_hash VARCHAR(64) NOT NULL,
    -- Of the extractor: a newer one reads every document again.
    version INTEGER NOT NULL,
    PRIMARY KEY (org_id, document_id)
);

CREATE TABLE past_documents (
    org_id VARCHAR(64) NOT NULL,
    document_id BIGINT NOT NULL,
    -- The day from which a newer version of it held; a document that is not in this table holds now.
    valid_until DATE NOT NULL,
    PRIMARY KEY (org_id, document_id)
);

CREATE TABLE git_sources (
    org_id VARCHAR(64) NOT NULL,
    repository TEXT NOT NULL,
    ref TEXT NOT NULL,
    project TEXT NOT NULL,
    commit_id VARCHAR(64) NOT NULL,
    tree_id VARCHAR(64) NOT NULL,
    options JSON NOT NULL,
    PRIMARY KEY (org_id, repository, ref)
);

CREATE TABLE health_runs (
    org_id VARCHAR(64) NOT NULL,
    run_id BIGINT NOT NULL,
    taken_at FLOAT NOT NULL,
    -- {project: {"score": 0 to 100, "documents": n, "findings": {rule: n}}}
    projects JSON NOT NULL,
    PRIMARY KEY (org_id, run_id)
);

CREATE TABLE dismissed_findings (
    org_id VARCHAR(64) NOT NULL,
    finding VARCHAR(64) NOT NULL,
    dismissed_at FLOAT NOT NULL,
    PRIMARY KEY (org_id, finding)
);
