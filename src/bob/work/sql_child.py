"""The process that answers one question in SQL on SQLite, and ends (ADR 20).

It copies the organization's rows that the question reads into memory, lets go of the database file, gives up
the right to open any file, and only then runs the text. Run as a program by `sql_reader_sqlite`, with an
order on standard input; it imports the standard library alone, to be ready in hundredths of a second.
"""

from __future__ import annotations

import json
import math
import sqlite3
import sys
import time
from typing import Any

MOMENT = "strftime('%Y-%m-%dT%H:%M:%SZ', CAST({} AS INTEGER), 'unixepoch')"

COPIES = {
    "work_items": (
        "source.work_items AS t",
        {
            "id": "t.work_item_id",
            "title": "t.title",
            "description": "t.description",
            "category_id": "t.category_id",
            "status": "t.status",
            "priority": "t.priority",
            "assignee_id": "t.assignee_id",
            "created_by": "t.created_by",
            "created_at": MOMENT.format("t.created_at"),
            "updated_at": MOMENT.format("t.updated_at"),
        },
        "id INTEGER PRIMARY KEY, title TEXT, description TEXT, category_id INTEGER, status TEXT, priority"
        " TEXT, assignee_id TEXT, created_by TEXT, created_at TEXT, updated_at TEXT",
    ),
    "categories": (
        "source.categories AS t",
        {"id": "t.category_id", "name": "t.name"},
        "id INTEGER PRIMARY KEY, name TEXT",
    ),
    "users": ("source.users AS t", {"id": "t.user_id", "name": "t.name"}, "id TEXT PRIMARY KEY, name TEXT"),
    "custom_fields": (
        "source.custom_fields AS t",
        {"id": "t.field_id", "name": "t.name", "type": "t.field_type"},
        "id INTEGER PRIMARY KEY, name TEXT, type TEXT",
    ),
    "custom_field_values": (
        "source.custom_field_values AS t"
        " JOIN source.custom_fields AS f ON f.org_id = t.org_id AND f.field_id = t.field_id",
        {
            "work_item_id": "t.work_item_id",
            "field_id": "t.field_id",
            "field_name": "f.name",
            "value": "t.value",
        },
        "work_item_id INTEGER, field_id INTEGER, field_name TEXT, value TEXT,"
        " PRIMARY KEY (work_item_id, field_id)",
    ),
    "work_item_events": (
        "source.work_item_events AS t",
        {
            "id": "t.event_id",
            "work_item_id": "t.work_item_id",
            "event_type": "t.event_type",
            "actor": "t.actor",
            "at": MOMENT.format("t.at"),
        },
        "id INTEGER PRIMARY KEY, work_item_id INTEGER, event_type TEXT, actor TEXT, at TEXT",
    ),
}
"""For each view: where it comes from, its columns there, and its table here."""

FUNCTIONS = """abs avg ceil ceiling coalesce count date datetime floor format group_concat iif ifnull
    instr julianday length like glob lower ltrim max min mod nullif percent_rank pow power printf random
    replace round row_number rank dense_rank ntile lag lead first_value last_value nth_value cume_dist
    rtrim sign sqrt strftime substr substring sum time total trim typeof unicode unixepoch upper
    json_extract json_valid -> ->>"""
"""What a question may call. None reads a file or changes the connection."""
_CALLED = frozenset(FUNCTIONS.split())

LIMITS = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 20_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 50_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 20,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 9,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
LIMITS_AFTER_COPYING = {sqlite3.SQLITE_LIMIT_LENGTH: 2_000_000, sqlite3.SQLITE_LIMIT_ATTACHED: 0}
HEAP_BYTES = 256 * 1024 * 1024
PROCESS_BYTES = 1024 * 1024 * 1024
STEPS_BETWEEN_LOOKS = 10_000


def main() -> None:
    """Read the order; an empty line on standard output says so, then comes the answer as JSON."""
    order = json.load(sys.stdin)
    print(flush=True)
    try:
        reply = answer(order)
    except MemoryError:
        reply = {"error": "memory"}
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        reply = {"error": "sql", "message": str(error)}
    json.dump(reply, sys.stdout)


