"""`bob eval benchmark`: public benchmarks over Bob's own pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bob.cli import options
from bob.cli.output import print_json
from bob.cli.search import Mode

benchmark_app = typer.Typer(no_args_is_help=True, help="Public benchmarks, one command each.")


def register(eval_app: typer.Typer) -> None:
    """Add the commands to the group `eval`."""
    eval_app.add_typer(benchmark_app, name="benchmark")


@benchmark_app.command("beir")
def beir(
    folder: Annotated[
        Path, typer.Argument(help="A set in BEIR's form: corpus.jsonl, queries.jsonl, qrels/.")
    ],
    split: Annotated[str, typer.Option(help="Which qrels.")] = "test",
    mode: Annotated[Mode, typer.Option(help="Rank by both signals, or by one.")] = Mode.HYBRID,
    run: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a TREC run file.")] = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Retrieval quality on a BEIR set: nDCG@10, recall@100, MRR@10.

    The set is indexed into a database of its own, kept in the cache folder for the next run.

    Example: bob eval benchmark beir ~/data/scifact --mode words
    """
    engine = options.engine(config)
    result = engine.beir(folder).run(split, mode.value, run_file=run)
    if as_json:
        print_json(result.to_json())
    else:
        for name, value in result.to_json().items():
            print(f"{name:12} {value:.4f}" if isinstance(value, float) else f"{name:12} {value:,}")
