"""What somebody may write who wants more than their own rows: over 200 questions, tried on both engines.

`zq7theirs` stands in every row of the other organization, `zq7hidden` in own rows that no view shows.
"""
# ruff: noqa: E501 - a question stands in one line

import re

STACKED = """
SELECT 1; SELECT title FROM work_items
SELECT 1; DROP TABLE work_items
SELECT 1; DELETE FROM work_items; --
SELECT 1;; SELECT 2
; SELECT 1; SELECT 2
SELECT 1 /* ; */ ; UPDATE work_items SET title = 'x'
SELECT ';'; DELETE FROM users
SELECT 1 -- ;\r; DELETE FROM users
BEGIN; DELETE FROM work_items; COMMIT
COMMIT; DELETE FROM work_items
ROLLBACK; SET ROLE bob; SELECT * FROM public.work_items
END; DELETE FROM work_items
SELECT 1; ATTACH DATABASE 'x.db' AS x
SELECT 1; COPY work_items TO STDOUT
SELECT $$;$$; DROP TABLE users
SELECT $a$ ; $a$ ; DELETE FROM users
SELECT E'\\'; DELETE FROM users; --'
SELECT '\\'; DELETE FROM users; --'
SELECT 1\x00; DELETE FROM users
"""

STATEMENTS = """
INSERT INTO work_items (org_id, work_item_id, title) VALUES ('local', 99, 'x')
INSERT INTO users VALUES ('x', 'y')
INSERT INTO users SELECT id, name FROM users
REPLACE INTO users VALUES ('x', 'y')
UPDATE work_items SET title = 'x'
UPDATE work_items SET title = 'x' RETURNING title
DELETE FROM work_items
DELETE FROM work_items RETURNING *
TRUNCATE work_items
MERGE INTO users USING users u ON true WHEN MATCHED THEN DELETE
DROP TABLE work_items
DROP VIEW work_items
DROP SCHEMA assistant CASCADE
ALTER TABLE work_items ADD COLUMN x text
ALTER ROLE bob SUPERUSER
CREATE TABLE x AS SELECT * FROM work_items
CREATE TABLE x (a text)
CREATE TEMP TABLE work_items (a text)
CREATE TEMP VIEW v AS SELECT * FROM main.work_items
CREATE VIEW v AS SELECT * FROM public.work_items
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'
CREATE TRIGGER t AFTER INSERT ON users BEGIN DELETE FROM users; END
CREATE ROLE x SUPERUSER
CREATE EXTENSION dblink
CREATE VIRTUAL TABLE x USING fts5(a)
CREATE INDEX x ON work_items (title)
GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC
SET ROLE bob
SET SESSION AUTHORIZATION bob
RESET ROLE
SET bob.org_id = 'other'
SET search_path = public
SET statement_timeout = 0
SHOW ALL
SHOW bob.ticket
EXPLAIN SELECT * FROM work_items
EXPLAIN ANALYZE DELETE FROM work_items
EXPLAIN QUERY PLAN SELECT * FROM work_items
COPY work_items TO '/tmp/x'
COPY work_items FROM PROGRAM 'id'
COPY (SELECT 1) TO PROGRAM 'id'
DO $$ BEGIN PERFORM 1; END $$
CALL f()
PREPARE p AS SELECT 1
EXECUTE p
DECLARE c CURSOR FOR SELECT * FROM work_items
FETCH ALL FROM c
LISTEN x
NOTIFY x
LOCK TABLE work_items
VACUUM
ANALYZE
REINDEX
CHECKPOINT
PRAGMA table_info(work_items)
PRAGMA database_list
PRAGMA query_only = OFF
PRAGMA writable_schema = ON
PRAGMA hard_heap_limit = 0
PRAGMA temp_store_directory = '/tmp'
ATTACH DATABASE ':memory:' AS x
ATTACH DATABASE '/etc/passwd' AS x
DETACH DATABASE main
SAVEPOINT x
VALUES (1), (2)
TABLE work_items
TABLE api_keys
SELECT * INTO x FROM work_items
SELECT * INTO TEMP x FROM work_items
WITH x AS (DELETE FROM work_items RETURNING *) SELECT * FROM x
WITH x AS (INSERT INTO users VALUES ('a', 'b') RETURNING *) SELECT * FROM x
WITH x AS (UPDATE work_items SET title = 'x' RETURNING *) SELECT * FROM x
WITH x AS (SELECT 1) DELETE FROM work_items
WITH x AS (SELECT 1) INSERT INTO users SELECT 'a', 'b'
SELECT * FROM work_items FOR UPDATE
SELECT * FROM work_items FOR SHARE NOWAIT
SELECT * FROM work_items FOR KEY SHARE SKIP LOCKED
SELECT * FROM (DELETE FROM work_items RETURNING *) x
"""

