"""Runs of golden sets over HTTP: listed, compared, and begun in the background (SPEC N1)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from bob.app import Engine
from bob.core.principal import Role
from bob.documents.index_report import Interrupted
from bob.evaluation.compare import Kind
from bob.evaluation.golden import GoldenSet, read_golden
from bob.http.authenticate import Caller, needs
from bob.http.failures import JsonBytes, now
from bob.http.params import NOT_FOUND, Narrowing, existing_path
from bob.http.shapes import Moment, Nothing, Problem, Routes, Step
from bob.http.streams import Background, Stream, start_stream

router = Routes(tags=["eval"])

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


class EvaluationRun(TypedDict):
    """A stored run of a golden set; `run_id` is null until it is stored."""

    run_id: int | None
    name: str | None
    started_at: Moment
    golden: str
    golden_hash: str
    k: int
    models: dict[str, str]
    settings: dict[str, Any]
    metrics: dict[str, float]


class EvaluationRunsList(TypedDict):
    """Runs, the newest first."""

    runs: list[EvaluationRun]


class QuestionResult(TypedDict):
    """What became of one question."""

    id: str
    question: str
    unanswerable: bool
    found: bool
    answer: str
    measures: dict[str, float]
    first_rank: int | None
    cited: list[dict[str, Any]]
    missing_phrases: list[str]
    said_forbidden: list[str]
    claims: int
    unsupported: int
    seconds: float


class EvaluationRunWithResults(EvaluationRun):
    """A run, and the result of each question."""

    results: list[QuestionResult]


class BegunEvaluation(TypedDict):
    """The stream of a run."""

    stream: str


class DraftSource(TypedDict):
    """Where the answer to a drafted question stands."""

    path: str
    locator: dict[str, str]


class DraftQuestion(TypedDict):
    """A question for a golden set, for somebody to look through."""

    id: str
    question: str
    sources: list[DraftSource]
    confirmed: bool


class DraftQuestionsList(TypedDict):
    """Questions for a golden set."""

    questions: list[DraftQuestion]


class Drift(TypedDict):
    """A question whose result changed; pairs are before and after."""

    id: str
    question: str
    kind: Kind
    measures: dict[str, list[float | None]]
    found: list[bool] | None
    first_rank: list[int | None] | None
    sources_lost: list[str]
    sources_gained: list[str]
    phrases_lost: list[str]
    phrases_gained: list[str]


class Comparison(TypedDict):
    """Two runs question by question; pairs are before and after."""

    before: EvaluationRun
    after: EvaluationRun
    golden_changed: bool
    settings: dict[str, list[Any]]
    measures: dict[str, list[float | None]]
    counts: dict[Kind, int]
    drifts: list[Drift]


class EvaluationEvents(TypedDict):
    """What a run's stream tells, by the event's name."""

    progress: Step
    run: EvaluationRunWithResults
    error: Problem
    stopped: Nothing


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
AtHome = Annotated[Caller, needs(Role.ADMIN, SCOPE, at_home=True)]


@router.get("/eval/runs", summary="List evaluations", response_model=EvaluationRunsList)
def list_evaluation_runs(caller: Reader, limit: HowMany = 50) -> Response:
    """Stored runs, the newest first, each with its measures and what they depended on."""
    runs = caller.engine.evaluation.evaluate.runs(limit)
    return JsonBytes({"runs": [run.to_json() for run in runs]})


@router.post("/eval/runs", summary="Run a golden set", response_model=BegunEvaluation, status_code=202)
def start_evaluation(caller: AtHome, request: RunRequest, streams: Background) -> Response:
    """In the background; its stream (`Location`) has events `progress`, and last `run`, `error` or
    `stopped`. Only the user of this machine may name a set."""
    asked_set = read_golden(existing_path(request.golden, "golden"))
    request.filters()
    stream = start_stream(streams, caller, lambda running: _run(caller.engine, asked_set, request, running))
    headers = {"Location": f"/streams/{stream.stream_id}"}
    return JsonBytes({"stream": stream.stream_id}, 202, headers)


@router.get(
    "/eval/golden/suggest", summary="Draft questions for a golden set", response_model=DraftQuestionsList
)
def suggest_questions(caller: Reader, limit: HowMany = 20) -> Response:
    """From the headings of what is indexed. Look each through and set `confirmed`: runs leave out the
    others."""
    return JsonBytes({"questions": caller.engine.evaluation.suggest_golden.suggest_questions(limit)})


@router.get("/eval/runs/{run}", summary="Read an evaluation", response_model=EvaluationRunWithResults)
def read_evaluation_run(caller: Reader, run: RunName) -> Response:
    """With the result of each question."""
    return JsonBytes(caller.engine.evaluation.evaluate.stored(run).with_results())


@router.get(
    "/eval/compare", summary="Compare two evaluations", response_model=Comparison, responses=NOT_FOUND
)
def compare_evaluations(caller: Reader, before: Which = None, after: Which = None) -> Response:
    """Question by question, regressions first. Without names the last run is compared with the one before
    over the same set."""
    return JsonBytes(caller.engine.evaluation.evaluate.compare(before, after).to_json())


def _run(engine: Engine, golden: GoldenSet, request: RunRequest, stream: Stream) -> None:
    def report_progress(done: int, total: int) -> None:
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
            report=report_progress,
        )
    except Interrupted:
        return
    stream.tell("run", run.with_results())
