-- What only PostgreSQL has: vectors that it can search, rows that each organization alone sees, and functions
-- for clients that speak SQL. No Bob ran on PostgreSQL before this step, so the columns are empty.

CREATE EXTENSION IF NOT EXISTS vector;

ALTER TABLE vectors DROP COLUMN vector;
ALTER TABLE vectors ADD COLUMN vector halfvec NOT NULL;
ALTER TABLE message_features DROP COLUMN vector;
ALTER TABLE message_features ADD COLUMN vector halfvec NOT NULL;
ALTER TABLE resources DROP COLUMN vector;
ALTER TABLE resources ADD COLUMN vector halfvec NOT NULL;
ALTER TABLE resources DROP COLUMN title_vector;
ALTER TABLE resources ADD COLUMN title_vector halfvec NOT NULL;

-- An index needs one dimension: that of the model that comes with Bob, and that of OpenAI's small ones.
CREATE INDEX vectors_hnsw_384 ON vectors USING hnsw ((vector::halfvec(384)) halfvec_cosine_ops)
    WHERE vector_dims(vector) = 384 AND sequence IS NOT NULL;
CREATE INDEX vectors_hnsw_1536 ON vectors USING hnsw ((vector::halfvec(1536)) halfvec_cosine_ops)
    WHERE vector_dims(vector) = 1536 AND sequence IS NOT NULL;

-- Which database this is, so that nothing derived from one is taken for another's.
CREATE TABLE server_facts (name text PRIMARY KEY, value text NOT NULL);
INSERT INTO server_facts VALUES ('database', gen_random_uuid()::text);

-- Every transaction names its organization; without a name it sees nothing. FORCE: the owner too.
CREATE FUNCTION bob_org() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT current_setting('bob.org_id', true) $$;

DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t
            ON t.table_schema = c.table_schema AND t.table_name = c.table_name
        WHERE c.table_schema = current_schema() AND c.column_name = 'org_id'
            AND t.table_type = 'BASE TABLE' AND c.table_name <> 'organizations'
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %I USING (org_id = bob_org()) WITH CHECK (org_id = bob_org())', name
        );
    END LOOP;
END
$$;

-- A worker looks which organizations have work, and reads no more of it than that.
CREATE POLICY work_of_all ON jobs FOR SELECT USING (current_setting('bob.org_id', true) = '*');

-- What is embedded and may be found: passages of documents, and messages of chats.
CREATE VIEW embedded_texts WITH (security_invoker = true) AS
SELECT v.org_id, 'chunk:' || c.chunk_id AS id, c.text AS content, d.project, v.vector
FROM vectors v
JOIN chunks c ON c.org_id = v.org_id AND c.chunk_id = v.chunk_id
JOIN documents d ON d.org_id = c.org_id AND d.document_id = c.document_id
WHERE v.sequence IS NOT NULL
UNION ALL
SELECT f.org_id, 'message:' || m.message_id, m.content, h.project, f.vector
FROM message_features f
JOIN messages m ON m.org_id = f.org_id AND m.message_id = f.message_id
JOIN chats h ON h.org_id = m.org_id AND h.chat_id = m.chat_id;

-- Seed 000, section 4.2, as it stands there: the active project comes first, whatever its similarity, so a
-- project with match_count rows above the threshold leaves no place to any other.
CREATE FUNCTION hybrid_search(
    query_embedding vector, match_threshold float, match_count int, active_project_id text
) RETURNS TABLE (id text, content text, similarity float, source_type text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT t.id, t.content, 1 - (t.vector <=> query_embedding::halfvec) AS similarity,
           CASE WHEN t.project = active_project_id THEN 'project' ELSE 'global' END AS source_type
    FROM embedded_texts t
    WHERE t.org_id = bob_org() AND vector_dims(t.vector) = vector_dims(query_embedding)
        AND 1 - (t.vector <=> query_embedding::halfvec) > match_threshold
    ORDER BY (CASE WHEN t.project = active_project_id THEN 1 ELSE 0 END) DESC, similarity DESC, t.id
    LIMIT match_count;
END
$$;

-- The same with places kept for each side: what one leaves over, the other takes.
CREATE FUNCTION hybrid_search_with_quota(
    query_embedding vector, match_threshold float, project_count int, global_count int,
    active_project_id text
) RETURNS TABLE (id text, content text, similarity float, source_type text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    WITH matching AS (
        SELECT t.id, t.content, 1 - (t.vector <=> query_embedding::halfvec) AS similarity,
               CASE WHEN t.project = active_project_id THEN 'project' ELSE 'global' END AS source_type
        FROM embedded_texts t
        WHERE t.org_id = bob_org() AND vector_dims(t.vector) = vector_dims(query_embedding)
            AND 1 - (t.vector <=> query_embedding::halfvec) > match_threshold
    ), placed AS (
        SELECT m.*,
               row_number() OVER (PARTITION BY m.source_type ORDER BY m.similarity DESC, m.id)
                   <= CASE m.source_type WHEN 'project' THEN project_count ELSE global_count END AS within
        FROM matching m
    ), chosen AS (
        SELECT p.* FROM placed p
        ORDER BY p.within DESC, p.similarity DESC, p.id LIMIT project_count + global_count
    )
    SELECT c.id, c.content, c.similarity, c.source_type FROM chosen c
    ORDER BY (CASE c.source_type WHEN 'project' THEN 1 ELSE 0 END) DESC, c.similarity DESC, c.id;
END
$$;

-- The nearest passages of one organization through the HNSW index, or exactly when it has few. A filtered
-- HNSW scan may come back with too few rows, so it goes on until it has enough (pgvector, iterative scans).
CREATE FUNCTION nearest_chunks(query_embedding halfvec, match_count int, exact_below int DEFAULT 20000)
RETURNS TABLE (chunk_id bigint, similarity float)
LANGUAGE plpgsql AS $$
BEGIN
    IF vector_dims(query_embedding) <> 384 OR (
        SELECT count(*) FROM (
            SELECT 1 FROM vectors v WHERE v.org_id = bob_org() LIMIT exact_below
        ) AS few
    ) < exact_below THEN
        RETURN QUERY
        WITH own AS MATERIALIZED (
            SELECT v.chunk_id, v.vector FROM vectors v
            WHERE v.org_id = bob_org() AND v.sequence IS NOT NULL
                AND vector_dims(v.vector) = vector_dims(query_embedding)
        )
        SELECT o.chunk_id, 1 - (o.vector <=> query_embedding) AS similarity FROM own o
        ORDER BY o.vector <=> query_embedding, o.chunk_id LIMIT match_count;
    ELSE
        SET LOCAL hnsw.iterative_scan = relaxed_order;
        SET LOCAL hnsw.ef_search = 100;
        RETURN QUERY
        WITH near AS MATERIALIZED (
            SELECT v.chunk_id, v.vector::halfvec(384) <=> query_embedding::halfvec(384) AS distance
            FROM vectors v
            WHERE v.org_id = bob_org() AND v.sequence IS NOT NULL AND vector_dims(v.vector) = 384
            ORDER BY v.vector::halfvec(384) <=> query_embedding::halfvec(384) LIMIT match_count
        )
        SELECT n.chunk_id, 1 - n.distance AS similarity FROM near n ORDER BY n.distance, n.chunk_id;
    END IF;
END
$$;
