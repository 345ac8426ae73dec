"""Looks at the health of a memory: what is wrong, what to do first, and how it has gone (SPEC M1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from bob.core.errors import NotFoundError
from bob.health import run_rows
from bob.health.decision_rules import decision_findings, source_findings
from bob.health.document_rules import DocumentLimits, document_findings
from bob.health.gather_facts import GatherFacts
from bob.health.link_rules import link_findings
from bob.health.question_rules import question_findings
from bob.health.values import Finding, HealthReport, HealthRun, by_effect, scores
from bob.storage.database import Database

RUNS_SHOWN = 20


class CheckHealth:
    """Health of one organization's memory."""

    def __init__(self, database: Database, gather: GatherFacts, limits: DocumentLimits) -> None:
        self._database = database
        self._gather = gather
        self._limits = limits
        self._last: HealthReport | None = None

    def check_health(self, now: datetime, *, keep: bool = True) -> HealthReport:
        """All findings as of now, and the scores, which are kept when they are not those of last time, unless
        nothing may be written (`keep`)."""
        facts = self._gather.gather_facts()
        findings = by_effect(
            [
                *link_findings(facts),
                *question_findings(facts),
                *decision_findings(facts),
                *document_findings(facts, self._limits, now.date()),
                *source_findings(facts),
            ],
            facts.uses,
        )
        every = (*facts.documents, *facts.missing)
        with self._database.read() as transaction:
            history = run_rows.recent(transaction, RUNS_SHOWN)
            dismissed = run_rows.dismissed(transaction)
        shown = [finding for finding in findings if finding.finding_id not in dismissed]
        run = HealthRun(now, scores(shown, Counter(document.project for document in every)))
        if run.projects and (not history or history[-1].projects != run.projects):
            if keep:
                with self._database.write() as transaction:
                    run_rows.add(transaction, run)
        elif history:
            history = history[:-1]
        hidden = [finding for finding in findings if finding.finding_id in dismissed]
        self._last = HealthReport(run, shown, hidden, history, len(facts.answers), len(every))
        return self._last

    def look(self, now: datetime, taken_at: str | None) -> HealthReport:
        """The last look if it was taken at that moment (`HealthReport.taken_at`), else a new one.

        A look over a hundred thousand chunks takes seconds: whoever reads it page by page, or
        narrows it, reads one.
        """
        last = self._last
        return last if last is not None and last.taken_at == taken_at else self.check_health(now)

    def history(self, limit: int) -> Sequence[HealthRun]:
        """The last looks whose scores differed from those before, oldest first."""
        with self._database.read() as transaction:
            return run_rows.recent(transaction, limit)

    def dismiss(self, finding_ids: Sequence[str], now: datetime) -> None:
        """Show these findings no more, and count them in no score.

        Raises:
            NotFoundError: there is no such finding.
        """
        last = self._last
        known_ids = (
            set() if last is None else {finding.finding_id for finding in (*last.findings, *last.dismissed)}
        )
        if not known_ids.issuperset(finding_ids):
            report = self.check_health(now)
            for finding_id in finding_ids:
                finding_of(report, finding_id)
        with self._database.write() as transaction:
            for finding_id in finding_ids:
                run_rows.dismiss(transaction, finding_id, now)
        self._last = None

    def restore(self, finding_ids: Sequence[str]) -> None:
        """Show findings again that were dismissed.

        Raises:
            NotFoundError: one of them was not.
        """
        with self._database.write() as transaction:
            for finding_id in finding_ids:
                if not run_rows.restore(transaction, finding_id):
                    raise NotFoundError(f"{finding_id} was not dismissed")
        self._last = None


def finding_of(report: HealthReport, finding_id: str) -> Finding:
    """The finding of a report with this id, dismissed or not.

    Raises:
        NotFoundError: there is none.
    """
    for finding in (*report.findings, *report.dismissed):
        if finding.finding_id == finding_id:
            return finding
    raise NotFoundError(f"no finding {finding_id}; list the findings with bob health")
