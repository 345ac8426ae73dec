"""`bob feedback`: how answers served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bob.answers.feedback_rows import FeedbackVerdict
from bob.cli import options
from bob.cli.output import Output, print_json, when
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from bob.answers.feedback import JudgedAnswer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("feedback", help=_HELP)(feedback)


_HELP = """Rate an answer; without arguments, list the last answers and their ratings.

Examples:

    bob feedback

    bob feedback 12 helpful

    bob feedback 12 wrong-source --note "the rules of 2019 are no longer valid"
"""


def feedback(
    answer: Annotated[
        int | None,
        typer.Argument(
            help="The answer's number; without a verdict, show that answer.",
            parser=options.number,
        ),
    ] = None,
    verdict: Annotated[
        FeedbackVerdict | None, typer.Argument(help=f"One of {', '.join(FeedbackVerdict)}.")
    ] = None,
    note: Annotated[str | None, typer.Option(help="A comment.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="Maximum number of answers.")
    ] = 20,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Take feedback, or list it."""
    if note is not None and verdict is None:
        raise UsageError("--note requires a verdict")
    service = options.engine(config, database).give_feedback
    out = Output()
    if answer is None:
        listed = service.recent(limit)
        if as_json:
            print_json([judged.to_json() for judged in listed])
        for judged in () if as_json else listed:
            _show(out, judged)
        if not listed and not as_json:
            out.print("No answers yet. Ask something: bob ask QUESTION")
    elif verdict is None:
        one = service.answer(answer)
        if as_json:
            print_json(one.to_json() | {"answer": dict(one.kept.answer)})
        else:
            _show(out, one)
            out.print()
            out.print_text(str(one.kept.answer["answer"]))
    else:
        feedback = service.save_feedback(answer, verdict, note, options.now())
        if as_json:
            print_json(feedback.to_json())
        else:
            out.print(f"Noted: answer {answer}, {verdict}.")


def _show(out: Output, judged: JudgedAnswer) -> None:
    saved = judged.kept
    out.print(
        (f"{saved.answer_id:>4}  ", "bold"),
        (f"{when(saved.asked_at)}  ", "dim"),
        " ".join(saved.question.split()),
        ("" if saved.found else "  (not found)", "yellow"),
    )
    for feedback in judged.feedback:
        style = "green" if feedback.verdict is FeedbackVerdict.HELPFUL else "yellow"
        note = f": {' '.join(feedback.note.split())}" if feedback.note else ""
        out.print(f"      {feedback.verdict}{note}", style=style)