CATALOGS = """
SELECT * FROM sqlite_master
SELECT * FROM sqlite_schema
SELECT sql FROM main.sqlite_master
SELECT * FROM sqlite_temp_master
SELECT * FROM temp.sqlite_master
SELECT count(*) FROM SQLITE_MASTER
SELECT * FROM "sqlite_master"
SELECT * FROM [sqlite_master]
SELECT * FROM `sqlite_master`
SELECT * FROM dbstat
SELECT * FROM sqlite_stmt
SELECT * FROM pragma_table_info('work_items')
SELECT * FROM pragma_database_list
SELECT * FROM pragma_function_list()
SELECT * FROM pragma_compile_options
SELECT (SELECT group_concat(name) FROM pragma_module_list)
SELECT * FROM pg_class
SELECT relname, reltuples FROM pg_catalog.pg_class
SELECT * FROM pg_stat_activity
SELECT query FROM pg_stat_activity
SELECT usename, query FROM pg_catalog.pg_stat_activity WHERE pid <> pg_backend_pid()
SELECT * FROM pg_roles
SELECT rolpassword FROM pg_authid
SELECT * FROM pg_shadow
SELECT * FROM pg_user_mappings
SELECT * FROM pg_settings
SELECT * FROM pg_stats
SELECT most_common_vals FROM pg_stats WHERE tablename = 'work_items'
SELECT * FROM pg_statistic
SELECT * FROM pg_statistic_ext_data
SELECT prosrc FROM pg_proc WHERE proname LIKE 'sql_%'
SELECT definition FROM pg_views WHERE schemaname = 'assistant'
SELECT * FROM pg_largeobject
SELECT * FROM pg_prepared_statements
SELECT * FROM pg_cursors
SELECT * FROM pg_locks
SELECT * FROM pg_hba_file_rules
SELECT * FROM pg_file_settings
SELECT * FROM pg_config
SELECT * FROM pg_replication_slots
SELECT * FROM pg_stat_user_tables
SELECT * FROM pg_stat_statements
SELECT * FROM information_schema.tables
SELECT * FROM information_schema.columns WHERE table_name = 'api_keys'
SELECT * FROM information_schema.view_table_usage
SELECT * FROM sql_reader
SELECT * FROM public.sql_reader
SELECT role, password, inner_key FROM public.sql_reader
SELECT * FROM alembic_version
SELECT * FROM public.server_facts
SELECT * FROM public.organizations
SELECT * FROM pg_catalog.pg_database
SELECT * FROM sqlite_sequence
SELECT * FROM sqlite_stat1
"""

