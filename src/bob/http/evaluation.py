"""Runs of golden sets over HTTP: listed, compared, and begun in the background (SPEC N1)."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path, Query
from pydantic import Field
from starlette.responses import Response

from bob.app import Engine
from bob.core.principal import Role
from bob.documents.index_report import Interrupted
from bob.evaluation.golden import GoldenSet, read_golden
from bob.http.authenticate import Authenticator, Caller
from bob.http.event_stream import begun
from bob.http.examples import NOT_FOUND, answered
from bob.http.examples_care import COMPARISON, RUN, SUGGESTED
from bob.http.failures import JsonBytes, now
from bob.http.filter_params import Narrowing
from bob.http.paths import existing
from bob.http.streams import Stream, Streams

SCOPE = "eval"


class RunRequest(Narrowing):
    """Which golden set to run, and how."""

    golden: str = Field(
        min_length=1,
        max_length=4096,
        description="Path of the golden set, absolute or from `~/`.",
        examples=["~/golden.jsonl"],
    )
    k: int = Field(10, ge=1, le=1000, description="Number of results to evaluate.")
    name: str | None = Field(None, min_length=1, max_length=200, description="A name for the run.")
    unconfirmed: bool = Field(False, description="Also ask unconfirmed questions.")


RunName = Annotated[str, Path(description="A run's number or name.", examples=["12"], max_length=200)]
Which = Annotated[str | None, Query(description="A run's number or name.", min_length=1, max_length=200)]
HowMany = Annotated[int, Query(description="Maximum number of results.", ge=1, le=10_000)]


def register(app: FastAPI, auth: Authenticator, streams: Streams) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    at_home = auth.needs(Role.ADMIN, SCOPE, at_home=True)

    @app.get("/eval/runs", summary="List evaluations", tags=["eval"], responses=answered({"runs": [RUN]}))
    def every(limit: HowMany = 50, caller: Caller = reader) -> Response:
        """Stored runs, the newest first, each with its measures and what they depended on."""
        found = caller.engine.evaluation.evaluate.runs(limit)
        return JsonBytes({"runs": [each.to_json() for each in found]})

    @app.post(
        "/eval/runs",
        summary="Run a golden set",
        tags=["eval"],
        status_code=202,
        responses=answered({"stream": "q3Jm0Zc1nXo"}, 202),
    )
    def begin(request: RunRequest, caller: Caller = at_home) -> Response:
        """In the background; its stream (`Location`) has events `progress`, and last `run`, `error` or
        `stopped`. Only the user of this machine may name a set."""
        asked_set = read_golden(existing(request.golden, "golden"))
        request.filters()
        stream = begun(streams, caller, lambda told: _run(caller.engine, asked_set, request, told))
        headers = {"Location": f"/streams/{stream.stream_id}"}
        return JsonBytes({"stream": stream.stream_id}, 202, headers)

    @app.get(
        "/eval/golden/suggest",
        summary="Draft questions for a golden set",
        tags=["eval"],
        responses=answered({"questions": [SUGGESTED]}),
    )
    def suggest(limit: HowMany = 20, caller: Caller = reader) -> Response:
        """From the headings of what is indexed. Look each through and set `confirmed`: runs leave out the
        others."""
        return JsonBytes({"questions": caller.engine.evaluation.suggest_golden.suggest_questions(limit)})

    @app.get(
        "/eval/runs/{run}",
        summary="Read an evaluation",
        tags=["eval"],
        responses=answered(RUN | {"results": []}),
    )
    def read(run: RunName, caller: Caller = reader) -> Response:
        """With the result of each question."""
        return JsonBytes(caller.engine.evaluation.evaluate.stored(run).with_results())

    @app.get(
        "/eval/compare",
        summary="Compare two evaluations",
        tags=["eval"],
        responses=NOT_FOUND | answered(COMPARISON),
    )
    def compare(before: Which = None, after: Which = None, caller: Caller = reader) -> Response:
        """Question by question, regressions first. Without names the last run is compared with the one before
        over the same set."""
        return JsonBytes(caller.engine.evaluation.evaluate.compare(before, after).to_json())


def _run(engine: Engine, golden: GoldenSet, request: RunRequest, stream: Stream) -> None:
    def told(done: int, total: int) -> None:
        stream.tell("progress", {"done": done, "total": total})
        if stream.stopped:
            raise Interrupted

    try:
        run = engine.evaluation.evaluate.evaluate_set(
            golden,
            request.k,
            started_at=now(),
            name=request.name,
            filters=request.filters(),
            unconfirmed=request.unconfirmed,
            report=told,
        )
    except Interrupted:
        return
    stream.tell("run", run.with_results())
