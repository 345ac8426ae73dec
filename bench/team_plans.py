"""The statements of a search and of a new work item, as they are sent, with the plans of PostgreSQL.

python bench/team_load.py --plans docs/team-plans.md
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from bob.app import Engine
from bob.storage.database import NO_VALUES
from bob.storage.organizations import every_organization
from bob.storage.postgres import PostgresTransaction

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
    run, run_many = PostgresTransaction.execute, PostgresTransaction.execute_many

    def noted(transaction: Any, statement: str, values: Any = NO_VALUES) -> Any:
        sent.append((statement, {"org": transaction.org_id, **values}))
        return run(transaction, statement, values)

    def noted_many(transaction: Any, statement: str, rows: Any) -> Any:
        every = list(rows)
        sent.append((statement, {"org": transaction.org_id, **every[0]}))
        return run_many(transaction, statement, every)

    PostgresTransaction.execute = noted  # type: ignore[method-assign]
    PostgresTransaction.execute_many = noted_many  # type: ignore[method-assign]
    try:
        yield sent
    finally:
        PostgresTransaction.execute = run  # type: ignore[method-assign]
        PostgresTransaction.execute_many = run_many  # type: ignore[method-assign]


def plans(engine: Engine, items: int) -> str:
    """A page in Markdown."""
    team, now = engine.team, datetime.now(UTC)
    found = len(every_organization(engine.database))
    # Once before, so that what is remembered is remembered.
    for query in ("the export fails", "checkout asks twice"):
        with watched(engine) as search:
            team.rag_search.search_items(query, user_id="ana")
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
    return statement, tuple((name, tuple(v) if isinstance(v, list) else v) for name, v in values.items())


def _is_ours(statement: str) -> bool:
    """Whether it reads or writes a table."""
    return re.search(r"\b(?:FROM|INTO|UPDATE) \w", statement) is not None


def _plan(engine: Engine, statement: str, values: tuple[Any, ...]) -> str:
    with engine.database.read() as connection:
        # An INSERT is only planned: it would be made twice.
        how = "EXPLAIN" if statement.lstrip().startswith("INSERT") else "EXPLAIN (ANALYZE, COSTS OFF)"
        connection._driver.execute("SAVEPOINT planned")
        rows = connection.execute(f"{how} {statement}", dict(values)).fetchall()
        connection._driver.execute("ROLLBACK TO planned")
    shown = "\n".join(_short(line) for (line,) in rows)
    return f"```sql\n{' '.join(statement.split())}\n```\n```\n{shown}\n```\n"


def _short(line: str) -> str:
    return re.sub(r"current_setting\('bob.org_id'::text, true\)", "current_setting(...)", line)[:160]
