"""What is indexed, to be read, opened and added to by whoever looks at it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bob.app.parts import Parts
    from bob.documents.library import Library
    from bob.documents.open_source import OpenSource
    from bob.documents.read_source import ReadSource
    from bob.documents.uploads import SaveUploads


class Sources:
    """The services that show an organization's documents, over an engine's parts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._org_id = parts.settings.organization

    @cached_property
    def library(self) -> Library:
        """Lists what is indexed."""
        from bob.documents.library import Library

        return Library(self._parts.database)

    @cached_property
    def read_source(self) -> ReadSource:
        """Shows places in the files themselves."""
        from bob.documents.read_source import ReadSource, SourceLimits

        ingest = self._parts.settings.ingest
        limits = SourceLimits(
            ingest.max_file_mb * 1024 * 1024, ingest.timeout_seconds, ingest.memory_mb * 1024 * 1024
        )
        return ReadSource(self.library, self._parts.database, limits, self._parts.disks)

    @cached_property
    def open_source(self) -> OpenSource:
        """Opens files in the user's editor."""
        from bob.documents.open_source import OpenSource

        return OpenSource(self.library, self.read_source, self._parts.settings.open.command, _start)

    @cached_property
    def keep_uploads(self) -> SaveUploads:
        """Keeps files that are sent to a server."""
        from bob.documents.uploads import SaveUploads

        folder = self._parts.settings.server.uploads.expanduser().absolute()
        return SaveUploads(folder / self._org_id)


def _start(command: Sequence[str]) -> None:
    """Start a program of the user's that outlives Bob. Raises OSError: there is none."""
    import subprocess

    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    # Waited for, so that no dead process is left behind.
    threading.Thread(target=process.wait, daemon=True).start()
