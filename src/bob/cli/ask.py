"""`bob ask`: an answer whose every claim carries its source."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.index import index_first
from bob.cli.output import Output, counted, link, place, print_error, print_json, print_text, source_line
from bob.cli.terminal import styled_console
from bob.core.errors import UsageError
from bob.text.visible import visible_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from bob.answers.answer import Answer, AnswerEvent
    from bob.app import Engine

_LABEL = "draft, not checked yet"


def final_answer(events: Iterable[AnswerEvent], *, live: bool) -> Answer:
    """The answer that the events end with. With `live`, the terminal shows the draft as it grows, and its end
    where it is longer than the screen; all of it is taken away before this returns or raises."""
    from bob.answers.answer import Answered

    pieces = iter(events)
    event = next(pieces)
    if not isinstance(event, Answered) and live:
        event = _watched(event, pieces)
    while not isinstance(event, Answered):
        event = next(pieces)
    return event.answer


def _watched(first: AnswerEvent, events: Iterable[AnswerEvent]) -> AnswerEvent:
    """The event after the draft was written and checked."""
    from rich.live import Live

    from bob.answers.answer import Answered, DraftPiece

    console = styled_console(sys.stdout)
    event: AnswerEvent = first
    draft = ""
    pieces = iter(events)
    try:
        with Live(console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as screen:
            while not isinstance(event, Answered):
                if isinstance(event, DraftPiece):
                    draft += event.text
                    screen.update(_fitting(draft, console))
                event = next(pieces)
    finally:
        if not isinstance(event, Answered):
            print_error("stopped before the draft was checked; it is not shown")
    return event


def _fitting(draft: str, console: Console) -> Text:
    """The end of the draft that the screen has room for."""
    from rich.text import Text

    room = max(console.height - 3, 1)
    shown = Text(visible_text(draft[-room * console.width :])).wrap(console, console.width)[-room:]
    return Text("\n", style="dim").join([Text(f"[{_LABEL}]"), *shown])


_VECTOR_SECONDS = 20.0
"""With --in, the answer waits so long for vectors of new files; the words of all of them count anyway."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ask", help=_HELP)(ask)


_HELP = """Answer a question from your files, with a source for every claim.

Examples:

    bob ask --in ~/notes "When do we rotate the backup keys?"

    bob ask "Which database did we choose?" --project acme

    bob ask "What changed in 2024?" --markdown > answer.md

    bob ask "Who keeps the keys?" --extractive

    bob ask "Which database do we use?" --as-of 2021

    bob ask --continue "And since when?"
"""


def ask(
    question: Annotated[list[str], typer.Argument(help="The question.", show_default=False)],
    folder: Annotated[
        Path | None,
        typer.Option("--in", metavar="PATH", help="Index what is new in this folder, and answer from it."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    extractive: Annotated[
        bool, typer.Option("--extractive", help="Quote the sources; do not ask the language model.")
    ] = False,
    audit: Annotated[
        bool, typer.Option("--audit", help="Also show what was retrieved and what was used.")
    ] = False,
    goes_on: Annotated[
        bool, typer.Option("--continue", "-c", help="The question goes on from the last one.")
    ] = False,
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
    """Ask the index."""
    if not " ".join(question).strip():
        raise UsageError("question must not be empty")
    engine = options.engine(config, database)
    engine.warm_up(for_answers=True)
    if folder is not None:
        index_first(engine, folder, embed_seconds=_VECTOR_SECONDS, quiet=as_json)
        paths = [*(paths or []), folder]
    query, asked_at = options.query(question), options.now()
    filters = options.filters(projects, types, tags, languages, paths, after, before, as_of)
    earlier = engine.give_feedback.questions_so_far() if goes_on else ()
    events = engine.ask.events(
        query, earlier=earlier, filters=filters, today=asked_at.date(), extractive=extractive
    )
    answer = final_answer(events, live=sys.stdout.isatty() and not as_json and not markdown)
    if as_json:
        print_json(engine.keep_answer.save_answer(answer, filters=filters, asked_at=asked_at).to_json())
    else:
        if markdown:
            print_text(_markdown(answer))
        else:
            _show(answer, engine)
            if audit:
                print_json(answer.audit)
        # The reader has the answer by now, and waits for nothing.
        saved = engine.keep_answer.save_answer(answer, filters=filters, asked_at=asked_at)
        if saved.answer_id is not None and not markdown:
            _show_id(saved.answer_id)
    if not answer.found:
        raise typer.Exit(1)


def _show(answer: Answer, engine: Engine) -> None:
    from bob.core.locator import locator_from_json

    out = Output()
    out.print()
    if answer.earlier:
        out.print(f"After: {visible_text(' '.join(answer.earlier))}", style="dim")
        out.print()
    out.print_text(answer.text)
    out.print()
    for notice in answer.notices:
        out.print(notice, style="yellow")
    if answer.notices and not answer.found:
        out.print()
    if not answer.found:
        if not engine.status.documents():
            out.print("The index is empty: bob index FOLDER")
            if engine.conversations.memories.of(engine.settings.user):
                out.print("Answers come from documents alone. What you told Bob: bob memories search WORDS")
        for closest in answer.audit["closest"]:
            where = place(closest["path"], locator_from_json(closest["locator"]))
            out.print(f"  closest: {where}", style="dim")
            out.indented(closest["text"], 11, style="dim")
        return
    for source in answer.sources:
        chunk = source.chunk
        out.print(f"[{source.n}] ", *source_line(chunk.path, source.locator, chunk.heading_path))
    confidence = answer.date_confidence
    if answer.written_by is not None or confidence.matters:
        out.print()
    if answer.written_by is not None:
        out.print(f"{_written(answer)}", style="dim")
    if confidence.matters:
        style = "yellow" if confidence.outdated else "dim"
        out.print(f"Dates: {confidence.level} confidence; {confidence.reason}.", style=style)


def _written(answer: Answer) -> str:
    """By whom the answer was written, and how much of it did not stand."""
    removed, marked = len(answer.audit["removed"]), sum(not claim.citations for claim in answer.claims)
    went = [f"{counted(removed, 'claim')} removed"] if removed else []
    went += [f"{counted(marked, 'claim')} marked"] if marked else []
    told = f"; {', '.join(went)} (reasons: --audit)" if went else ""
    return f"Written by {answer.written_by}, each claim checked against its source{told}."


def _show_id(answer_id: int) -> None:
    if sys.stdout.isatty():
        Output().print(f"answer {answer_id} · bob feedback {answer_id} helpful", style="dim")


def _markdown(answer: Answer) -> str:
    lines = [answer.text, ""]
    for notice in answer.notices:
        lines += [f"> {notice}", ""]
    if answer.found:
        lines += ["**Sources**", ""]
        for source in answer.sources:
            where = place(source.chunk.path, source.locator)
            quote = " ".join(source.quote.split())
            address = link(source.chunk.path)
            lines += [f"{source.n}. {f'[{where}]({address})' if address else where}: “{quote}”"]
        if answer.written_by is not None:
            lines += ["", f"*{_written(answer)}*"]
        confidence = answer.date_confidence
        if confidence.matters:
            lines += ["", f"*Dates: {confidence.level} confidence; {confidence.reason}.*"]
    return "\n".join(lines)
