"""Verify: checks a person's own text against the index, claim by claim (SPEC E2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from bob.answer.claims import claims_of
from bob.answer.marking import marked
from bob.answer.redact import removed
from bob.domain.filters import NO_FILTERS, Filters, Query
from bob.domain.verified import VerifiedClaim, VerifiedText
from bob.services.judge_claims import JudgeClaims
from bob.services.search import Search

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
        found: list[VerifiedClaim] = []
        for done, span in enumerate(spans, 1):
            hits = self._search.run(Query(span.text, filters=filters), CHUNKS_READ, today=today).hits
            (judgement,) = self._judge.run([(span.text, [hit.chunk for hit in hits])])
            line = text.count("\n", 0, span.start) + 1
            found.append(VerifiedClaim(span.text, span.start, span.end, line, judgement))
            report(done, len(spans))
        wrong = {
            span: each.judgement.reason or each.judgement.verdict
            for span, each in zip(spans, found, strict=True)
            if not each.judgement.holds
        }
        return VerifiedText(tuple(found), removed(text, list(wrong)), marked(text, wrong))
