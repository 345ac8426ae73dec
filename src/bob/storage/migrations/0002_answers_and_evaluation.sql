-- Kept answers with their feedback, and runs of the evaluation.

CREATE TABLE answers (
    org_id VARCHAR(64) NOT NULL,
    answer_id BIGINT NOT NULL,
    asked_at FLOAT NOT NULL,
    question TEXT NOT NULL,
    filters JSON NOT NULL,
    found BOOLEAN NOT NULL,
    answer JSON NOT NULL,
    PRIMARY KEY (org_id, answer_id)
);

CREATE TABLE feedback (
    org_id VARCHAR(64) NOT NULL,
    answer_id BIGINT NOT NULL,
    verdict VARCHAR(16) NOT NULL,
    note TEXT,
    given_at FLOAT NOT NULL,
    PRIMARY KEY (org_id, answer_id, verdict)
);

CREATE TABLE eval_runs (
    org_id VARCHAR(64) NOT NULL,
    run_id BIGINT NOT NULL,
    started_at FLOAT NOT NULL,
    name TEXT,
    golden TEXT NOT NULL,
    golden_hash VARCHAR(64) NOT NULL,
    k INTEGER NOT NULL,
    models JSON NOT NULL,
    settings JSON NOT NULL,
    metrics JSON NOT NULL,
    PRIMARY KEY (org_id, run_id)
);
CREATE INDEX eval_runs_by_golden ON eval_runs (org_id, golden, run_id);

CREATE TABLE eval_results (
    org_id VARCHAR(64) NOT NULL,
    run_id BIGINT NOT NULL,
    ordinal INTEGER NOT NULL,
    question_id TEXT NOT NULL,
    result JSON NOT NULL,
    PRIMARY KEY (org_id, run_id, ordinal),
    UNIQUE (org_id, run_id, question_id)
);
