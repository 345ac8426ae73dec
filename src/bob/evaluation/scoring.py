"""Scores one question of a golden set, and a whole run; pure functions over hits and answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from bob.answers.answer import Answer
from bob.core.locator import Locator, locator_to_json
from bob.core.search import FoundChunk, Hit
from bob.evaluation.golden import ExpectedSource, GoldenQuestion
from bob.evaluation.metrics import ndcg, precision, recall, reciprocal_rank
from bob.evaluation.places import same_place
from bob.evaluation.values import QuestionResult

MEASURES: Mapping[str, str] = {
    "passed": "as expected: answers from an expected source with every expected phrase and no forbidden one, "
    "or refuses where nothing answers",
    "recall": "expected sources among the first k results",
    "precision": "of the first k results, those from an expected source",
    "mrr": "1 / the rank of the first result from an expected source",
    "ndcg": "how good the order of the first k results is",
    "citation_precision": "of the cited sources, those that are expected",
    "citation_recall": "expected sources that are cited",
    "answered": "answerable questions that were answered",
    "abstained": "unanswerable questions that were refused",
    "phrases": "expected phrases in the answer",
    "unsupported_claims": "claims that their sources do not fully support",
    "forbidden_phrases": "answers with a forbidden phrase, of those that have some",
    "median_seconds": "median time of an answer, search included",
    "slow_seconds": "time of an answer that one in twenty exceeds",
}
"""What a run reports, each with its meaning. A measure that no question of the set has is left out."""

LESS_IS_BETTER = frozenset({"unsupported_claims", "forbidden_phrases", "median_seconds", "slow_seconds"})

_CITATION = re.compile(r"\s*\[\d+\]")


def score(
    question: GoldenQuestion, hits: Sequence[Hit], answer: Answer, k: int, seconds: float
) -> QuestionResult:
    """Compare what search and answer gave with what the golden set expects."""
    text = _even(_CITATION.sub("", answer.text)) if answer.found else ""
    missing = [phrase for phrase in question.phrases if _even(phrase) not in text]
    forbidden = [phrase for phrase in question.forbidden if _even(phrase) in text]
    unsupported = sum(claim.verdict != "supported" for claim in answer.claims)
    measures = _retrieval(question.sources, hits, k) | _citations(question.sources, answer)
    measures["abstained" if question.unanswerable else "answered"] = float(
        answer.found != question.unanswerable
    )
    if question.phrases:
        measures["phrases"] = 1 - len(missing) / len(question.phrases)
    if question.forbidden:
        measures["forbidden_phrases"] = float(bool(forbidden))
    if answer.claims:
        measures["unsupported_claims"] = unsupported / len(answer.claims)
    cites_expected = not question.sources or measures["citation_recall"] > 0
    passed = answer.found != question.unanswerable and not missing and not forbidden and cites_expected
    return QuestionResult(
        id=question.id,
        question=question.question,
        unanswerable=question.unanswerable,
        found=answer.found,
        answer=answer.text,
        measures={"passed": float(passed)} | measures,
        first_rank=_first_rank(question.sources, hits[:k]),
        cited=[
            {"path": source.chunk.path, "locator": locator_to_json(source.locator)}
            for source in answer.sources
        ],
        missing_phrases=missing,
        said_forbidden=forbidden,
        claims=len(answer.claims),
        unsupported=unsupported,
        seconds=seconds,
    )


def summary(results: Sequence[QuestionResult]) -> dict[str, float]:
    """The measures of a run: means over the questions that have them, but the rate of unsupported claims
    over all claims of the run, and times at their median and 95th percentile."""
    found: dict[str, float] = {}
    for name in MEASURES:
        values = [result.measures[name] for result in results if name in result.measures]
        if values:
            found[name] = sum(values) / len(values)
    claims = sum(result.claims for result in results)
    if claims:
        found["unsupported_claims"] = sum(result.unsupported for result in results) / claims
    seconds = sorted(result.seconds for result in results)
    found["median_seconds"] = seconds[len(seconds) // 2]
    found["slow_seconds"] = seconds[min(len(seconds) - 1, len(seconds) * 19 // 20)]
    return {name: round(found[name], 6) for name in MEASURES if name in found}


def is_from(source: ExpectedSource, chunk: FoundChunk, locator: Locator) -> bool:
    """Whether a place in a chunk lies in the expected source."""
    named = chunk.path == source.path or chunk.path.endswith("/" + source.path)
    return named and same_place(source.locator, locator, chunk.heading_path)


def _retrieval(sources: Sequence[ExpectedSource], hits: Sequence[Hit], k: int) -> dict[str, float]:
    """Each expected source is one judged document of trec_eval, found by the first hit from it; later hits
    from it say nothing new, and are left out of the ranking. Precision looks at every hit by itself."""
    if not sources:
        return {}
    judged = {f"source {n}": source.grade for n, source in enumerate(sources)}
    ranking: list[str] = []
    each_hit: list[str] = []
    for hit in hits[:k]:
        names = [f"source {n}" for n in _matching(sources, hit.chunk, hit.chunk.locator)]
        each_hit.append(names[0] if names else "other")
        ranking += [name for name in names if name not in ranking] if names else ["other"]
    return {
        "recall": recall(ranking, judged, len(ranking)),
        "precision": precision(each_hit, judged, k),
        "mrr": reciprocal_rank(ranking, judged, len(ranking)),
        "ndcg": ndcg(ranking, judged, k),
    }


def _citations(sources: Sequence[ExpectedSource], answer: Answer) -> dict[str, float]:
    if not sources:
        return {}
    matched = [_matching(sources, cited.chunk, cited.locator) for cited in answer.sources]
    scores = {"citation_recall": len({n for number in matched for n in number}) / len(sources)}
    if matched:
        scores["citation_precision"] = sum(bool(matches) for matches in matched) / len(matched)
    return scores


def _matching(sources: Sequence[ExpectedSource], chunk: FoundChunk, locator: Locator) -> list[int]:
    return [n for n, source in enumerate(sources) if is_from(source, chunk, locator)]


def _first_rank(sources: Sequence[ExpectedSource], hits: Iterable[Hit]) -> int | None:
    ranks = (hit.rank for hit in hits if _matching(sources, hit.chunk, hit.chunk.locator))
    return next(ranks, None)


def _even(text: str) -> str:
    return " ".join(text.split()).casefold()
