"""`bob eval benchmark`: public benchmarks over Bob's own pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.output import print_json, print_line
from bob.cli.progress import shown_count
from bob.cli.search import Mode

if TYPE_CHECKING:
    from bob.evaluation.benchmark_recall import RecallResult

benchmark_app = typer.Typer(no_args_is_help=True, help="Public benchmarks, one command each.")


def register(eval_app: typer.Typer) -> None:
    """Add the commands to the group `eval`."""
    eval_app.add_typer(benchmark_app, name="benchmark")


@benchmark_app.command("beir")
def beir(
    folder: Annotated[
        Path, typer.Argument(help="Folder in BEIR's format: corpus.jsonl, queries.jsonl, qrels/.")
    ],
    split: Annotated[str, typer.Option(help="Which qrels.")] = "test",
    mode: Annotated[Mode, typer.Option(help="Signals to rank by.")] = Mode.HYBRID,
    run: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a TREC run file.")] = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Measure retrieval on a BEIR set: nDCG@10, recall@100, MRR@10.

    The set is indexed into a database of its own, kept in the cache folder for the next run.

    Example: bob eval benchmark beir ~/data/scifact --mode words
    """
    engine = options.engine(config)
    result = engine.evaluation.beir(folder).measure_ranking(split, mode.value, run_file=run)
    if as_json:
        print_json(result.to_json())
    else:
        for name, value in result.to_json().items():
            print_line(f"{name:12} {value:.4f}" if isinstance(value, float) else f"{name:12} {value:,}")


@benchmark_app.command("claims")
def claims(
    files: Annotated[
        list[Path],
        typer.Argument(help='JSON lines with "claim", "evidence" (texts) and "label".', show_default=False),
    ],
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Measure verdicts on claims: balanced accuracy, AUROC and F1 of "supported" against the rest.

    Example: bob eval benchmark claims ~/data/wice.jsonl ~/data/scifact.jsonl
    """
    engine = options.engine(config)
    with shown_count("claims") as report:
        results = engine.evaluation.benchmark_claims.measure_verdicts(files, report)
    from bob.evaluation.benchmark_claims import means

    mean_values = means(results)
    if as_json:
        print_json(mean_values)
        return
    rows = [
        *((Path(name).stem, result) for name, result in mean_values["by_file"].items()),
        ("mean", mean_values),
    ]
    print_line(f"{'set':28} {'claims':>7} {'balanced accuracy':>18} {'AUROC':>7} {'F1':>7}")
    for name, result in rows:
        accuracy, area = (_figure(result[key]) for key in ("balanced_accuracy", "auroc"))
        print_line(f"{name:28} {result['n']:7,} {accuracy:>18} {area:>7} {result['f1']:7.3f}")


@benchmark_app.command("seeded")
def seeded(
    paths: Annotated[
        list[Path], typer.Argument(help="Files or folders with correct text.", show_default=False)
    ],
    most: Annotated[int, typer.Option(min=1, help="Number of claims of each kind.")] = 100,
    seed: Annotated[int, typer.Option(help="Random seed for choosing and changing sentences.")] = 1,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Measure errors that verdicts miss: each sentence of your files gets one error (number, date, name,
    unit, negation …). Also reports how often correct or rephrased sentences are flagged.

    Example: bob eval benchmark seeded docs/ --most 200
    """
    engine = options.engine(config)
    with shown_count("claims") as report:
        result = engine.evaluation.benchmark_seeded.measure_errors(paths, most, seed, report)
    if as_json:
        print_json(result.to_json())
        return
    for title, rows in (
        ("errors caught", result.caught),
        ("errors caught in rephrased sentences", result.caught_rephrased),
        ("true sentences flagged", result.flagged),
    ):
        print_line(title)
        for name, row in rows.items():
            share = f"{row.flagged / row.n:6.1%}" if row.n else "     -"
            print_line(f"  {name:12} {share}  {row.flagged:,} of {row.n:,}")


@benchmark_app.command("duplicates")
def duplicates(
    folder: Annotated[
        Path,
        typer.Argument(help="A tracker's items in BEIR's format, duplicates in qrels/.", show_default=False),
    ],
    split: Annotated[str, typer.Option(help="Which qrels.")] = "test",
    off_topic: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder on another subject; reports how many of its queries find nothing."
        ),
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Measure how well duplicate work items are found by meaning: hit@1, hit@5, MRR@10.

    The set is kept in a database of its own in the cache folder, for the next run.

    Example: bob eval benchmark duplicates ~/data/seamonkey --off-topic ~/data/scifact
    """
    engine = options.engine(config)
    with shown_count("items") as report:
        result = engine.evaluation.duplicates(folder).measure_duplicates(split, off_topic, report)
    if as_json:
        print_json(result.to_json())
        return
    for name, value in result.to_json().items():
        print_line(f"{name:20} {value:.4f}" if isinstance(value, float) else f"{name:20} {value:,}")


@benchmark_app.command("locomo")
def locomo(
    file: Annotated[Path, typer.Argument(help="LoCoMo's JSON file.", show_default=False)],
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Measure only this conversation (repeatable).")
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Measure recall in long conversations: recall@5, @10, @20 of the turns that answer a question.

    Example: bob eval benchmark locomo locomo10.json --only conv-43 --only conv-47
    """
    engine = options.engine(config)
    with shown_count("messages") as report:
        result = engine.evaluation.benchmark_recall.locomo(file, report, only or ())
    _show_recall(result, as_json=as_json)


@benchmark_app.command("longmemeval")
def longmemeval(
    file: Annotated[
        Path, typer.Argument(help="LongMemEval's JSON file; may be compressed (.gz).", show_default=False)
    ],
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Measure how often the chats that answer a question are found: any@1, @5, @10 and all@10.

    Example: bob eval benchmark longmemeval longmemeval_oracle.json
    """
    engine = options.engine(config)
    with shown_count("messages") as report:
        result = engine.evaluation.benchmark_recall.longmemeval(file, report)
    _show_recall(result, as_json=as_json)


def _show_recall(result: RecallResult, *, as_json: bool) -> None:
    if as_json:
        print_json(result.to_json())
        return
    print_line(" ".join((f"{'':26}", f"{'n':>6}", *(f"{name:>9}" for name in result.measures))))
    for name, row in (*result.by_category.items(), ("all", {**result.measures, "n": result.questions})):
        print_line(
            f"{name:26} {row['n']:6,.0f} " + " ".join(f"{row[measure]:9.3f}" for measure in result.measures)
        )
    print_line(f"{result.messages:,} messages; a query {1000 * result.median_query_seconds:.0f} ms (median)")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
