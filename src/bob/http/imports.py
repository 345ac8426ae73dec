"""What other programs export, taken over into notes over HTTP (SPEC B7).

Files are read and notes written on this machine, so only its user may ask.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI
from pydantic import Field
from starlette.responses import Response

from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.decisions import SCOPE
from bob.http.examples import answered
from bob.http.examples_care import IMPORT_PLAN
from bob.http.failures import Body, JsonBytes, today
from bob.http.paths import existing, named
from bob.notes.import_notes import ImportNotes, ImportPlan, ImportTarget
from bob.notes.imported import BookmarkForm

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
        folder = None if self.into is None else named(self.into, "into")
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


def register(app: FastAPI, auth: Authenticator) -> None:
    """Add the routes."""
    at_home = auth.needs(Role.MEMBER, SCOPE, at_home=True)

    @app.post(
        "/import/bookmarks", summary="Import bookmarks", tags=["notes"], responses=answered(IMPORT_PLAN)
    )
    def bookmarks(request: BookmarksRequest, caller: Caller = at_home) -> Response:
        """A note for each folder of them; what was taken over before is not taken over again. As
        `bob import bookmarks --json` prints it."""
        service = caller.engine.knowledge.import_notes
        plan = service.bookmarks(existing(request.file, "file"), request.form, request.target())
        return _carried_out(service, plan, request)

    @app.post(
        "/import/highlights", summary="Import highlights", tags=["notes"], responses=answered(IMPORT_PLAN)
    )
    def highlights(request: HighlightsRequest, caller: Caller = at_home) -> Response:
        """A note for each book or article; `problems` are rows that could not be read."""
        service = caller.engine.knowledge.import_notes
        plan = service.highlights(existing(request.file, "file"), request.target())
        return _carried_out(service, plan, request)

    @app.post(
        "/import/pdf-annotations",
        summary="Import annotations of PDFs",
        tags=["notes"],
        responses=answered(IMPORT_PLAN),
    )
    def annotations(request: AnnotationsRequest, caller: Caller = at_home) -> Response:
        """A note for each PDF, with the marked words and the page. The PDFs are not changed."""
        service = caller.engine.knowledge.import_notes
        files = [existing(file, "files") for file in request.files]
        return _carried_out(service, service.annotations(files, request.target()), request)


def _carried_out(service: ImportNotes, plan: ImportPlan, request: ImportNotesRequest) -> Response:
    if not request.dry_run:
        service.apply(plan, index=request.index)
    return JsonBytes(plan.to_json(done=not request.dry_run))
