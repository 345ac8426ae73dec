"""How runs of the evaluation and comparisons look to a person."""

from __future__ import annotations

from collections.abc import Iterator

from bob.cli.output import Output, counted, shown_path
from bob.evaluation.compare import KINDS, Comparison, Drift, Kind
from bob.evaluation.values import EvalRun, QuestionResult

_COLUMN = 20
_STYLES: dict[Kind, str] = {"regressed": "bold red", "improved": "green", "changed": "yellow"}
_MOST_ANSWER = 160


def show_run(out: Output, run: EvalRun) -> None:
    """Measures, then the questions that did not come out as expected."""
    name = f" ({run.name})" if run.name else ""
    asked = counted(len(run.results), "question")
    out.print((f"run {run.run_id}{name}", "bold"), f"  {shown_path(run.golden)}, {asked}, k {run.k}")
    for measure, value in run.metrics.items():
        out.print(f"  {measure:{_COLUMN}}", (f"{value:.3f}", "bold"))
    wrong = [each for each in run.results if not each.measures["passed"]]
    if wrong:
        out.print()
        out.print("Not as expected:")
    for each in wrong:
        out.print(("  " + each.id, "bold red"), f"  {each.question}")
        for said in _faults(each):
            out.print(f"      {said}")


def _faults(result: QuestionResult) -> Iterator[str]:
    answer = " ".join(result.answer.split())
    if result.unanswerable and result.found:
        shown = answer if len(answer) <= _MOST_ANSWER else answer[: _MOST_ANSWER - 1] + "…"
        yield f"was answered, though nothing should answer it: {shown}"
    elif not result.found and not result.unanswerable:
        rank = "" if result.first_rank is None else f"; an expected source is result {result.first_rank}"
        yield f"was refused{rank}"
    elif result.measures.get("citation_recall") == 0:
        cited = sorted({shown_path(each["path"]) for each in result.cited})
        yield f"cites no expected source, but {', '.join(cited)}"
    if result.found:
        yield from (f"misses the phrase «{each}»" for each in result.missing_phrases)
    yield from (f"has the forbidden phrase «{each}»" for each in result.said_forbidden)


def show_comparison(out: Output, comparison: Comparison) -> None:
    """What differed between the runs, the measures that changed, then each question that did."""
    before, after = comparison.before, comparison.after
    out.print(
        (f"{_named(before)} → {_named(after)}", "bold"),
        f"  {shown_path(after.golden)}, {', '.join(_counts(comparison))}",
    )
    if comparison.golden_changed:
        out.print("  The golden set was edited between the runs.", style="yellow")
    for key, (was, now) in comparison.settings.items():
        out.print(f"  setting {key}: {was} → {now}", style="yellow")
    for name, change in comparison.measures.items():
        if change.gain:
            style = "green" if change.gain > 0 else "red"
            values = f"{change.before:.3f} → {change.after:.3f}"
            out.print(f"  {name:{_COLUMN}}", (values, style))
    for drift in comparison.drifts:
        if drift.kind != "same":
            out.print()
            out.print((drift.kind, _STYLES.get(drift.kind, "bold")), f"  {drift.id}  {drift.question}")
            for said in _said(drift):
                out.print(f"    {said}")


def _named(run: EvalRun) -> str:
    return f"run {run.run_id}" + (f" ({run.name})" if run.name else "")


def _counts(comparison: Comparison) -> Iterator[str]:
    for kind in KINDS:
        count = len(comparison.of(kind))
        if count:
            yield f"{count:,} {'the same' if kind == 'same' else kind}"


def _said(drift: Drift) -> Iterator[str]:
    if drift.found is not None:
        yield "now answered" if drift.found[1] else "no longer answered"
    if drift.first_rank is not None:
        was, now = ("none" if rank is None else str(rank) for rank in drift.first_rank)
        yield f"first rank {was} → {now}"
    if drift.measures:
        changes = drift.measures.items()
        yield ", ".join(f"{name} {each.before:.3g} → {each.after:.3g}" for name, each in changes)
    yield from (f"no longer cites {shown_path(each)}" for each in drift.sources_lost)
    yield from (f"now cites {shown_path(each)}" for each in drift.sources_gained)
    yield from (f"lost the phrase «{each}»" for each in drift.phrases_lost)
    yield from (f"has the phrase «{each}» again" for each in drift.phrases_gained)
