-- The new tables show each organization its own rows alone, as those of 0004 do.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'decisions', 'decision_links', 'decision_corrections', 'extracted_documents', 'past_documents',
        'git_sources', 'health_runs', 'dismissed_findings'
    ]
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %I USING (org_id = bob_org()) WITH CHECK (org_id = bob_org())', name
        );
    END LOOP;
END
$$;
