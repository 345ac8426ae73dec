"""The statements of a search and of a new work item, as they are sent, with the plans of PostgreSQL.

python bench/team_load.py --plans docs/team-plans.md
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from bob.storage.postgres_driver import PostgresConnection, marked
from sqlalchemy import event

from bob.app import Engine

_HEAD = """# Plans of a team's statements

What PostgreSQL does for one search and one new work item, at {items:,} items in {organizations}
organizations. Written by `python bench/team_load.py --plans docs/team-plans.md`. Row-level security adds its
own condition to each statement, so `org_id` stands there twice. Scans are of tables that are a few pages in
all: counters, categories, custom fields, users. The times are of the server alone.
"""

Sent = tuple[str, Any]


@contextmanager
def watched(engine: Engine) -> Iterator[list[Sent]]:
    """The statements that the engine's database is sent in the block."""
    sent: list[Sent] = []
    execute = PostgresConnection.execute

    def noted(connection: Any, statement: str, values: Any = (), /) -> Any:
        sent.append((marked(statement).decode(), values))
        return execute(connection, statement, values)

    with engine.database.read() as connection:
        source = connection.engine

    def before(_: Any, __: Any, statement: str, values: Any, ___: Any, many: bool) -> None:
        sent.append((statement, values[0] if many else values))

    event.listen(source, "before_cursor_execute", before)
    PostgresConnection.execute = noted  # type: ignore[method-assign]
    try:
        yield sent
    finally:
        PostgresConnection.execute = execute  # type: ignore[method-assign]
        event.remove(source, "before_cursor_execute", before)


def plans(engine: Engine, items: int) -> str:
    """A page in Markdown."""
    team, now = engine.team, datetime.now(UTC)
    with engine.database.read() as connection:
        found = connection.execute("SELECT count(*) FROM organizations").scalar_one()
    # Once before, so that what is remembered is remembered.
    for query in ("the export fails", "checkout asks twice"):
        with watched(engine) as search:
            team.rag_search.run(query, user_id="ana")
    with watched(engine) as create:
        made = team.work_items.create("ana", {"title": "The export fails", "category": "Wishes"}, now)
    team.work_items.archive("ana", made.work_item_id, now)
    parts = [_HEAD.format(items=items, organizations=found)]
    for title, sent in (("A search", search), ("A new work item", create)):
        parts.append(f"## {title}\n")
        parts += [_plan(engine, *each) for each in dict.fromkeys(map(_frozen, sent)) if _is_ours(each[0])]
    return "\n".join(parts)


def _frozen(sent: Sent) -> Sent:
    statement, values = sent
    return statement, tuple(values.items()) if isinstance(values, dict) else tuple(values or ())


def _is_ours(statement: str) -> bool:
    """Whether it reads or writes a table."""
    return re.search(r"\b(?:FROM|INTO|UPDATE) \w", statement) is not None


def _plan(engine: Engine, statement: str, values: tuple[Any, ...]) -> str:
    given = dict(values) if values and isinstance(values[0], tuple) else values
    with engine.database.write() as connection:
        # An INSERT is only planned: it would be made twice.
        how = "EXPLAIN" if statement.lstrip().startswith("INSERT") else "EXPLAIN (ANALYZE, COSTS OFF)"
        nested = connection.begin_nested()
        rows = connection.execute(f"{how} {statement}", given).scalars().all()
        nested.rollback()
    shown = "\n".join(_short(line) for line in rows)
    return f"```sql\n{' '.join(statement.split())}\n```\n```\n{shown}\n```\n"


def _short(line: str) -> str:
    return re.sub(r"current_setting\('bob.org_id'::text, true\)", "current_setting(...)", line)[:160]
