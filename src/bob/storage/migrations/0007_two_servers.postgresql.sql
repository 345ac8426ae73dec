-- A path is one machine's: the same path on another disk is another document.
ALTER TABLE documents ADD COLUMN disk_id varchar(64) NOT NULL DEFAULT '';
ALTER TABLE documents DROP CONSTRAINT documents_org_id_path_key;
ALTER TABLE documents ADD UNIQUE (org_id, path, disk_id);
ALTER TABLE sources ADD COLUMN disk_id varchar(64) NOT NULL DEFAULT '';
ALTER TABLE sources DROP CONSTRAINT sources_pkey;
ALTER TABLE sources ADD PRIMARY KEY (org_id, path, disk_id);
ALTER TABLE failures ADD COLUMN disk_id varchar(64) NOT NULL DEFAULT '';
ALTER TABLE failures DROP CONSTRAINT failures_pkey;
ALTER TABLE failures ADD PRIMARY KEY (org_id, path, disk_id);
ALTER TABLE git_sources ADD COLUMN disk_id varchar(64) NOT NULL DEFAULT '';
ALTER TABLE git_sources DROP CONSTRAINT git_sources_pkey;
ALTER TABLE git_sources ADD PRIMARY KEY (org_id, repository, ref, disk_id);

ALTER TABLE snapshots ENABLE ROW LEVEL SECURITY;
ALTER TABLE snapshots FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON snapshots USING (org_id = bob_org()) WITH CHECK (org_id = bob_org());
