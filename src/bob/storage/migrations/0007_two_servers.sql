-- Several machines over one database: the disk of each document, and removals that no machine misses.

ALTER TABLE removed_chunks ADD COLUMN sequence BIGINT DEFAULT '0' NOT NULL;
CREATE INDEX removed_chunks_by_sequence ON removed_chunks (org_id, sequence);

CREATE TABLE snapshots (
    org_id VARCHAR(64) NOT NULL,
    -- A folder of snapshots: each machine has one of its own (`bob.storage.removals`).
    cache_id VARCHAR(32) NOT NULL,
    last_removal BIGINT NOT NULL,
    made_at FLOAT NOT NULL,
    PRIMARY KEY (org_id, cache_id)
);
