"""What a team has: work items, their semantic memory, and who may ask for what."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bob.access.answer_once import AnswerOnce
    from bob.access.api_keys import ApiKeys
    from bob.access.authenticate import Authenticate
    from bob.app.parts import Parts
    from bob.core.protocols import OrganizationMemory, SqlReader
    from bob.storage.worker import Stopped, Turn
    from bob.work.execute_sql import ExecuteSql
    from bob.work.hippocampus_client import RemoteMemory
    from bob.work.import_items import ImportWorkItems
    from bob.work.index_items import IndexWorkItems
    from bob.work.rag_search import RagSearch
    from bob.work.semantic_memory import Hippocampus
    from bob.work.service import WorkItems
    from bob.work.threads import AssistThreads
    from bob.work.write_item import WorkRules


class Team:
    """The services of one organization's work, over an engine's parts."""

    def __init__(self, parts: Parts, memory_of: Callable[[str], Hippocampus]) -> None:
        """`memory_of` gives the memory of another organization of the same database."""
        self._parts = parts
        self._memory_of = memory_of
        self._org_id = parts.settings.organization
        self._remote: RemoteMemory | None = None

    @cached_property
    def api_keys(self) -> ApiKeys:
        """Makes, lists and revokes API keys."""
        import secrets

        from bob.access.api_keys import ApiKeys

        return ApiKeys(self._parts.database, secrets.token_bytes, _now)

    @cached_property
    def authenticate(self) -> Authenticate:
        """Knows who asks, of whichever organization."""
        from bob.app.authentication import authenticate_over

        return authenticate_over(self._parts.database, self._parts.settings.auth, _now, time.monotonic)

    @cached_property
    def answer_once(self) -> AnswerOnce:
        """Serves requests that are sent twice once."""
        from bob.access.answer_once import AnswerOnce

        return AnswerOnce(self._parts.database, _now)

    @cached_property
    def work_items(self) -> WorkItems:
        """Work items, categories and custom fields."""
        from bob.work.service import WorkItems

        return WorkItems(self._parts.database, self._work_rules)

    @cached_property
    def import_work_items(self) -> ImportWorkItems:
        """Takes in what other trackers export."""
        from bob.work.import_items import ImportWorkItems

        return ImportWorkItems(self._parts.database, self._work_rules)

    @property
    def _work_rules(self) -> WorkRules:
        from bob.work.write_item import WorkRules

        work = self._parts.settings.work
        return WorkRules(work.statuses, work.priorities)

    @cached_property
    def execute_sql(self) -> ExecuteSql:
        """Answers an assistant's SQL. It fails when first used where the server's user may make no roles."""
        from bob.core.sql import SqlLimits
        from bob.work.execute_sql import ExecuteSql

        work = self._parts.settings.work
        limits = SqlLimits(rows=work.sql_rows, seconds=work.sql_seconds)
        return ExecuteSql(self._sql_reader, limits, time.perf_counter)

    @property
    def _sql_reader(self) -> SqlReader:
        from bob.storage.postgres import PostgresDatabase

        database = self._parts.database
        if isinstance(database, PostgresDatabase):
            from bob.work.sql_reader_postgres import PostgresReader

            return PostgresReader(database, self._parts.settings.database)
        from bob.work.sql_reader_sqlite import SqliteReader

        return SqliteReader(database)

    @cached_property
    def hippocampus(self) -> Hippocampus:
        """Texts under ids, found by meaning. The model that comes with Bob: relevance is fitted to it."""
        from bob.work.semantic_memory import Hippocampus

        return Hippocampus(self._parts.database, self._parts.shipped_model)

    @cached_property
    def memory(self) -> OrganizationMemory:
        """Where work items are found by meaning: the service of the settings, else Bob's own."""
        chosen = self._parts.settings.hippocampus
        floor = self._parts.settings.work.relevance_floor
        if chosen.url:
            from bob.app.disclosure import disclosed_memory
            from bob.work.hippocampus_client import RemoteMemory

            key = chosen.api_key.get_secret_value() if chosen.api_key else None
            self._remote = RemoteMemory(chosen.url, key, chosen.timeout_seconds, floor, time.sleep)
            return disclosed_memory(
                self._remote, self._parts.settings, self._parts.disclosure, self._parts.projects
            )
        from bob.work.local_memory import LocalMemory

        return LocalMemory(self._memory_of, floor)

    def close(self) -> None:
        """Give back the connections to a service, if there are any."""
        if self._remote is not None:
            self._remote.close()

    @cached_property
    def rag_search(self) -> RagSearch:
        """Finds work items by meaning, as numbers."""
        from bob.work.rag_search import RagSearch
        from bob.work.semantic_memory import QueryVectors

        return RagSearch(
            self._parts.database,
            self.memory,
            QueryVectors(self._parts.shipped_model),
            self._parts.settings.work.recency_half_life_days,
            _now,
        )

    @cached_property
    def index_work_items(self) -> IndexWorkItems:
        """Brings the memory to what the work items are now."""
        from bob.work.index_items import IndexWorkItems

        return IndexWorkItems(self._parts.database, self.memory, time.time)

    def index_turn(self, stopped: Stopped) -> Turn:
        """A worker's turn at the items that changed."""
        from bob.storage.worker import Turn

        report = self.index_work_items.index_items(stopped=stopped)
        return Turn(report.done, report.error)

    def tools(self) -> list[dict[str, Any]]:
        """The tools of an assistant, for the SQL that the database speaks."""
        from bob.work.tools import assistant_tools

        return assistant_tools(self._sql_reader.dialect)

    @cached_property
    def assist_threads(self) -> AssistThreads:
        """Answers questions about work in words."""
        import secrets

        from bob.work.assist import Assist
        from bob.work.threads import AssistThreads

        parts = self._parts
        search, sql = self.rag_search.search_items, self.execute_sql.execute_query
        assist = Assist(search, sql, self.tools, lambda: parts.llm)
        return AssistThreads(parts.database, assist, lambda: secrets.token_urlsafe(16), _now)


def _now() -> datetime:
    return datetime.now(UTC)
