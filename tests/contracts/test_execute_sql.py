"""What an assistant asks in SQL gives the right answer, the same on both engines where the SQL is."""
# ruff: noqa: E501 - a question stands in one line

import time
from datetime import UTC, datetime

import pytest
from small_memory import add_rows, engine_over, open_database

from bob.core.errors import RequestError
from bob.core.sql import VIEWS

JANUARY, FEBRUARY, MARCH = (datetime(2025, month, 5, 9, 30, tzinfo=UTC).timestamp() for month in (1, 2, 3))
DAY = 86_400

ITEMS = [
    (1, "Login fails on Safari", "Users see a blank page.", 1, "DONE", "HIGH", "ana", JANUARY),
    (2, "Login is slow", "It takes 9 seconds.", 1, "OPEN", "HIGH", "ben", JANUARY + DAY),
    (3, "Export to CSV", None, 2, "OPEN", "LOW", "ana", FEBRUARY),
    (4, "Ünïcode in names", "é → e", 1, "IN_PROGRESS", "MEDIUM", None, FEBRUARY + DAY),
    (5, "Dark mode", "", 2, "OPEN", None, "ben", MARCH),
    (6, "Old report", "x", None, "ARCHIVED", None, None, MARCH + DAY),
]
SEVERITIES = {1: "Critical", 2: "Critical", 4: "Minor"}
POINTS = {1: "3", 2: "8", 3: "5"}

