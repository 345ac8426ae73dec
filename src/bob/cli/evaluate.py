"""`bob eval`: runs golden sets, compares runs, drafts questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import benchmark, options
from bob.cli.output import Output, counted, print_error, print_json, print_line, shown_path, when
from bob.cli.progress import shown_count

if TYPE_CHECKING:
    from bob.evaluation.compare import Comparison, Drift, Kind
    from bob.evaluation.values import EvalRun, QuestionResult

_COLUMN = 20
_STYLES: dict[Kind, str] = {"regressed": "bold red", "improved": "green", "changed": "yellow"}
_MOST_ANSWER = 160


def show_run(out: Output, run: EvalRun) -> None:
    """Measures, then the questions that did not come out as expected."""
    name = f" ({run.name})" if run.name else ""
    total = counted(len(run.results), "question")
    out.print((f"run {run.run_id}{name}", "bold"), f"  {shown_path(run.golden)}, {total}, k {run.k}")
    for measure, value in run.metrics.items():
        out.print(f"  {measure:{_COLUMN}}", (f"{value:.3f}", "bold"))
    wrong = [result for result in run.results if not result.measures["passed"]]
    if wrong:
        out.print()
        out.print("Not as expected:")
    for each in wrong:
        out.print(("  " + each.id, "bold red"), f"  {each.question}")
        for fault in _faults(each):
            out.print(f"      {fault}")


def _faults(result: QuestionResult) -> Iterator[str]:
    answer = " ".join(result.answer.split())
    if result.unanswerable and result.found:
        shown = answer if len(answer) <= _MOST_ANSWER else answer[: _MOST_ANSWER - 1] + "…"
        yield f"was answered, but should have been refused: {shown}"
    elif not result.found and not result.unanswerable:
        rank = "" if result.first_rank is None else f"; an expected source is result {result.first_rank}"
        yield f"was refused{rank}"
    elif result.measures.get("citation_recall") == 0:
        cited = sorted({shown_path(source["path"]) for source in result.cited})
        yield f"cites no expected source, but {', '.join(cited)}"
    if result.found:
        yield from (f"lacks the phrase «{missing_phrase}»" for missing_phrase in result.missing_phrases)
    yield from (f"has the forbidden phrase «{phrase}»" for phrase in result.said_forbidden)


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
            for line in _said(drift):
                out.print(f"    {line}")


def _named(run: EvalRun) -> str:
    return f"run {run.run_id}" + (f" ({run.name})" if run.name else "")


def _counts(comparison: Comparison) -> Iterator[str]:
    from bob.evaluation.compare import KINDS

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
        yield ", ".join(f"{name} {change.before:.3g} → {change.after:.3g}" for name, change in changes)
    yield from (f"no longer cites {shown_path(source)}" for source in drift.sources_lost)
    yield from (f"now cites {shown_path(source)}" for source in drift.sources_gained)
    yield from (f"no longer has the phrase «{phrase}»" for phrase in drift.phrases_lost)
    yield from (f"has the phrase «{phrase}» again" for phrase in drift.phrases_gained)


eval_app = typer.Typer(no_args_is_help=True, help="Measure quality.")
golden_app = typer.Typer(
    no_args_is_help=True, help="Evaluate answers with golden sets: questions with their expected sources."
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(eval_app, name="eval")
    eval_app.command("run", help=_RUN_HELP)(run_set)
    eval_app.command("runs", help=_RUNS_HELP)(runs)
    eval_app.command("compare", help=_COMPARE_HELP)(compare)
    eval_app.add_typer(golden_app, name="golden")
    golden_app.command("suggest", help=_SUGGEST_HELP)(suggest)
    benchmark.register(eval_app)


_RUN_HELP = """Ask the questions of a golden set, and measure results, citations and answers.

A set is a JSONL file. An invalid line is an error that names the line and the field, and nothing is run.
The run is stored with its settings, for bob eval compare.

Examples:

    bob eval run golden.jsonl

    bob eval run golden.jsonl --name main --fail-under recall=0.9 --fail-under abstained=1
"""

_RUNS_HELP = """List stored runs, or show one with the questions that failed.

Examples:

    bob eval runs

    bob eval runs 12
"""

_COMPARE_HELP = """Compare two runs question by question, regressions first.

Name runs by number or name; a name means the last run with that name. With no run, the last one is compared
with the one before over the same golden set; with one, that run is compared with the last over its set.

Examples:

    bob eval compare

    bob eval compare main 12 --fail-under 0

    bob eval compare --fail-under recall=-0.02 --fail-under passed=0
