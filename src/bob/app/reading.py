"""How the settings say that files are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bob.app.models import processors
from bob.app.settings_groups import IngestSettings

if TYPE_CHECKING:
    from bob.documents.ingest_changes import ReadOptions


def read_options(ingest: IngestSettings) -> ReadOptions:
    """What a scan takes in, and how files are read."""
    from bob.documents.ingest_changes import ReadOptions

    return ReadOptions(
        hidden=ingest.hidden,
        ignore=ingest.ignore,
        workers=ingest.workers or processors(),
        timeout_seconds=ingest.timeout_seconds,
        memory_bytes=ingest.memory_mb * 1024 * 1024,
    )
