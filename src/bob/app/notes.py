"""What checks notes and what takes others' over into them, built over an engine's parts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bob.documents import source_rows
from bob.storage.paths import absolute

if TYPE_CHECKING:
    from bob.app.engine import Engine
    from bob.notes.import_notes import ImportNotes
    from bob.notes.lint_notes import LintNotes
    from bob.notes.writer import NoteWriter

_ONE_BY_ONE = 20
"""So many notes are indexed each for itself; of more the whole folder is looked through once."""
_VECTOR_SECONDS = 10.0
"""Nobody waits longer; what is left is embedded by the next run."""


def lint_notes_over(engine: Engine) -> LintNotes:
    """The service for an engine."""
    from bob.notes.lint_notes import LintNotes
    from bob.notes.surroundings import ScanOptions

    ingest = engine.settings.ingest
    options = ScanOptions(ingest.hidden, ingest.ignore, ingest.max_file_mb * 1024 * 1024)
    return LintNotes(lambda: _writer(engine), options, engine.settings.lint.ignore)


def import_notes_over(engine: Engine) -> ImportNotes:
    """The service for an engine."""
    from bob.notes.import_notes import ImportNotes, PdfLimits

    ingest = engine.settings.ingest
    limits = PdfLimits(
        ingest.max_file_mb * 1024 * 1024, ingest.timeout_seconds, ingest.memory_mb * 1024 * 1024
    )
    return ImportNotes(
        engine.database,
        engine.settings.organization,
        lambda: _writer(engine),
        tuple(map(absolute, engine.settings.notes.folders)),
        lambda paths: _index(engine, paths),
        limits,
    )


def _writer(engine: Engine) -> NoteWriter:
    """Writes into the notes' folders and into those that are indexed, for what a person names there."""
    from bob.notes.writer import NoteWriter

    indexed = [Path(path) for path, _ in _indexed(engine)]
    return NoteWriter([*map(absolute, engine.settings.notes.folders), *indexed])


def _index(engine: Engine, paths: Sequence[Path]) -> None:
    indexed = _indexed(engine)
    folder = os.path.commonpath([path.parent for path in paths])
    found = [path for path in paths if source_rows.nearest(indexed, str(path)) is not None]
    if len(found) > _ONE_BY_ONE and source_rows.nearest(indexed, folder) is not None:
        found = [Path(folder)]
    for path in found:
        engine.index_files.run(path, embed_seconds=_VECTOR_SECONDS)


def _indexed(engine: Engine) -> list[tuple[str, str]]:
    with engine.database.read() as connection:
        return source_rows.every(connection, engine.settings.organization, engine.sources.disks.names)
