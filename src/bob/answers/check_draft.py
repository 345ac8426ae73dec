"""Checks a draft claim by claim against the sources that its writer was given (SPEC E2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bob.answers.answer import Judgement, Span
from bob.answers.claims.draft_claims import ClaimSpan, Outline
from bob.core.search import FoundChunk


class Judge(Protocol):
    """Judges claims, each against the chunks given with it; see `bob.answers.claims.judge_claims`."""

    def judge_claims(self, claims: Sequence[tuple[str, Sequence[FoundChunk]]]) -> list[Judgement]:
        """One judgement a claim."""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim of a draft with its judgement.

    `support` are the places that bear it out, to be cited, and none unless the judgement holds.
    `correction` says what was wrong with the draft's own citation, None when nothing was; `disputed` is a
    place that the draft cited for the claim although it says otherwise.
    """

    claim: ClaimSpan
    judgement: Judgement
    support: tuple[Span, ...] = ()
    correction: str | None = None
    disputed: Span | None = None

    @property
    def stands(self) -> bool:
        """Whether the claim may stand in an answer."""
        return self.judgement.holds and bool(self.support)


class CheckDraft:
    """Checks drafts with a judge.

    A claim that cites several sources is judged against each alone, and keeps those that bear it out; if
    none does alone, against all of them together. A claim that its own citations do not bear out, or that
    cites nothing, is judged against all given sources, and then cites the one that says it.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def check_draft(self, draft: Outline, sources: Sequence[FoundChunk]) -> list[CheckedClaim]:
        """The claims of the draft in order; `sources` are numbered from 1."""
        claims = draft.claims
        checked = self._by_citation(claims, sources)
        open_claims = [claim for claim, one in zip(claims, checked, strict=True) if not one.stands]
        judged = self._judge.judge_claims([(claim.text, sources) for claim in open_claims])
        anywhere = dict(zip(open_claims, judged, strict=True))
        return [one if one.stands else _elsewhere(one, anywhere[one.claim], sources) for one in checked]

    def _by_citation(self, claims: Sequence[ClaimSpan], sources: Sequence[FoundChunk]) -> list[CheckedClaim]:
        pairs: list[tuple[str, Sequence[FoundChunk]]] = []
        parts: list[tuple[int, int]] = []
        for claim in claims:
            cited = [sources[n - 1] for n in claim.citations if 1 <= n <= len(sources)]
            first = len(pairs)
            pairs += [(claim.text, [chunk]) for chunk in cited]
            if len(cited) > 1:
                pairs.append((claim.text, cited))
            parts.append((first, len(cited)))
        judged = self._judge.judge_claims(pairs)
        return [
            _cited(claim, judged[first : first + count], judged[first + count : first + count + (count > 1)])
            for claim, (first, count) in zip(claims, parts, strict=True)
        ]


_UNCITED = Judgement("unsupported", 0.0, reason="it cites no existing source")


def _cited(claim: ClaimSpan, alone: Sequence[Judgement], together: Sequence[Judgement]) -> CheckedClaim:
    """The claim by what it cites: each source alone, and all of them together when there are several."""
    holding = [sources for sources in alone if sources.holds and sources.support is not None]
    if holding:
        best = max(holding, key=lambda judgement: judgement.score)
        return CheckedClaim(
            claim, best, tuple(judgement.support for judgement in holding if judgement.support is not None)
        )
    whole = together[0] if together else alone[0] if alone else _UNCITED
    if not whole.holds or whole.support is None:
        return CheckedClaim(claim, whole)
    partly = (
        judgement.support
        for judgement in alone
        if judgement.verdict == "partly" and judgement.support is not None
    )
    others = [span for span in partly if span.chunk.chunk_id != whole.support.chunk.chunk_id]
    return CheckedClaim(claim, whole, (whole.support, *others))


def _elsewhere(one: CheckedClaim, anywhere: Judgement, sources: Sequence[FoundChunk]) -> CheckedClaim:
    """The claim by all sources: what its own citations do not bear out another source may."""
    if anywhere.holds and anywhere.support is not None:
        n = 1 + [chunk.chunk_id for chunk in sources].index(anywhere.support.chunk.chunk_id)
        written = "".join(f"[{citation}]" for citation in one.claim.citations) or "no source"
        correction = f"the draft cites {written}; source [{n}] says it"
        return CheckedClaim(one.claim, anywhere, (anywhere.support,), correction, one.judgement.against)
    better = not one.claim.citations or anywhere.verdict == "contradicted" or one.judgement is _UNCITED
    return CheckedClaim(one.claim, anywhere if better else one.judgement)
