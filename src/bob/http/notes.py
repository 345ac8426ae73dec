"""Notes over HTTP: written from templates, read whole, and saved after an edit (SPEC M2).

They are files of the user of this machine, so nobody else may ask.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import Path, Query
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.core.document import Writer
from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http.authenticate import Caller, needs
from bob.http.decisions import SCOPE
from bob.http.failures import Body, JsonBytes, today
from bob.http.params import NOT_FOUND, existing_path, named_path
from bob.http.shapes import Locator, Routes
from bob.notes import import_notes
from bob.notes.capture import NoteRequest
from bob.notes.import_notes import ImportNotes, ImportTarget
from bob.notes.imported import BookmarkForm
from bob.notes.routines import Occasion, Routine

router = Routes(tags=["notes"])

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
    by_assistant: bool = Field(
        False, description="An assistant wrote it: it is found, and no answer quotes it."
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
    by_assistant: bool = Field(
        False, description="An assistant wrote what is new: it is found, and no answer quotes it."
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

_PATH = "An absolute path, or one from `~/`."


class ImportNotesRequest(Body):
    """Where notes go, and what they get."""

    into: str | None = Field(
        None, min_length=1, max_length=4096, description=f"Folder for new notes. {_PATH}"
    )
    tags: list[str] = Field([], max_length=100, description="Tags for new notes.", examples=[["web"]])
    project: str | None = Field(None, max_length=200, description="Project of new notes.")
    again: bool = Field(False, description="Also import again what you deleted from notes.")
    index: bool = Field(True, description="Index the notes at once.")
    dry_run: bool = Field(False, description="Only show what would be written.")

    def target(self) -> ImportTarget:
        """Raises RequestError: the folder is none."""
        folder = None if self.into is None else named_path(self.into, "into")
        return ImportTarget(folder, tuple(self.tags), self.project, today(), self.again)


class HighlightsRequest(ImportNotesRequest):
    """An export of passages that were marked."""

    file: str = Field(
        min_length=1,
        max_length=4096,
        description=f"Kindle's clippings, Readwise's CSV, or any CSV or JSON with a text. {_PATH}",
        examples=["~/My Clippings.txt"],
    )


class BookmarksRequest(ImportNotesRequest):
    """An export of bookmarks."""

    file: str = Field(
        min_length=1,
        max_length=4096,
        description=f"The HTML that browsers export, or the file of Chrome or Firefox. {_PATH}",
        examples=["~/bookmarks.html"],
    )
    form: BookmarkForm | None = Field(None, description="Format of the file; detected by default.")


class AnnotationsRequest(ImportNotesRequest):
    """PDFs."""

    files: list[Annotated[str, Field(min_length=1, max_length=4096)]] = Field(
        min_length=1, max_length=1000, description=f"PDFs. {_PATH}", examples=[["~/contract.pdf"]]
    )


class Template(TypedDict):
    """A kind of note."""

    kind: str
    about: str
    folder: str
    needs: list[str]
    fields: list[str]


class TemplatesList(TypedDict):
    """The kinds of notes, and the folders where notes go."""

    templates: list[Template]
    folders: list[str]


class TemplateWithBody(Template):
    """A kind of note with the defaults of its fields, and its text."""

    file: str
    defaults: dict[str, str | list[str]]
    body: str


class Note(TypedDict):
    """A note's exact text."""

    path: str
    text: str


class SavedNote(Note):
    """A note, and whether it was written and indexed."""

    written: bool
    indexed: bool


class CapturedNote(SavedNote):
    """A note that a template made."""

    kind: str


class RoutineLine(TypedDict):
    """What a routine gathered, and where it stands."""

    text: str
    source: str
    path: str | None
    locator: Locator | None


class RoutineNote(CapturedNote):
    """A note of a routine, and what was gathered for it by section."""

    lines: dict[str, list[RoutineLine]]


class ImportedNote(TypedDict):
    """A note that an import writes."""

    path: str
    new: bool
    entries: int


class ImportPlan(TypedDict):
    """What an import writes; `withheld` counts the entries that are not taken over as they are, by reason."""

    done: bool
    entries: int
    known: int
    notes: list[ImportedNote]
    withheld: dict[str, int]
    problems: list[str]


Reader = Annotated[Caller, needs(Role.READER, SCOPE, at_home=True)]
Member = Annotated[Caller, needs(Role.MEMBER, SCOPE, at_home=True)]