"""

_SUGGEST_HELP = """Draft questions from the headings of indexed documents, one JSON object per line.

Review each and set "confirmed" to true: bob eval run skips the others.

Examples:

    bob eval golden suggest --limit 5

    bob eval golden suggest --out golden.jsonl
"""


def run_set(
    golden: Annotated[Path, typer.Argument(help="Golden set (JSONL file).", show_default=False)],
    k: Annotated[int, typer.Option("--k", "-k", min=1, max=1000, help="Number of results to evaluate.")] = 10,
    name: Annotated[str | None, typer.Option(help="A name for the run.")] = None,
    unconfirmed: Annotated[
        bool, typer.Option("--unconfirmed", help="Also ask unconfirmed questions.")
    ] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under", metavar="MEASURE=VALUE", help="Exit code 1 if the measure is lower (repeatable)."
        ),
    ] = None,
    fail_over: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-over", metavar="MEASURE=VALUE", help="Exit code 1 if the measure is higher (repeatable)."
        ),
    ] = None,
    projects: options.Projects = None,
    paths: options.Paths = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Run a golden set."""
    from bob.evaluation.gates import failed_values, highest_values, lowest_values
    from bob.evaluation.golden import read_golden
    from bob.storage.paths import absolute

    lowest, highest = lowest_values(fail_under or ()), highest_values(fail_over or ())
    golden_set = read_golden(absolute(golden))
    engine = options.engine(config, database)
    engine.warm_up()
    with shown_count("questions") as report:
        done = engine.evaluation.evaluate.evaluate_set(
            golden_set,
            k,
            started_at=options.now(),
            name=name,
            filters=options.filters(projects=projects, paths=paths),
            unconfirmed=unconfirmed,
            report=report,
        )
    failed = list(failed_values(done.metrics, lowest, highest))
    if as_json:
        print_json(done.with_results() | {"failed": failed})
    else:
        show_run(Output(), done)
    _exit_if(failed)


def runs(
    run: Annotated[str | None, typer.Argument(help="Number or name of a run to show.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="Maximum number of runs.")
    ] = 20,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """List stored runs."""
    service = options.engine(config, database).evaluation.evaluate
    if run is not None:
        one = service.stored(run)
        if as_json:
            print_json(one.with_results())
        else:
            show_run(Output(), one)
        return
    listed = service.runs(limit)
    if as_json:
        print_json([run.to_json() for run in listed])
    else:
        _list(Output(), listed)


def compare(
    before: Annotated[str | None, typer.Argument(help="Number or name of the earlier run.")] = None,
    after: Annotated[str | None, typer.Argument(help="Number or name of the later run.")] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under",
            metavar="[MEASURE=]CHANGE",
            help="Exit 1 at a larger loss (repeatable). -0.02: any measure of any question may lose 0.02; "
            "0: none may lose; recall=-0.02: the mean of recall may lose 0.02.",
        ),
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Compare two runs."""
    from bob.evaluation.gates import failed_losses, largest_losses

    gates = largest_losses(fail_under or ())
    comparison = options.engine(config, database).evaluation.evaluate.compare(before, after)
    failed = list(failed_losses(comparison, gates))
    if as_json:
        print_json(comparison.to_json() | {"failed": failed})
    else:
        show_comparison(Output(), comparison)
    _exit_if(failed)


def suggest(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="Maximum number of questions.")
    ] = 20,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Draft questions."""
    from bob.evaluation.golden import write_golden

    records = options.engine(config, database).evaluation.suggest_golden.suggest_questions(limit)
    if out is not None:
        write_golden(out, records, replace=force)
    if as_json:
        print_json(records)
    elif out is not None:
        print_line(f"{counted(len(records), 'question')} in {out}; review them, and set confirmed to true")
    else:
        for record in records:
            print_json(record, indent=None)
    if not records:
        print_error("no headings to make questions from; index files first: bob index FOLDER")
        raise typer.Exit(1)


def _list(out: Output, listed: Sequence[EvalRun]) -> None:
    if not listed:
        out.print("No runs yet. Start one: bob eval run GOLDEN")
    for run in listed:
        shown = [
            f"{name} {run.metrics[name]:.3f}" for name in ("passed", "recall", "ndcg") if name in run.metrics
        ]
        out.print(
            (f"{run.run_id:>4}  ", "bold"),
            (f"{when(run.started_at)}  ", "dim"),
            f"{run.name or '-'}  {shown_path(run.golden)}  k {run.k}  {', '.join(shown)}",
        )


def _exit_if(failed: Sequence[str]) -> None:
    for gate in failed:
        print_error(gate)
    if failed:
        raise typer.Exit(1)