PORTABLE = [
    ("SELECT count(*) FROM work_items", [[6]]),
    ("select status, count(*) as n from work_items group by status order by n desc, status",
     [["OPEN", 3], ["ARCHIVED", 1], ["DONE", 1], ["IN_PROGRESS", 1]]),
    ("SELECT id, title FROM work_items WHERE id IN (1, 3) ORDER BY id",
     [[1, "Login fails on Safari"], [3, "Export to CSV"]]),
    ("SELECT title FROM work_items WHERE description IS NULL", [["Export to CSV"]]),
    ("SELECT title FROM work_items WHERE id = 4 -- accents stay", [["Ünïcode in names"]]),
    ("SELECT w.title, c.name FROM work_items w LEFT JOIN categories c ON c.id = w.category_id"
     " WHERE w.status = 'ARCHIVED'", [["Old report", None]]),
    ("SELECT c.name, count(w.id) FROM categories AS c JOIN work_items AS w ON w.category_id = c.id"
     " GROUP BY c.name HAVING count(w.id) > 2", [["Bugs", 3]]),
    ("SELECT substr(created_at, 1, 7) AS month, count(*) FROM work_items GROUP BY 1 ORDER BY 1",
     [["2025-01", 2], ["2025-02", 2], ["2025-03", 2]]),
    ("SELECT created_at FROM work_items WHERE id = 1", [["2025-01-05T09:30:00Z"]]),
    ("SELECT id FROM work_items WHERE created_at >= '2025-02-01' AND created_at < '2025-03-01' ORDER BY id DESC",
     [[4], [3]]),
    ("SELECT u.name, sum(CASE WHEN w.status = 'OPEN' THEN 1 ELSE 0 END) AS open FROM users u"
     " LEFT JOIN work_items w ON w.assignee_id = u.id GROUP BY u.name ORDER BY u.name",
     [["Ana", 1], ["Ben", 2]]),
    ("SELECT count(DISTINCT assignee_id) FROM work_items", [[2]]),
    ("SELECT coalesce(priority, 'none') AS p, count(*) FROM work_items GROUP BY p ORDER BY p",
     [["HIGH", 2], ["LOW", 1], ["MEDIUM", 1], ["none", 2]]),
    ("WITH open AS (SELECT * FROM work_items WHERE status = 'OPEN') SELECT count(*), min(id), max(id) FROM open",
     [[3, 2, 5]]),
    ("SELECT id FROM work_items WHERE id IN (SELECT work_item_id FROM custom_field_values"
     " WHERE field_name = 'Severity' AND value = 'Critical') ORDER BY id", [[1], [2]]),
    ("SELECT f.name, f.type, count(v.value) FROM custom_fields f LEFT JOIN custom_field_values v"
     " ON v.field_id = f.id GROUP BY f.name, f.type ORDER BY f.name",
     [["Points", "number", 3], ["Severity", "enum", 3]]),
    ("SELECT avg(CAST(value AS float)) FROM custom_field_values WHERE field_name = 'Points'", [[16 / 3]]),
    ("SELECT sum(CAST(value AS integer)) FROM custom_field_values WHERE field_name = 'Points'", [[16]]),
    ("SELECT id, row_number() OVER (PARTITION BY status ORDER BY id DESC) AS n FROM work_items"
     " WHERE status = 'OPEN' ORDER BY id", [[2, 3], [3, 2], [5, 1]]),
    ("SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM work_items"
     " WHERE id < 4 ORDER BY id", [[1, 1], [2, 3], [3, 5]]),
    ("SELECT 'items' AS what, count(*) FROM work_items UNION ALL SELECT 'users', count(*) FROM users"
     " ORDER BY 1", [["items", 6], ["users", 2]]),
    ("SELECT title FROM work_items WHERE lower(title) LIKE '%login%' ORDER BY id LIMIT 1",
     [["Login fails on Safari"]]),
    ("SELECT id FROM work_items ORDER BY id LIMIT 2 OFFSET 1", [[2], [3]]),
    ("SELECT title || ' (' || status || ')' FROM work_items WHERE id = 5", [["Dark mode (OPEN)"]]),
    ("SELECT work_item_id, count(*) FROM work_item_events GROUP BY work_item_id ORDER BY 2 DESC, 1 LIMIT 1",
     [[1, 2]]),
    ("SELECT e.at, e.actor FROM work_item_events e WHERE e.event_type = 'STATUS_CHANGED'",
     [["2025-01-07T09:30:00Z", "ana"]]),
    ("SELECT id FROM work_items w WHERE NOT EXISTS (SELECT 1 FROM work_item_events e WHERE e.work_item_id = w.id)"
     " ORDER BY id", [[3], [4], [5], [6]]),
    ("SELECT count(*) FROM work_items WHERE priority = 'HIGH' AND NOT (status = 'DONE') OR id BETWEEN 5 AND 6",
     [[3]]),
    ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 4) SELECT count(*), sum(x) FROM n",
     [[4, 10]]),
    ("SELECT a.id, b.id FROM work_items a JOIN work_items b ON a.category_id = b.category_id AND a.id < b.id"
     " WHERE a.category_id = 2", [[3, 5]]),
    ("SELECT name FROM categories EXCEPT SELECT 'Bugs'", [["Wishes"]]),
    ("SELECT round(100.0 * sum(CASE WHEN status = 'DONE' THEN 1 ELSE 0 END) / count(*), 1) FROM work_items", [[16.7]]),
    ("SELECT id FROM work_items ORDER BY CASE priority WHEN 'HIGH' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END, id LIMIT 3",
     [[1], [2], [4]]),
    ('SELECT "title" AS "Title" FROM "work_items" WHERE "id" = 5;', [["Dark mode"]]),
]  # fmt: skip
OF_ENGINE = {
    "sqlite": [
        ("SELECT strftime('%Y', created_at), count(*) FROM work_items GROUP BY 1", [["2025", 6]]),
        ("SELECT round(julianday('2025-01-08') - julianday(substr(created_at, 1, 10))) FROM work_items WHERE id = 1",
         [[3.0]]),
        ("SELECT group_concat(title, '; ') FROM (SELECT title FROM work_items WHERE id < 3 ORDER BY id)",
         [["Login fails on Safari; Login is slow"]]),
        ("SELECT printf('%.1f', 1.25 * 2), iif(1 < 2, 'a', 'b'), instr('abc', 'c')", [["2.5", "a", 3]]),
        ("SELECT count(*) FROM work_items WHERE date(created_at) = '2025-01-05'", [[1]]),
    ],
    "postgres": [
        ("SELECT date_trunc('month', created_at::timestamptz) AS m, count(*) FROM work_items GROUP BY m ORDER BY m LIMIT 1",
         [["2025-01-01T00:00:00+00:00", 2]]),
        ("SELECT to_char(created_at::timestamptz, 'YYYY-MM') FROM work_items WHERE id = 1", [["2025-01"]]),
        ("SELECT extract(day FROM created_at::timestamp) FROM work_items WHERE id = 1", [[5]]),
        ("SELECT string_agg(title, '; ' ORDER BY id) FILTER (WHERE id < 3) FROM work_items",
         [["Login fails on Safari; Login is slow"]]),
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value::int) FROM custom_field_values"
         " WHERE field_name = 'Points'", [[5]]),
        ("SELECT count(*) FROM work_items WHERE title ILIKE 'LOGIN%' OR title ~ '^Dark'", [[3]]),
        ("SELECT DISTINCT ON (status) status, id FROM work_items ORDER BY status, id DESC LIMIT 1", [["ARCHIVED", 6]]),
        ("SELECT array_agg(id ORDER BY id), bool_or(id > 5), NULL FROM work_items WHERE id > 4", [[[5, 6], True, None]]),
    ],
}  # fmt: skip