def answer(order: dict[str, Any]) -> dict[str, Any]:
    """What the question gives. Raises sqlite3.Error: it is wrong, or not allowed."""
    until = time.monotonic() + order["seconds"]
    _take_no_more_than(order["seconds"])
    memory = sqlite3.connect(":memory:", uri=True, isolation_level=None)
    memory.execute("PRAGMA temp_store = MEMORY")
    memory.execute(f"PRAGMA hard_heap_limit = {HEAP_BYTES}")
    for name, (_, _, declaration) in COPIES.items():
        memory.execute(f"CREATE TABLE {name} ({declaration})")
    memory.set_progress_handler(lambda: time.monotonic() > until, STEPS_BETWEEN_LOOKS)
    _set_limits(memory, LIMITS)
    _copy(memory, order, _wanted(memory, order["sql"]))
    _set_limits(memory, LIMITS_AFTER_COPYING)
    memory.execute("PRAGMA query_only = ON")
    _open_no_file()
    memory.set_authorizer(_authorize)
    return _fetched(memory.execute(order["sql"]), order["rows"], order["bytes"])


def _wanted(memory: sqlite3.Connection, sql: str) -> dict[str, set[str]]:
    """The columns that the question reads, by table: found by compiling it, without running it."""
    columns_by_table: dict[str, set[str]] = {}

    def note(
        action: int, table: str | None, column: str | None, database: str | None, source: str | None
    ) -> int:
        if action == sqlite3.SQLITE_READ and str(table).lower() in COPIES:
            columns_by_table.setdefault(str(table).lower(), set()).add(str(column))
        return _authorize(action, table, column, database, source)

    memory.set_authorizer(note)
    memory.execute(f"EXPLAIN {sql}").close()
    memory.set_authorizer(None)
    return columns_by_table


def _copy(memory: sqlite3.Connection, order: dict[str, Any], columns_by_table: dict[str, set[str]]) -> None:
    memory.execute("ATTACH ? AS source", (order["database"],))
    memory.execute("BEGIN")
    for table, columns in columns_by_table.items():
        origin, every, _ = COPIES[table]
        chosen = {name: text for name, text in every.items() if name in columns}
        # A key is copied always: rows are counted even where none of their columns is read.
        chosen |= (
            dict(list(every.items())[:2])
            if table == "custom_field_values"
            else dict([next(iter(every.items()))])
        )
        memory.execute(
            f"INSERT INTO main.{table} ({', '.join(chosen)})"
            f" SELECT {', '.join(chosen.values())} FROM {origin} WHERE t.org_id = ?",
            (order["org_id"],),
        )
    memory.execute("COMMIT")
    memory.execute("DETACH source")


def _set_limits(memory: sqlite3.Connection, limits: dict[int, int]) -> None:
    for limit, value in limits.items():
        memory.setlimit(limit, value)


def _take_no_more_than(seconds: float) -> None:
    """Memory and processor time have an end, also inside a function that looks at no clock."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (PROCESS_BYTES, PROCESS_BYTES))
        processor_seconds = math.ceil(seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (processor_seconds, processor_seconds))


def _open_no_file() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def _authorize(
    action: int, table: str | None, column: str | None, database: str | None, source: str | None
) -> int:
    match action:
        case sqlite3.SQLITE_SELECT | sqlite3.SQLITE_RECURSIVE:
            return sqlite3.SQLITE_OK
        case sqlite3.SQLITE_READ if table in COPIES or _only_counted(str(table), column):
            return sqlite3.SQLITE_OK
        case sqlite3.SQLITE_FUNCTION if column in _CALLED:
            return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _only_counted(table: str, column: str | None) -> bool:
    """Whether no column is read. SQLite tells the name as it was written, perhaps a name of WITH."""
    return not column and not table.lower().startswith(("sqlite_", "pragma_", "dbstat"))


def _fetched(cursor: sqlite3.Cursor, most_rows: int, most_bytes: int) -> dict[str, Any]:
    columns = [column[0] for column in cursor.description or ()]
    rows: list[list[Any]] = []
    truncated, size = False, 0
    for row in cursor:
        values = [_as_json(value) for value in row]
        size += len(json.dumps(values))
        if len(rows) == most_rows or size > most_bytes:
            truncated = True
            break
        rows.append(values)
    return {"columns": columns, "rows": rows, "truncated": truncated}


def _as_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, float) and not math.isfinite(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


if __name__ == "__main__":
    main()
