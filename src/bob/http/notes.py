"""Notes over HTTP: written from templates, read whole, and saved after an edit (SPEC M2).

They are files of the user of this machine, so nobody else may ask.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import FastAPI, Path, Query
from pydantic import Field
from starlette.responses import Response

from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.decisions import SCOPE
from bob.http.examples import NOT_FOUND, answered
from bob.http.examples_care import CAPTURED, NOTE, ROUTINE, SAVED_NOTE, TEMPLATE, WHOLE_TEMPLATE
from bob.http.failures import Body, JsonBytes, today
from bob.http.paths import named
from bob.notes.capture import NoteRequest
from bob.notes.routines import Occasion, Routine

MOST_CHARACTERS = 1_000_000
"""Of a note: a longer one is a book."""


class NewNote(Body):
    """A note that a template makes."""

    kind: str = Field(max_length=100, description="The template's kind.", examples=["meeting"])
    title: str | None = Field(
        None, max_length=1000, description="The note's title.", examples=["Kickoff with Acme"]
    )
    project: str | None = Field(None, max_length=200, description="Project of the note.")
    tags: list[str] = Field([], max_length=100, description="Its tags.", examples=[["client"]])
    date: str | None = Field(None, description="Date of the note; default: today.", examples=["2025-06-30"])
    fields: dict[str, str] = Field(
        {}, max_length=100, description="Other fields of the template.", examples=[{"owner": "Ana"}]
    )
    into: str | None = Field(
        None,
        min_length=1,
        max_length=4096,
        description="Folder for the note, absolute or from `~/`; it must be allowed or indexed.",
    )
    index: bool = Field(True, description="Index it at once.")
    dry_run: bool = Field(False, description="Only show what would be written, and where.")


class RoutineRequest(Body):
    """For what and when a routine is done."""

    topic: str = Field("", max_length=1000, description="Topic of a meeting.", examples=["budget"])
    project: str | None = Field(None, max_length=200, description="Only from this project.")
    date: str | None = Field(None, description="The day; default: today.", examples=["2025-06-30"])
    into: str | None = Field(None, min_length=1, max_length=4096, description="Folder for the note.")
    index: bool = Field(True, description="Index it at once.")
    dry_run: bool = Field(False, description="Only show what would be written, and where.")


class SaveRequest(Body):
    """A note as it shall be from now on."""

    path: str = Field(
        min_length=1,
        max_length=4096,
        description="Path of its file, absolute or from `~/`, ending in .md.",
        examples=["~/notes/gate.md"],
    )
    text: str = Field(max_length=MOST_CHARACTERS, description="The whole text.", examples=["# Gate\n"])
    before: str | None = Field(
        None,
        max_length=MOST_CHARACTERS,
        description="The text to replace, exactly as read. Without it the file must not exist.",
    )
    dry_run: bool = Field(False, description="Only show what would be written.")


Kind = Annotated[str, Path(description="The template's kind.", examples=["meeting"], max_length=100)]
Which = Annotated[Routine, Path(description="The routine: daily, meeting or review.", examples=["daily"])]
NotePath = Annotated[
    str,
    Query(
        alias="path",
        description="The note's path, absolute or from `~/`.",
        examples=["~/notes/gate.md"],
        min_length=1,
        max_length=4096,
    ),
]


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE, at_home=True)
    member = auth.needs(Role.MEMBER, SCOPE, at_home=True)

    @app.get(
        "/templates",
        summary="List kinds of notes",
        tags=["notes"],
        responses=answered({"templates": [TEMPLATE], "folders": ["/home/you/notes"]}),
    )
    def templates(caller: Caller = reader) -> Response:
        """By kind, with the fields that a note has and those that it needs. `folders` are where notes go;
        without one a note has to say where (`into`)."""
        capture = caller.engine.knowledge.capture
        listed = [template.to_json() for template in capture.templates()]
        return JsonBytes({"templates": listed, "folders": [str(folder) for folder in capture.folders]})

    @app.get(
        "/templates/{kind}",
        summary="Read a template",
        tags=["notes"],
        responses=answered(WHOLE_TEMPLATE),
    )
    def template(kind: Kind, caller: Caller = reader) -> Response:
        """With the defaults of its fields, and its text with their places."""
        return JsonBytes(caller.engine.knowledge.capture.template(kind).whole())

    @app.post(
        "/notes",
        summary="Write a note from a template",
        tags=["notes"],
        responses=NOT_FOUND | answered(CAPTURED),
    )
    def write(request: NewNote, caller: Caller = member) -> Response:
        """The note and its path, as `bob new --json` prints it. No file is overwritten: where the name is
        taken, the new one ends with a number."""
        made = caller.engine.knowledge.capture.write_note(
            _asked_for(request),
            write=not request.dry_run,
            index=request.index,
        )
        return JsonBytes(made.to_json())

    @app.post(
        "/routines/{routine}",
        summary="Write a routine note",
        tags=["notes"],
        responses=answered(ROUTINE),
    )
    def routine(routine: Which, request: RoutineRequest, caller: Caller = member) -> Response:
        """A note for the day, for a meeting or of the week, made of what is known; `lines` are what was
        gathered. As `bob routine --json` prints it."""
        folder = None if request.into is None else named(request.into, "into")
        occasion = Occasion(_day(request.date), request.project, request.topic, folder)
        made = caller.engine.knowledge.routines.write_routine(
            routine, occasion, write=not request.dry_run, index=request.index
        )
        return JsonBytes(made.to_json())

    @app.get("/notes", summary="Read a note", tags=["notes"], responses=answered(NOTE))
    def read(path: NotePath, caller: Caller = reader) -> Response:
        """Its exact text, to be edited. It lies in a folder for notes, or in one that is indexed."""
        wanted = named(path, "path")
        return JsonBytes({"path": str(wanted), "text": caller.engine.knowledge.edit_notes.read(wanted)})

    @app.put("/notes", summary="Save a note", tags=["notes"], responses=answered(SAVED_NOTE))
    def save(request: SaveRequest, caller: Caller = member) -> Response:
        """A new note, or one whose text is still `before`. It lies in a folder for notes, or in one that is
        indexed, and is found at once."""
        saved = caller.engine.knowledge.edit_notes.save(
            named(request.path, "path"), request.text, request.before, write=not request.dry_run
        )
        return JsonBytes(saved.to_json())


def _asked_for(new: NewNote) -> NoteRequest:
    own = (("title", new.title), ("project", new.project))
    values = new.fields | {name: value for name, value in own if value is not None}
    folder = None if new.into is None else named(new.into, "into")
    return NoteRequest(new.kind, _day(new.date), values, tuple(new.tags), folder)


def _day(given: str | None) -> date:
    try:
        return today() if given is None else date.fromisoformat(given)
    except ValueError as error:
        raise RequestError("date", "date is not a date; use for example 2025-06-30") from error
