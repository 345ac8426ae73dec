"""Checks the claims of a text against what a search for each finds (SPEC E2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from bob.answers.claims.citation_marks import marked
from bob.answers.claims.draft_claims import ClaimSpan, claims_of, outline
from bob.answers.claims.judge_claims import JudgeClaims
from bob.answers.claims.redaction import removed
from bob.answers.verified import VerifiedClaim, VerifiedText
from bob.core.search import NO_FILTERS, Filters, Query
from bob.search.service import Search

CHUNKS_READ = 5
"""A claim is checked against so many chunks that a search for its words finds."""


class VerifyText:
    """Checks texts against one organization's documents."""

    def __init__(self, search: Search, judge: JudgeClaims) -> None:
        self._search = search
        self._judge = judge

    def verify_text(
        self,
        text: str,
        *,
        filters: Filters = NO_FILTERS,
        today: date,
        report: Callable[[int, int], None] = lambda done, total: None,
    ) -> VerifiedText:
        """Every claim of a document in Markdown with its verdict. `report` is told how many are done."""
        document = outline(text, is_document=True)
        spans = document.claims
        judgements = self._judged(text, spans, filters, today, report)
        wrong = {
            span: (claim.judgement.verdict, claim.judgement.reason or "")
            for span, claim in zip(spans, judgements, strict=True)
            if not claim.judgement.holds
        }
        return VerifiedText(judgements, removed(document, wrong), marked(document, wrong))

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
        verified: list[VerifiedClaim] = []
        for done, span in enumerate(spans, 1):
            hits = self._search.search_chunks(
                Query(span.text, filters=filters), CHUNKS_READ, today=today, evidence_only=True
            ).hits
            (judgement,) = self._judge.judge_claims([(span.text, [hit.chunk for hit in hits])])
            line = text.count("\n", 0, span.start) + 1
            verified.append(VerifiedClaim(span.text, span.start, span.end, line, judgement))
            report(done, len(spans))
        return tuple(verified)
