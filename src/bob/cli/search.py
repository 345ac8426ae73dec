"""`bob search`: the passages that fit best."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.output import Output, print_json, source_line
from bob.text.visible import visible_text

if TYPE_CHECKING:
    from bob.core.search import Hit


class Mode(StrEnum):
    """By which signals to rank."""

    HYBRID = "hybrid"
    WORDS = "words"
    VECTORS = "vectors"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("search", help=_HELP)(search)


_HELP = """Find passages by words and by meaning.

Syntax: "exact phrase"  -without  project:x  type:pdf  tag:x  lang:pt  path:notes/  after:2024  before:2025-06

    decision:active (or proposed, superseded, deprecated, rejected, any)

Examples:

    bob search "rotating log files"

    bob search '"exact phrase" -draft type:pdf after:2024'

    bob search backup strategy --explain --limit 3
"""


def search(
    query: Annotated[list[str], typer.Argument(help="The query.", show_default=False)],
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, max=1000, help="How many.")] = None,
    mode: Annotated[Mode, typer.Option(help="Signals to rank by.")] = Mode.HYBRID,
    explain: Annotated[bool, typer.Option("--explain", help="Explain each score.")] = False,
    projects: options.Projects = None,
    types: options.Types = None,
    tags: options.Tags = None,
    languages: options.Languages = None,
    paths: options.Paths = None,
    after: options.After = None,
    before: options.Before = None,
    as_of: options.AsOf = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Search the index."""
    from bob.search.query import parse_query

    engine = options.engine(config, database)
    if mode is not Mode.WORDS:
        engine.warm_up()
    typed = options.query(query)
    result = engine.search.search_chunks(
        parse_query(typed, options.filters(projects, types, tags, languages, paths, after, before, as_of)),
        limit or engine.settings.search.limit,
        mode=mode.value,
        today=options.today(),
    )
    if as_json:
        print_json(result.to_json(typed))
    else:
        out = Output()
        if not result.hits:
            out.print(
                "Nothing found." if engine.status.documents() else "The index is empty: bob index FOLDER"
            )
        for notice in result.notices:
            out.print(visible_text(notice), style="yellow")
        for hit in result.hits:
            _show(out, hit, explain)
    if not result.hits:
        raise typer.Exit(1)


def _show(out: Output, hit: Hit, explain: bool) -> None:
    headings = hit.chunk.heading_path or (hit.chunk.title,)
    out.print((f"{hit.rank}. ", "bold"), *source_line(hit.chunk.path, hit.chunk.locator, headings))
    if explain:
        e = hit.explain
        cosine = "to come" if e.cosine is None else f"{e.cosine:.3f}"
        rerank = "" if e.rerank_score is None else f" {e.rerank:+.3f} by reranking ({e.rerank_score:.3f})"
        exact = f" + {e.exact:.3f} by exact words" if e.exact else ""
        recency = f" × recency {e.recency:.2f}" if e.recency != 1 else ""
        folded = f"; stands for {len(e.duplicates)} more like it" if e.duplicates else ""
        out.print(
            f"   score {hit.score:.3f} = words {e.words:.3f} (BM25 {e.bm25:.2f}, rank {e.words_rank or '-'})"
            f" + meaning {e.vectors:.3f} (cosine {cosine}, rank {e.vectors_rank or '-'})"
            f"{exact}{rerank}{recency}{folded}",
        )
    if hit.decisions:
        from bob.answers.decision_statements import notices

        for line in notices(hit.decisions):
            out.print(f"   {line}", style="yellow")
    if hit.chunk.written_by:
        from bob.core.document import WRITTEN_BY

        out.print(f"   {WRITTEN_BY[hit.chunk.written_by]} No answer quotes it.", style="yellow")
    text = " ".join(hit.chunk.text.split())
    out.indented(text if len(text) <= 300 else text[:297] + "…", 3)