def fill(database):
    def rows(org_id, items):
        return {
            "users": [{"user_id": name.lower(), "name": name} for name in ("Ana", "Ben")],
            "categories": [{"category_id": 1, "name": "Bugs"}, {"category_id": 2, "name": "Wishes"}],
            "work_items": [
                dict(zip(WORK_ITEM, each, strict=True)) | {"created_by": "ana", "updated_at": MARCH}
                for each in items
            ],
            "custom_fields": [
                {"field_id": 1, "name": "Severity", "field_type": "enum", "options": ["Critical", "Minor"]},
                {"field_id": 2, "name": "Points", "field_type": "number", "options": []},
            ],
            "custom_field_values": [
                {"work_item_id": at, "field_id": field, "value": value}
                for field, values in ((1, SEVERITIES), (2, POINTS))
                for at, value in values.items()
            ],
            "work_item_events": [
                {
                    "event_id": n,
                    "work_item_id": at,
                    "event_type": kind,
                    "changes": {},
                    "actor": "ana",
                    "at": when,
                }
                for n, (at, kind, when) in enumerate(
                    [
                        (1, "CREATED", JANUARY),
                        (2, "CREATED", JANUARY),
                        (1, "STATUS_CHANGED", JANUARY + 2 * DAY),
                    ]
                )
            ],
        }

    # The other organization has the same ids, so that a join that forgets the organization is seen.
    for org_id, items in (("local", ITEMS), ("other", [*ITEMS, (7, *ITEMS[0][1:])])):
        with database.for_organization(org_id).write() as connection:
            for table, values in rows(org_id, items).items():
                common = (
                    {"created_at": MARCH}
                    if any(each.name == "created_at" for each in connection.tables()[table])
                    else {}
                )
                add_rows(connection, table, *(common | each for each in values))


WORK_ITEM = (
    "work_item_id",
    "title",
    "description",
    "category_id",
    "status",
    "priority",
    "assignee_id",
    "created_at",
)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def engine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("team")
    address = str(folder / "bob.db")
    if request.param == "postgresql":
        address = request.getfixturevalue("postgres_server").new_database(folder / "cache")
    database = open_database(address, "local", "other", cache_folder=folder / "cache")
    fill(database)
    database.close()
    made = engine_over(address, cache=str(folder / "cache"), work={"sql_rows": 5000, "sql_seconds": 10})
    yield made
    made.close()


def rows(result):
    return [list(row) for row in result.rows]


def test_questions_about_work_are_answered(engine):
    service = engine.team.execute_sql
    dialect = "postgres" if engine.settings.on_server else "sqlite"
    asked = [*PORTABLE, *OF_ENGINE[dialect]]
    assert len(asked) >= 38
    wrong = {}
    for sql, expected in asked:
        found = rows(service.execute_query(sql))
        if found != [pytest.approx(each) if isinstance(each[0], float) else each for each in expected]:
            wrong[sql] = found
    assert wrong == {}


def test_the_views_have_the_columns_that_are_told(engine):
    for view, columns in VIEWS.items():
        assert engine.team.execute_sql.execute_query(f"SELECT * FROM {view}").columns == columns


def test_columns_are_named_where_there_are_no_rows(engine):
    found = engine.team.execute_sql.execute_query("SELECT id, title AS what, id FROM work_items WHERE id < 0")
    assert (found.columns, found.rows, found.truncated) == (("id", "what", "id"), (), False)
    assert found.to_json()["columns"] == ["id", "what", "id"]


@pytest.mark.parametrize(
    ("most", "asked", "given", "more"), [(3, "", 3, True), (6, "", 6, False), (3, " LIMIT 2", 2, False)]
)
def test_more_rows_than_allowed_are_left_out(engine, most, asked, given, more):
    from bob.core.sql import SqlLimits
    from bob.work.execute_sql import ExecuteSql

    service = ExecuteSql(engine.team._sql_reader, SqlLimits(rows=most), time.perf_counter)
    found = service.execute_query(f"SELECT id FROM work_items ORDER BY id{asked}")
    assert (len(found.rows), found.truncated) == (given, more)


def test_more_bytes_than_allowed_are_left_out(engine):
    from bob.core.sql import SqlLimits

    found = engine.team._sql_reader.answer("SELECT title FROM work_items", SqlLimits(bytes=100))
    assert found.truncated and 0 < len(found.rows) < 6


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT titel FROM work_items", "titel"),
        (
            "SELECT * FROM items",
            "no view items. One SELECT is allowed, over these views: work_items(id",
        ),
        ("DELETE FROM work_items", "One SELECT is allowed"),
        ("SELECT pg_sleep(1)", "the function pg_sleep is not allowed"),
        ("SELECT 1 +", "invalid SQL"),
        ("SELECT CAST('x' AS xml)", "casts are allowed only to these types"),
        ("SELECT id FROM work_items LIMIT 1 + 1", "LIMIT must be a whole number"),
        ("SELECT '" + "x" * 9000 + "'", "at most 8000 characters"),
        ("SELECT main.work_items.id FROM work_items", "without a schema"),
    ],
)
def test_a_refusal_says_what_is_allowed(engine, sql, says):
    with pytest.raises(RequestError) as refused:
        engine.team.execute_sql.execute_query(sql)
    assert says in str(refused.value) and refused.value.field == "sql"
    assert str(engine.settings.database) not in str(refused.value) and "/" not in str(refused.value)


def test_a_long_question_is_ended(engine):
    from bob.core.sql import SqlLimits

    endless = "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT count(*) FROM a"
    with pytest.raises(RequestError, match=r"longer than 0\.2 seconds"):
        engine.team._sql_reader.answer(endless, SqlLimits(seconds=0.2))
