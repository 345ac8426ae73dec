-- The new table shows each organization its own rows alone, as those of 0004 do.
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON idempotency_keys USING (org_id = bob_org()) WITH CHECK (org_id = bob_org());