OTHERS = """
SELECT * FROM public.work_items
SELECT * FROM main.work_items
SELECT * FROM source.work_items
SELECT * FROM temp.work_items
SELECT * FROM "public"."work_items"
SELECT * FROM postgres.public.work_items
SELECT * FROM bob.public.work_items
SELECT org_id, title FROM work_items
SELECT * FROM work_items WHERE org_id = 'other'
SELECT * FROM work_items WHERE 1 = 1 OR org_id = 'other'
SELECT * FROM work_items WHERE id = 1 OR 1 = 1
SELECT title FROM work_items WHERE id > -99999999
SELECT title FROM work_items WHERE title LIKE '%zq7%'
SELECT * FROM work_items UNION SELECT * FROM main.work_items
SELECT title FROM work_items UNION ALL SELECT title FROM public.work_items
SELECT title FROM work_items UNION SELECT secret_hash FROM api_keys
SELECT title FROM work_items EXCEPT SELECT title FROM main.work_items
SELECT (SELECT title FROM main.work_items LIMIT 1)
SELECT (SELECT string_agg(title, ',') FROM public.work_items)
SELECT * FROM work_items WHERE EXISTS (SELECT 1 FROM public.api_keys)
SELECT * FROM work_items w JOIN public.users u ON u.org_id = 'other'
SELECT * FROM work_items, main.users
SELECT * FROM work_items NATURAL JOIN main.work_items
WITH work_items AS (SELECT * FROM main.work_items) SELECT * FROM work_items
WITH work_items AS (SELECT * FROM public.work_items) SELECT * FROM work_items
WITH users AS (SELECT * FROM main.users) SELECT * FROM users
WITH main AS (SELECT 1) SELECT * FROM main.work_items
WITH api_keys AS (SELECT 1 AS a) SELECT * FROM main.api_keys
SELECT * FROM sqlite_master, (WITH sqlite_master AS (SELECT 1) SELECT * FROM sqlite_master) x
SELECT * FROM api_keys, (WITH api_keys AS (SELECT 1) SELECT * FROM api_keys) x
WITH RECURSIVE api_keys AS (SELECT 1 AS a UNION SELECT a FROM main.api_keys) SELECT * FROM api_keys
WITH a AS (SELECT * FROM b), b AS (SELECT * FROM main.work_items) SELECT * FROM a
WITH pg_stat_activity AS (SELECT * FROM pg_catalog.pg_stat_activity) SELECT * FROM pg_stat_activity
SELECT * FROM work_items INDEXED BY sqlite_autoindex_work_items_1
SELECT rowid, * FROM work_items
SELECT ctid, xmin, tableoid FROM work_items
SELECT tableoid::regclass FROM work_items
SELECT 'public.api_keys'::regclass::oid
SELECT 'api_keys'::regclass
SELECT w FROM work_items w
SELECT (w).org_id FROM work_items w
SELECT row_to_json(w) FROM work_items w
SELECT w.* FROM ONLY work_items w
SELECT * FROM work_items TABLESAMPLE BERNOULLI (100)
SELECT * FROM work_items, LATERAL (SELECT * FROM public.users) u
SELECT CAST((SELECT title FROM public.work_items WHERE org_id = 'other' LIMIT 1) AS int)
SELECT CAST((SELECT title FROM main.work_items WHERE org_id = 'other' LIMIT 1) AS int)
SELECT * FROM work_items WHERE 1 / (SELECT count(*) FROM public.work_items WHERE org_id = 'other') > 0
SELECT title FROM work_items WHERE CAST(title AS int) = 1
SELECT id FROM work_items WHERE abs(CASE WHEN title LIKE 'zq7%' THEN -9223372036854775808 ELSE 1 END) > 0
SELECT id FROM work_items WHERE json_extract(CASE WHEN title LIKE 'zq7%' THEN '{' ELSE '1' END, '$') = 1
SELECT id FROM work_items WHERE 1 / (CASE WHEN title LIKE 'zq7%' THEN 0 ELSE 1 END) = 1
SELECT max(title), min(title), count(DISTINCT title) FROM work_items
SELECT group_concat(title || description) FROM work_items
SELECT string_agg(title || coalesce(description, ''), '|') FROM work_items
SELECT value FROM custom_field_values UNION ALL SELECT name FROM custom_fields UNION ALL SELECT name FROM users
SELECT actor, event_type FROM work_item_events
SELECT changes FROM work_item_events
SELECT external_id FROM work_items
SELECT options FROM custom_fields
SELECT name FROM categories ORDER BY (SELECT name FROM public.categories LIMIT 1)
SELECT name FROM categories LIMIT (SELECT count(*) FROM public.categories)
SELECT name FROM categories GROUP BY name HAVING count(*) > (SELECT count(*) FROM main.users)
SELECT hex(title) FROM main.work_items
SELECT encode(title::bytea, 'hex') FROM public.work_items
SELECT * FROM hybrid_search(NULL, 0, 10, 'x')
SELECT * FROM public.embedded_texts
SELECT * FROM public.nearest_chunks(NULL, 10)
SELECT public.bob_org()
SELECT * FROM resources
SELECT * FROM messages
SELECT * FROM memories
SELECT * FROM documents
SELECT * FROM threads
SELECT * FROM jobs
SELECT * FROM rag_searches
"""

