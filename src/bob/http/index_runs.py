"""Runs of the index in the background of a server, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal

from fastapi import Depends, Request

from bob.app import Engine
from bob.core.errors import BobError, NotFoundError
from bob.documents.index_report import IndexReport, Interrupted, Progress
from bob.documents.index_sources import GitWish
from bob.http.authenticate import Needed
from bob.http.streams import Owner, Stream, Streams

RunState = Literal["waiting", "running", "done", "stopped", "failed"]


@dataclass(slots=True)
class Run:
    """A run over some folders, as `git` wishes, or as they were read before (None). `progress` is the last
    that was told, `error` why it failed."""

    stream: Stream
    folders: Sequence[Path]
    project: str | None
    git: GitWish | None
    state: RunState = "waiting"
    progress: dict[str, Any] | None = None
    error: str | None = None
    reports: list[IndexReport] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The run as JSON; reports as `bob index --json` prints them."""
        return {
            "run": self.stream.stream_id,
            # One that was stopped before its turn came never ran.
            "state": "stopped" if self.state == "waiting" and self.stream.ended_at else self.state,
            "folders": [str(folder) for folder in self.folders],
            "project": self.project,
            "progress": self.progress,
            "error": self.error,
            "reports": [asdict(report) for report in self.reports],
        }


class IndexRuns:
    """All runs of one server, of all its organizations."""

    def __init__(self) -> None:
        # Two runs at a time would wait for each other's writing.
        self.streams = Streams(1)
        self._runs: dict[str, Run] = {}
        self._lock = Lock()

    def begin(
        self,
        engine: Engine,
        folders: Sequence[Path],
        project: str | None = None,
        git: GitWish | None = None,
        *,
        words_only: bool = False,
        needed: Needed | None = None,
        before: Callable[[], object] = lambda: None,
    ) -> Run:
        """Have folders read into the index, after `before` was called. Without `git` they were read before,
        and are read in the same way. Who may do what `needed` asks may stop it.

        Raises:
            RefusedError: 429, too much waits already.
        """
        run = Run(self.streams.open(_owner(engine), needed), folders, project, git)
        with self._lock:
            still_kept = {key: own for key, own in self._runs.items() if self.streams.keeps(own.stream)}
            self._runs = still_kept | {run.stream.stream_id: run}

        def work(stream: Stream) -> None:
            _index(engine, run, words_only, before)

        self.streams.begin(run.stream, work)
        return run

    def find(self, engine: Engine, run_id: str) -> Run:
        """A run of the engine's organization. Raises NotFoundError: there is none, or not any more."""
        run = self._runs.get(run_id)
        if run is None or run.stream.owner != _owner(engine):
            raise NotFoundError("no such run; runs are kept for ten minutes after they end")
        return run

    def list_runs(self, engine: Engine) -> list[Run]:
        """The runs of the engine's organization, the newest first."""
        return [run for run in reversed(self._runs.values()) if run.stream.owner == _owner(engine)]


async def _runs(request: Request) -> IndexRuns:
    runs: IndexRuns = request.app.state.index_runs
    return runs


Runs = Annotated[IndexRuns, Depends(_runs)]
"""The runs of this server."""


def _owner(engine: Engine) -> Owner:
    """All of an organization may watch its index."""
    return engine.settings.organization, ""


def _index(engine: Engine, run: Run, words_only: bool, before: Callable[[], object]) -> None:
    stream, sources = run.stream, engine.knowledge.index_sources
    seconds = 0.0 if words_only else None

    def report_progress(progress: Progress) -> None:
        run.progress = asdict(progress)
        stream.tell("progress", run.progress)
        if stream.stopped:
            raise Interrupted

    run.state = "running"
    try:
        before()
        for folder in run.folders:
            if run.git is None:
                report = sources.again(folder, report=report_progress, embed_seconds=seconds)
            else:
                report = sources.index_sources(
                    folder, run.project, run.git, report=report_progress, embed_seconds=seconds
                )
            run.reports.append(report)
            stream.tell("report", asdict(report))
            if report.interrupted or stream.stopped:
                run.state = "stopped"
                return
        run.state = "done"
        stream.tell("done", run.to_json())
    except BobError as error:
        run.state, run.error = "failed", str(error)
        raise
    except Exception:  # BLE001 - raised again: the run has to say how it ended
        run.state, run.error = "failed", "internal error; see the server's log"
        raise
