"""`bob verify`: which claims of a text, or of a past answer, the sources bear out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.index import index_first
from bob.cli.options import text_of
from bob.cli.output import Output, counted, place, print_json, print_text
from bob.cli.progress import shown_count
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bob.answers.answer import Judgement
    from bob.app import Engine

_STYLES = {"supported": "green", "partly": "yellow", "contradicted": "red", "unsupported": "red"}
_VECTOR_SECONDS = 60.0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify", help=_HELP)(verify)


_HELP = """Check a text against your files: which claims they support, contradict, or do not mention.

The exit code is 0 if every claim is supported, else 1.

Examples:

    bob verify report.md --against notes/

    bob verify draft.md --project acme --json

    bob ask "What changed?" --markdown | bob verify -

    bob verify draft.md --remove > checked.md

    bob verify --answer 12
"""


def verify(
    text: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Text or Markdown file; - reads standard input.")
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against", metavar="PATH", help="Index what is new in this folder, and check against it alone."
        ),
    ] = None,
    answer: Annotated[
        int | None,
        typer.Option(
            "--answer", metavar="ID", parser=options.number, help="Number of a past answer to check again."
        ),
    ] = None,
    mark: Annotated[
        bool, typer.Option("--mark", help="Print the text, with unsupported claims marked.")
    ] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Print the text without unsupported claims.")
    ] = False,
    projects: options.Projects = None,
    types: options.Types = None,
    tags: options.Tags = None,
    languages: options.Languages = None,
    paths: options.Paths = None,
    after: options.After = None,
    before: options.Before = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Verify a text, or a past answer."""
    if (text is None) == (answer is None):
        raise UsageError("missing file; name a file to check, or a past answer with --answer ID")
    if mark + remove + as_json > 1 or (answer is not None and (mark or remove)):
        raise UsageError("--mark, --remove and --json cannot be combined with each other or with --answer")
    narrowed = [against, projects, types, tags, languages, paths, after, before]
    if answer is not None and any(narrowed):
        raise UsageError("--answer cannot be combined with --against or filters")
    engine = options.engine(config, database)
    engine.warm_up()
    if answer is not None:
        _recheck(engine, answer, as_json)
        return
    for folder in against or ():
        index_first(engine, folder, embed_seconds=_VECTOR_SECONDS, quiet=as_json)
    folders = [*(paths or ()), *(against or ())]
    filters = options.filters(projects, types, tags, languages, folders, after, before)
    written = text_of(text or "-")
    with shown_count("claims") as report:
        verified = engine.verify_text.verify_text(
            written, filters=filters, today=options.today(), report=report
        )
    if as_json:
        print_json(verified.to_json())
    elif mark or remove:
        print_text(verified.marked if mark else verified.remaining, end="")
    else:
        name = "" if text == "-" else f"{text}:"
        _show((f"{name}{claim.line}", claim.text, claim.judgement) for claim in verified.claims)
    if not verified.holds:
        raise typer.Exit(1)


def _recheck(engine: Engine, answer_id: int, as_json: bool) -> None:
    verified = engine.verify_answer.verify_answer(answer_id, today=options.today())
    if as_json:
        print_json(verified.to_json())
    else:
        _show((f"was {claim.before}:", claim.text, claim.judgement) for claim in verified.claims)
    if not verified.holds:
        raise typer.Exit(1)


def _show(claims: Iterable[tuple[str, str, Judgement]]) -> None:
    out = Output()
    total = supported = 0
    for label, text, judgement in claims:
        total, supported = total + 1, supported + judgement.holds
        verdict = (f"{judgement.verdict:13}", _STYLES[judgement.verdict])
        out.print(verdict, (f"{label}  ", "dim"), " ".join(text.split()))
        if judgement.reason:
            out.indented(judgement.reason, 13, style="yellow")
        span = judgement.against or judgement.support
        if span is not None:
            quote = " ".join(span.quote.split())
            out.indented(f"{place(span.chunk.path, span.locator)}: “{quote}”", 13, style="dim")
    if not total:
        out.print("The text has no claims to check.")
    else:
        out.print(f"{supported} of {counted(total, 'claim')} supported.")
