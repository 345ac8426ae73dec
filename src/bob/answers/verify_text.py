"""Verify: checks a person's own text against the index, claim by claim (SPEC E2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from bob.answers.citation_marks import marked
from bob.answers.claims import ClaimSpan, claims_of
from bob.answers.judge_claims import JudgeClaims
from bob.answers.redaction import removed
from bob.answers.verified import VerifiedClaim, VerifiedText
from bob.core.filters import NO_FILTERS, Filters, Query
from bob.search.service import Search

CHUNKS_READ = 5
"""A claim is checked against so many chunks that a search for its words finds."""


class VerifyText:
    """Checks texts against one organization's documents."""

    def __init__(self, search: Search, judge: JudgeClaims) -> None:
        self._search = search
        self._judge = judge

    def run(
        self,
        text: str,
        *,
        filters: Filters = NO_FILTERS,
        today: date,
        report: Callable[[int, int], None] = lambda done, total: None,
    ) -> VerifiedText:
        """Every claim of a text in Markdown with its verdict. `report` is told how many claims are done."""
        spans = claims_of(text)
        found = self._judged(text, spans, filters, today, report)
        wrong = {
            span: each.judgement.reason or each.judgement.verdict
            for span, each in zip(spans, found, strict=True)
            if not each.judgement.holds
        }
        return VerifiedText(found, removed(text, list(wrong)), marked(text, wrong))

    def claims(self, text: str, *, filters: Filters = NO_FILTERS, today: date) -> tuple[VerifiedClaim, ...]:
        """The verdicts alone, for a text that stays as it is."""
        return self._judged(text, claims_of(text), filters, today, lambda done, total: None)

    def _judged(
        self,
        text: str,
        spans: Sequence[ClaimSpan],
        filters: Filters,
        today: date,
        report: Callable[[int, int], None],
    ) -> tuple[VerifiedClaim, ...]:
        found: list[VerifiedClaim] = []
        for done, span in enumerate(spans, 1):
            hits = self._search.run(Query(span.text, filters=filters), CHUNKS_READ, today=today).hits
            (judgement,) = self._judge.run([(span.text, [hit.chunk for hit in hits])])
            line = text.count("\n", 0, span.start) + 1
            found.append(VerifiedClaim(span.text, span.start, span.end, line, judgement))
            report(done, len(spans))
        return tuple(found)
