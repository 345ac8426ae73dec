"""What a team has: work items, their semantic memory, and who may ask for what."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.engine.root import Engine
    from bob.protocols import SqlReader
    from bob.services.execute_sql import ExecuteSql


class Team:
    """The services of one organization's work, over an engine's parts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._org_id = engine.settings.organization

    @cached_property
    def execute_sql(self) -> ExecuteSql:
        """Answers an assistant's SQL. It fails when first used where the server's user may make no roles."""
        from bob.domain.sql import SqlLimits
        from bob.services.execute_sql import ExecuteSql

        work = self._engine.settings.work
        limits = SqlLimits(rows=work.sql_rows, seconds=work.sql_seconds)
        return ExecuteSql(self._sql_reader, limits, time.perf_counter)

    @property
    def _sql_reader(self) -> SqlReader:
        from bob.store.postgres import PostgresDatabase

        database = self._engine.database
        if isinstance(database, PostgresDatabase):
            from bob.store.sql_reader_postgres import PostgresReader

            return PostgresReader(database, self._engine.settings.database, self._org_id)
        from bob.store.sql_reader_sqlite import SqliteReader

        return SqliteReader(database.path, self._org_id)
