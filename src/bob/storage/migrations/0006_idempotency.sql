-- Requests that were sent with an `Idempotency-Key`: what became of each, for a day.

CREATE TABLE idempotency_keys (
    org_id VARCHAR(64) NOT NULL,
    -- SHA-256 of who sent it (user and credential), method, path and key.
    request VARCHAR(64) NOT NULL,
    user_id VARCHAR(128) NOT NULL,
    -- Of the body: the same key with another body is an error.
    digest VARCHAR(64) NOT NULL,
    created_at FLOAT NOT NULL,
    -- Which process serves it, which of its requests, and until when it has the right to.
    worker TEXT NOT NULL,
    token VARCHAR(32) NOT NULL,
    lease_until FLOAT NOT NULL,
    -- Set in the same transaction as the first row that the request changes.
    changed BOOLEAN NOT NULL,
    -- The answer; empty while the request is under way.
    status INTEGER,
    headers TEXT,
    body BLOB,
    -- Why the answer itself is not here: it has a secret, it is too large, or it was forgotten.
    not_kept VARCHAR(16),
    PRIMARY KEY (org_id, request)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (org_id, created_at);
