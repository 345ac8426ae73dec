"""Compares a folder with what the index knows of it; reads no document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bob.documents.formats.parser_registry import ParserRegistry
from bob.documents.index_report import HIDDEN
from bob.documents.parse_file import ParseJob
from bob.documents.rows import READING, KnownFile
from bob.documents.scan import Scan
from bob.documents.source_rows import within


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs. `still_failing` are unreadable files that have not changed since; `skipped` counts files
    that are no documents, by their ending, and those that are "hidden"."""

    todo: list[ParseJob]
    gone: dict[str, KnownFile]
    unchanged: int
    still_failing: list[str]
    skipped: dict[str, int]


def find_changes(
    scan: Scan,
    known_files: dict[str, KnownFile],
    failed: dict[str, tuple[int, int]],
    registry: ParserRegistry,
    project_of: Callable[[str], str],
) -> Changes:
    """What has to be read and removed, by size and modification time alone (SPEC C3); and what an
    older reading made of a file."""
    skipped: Counter[str] = Counter()
    if scan.hidden:
        skipped[HIDDEN] = scan.hidden
    todo: list[ParseJob] = []
    still_failing: list[str] = []
    present: set[str] = set()
    unchanged = 0
    for file in scan.files:
        before, same = known_files.get(file.path), False
        if before is not None:
            present.add(file.path)
            same = before.mtime_ns == file.mtime_ns and before.size == file.size
            if same and before.reading == READING:
                unchanged += 1
                continue
        elif failed.get(file.path) == (file.size, file.mtime_ns):
            still_failing.append(file.path)
            continue
        elif not _is_document(registry, Path(file.path)):
            skipped[Path(file.path).suffix.lower() or "no ending"] += 1
            continue
        todo.append(
            ParseJob(
                file.path,
                file.size,
                file.mtime_ns,
                project_of(file.path),
                before.document_id if before else None,
                before.content_hash if before and before.reading == READING else None,
                read_again=same,
            )
        )
    # What lies in a folder that could not be listed is not known to be gone.
    unlisted = [path for path, _ in scan.unreadable]
    gone = {
        path: file
        for path, file in known_files.items()
        if path not in present and not any(within(path, folder) for folder in unlisted)
    }
    return Changes(todo, gone, unchanged, still_failing, dict(skipped.most_common()))


def _is_document(registry: ParserRegistry, path: Path) -> bool:
    """Whether a parser takes it, or its owner would want to know that none does."""
    return registry.parser_for(path) is not None or registry.advice_for(path) is not None