@router.get("/templates", summary="List kinds of notes", response_model=TemplatesList)
def list_templates(caller: Reader) -> Response:
    """By kind, with the fields that a note has and those that it needs. `folders` are where notes go;
    without one a note has to say where (`into`)."""
    capture = caller.engine.knowledge.capture
    listed = [template.to_json() for template in capture.templates()]
    return JsonBytes({"templates": listed, "folders": [str(folder) for folder in capture.folders]})


@router.get("/templates/{kind}", summary="Read a template", response_model=TemplateWithBody)
def read_template(caller: Reader, kind: Kind) -> Response:
    """With the defaults of its fields, and its text with their places."""
    return JsonBytes(caller.engine.knowledge.capture.template(kind).whole())


@router.post(
    "/notes", summary="Write a note from a template", response_model=CapturedNote, responses=NOT_FOUND
)
def write_note(caller: Member, request: NewNote) -> Response:
    """The note and its path, as `bob new --json` prints it. No file is overwritten: where the name is
    taken, the new one ends with a number."""
    made = caller.engine.knowledge.capture.write_note(
        _note_request(request),
        write=not request.dry_run,
        index=request.index,
    )
    return JsonBytes(made.to_json())


@router.post("/routines/{routine}", summary="Write a routine note", response_model=RoutineNote)
def write_routine(caller: Member, routine: Which, request: RoutineRequest) -> Response:
    """A note for the day, for a meeting or of the week, made of what is known; `lines` are what was
    gathered. As `bob routine --json` prints it."""
    folder = None if request.into is None else named_path(request.into, "into")
    occasion = Occasion(_day(request.date), request.project, request.topic, folder)
    made = caller.engine.knowledge.routines.write_routine(
        routine, occasion, write=not request.dry_run, index=request.index
    )
    return JsonBytes(made.to_json())


@router.get("/notes", summary="Read a note", response_model=Note)
def read_note(caller: Reader, path: NotePath) -> Response:
    """Its exact text, to be edited. It lies in a folder for notes, or in one that is indexed."""
    note_path = named_path(path, "path")
    return JsonBytes({"path": str(note_path), "text": caller.engine.knowledge.edit_notes.read(note_path)})


@router.put("/notes", summary="Save a note", response_model=SavedNote)
def save_note(caller: Member, request: SaveRequest) -> Response:
    """A new note, or one whose text is still `before`. It lies in a folder for notes, or in one that is
    indexed, and is found at once."""
    saved = caller.engine.knowledge.edit_notes.save(
        named_path(request.path, "path"),
        request.text,
        request.before,
        by_assistant=request.by_assistant,
        write=not request.dry_run,
    )
    return JsonBytes(saved.to_json())


@router.post("/import/bookmarks", summary="Import bookmarks", response_model=ImportPlan)
def import_bookmarks(caller: Member, request: BookmarksRequest) -> Response:
    """A note for each folder of them; what was taken over before is not taken over again. As
    `bob import bookmarks --json` prints it."""
    service = caller.engine.knowledge.import_notes
    plan = service.bookmarks(existing_path(request.file, "file"), request.form, request.target())
    return _carried_out(service, plan, request)


@router.post("/import/highlights", summary="Import highlights", response_model=ImportPlan)
def import_highlights(caller: Member, request: HighlightsRequest) -> Response:
    """A note for each book or article; `problems` are rows that could not be read."""
    service = caller.engine.knowledge.import_notes
    plan = service.highlights(existing_path(request.file, "file"), request.target())
    return _carried_out(service, plan, request)


@router.post("/import/pdf-annotations", summary="Import annotations of PDFs", response_model=ImportPlan)
def import_annotations(caller: Member, request: AnnotationsRequest) -> Response:
    """A note for each PDF, with the marked words and the page. The PDFs are not changed."""
    service = caller.engine.knowledge.import_notes
    files = [existing_path(file, "files") for file in request.files]
    return _carried_out(service, service.annotations(files, request.target()), request)


def _note_request(new: NewNote) -> NoteRequest:
    own = (("title", new.title), ("project", new.project))
    values = new.fields | {name: value for name, value in own if value is not None}
    folder = None if new.into is None else named_path(new.into, "into")
    writer: Writer | None = "assistant" if new.by_assistant else None
    return NoteRequest(new.kind, _day(new.date), values, tuple(new.tags), folder, writer)


def _day(text: str | None) -> date:
    try:
        return today() if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise RequestError("date", "date is not a date; use for example 2025-06-30") from error


def _carried_out(
    service: ImportNotes, plan: import_notes.ImportPlan, request: ImportNotesRequest
) -> Response:
    if not request.dry_run:
        service.apply(plan, index=request.index)
    return JsonBytes(plan.to_json(done=not request.dry_run))