SETTINGS = """
SELECT set_config('bob.org_id', 'other', false), (SELECT string_agg(title, ',') FROM work_items)
SELECT set_config('bob.org_id', 'other', true), w.* FROM work_items w
SELECT set_config('bob.org_id', '*', false), w.* FROM work_items w
WITH s AS MATERIALIZED (SELECT set_config('bob.org_id', 'other', false) AS a) SELECT s.a, w.title FROM s, work_items w
SELECT set_config('bob.ticket', 'other:99999999999:00', false), (SELECT string_agg(title, ',') FROM work_items)
WITH s AS MATERIALIZED (SELECT set_config('bob.ticket', 'other' || substr(current_setting('bob.ticket'), 6), true) || set_config('bob.org_id', 'other', true) AS a) SELECT s.a, w.title FROM s, work_items w
WITH s AS MATERIALIZED (SELECT set_config('bob.ticket', 'other:' || current_setting('bob.ticket'), true) || set_config('bob.org_id', 'other', true) AS a) SELECT s.a, w.title FROM s, work_items w
WITH s AS MATERIALIZED (SELECT set_config('bob.ticket', '', true) || set_config('bob.org_id', 'other', true) AS a) SELECT s.a, w.title FROM s, work_items w
SELECT set_config('role', 'bob', false)
SELECT set_config('role', 'postgres', false)
SELECT set_config('role', 'none', false)
SELECT set_config('session_authorization', 'bob', false)
SELECT set_config('search_path', 'public', false), (SELECT count(*) FROM work_items)
SELECT set_config('row_security', 'off', false), w.* FROM work_items w
SELECT set_config('transaction_read_only', 'off', false)
SELECT set_config('default_transaction_read_only', 'off', false)
SELECT set_config('statement_timeout', '0', false), pg_sleep(30)
SELECT set_config('log_statement', 'none', false)
SELECT set_config('session_preload_libraries', 'x', false)
SELECT set_config('local_preload_libraries', 'x', false)
SELECT set_config('temp_file_limit', '-1', false)
SELECT current_setting('data_directory')
SELECT current_setting('hba_file')
SELECT pg_catalog.set_config('bob.org_id', 'other', false)
SELECT public.sql_ticket('other', 1000)
SELECT sql_ticket('other', 1000)
SELECT public.sql_ticket_seal('other:99999999999')
SELECT public.provide_reader()
SELECT assistant.answer('SELECT title FROM public.work_items', 10, 1000)
SELECT * FROM assistant.answer('DELETE FROM public.work_items RETURNING title', 10, 1000)
SELECT * FROM assistant.answer('SELECT 1) AS a; DELETE FROM public.work_items; SELECT * FROM (SELECT 1', 10, 1000)
SELECT assistant.organization()
SELECT query_to_xml('SELECT * FROM public.work_items', true, true, '')
SELECT query_to_xml('SELECT set_config(''role'', ''bob'', false)', true, true, '')
SELECT query_to_xml('DELETE FROM public.work_items', true, true, '')
SELECT table_to_xml('public.work_items', true, true, '')
SELECT schema_to_xml('public', true, true, '')
SELECT database_to_xml(true, true, '')
SELECT cursor_to_xml('<unnamed portal 1>', 10, true, true, '')
SELECT * FROM xmltable('/' PASSING query_to_xml('SELECT * FROM public.users', true, true, '') COLUMNS a text PATH '.')
SELECT ts_stat('SELECT to_tsvector(title) FROM public.work_items')
SELECT * FROM ts_stat('SELECT to_tsvector(title) FROM public.work_items')
SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, title::tsquery FROM public.work_items')
SELECT * FROM crosstab('SELECT title, 1, 2 FROM public.work_items') AS t(a text, b int)
SELECT * FROM connectby('public.users', 'a', 'b', 'c', 0)
"""

