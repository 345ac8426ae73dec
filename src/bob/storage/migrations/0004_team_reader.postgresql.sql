-- What an assistant's SQL may see (docs/adr/0020-sql-confinement.md): views in a schema of their own, which
-- show the rows of the organization that a ticket names, for a role that may read them and nothing else.
-- The role is made when the first question is asked, by provide_reader().

CREATE SCHEMA assistant;
REVOKE ALL ON SCHEMA assistant FROM PUBLIC;

-- One row: the role, its password and the keys of the tickets. Only the owner reads it.
CREATE TABLE sql_reader (
    role text NOT NULL,
    password text NOT NULL,
    inner_key bytea NOT NULL,
    outer_key bytea NOT NULL
);
REVOKE ALL ON sql_reader FROM PUBLIC;
INSERT INTO sql_reader SELECT
    'bob_reader_' || left(replace(gen_random_uuid()::text, '-', ''), 12),
    encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'),
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
        || sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
        || sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- A nested hash with two keys, each as long as a block of SHA-256 (RFC 2104, with keys drawn and not derived).
CREATE FUNCTION sql_ticket_seal(claim text) RETURNS bytea LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT pg_catalog.sha256(k.outer_key || pg_catalog.sha256(k.inner_key || convert_to(claim, 'UTF8')))
    FROM sql_reader k;
END;
REVOKE ALL ON FUNCTION sql_ticket_seal(text) FROM PUBLIC;

-- A ticket is ORGANIZATION:EXPIRY:SEAL; the expiry is in seconds since 1970.
CREATE FUNCTION sql_ticket(organization text, seconds int) RETURNS text LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT c.claim || ':' || encode(sql_ticket_seal(c.claim), 'hex')
    FROM (SELECT organization || ':' || ceil(extract(epoch FROM clock_timestamp()) + seconds)) AS c (claim);
END;
REVOKE ALL ON FUNCTION sql_ticket(text, int) FROM PUBLIC;

-- The organization of the transaction's ticket; NULL without a ticket, with a changed one or a late one. What
-- is compared is a hash of both seals, so that the time it takes tells nothing about either.
CREATE FUNCTION assistant.organization() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT CASE
        WHEN t.seal = encode(sha256(convert_to(encode(sql_ticket_seal(t.claim), 'hex'), 'UTF8')), 'hex')
            AND extract(epoch FROM clock_timestamp()) < split_part(t.claim, ':', 2)::numeric
        THEN split_part(t.claim, ':', 1)
    END
    FROM (
        SELECT split_part(g.ticket, ':', 1) || ':' || split_part(g.ticket, ':', 2),
               encode(sha256(convert_to(split_part(g.ticket, ':', 3), 'UTF8')), 'hex')
        FROM (SELECT current_setting('bob.ticket', true)) AS g (ticket)
    ) AS t (claim, seal);
END;
REVOKE ALL ON FUNCTION assistant.organization() FROM PUBLIC;

CREATE FUNCTION assistant.moment(seconds float) RETURNS text LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT to_char(to_timestamp(floor(seconds)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
END;
REVOKE ALL ON FUNCTION assistant.moment(float) FROM PUBLIC;

-- The sub-select is run once a question, not once a row. Row-level security asks for bob.org_id besides.
CREATE VIEW assistant.work_items WITH (security_barrier) AS
SELECT w.work_item_id AS id, w.title, w.description, w.category_id, w.status::text AS status,
       w.priority::text AS priority, w.assignee_id::text AS assignee_id, w.created_by::text AS created_by,
       assistant.moment(w.created_at) AS created_at, assistant.moment(w.updated_at) AS updated_at
FROM work_items w WHERE w.org_id = (SELECT assistant.organization());

CREATE VIEW assistant.categories WITH (security_barrier) AS
SELECT c.category_id AS id, c.name FROM categories c WHERE c.org_id = (SELECT assistant.organization());

CREATE VIEW assistant.users WITH (security_barrier) AS
SELECT u.user_id::text AS id, u.name FROM users u WHERE u.org_id = (SELECT assistant.organization());

CREATE VIEW assistant.custom_fields WITH (security_barrier) AS
SELECT f.field_id AS id, f.name, f.field_type::text AS type
FROM custom_fields f WHERE f.org_id = (SELECT assistant.organization());

CREATE VIEW assistant.custom_field_values WITH (security_barrier) AS
SELECT v.work_item_id, v.field_id, f.name AS field_name, v.value
FROM custom_field_values v JOIN custom_fields f ON f.org_id = v.org_id AND f.field_id = v.field_id
WHERE v.org_id = (SELECT assistant.organization());

CREATE VIEW assistant.work_item_events WITH (security_barrier) AS
SELECT e.event_id AS id, e.work_item_id, e.event_type::text AS event_type, e.actor::text AS actor,
       assistant.moment(e.at) AS at
FROM work_item_events e WHERE e.org_id = (SELECT assistant.organization());

-- Answers a question: the names of its columns, then its rows, each as a JSON array; 'more' at the end when a
-- limit cut it short. The question comes as a value, so that no other connection of the role reads it among
-- the running statements; in a sub-select of one plan the grammar allows it nothing but reading.
CREATE FUNCTION assistant.answer(question text, most_rows int, most_bytes int) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    asked refcursor;
    line record;
    written text;
    bytes bigint := 0;
    taken int := 0;
BEGIN
    OPEN asked NO SCROLL FOR EXECUTE 'SELECT * FROM (' || question || E'\n) AS question';
    LOOP
        FETCH asked INTO line;
        IF taken = 0 THEN
            RETURN NEXT (SELECT json_agg(e.key)::text FROM json_each(row_to_json(line)) AS e);
        END IF;
        EXIT WHEN NOT FOUND;
        bytes := bytes + pg_column_size(line);
        IF taken < most_rows AND bytes <= most_bytes THEN
            written := (SELECT json_agg(e.value)::text FROM json_each(row_to_json(line)) AS e);
            bytes := bytes + octet_length(written);
        END IF;
        IF taken >= most_rows OR bytes > most_bytes THEN
            RETURN NEXT 'more';
            EXIT;
        END IF;
        RETURN NEXT written;
        taken := taken + 1;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION assistant.answer(text, int, int) FROM PUBLIC;

-- Makes the role, unless it is there, and grants it what it needs in this database. NULL when all is well,
-- else what an administrator should run.
CREATE FUNCTION provide_reader() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    reader sql_reader%ROWTYPE;
BEGIN
    -- Two servers may ask their first question at once.
    SELECT * INTO STRICT reader FROM sql_reader FOR UPDATE;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = reader.role) THEN
        BEGIN
            EXECUTE format(
                'CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS'
                ' PASSWORD %L', reader.role, reader.password
            );
            EXECUTE format('ALTER ROLE %I SET default_transaction_read_only = on', reader.role);
            EXECUTE format('ALTER ROLE %I SET search_path = assistant', reader.role);
            EXECUTE format('ALTER ROLE %I SET statement_timeout = ''60s''', reader.role);
            EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''60s''', reader.role);
        EXCEPTION WHEN insufficient_privilege THEN
            RETURN format('ALTER ROLE %I CREATEROLE', current_user);
        END;
    END IF;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), reader.role);
    EXECUTE format('GRANT USAGE ON SCHEMA assistant TO %I', reader.role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA assistant TO %I', reader.role);
    EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA assistant TO %I', reader.role);
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION provide_reader() FROM PUBLIC;
