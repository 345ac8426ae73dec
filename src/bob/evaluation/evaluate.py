"""Asks the questions of a golden set through the real search and answers, scores them, and stores the run
(SPEC N1)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from bob.answers.ask import Ask
from bob.core.errors import NotFoundError, UsageError
from bob.core.search import NO_FILTERS, Filters, Query
from bob.evaluation import rows
from bob.evaluation.compare import Comparison, compare
from bob.evaluation.golden import GoldenSet
from bob.evaluation.scoring import score, summary
from bob.evaluation.values import EvalRun
from bob.search.service import Search
from bob.storage.database import Database


class Evaluate:
    """Evaluation of one organization's memory.

    `models` and `settings` are what answers depend on, without secrets; they are stored with each run.
    """

    def __init__(
        self,
        search: Search,
        ask: Ask,
        database: Database,
        models: Mapping[str, str],
        settings: Mapping[str, Any],
    ) -> None:
        self._search = search
        self._ask = ask
        self._database = database
        self._models = models
        self._settings = settings

    def evaluate_set(
        self,
        golden: GoldenSet,
        k: int,
        *,
        started_at: datetime,
        name: str | None = None,
        filters: Filters = NO_FILTERS,
        unconfirmed: bool = False,
        report: Callable[[int, int], None] = lambda done, total: None,
    ) -> EvalRun:
        """Ask every question, and store what came out; nothing is stored when it is interrupted.

        Args:
            golden: the set; its unconfirmed questions are left out, unless `unconfirmed`.
            k: so many results of a search are looked at.
            started_at: the moment, with its time zone; its day is what answers take for today.
            name: what to call the run.
            filters: what searches and answers are limited to.
            report: called after each question with how many are done, and how many there are.

        Raises:
            UsageError: no question of the set is confirmed.
        """
        questions = [question for question in golden.questions if question.confirmed or unconfirmed]
        if not questions:
            raise UsageError(
                f"{golden.path}: no question is confirmed; review them and set "
                '"confirmed": true, or run with --unconfirmed'
            )
        today = started_at.date()
        results = []
        for done, question in enumerate(questions, 1):
            hits = self._search.search_chunks(Query(question.question, filters=filters), k, today=today).hits
            began = time.perf_counter()
            answer = self._ask.answer_question(question.question, filters=filters, today=today)
            results.append(score(question, hits, answer, k, time.perf_counter() - began))
            report(done, len(questions))
        run = EvalRun(
            started_at=started_at,
            name=name,
            golden=str(golden.path),
            golden_hash=golden.content_hash,
            k=k,
            models=self._models,
            settings={
                **self._settings,
                **{f"filters.{key}": value for key, value in filters.to_json().items()},
            },
            metrics=summary(results),
            results=results,
        )
        with self._database.write() as transaction:
            return rows.save(transaction, run)

    def runs(self, limit: int) -> list[EvalRun]:
        """The last runs without their results, newest first."""
        with self._database.read() as transaction:
            return rows.recent(transaction, limit)

    def stored(self, run: str) -> EvalRun:
        """The run with this number, or the last one of this name, with its results.

        Raises:
            NotFoundError: there is none.
        """
        with self._database.read() as transaction:
            stored = rows.by_id(transaction, int(run)) if run.isdecimal() and len(run) < 19 else None
            if stored is None:
                last = rows.recent(transaction, 1, name=run)
                run_id = last[0].run_id if last else None
                stored = None if run_id is None else rows.by_id(transaction, run_id)
        if stored is None:
            raise NotFoundError(f"no run {run}; list the runs with bob eval runs")
        return stored

    def compare(self, before: str | None = None, after: str | None = None) -> Comparison:
        """Two runs compared: by default the last one, and the one before it over the same golden set.

        Raises:
            UsageError: there is no such run, or nothing to compare it with.
        """
        return compare(*self._pair(before, after))

    def _pair(self, before: str | None, after: str | None) -> tuple[EvalRun, EvalRun]:
        if before is not None and after is not None:
            return self.stored(before), self.stored(after)
        if before is not None:
            first = self.stored(before)
            last = self._last(golden=first.golden)
            if last.run_id == first.run_id:
                raise UsageError(
                    f"run {first.run_id} is the last one over {first.golden}; nothing to compare"
                )
            return first, last
        last = self._last()
        return self._last(golden=last.golden, before=last.run_id), last

    def _last(self, golden: str | None = None, before: int | None = None) -> EvalRun:
        with self._database.read() as transaction:
            runs = rows.recent(transaction, 1, golden=golden, before=before)
        if not runs:
            over = f" over {golden}" if golden else ""
            needed = "a second run" if before else "a run"
            raise UsageError(f"nothing to compare; this requires {needed}{over} (bob eval run)")
        return self.stored(str(runs[0].run_id))