SERVER = """
SELECT pg_read_file('/etc/passwd')
SELECT pg_read_binary_file('postgresql.conf')
SELECT pg_ls_dir('.')
SELECT * FROM pg_ls_logdir()
SELECT pg_stat_file('/etc/passwd')
SELECT lo_import('/etc/passwd')
SELECT lo_export(1, '/tmp/x')
SELECT lo_create(4711)
SELECT lo_creat(-1)
SELECT lo_from_bytea(0, 'x'::bytea)
SELECT lo_put(1, 0, 'x'::bytea)
SELECT lo_get(1)
SELECT dblink('host=127.0.0.1', 'SELECT 1')
SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS t(a int)
SELECT dblink_connect('dbname=bob')
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'bob'
SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'bob'
SELECT pg_reload_conf()
SELECT pg_rotate_logfile()
SELECT pg_switch_wal()
SELECT pg_create_restore_point('x')
SELECT pg_advisory_lock(1)
SELECT pg_advisory_xact_lock(6451042, hashtext('other'))
SELECT pg_try_advisory_lock(2)
SELECT pg_notify('x', 'y')
SELECT pg_logical_emit_message(true, 'a', 'b')
SELECT nextval('public.x')
SELECT setval('pg_catalog.x', 1)
SELECT pg_export_snapshot()
SELECT pg_stat_reset()
SELECT pg_stat_get_backend_activity(1)
SELECT pg_stat_get_activity(NULL)
SELECT pg_get_viewdef('assistant.work_items')
SELECT pg_get_functiondef('public.sql_ticket(text,int)'::regprocedure)
SELECT pg_relation_filepath('public.work_items')
SELECT pg_current_logfile()
SELECT pg_show_all_file_settings()
SELECT inet_server_addr()
SELECT has_table_privilege('public.work_items', 'SELECT')
SELECT brin_summarize_new_values('x')
SELECT gin_clean_pending_list('x')
SELECT load_extension('x')
SELECT load_extension('/tmp/x.so', 'init')
SELECT readfile('/etc/passwd')
SELECT writefile('/tmp/x', 'y')
SELECT edit('x')
SELECT fts3_tokenizer('simple')
SELECT fts3_tokenizer('simple', x'4141414141414141')
SELECT * FROM fsdir('/')
SELECT * FROM csv('/etc/passwd')
SELECT * FROM json_each('[1]'), main.work_items
SELECT sqlite_version(), sqlite_source_id()
SELECT last_insert_rowid(), changes(), total_changes()
SELECT sqlite_compileoption_get(1)
SELECT sqlite_offset(title) FROM work_items
SELECT 1 FROM work_items WHERE title MATCH 'x'
SELECT current_user, session_user, current_database(), version()
"""

UNICODE = """
SELECT * FROM ｗork_items
SELECT * FROM "work_items\u200b"
SELECT * FROM work_items\u00a0WHERE 1=1
SELECT * FROM public\uff0ework_items
SELECT * FROM U&"\\0070ublic".U&"work\\005fitems"
SELECT U&'\\0027; DELETE FROM users; --'
SELECT '\u02bc; DELETE FROM users; --'
SELECT * FROM main\u3002work_items
SELECT * FROM main . work_items
SELECT * FROM main/**/./**/work_items
SELECT * FROM/**/public/**/./**/work_items
SEL/**/ECT 1
SELECT 1 /* /* */ ; DELETE FROM users; /* */ */
SELECT 1 /*! ; DELETE FROM users */
SELECT 1 --\u2028; DELETE FROM users
SELECT /*+ SeqScan(x) */ * FROM work_items
SELECT "title' FROM main.work_items --" FROM work_items
SELECT 'a' 'b'
SELECT 'a'
'b'
SELECT "zq7" FROM work_items
SELECT x'41', :a, ?1, @b, $1
SELECT {{title}} FROM work_items
SELECT {% if 1 %} title {% endif %} FROM work_items
SELECT 1) AS question, (SELECT title FROM public.work_items LIMIT 1
SELECT 1) AS question; DELETE FROM public.work_items; --
SELECT 1) AS question UNION SELECT title FROM (SELECT title FROM public.work_items
SELECT 1 /*
SELECT '
SELECT "
SELECT (
"""

