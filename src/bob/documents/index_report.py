"""What indexing tells: how far a run is, and in the end what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from bob.documents.failure_rows import Failure
from bob.documents.left_out_rows import ReadInPart

HIDDEN = "hidden"
"""What counts the hidden files among what was passed over; other names there are endings of files."""


class Interrupted(Exception):  # noqa: N818 - nothing is wrong
    """Raised by whoever gets a run's progress: it ends the run as Ctrl-C does."""


@dataclass(slots=True)
class IndexReport:
    """What a run did. Counts are of documents unless their name says otherwise.

    Of a git repository `root` is "REPOSITORY@REF", and `commit` what the ref led to. `read_again` have not
    changed, but were read by a Bob that made something else of them. `read_in_part` are
    those that this run read, and of which it left parts out.
    """

    root: str
    project: str
    commit: str | None = None
    added: int = 0
    changed: int = 0
    read_again: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks_added: int = 0
    chunks_kept: int = 0
    chunks_embedded: int = 0
    vectors_pending: int = 0
    failures: list[Failure] = field(default_factory=list)
    read_in_part: list[ReadInPart] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    words_seconds: float = 0.0
    vectors_seconds: float = 0.0
    vectors_error: str | None = None
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: `files` while reading, `vectors` (counted in chunks) while embedding."""

    phase: Literal["files", "vectors"]
    done: int
    total: int
    chunks: int = 0
    failed: int = 0
