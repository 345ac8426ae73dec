"""`bob new`: a note from a template, written into a folder of yours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.output import Output, print_json, print_line, print_text, shown_path
from bob.core.errors import UsageError
from bob.text.visible import visible_line

if TYPE_CHECKING:
    from datetime import date

    from bob.core.document import Writer
    from bob.notes.capture import Capture, Captured
    from bob.notes.templates import Template


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("new", help=_HELP)(new)


_HELP = """Write a note from a template into your folder of notes (notes.folders), and index it.

No file is ever overwritten: if the name is taken, the new one ends with a number. In a terminal Bob asks for
missing fields. bob new --list shows the kinds and their fields.

Examples:

    bob new meeting "Kickoff with Acme" --project acme --tag client

    bob new decision "Rent out the press" --set owner=Ana --set context="Two people asked for it."

    bob new daily --dry-run

    bob new recipe "Quince jam" --into ~/notes/kitchen
"""

Into = Annotated[
    Path | None,
    typer.Option("--into", metavar="FOLDER", help="Folder for the note; it must be allowed or indexed."),
]
Day = Annotated[
    str | None,
    typer.Option("--date", metavar="DAY", help="Date of the note, such as 2025-06-30; default: today."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")]
NoIndex = Annotated[bool, typer.Option("--no-index", help="Do not index the note.")]


def new(
    kind: Annotated[
        str | None, typer.Argument(help="daily, meeting, decision, … (--list).", show_default=False)
    ] = None,
    title: Annotated[list[str] | None, typer.Argument(help="The note's title.", show_default=False)] = None,
    project: Annotated[str | None, options.project("Project of the note.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag (repeatable).")] = None,
    day: Day = None,
    fields: Annotated[
        list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="Another field (repeatable).")
    ] = None,
    into: Into = None,
    no_index: NoIndex = False,
    dry_run: DryRun = False,
    by_assistant: Annotated[
        bool,
        typer.Option("--by-assistant", help="An assistant wrote it: it is found, and no answer quotes it."),
    ] = False,
    list_kinds: Annotated[bool, typer.Option("--list", help="List the kinds of notes.")] = False,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Write a note."""
    capture = options.engine(config, database).knowledge.capture
    if list_kinds:
        _list(capture.templates(), as_json)
        return
    if kind is None:
        raise UsageError("missing kind of note; bob new --list shows the kinds")
    from bob.notes.capture import NoteRequest

    values = _values(title, project, fields)
    _ask_for_missing(capture, kind, values)
    writer: Writer | None = "assistant" if by_assistant else None
    request = NoteRequest(kind, day_of(day), values, tuple(tags or ()), into, writer)
    show(capture.write_note(request, write=not dry_run, index=not no_index), as_json)


def day_of(text: str | None) -> date:
    """The day that --date names, today without it. Raises UsageError."""
    from datetime import date

    if text is None:
        return options.today()
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"--date: {text!r} is not a date; use for example 2025-06-30") from error


def show(note: Captured, as_json: bool) -> None:
    """Print where the note is, or the note itself if it was not written."""
    if as_json:
        print_json(note.to_json())
    elif note.written:
        print_line(shown_path(str(note.path)))
    else:
        print_text(f"would write {shown_path(str(note.path))}:\n\n{note.text}", end="")


def _values(title: list[str] | None, project: str | None, fields: list[str] | None) -> dict[str, str]:
    values: dict[str, str] = {}
    for field in fields or ():
        name, equals, value = field.partition("=")
        if not equals or name in ("date", "tags"):
            hint = {"date": "--date DAY", "tags": "--tag TAG"}.get(name, "--set FIELD=VALUE")
            raise UsageError(f"--set {field}: write {hint}")
        values[name] = value
    if title:
        values["title"] = " ".join(title)
    if project is not None:
        values["project"] = project
    return values


def _ask_for_missing(capture: Capture, kind: str, values: dict[str, str]) -> None:
    if not sys.stdin.isatty():
        return
    for name in capture.template(kind).needs:
        if not values.get(name):
            values[name] = typer.prompt(visible_line(name.capitalize()), err=True)


def _list(templates: list[Template], as_json: bool) -> None:
    if as_json:
        print_json([template.to_json() for template in templates])
        return
    out = Output()
    width = max(len(template.kind) for template in templates)
    for template in templates:
        out.print((f"{template.kind:{width}}", "bold"), f"  {template.about}")
        out.indented(f"fields: {', '.join(_marked(template))}", width + 2, style="dim")


def _marked(template: Template) -> list[str]:
    return [f"{name} (needed)" if name in template.needs else name for name in template.names]