BOMBS = """
WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT count(*) FROM a
WITH RECURSIVE a(x) AS (SELECT 'xxxxxxxxxx' UNION ALL SELECT x || x FROM a) SELECT max(length(x)) FROM a
WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT x FROM a ORDER BY x DESC
WITH RECURSIVE a(x) AS (SELECT 1 UNION SELECT x + 1 FROM a WHERE x < 100000000), b(y) AS (SELECT x FROM a) SELECT sum(y) FROM b, b AS c
SELECT count(*) FROM work_item_events a, work_item_events b, work_item_events c, work_item_events d, work_item_events e, work_item_events f
SELECT string_agg(a.title, '') FROM work_items a, work_items b, work_items c, work_items d, work_items e, work_items f, work_items g, work_items h, work_items i, work_items j
SELECT group_concat(a.title) FROM work_items a, work_items b, work_items c, work_items d, work_items e, work_items f, work_items g, work_items h, work_items i, work_items j
SELECT count(*) FROM generate_series(1, 1000000000)
SELECT generate_series(1, 1000000000)
SELECT array_agg(g) FROM generate_series(1, 1000000000) g
SELECT repeat('x', 100000000)
SELECT lpad('x', 100000000, 'y')
SELECT format('%100000000s', 'x')
SELECT randomblob(1000000000)
SELECT zeroblob(1000000000)
SELECT hex(zeroblob(900000000))
SELECT printf('%.*c', 1000000000, 'x')
SELECT printf('%1000000000d', 1)
SELECT instr(printf('%.*c', 900000, 'a'), printf('%.*c', 400000, 'a') || 'b')
SELECT replace(printf('%.*c', 900000, 'a'), printf('%.*c', 400000, 'a') || 'b', '')
SELECT pg_sleep(30)
SELECT pg_sleep(30) FROM work_items
SELECT pg_sleep_for('1 hour')
SELECT pg_sleep_until(now() + interval '1 hour')
SELECT count(*) FROM work_items a, work_items b WHERE pg_sleep(1) IS NOT NULL
SELECT factorial(100000)
SELECT 9 ^ 99999
SELECT repeat('a', 30) ~ '(a*)*b'
SELECT repeat('a', 5000) LIKE repeat('%a', 2000) || 'b'
SELECT * FROM work_items a JOIN work_items b ON 1 = 1 JOIN work_items c ON 1 = 1 JOIN work_items d ON 1 = 1 JOIN work_items e ON 1 = 1 ORDER BY a.title || b.title || c.title
"""


def lines(table):
    return [line for line in table.strip("\n").split("\n") if line.strip()]


MADE = [
    "",
    " ",
    ";",
    "-- nothing",
    "/* nothing */",
    "SELECT " + "(" * 3_000 + "1" + ")" * 3_000,
    "SELECT " + "(SELECT " * 400 + "1" + ")" * 400,
    "SELECT " + "NOT " * 3_000 + "1",
    "SELECT " + "- " * 3_000 + "1",
    "SELECT " + "CASE WHEN 1=1 THEN " * 300 + "1" + " ELSE 0 END" * 300,
    "SELECT 1" + " + 1" * 30_000,
    "SELECT 1" + " UNION SELECT 1" * 5_000,
    "SELECT " + ", ".join(["1"] * 20_000),
    "SELECT '" + "x" * 1_000_000 + "'",
    "SELECT * FROM work_items WHERE id IN (" + ", ".join(map(str, range(100_000))) + ")",
    "SELECT * FROM " + ", ".join(f"work_items t{n}" for n in range(300)),
    "WITH "
    + "x0 AS (SELECT title FROM work_items), "
    + ", ".join(
        f"x{n} AS (SELECT a.title || b.title AS title FROM x{n - 1} a, x{n - 1} b)" for n in range(1, 20)
    )
    + " SELECT count(*), max(length(title)) FROM x19",
    "SELECT " + "replace(" * 9 + "'aaaaaaaaaa'" + ", 'a', 'aaaaaaaaaa')" * 9,
]

ATTACKS = [
    line.replace("\\r", "\r").replace("\\x00", "\x00")
    for table in (STACKED, STATEMENTS, CATALOGS, OTHERS, SETTINGS, SERVER, UNICODE)
    for line in lines(table)
] + MADE
"""What ends by itself."""

ENDLESS = lines(BOMBS)
"""What would run for minutes or take gigabytes."""


def for_engine(name, attacks):
    """Those that are more than an unknown name there."""
    foreign = {"sqlite": POSTGRES_ONLY, "postgresql": SQLITE_ONLY}[name]
    return [sql for sql in attacks if not foreign.search(sql)]


POSTGRES_ONLY = re.compile(
    r"pg_|set_config|_setting\(|_to_xml|lo_|dblink|information_schema|assistant\.|regclass|\$\$"
)
SQLITE_ONLY = re.compile(r"pragma_|PRAGMA|sqlite_|dbstat|load_extension|fts3_|ATTACH|DETACH")
