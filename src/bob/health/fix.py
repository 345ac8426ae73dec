"""Applies the fixes that need no person: each removes its finding, and touches nothing else (SPEC M1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bob.core.errors import BobError, UsageError
from bob.documents import source_rows
from bob.documents.disks import LocalDisks
from bob.documents.index_files import IndexFiles
from bob.health.check import CheckHealth, finding_of
from bob.health.values import Finding, HealthReport
from bob.notes.capture import Capture, NoteRequest
from bob.notes.digest import gathered
from bob.notes.relink import relinked
from bob.notes.writer import NoteWriter
from bob.storage.database import Database
from bob.storage.paths import absolute


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of one finding: `did` says what was done, or would be, or why nothing was."""

    finding: Finding
    done: bool
    did: str

    def to_json(self) -> dict[str, Any]:
        """The outcome as `bob health fix --json` prints it."""
        return {"id": self.finding.finding_id, "done": self.done, "did": self.did}


class FixHealth:
    """Applies fixes in one organization's memory. Files are changed in `folders`, and in those that are
    indexed; `make_vectors` brings all vectors to the present model and says what is still wrong, if anything
    is."""

    def __init__(
        self,
        database: Database,
        check: CheckHealth,
        capture: Capture,
        index: IndexFiles,
        folders: Sequence[Path],
        make_vectors: Callable[[], str | None],
        disks: LocalDisks,
    ) -> None:
        self._database = database
        self._check = check
        self._capture = capture
        self._index = index
        self._folders = tuple(absolute(folder) for folder in folders)
        self._make_vectors = make_vectors
        self._disks = disks

    def fix_findings(
        self,
        finding_ids: Sequence[str] | None,
        now: datetime,
        *,
        write: bool = True,
        into: Path | None = None,
    ) -> list[Applied]:
        """Fix these findings, or all that can be (None); without `write` only say what would be done. New
        notes go into the folder `into`, if it is given. One that fails does not keep the others from being
        fixed.

        Raises:
            UsageError: one of the findings is not there, or has to be fixed by a person.
        """
        report = self._check.check_health(now, keep=write)
        chosen = _chosen(report, finding_ids)
        outcomes: list[Applied] = []
        for finding in chosen:
            try:
                outcomes.append(Applied(finding, write, self._fix(finding, now, write, into)))
            except BobError as error:
                outcomes.append(Applied(finding, False, str(error)))
        return outcomes

    def _fix(self, finding: Finding, now: datetime, write: bool, into: Path | None) -> str:
        values = finding.fix.values
        if finding.fix.kind == "gap-note":
            return self._note(finding, now, write, into)
        if finding.fix.kind == "link":
            return self._link(values["path"], values["written"], values["leads_to"], write)
        if finding.fix.kind == "retry":
            return self._retry(Path(values["path"]), write)
        if write and (left := self._make_vectors()):
            raise UsageError(left)
        return f"{'made' if write else 'would make'} {finding.count:,} vectors"

    def _note(self, finding: Finding, now: datetime, write: bool, into: Path | None) -> str:
        values = finding.fix.values
        known = {
            "title": values["question"],
            "question": gathered("\n".join(evidence.text for evidence in finding.evidence).strip()),
            "project": values["project"],
            "finding": values["finding"],
        }
        fields = self._capture.template("gap").names
        filled = {name: value for name, value in known.items() if name in fields}
        request = NoteRequest("gap", now.date(), filled, into=into, writer="bob")
        note = self._capture.write_note(request, write=write)
        if not note.written:
            return f"would write {note.path}"
        if not note.indexed:
            return f"wrote {note.path}, in a folder that is not indexed: bob index {note.path.parent}"
        return f"wrote {note.path}"

    def _link(self, path: str, written: str, leads_to: str, write: bool) -> str:
        with self._database.read() as transaction:
            folders = source_rows.every(transaction, self._disks.names)
        writer = NoteWriter([*self._folders, *(Path(folder) for folder, _ in folders)])
        before = writer.read(Path(path))
        after = relinked(before, path, written, leads_to)
        if after is None:
            raise UsageError(f"{path}: the link no longer exists; run bob index {path}")
        if not write:
            return f"would link {leads_to} in {path}"
        writer.edit(Path(path), before, after)
        self._index.index_folder(Path(path))
        return f"linked {leads_to} in {path}"

    def _retry(self, path: Path, write: bool) -> str:
        if not path.exists():
            if write:
                self._index.remove(path)
            return f"{'removed' if write else 'would remove'} {path} from the index"
        if write:
            failures = self._index.index_folder(path).failures
            if failures:
                raise UsageError(f"{path}: {failures[0].reason}")
        return f"{'read' if write else 'would read'} {path}"


def _chosen(report: HealthReport, finding_ids: Sequence[str] | None) -> list[Finding]:
    if finding_ids is None:
        return [finding for finding in report.findings if finding.fix.kind is not None]
    chosen = [finding_of(report, finding_id) for finding_id in dict.fromkeys(finding_ids)]
    for each in chosen:
        if each.fix.kind is None:
            raise UsageError(f"{each.finding_id}: cannot be fixed automatically. {each.fix.text}")
    return chosen
