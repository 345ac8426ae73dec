"""Check that the server runs (liveness), whether it can work, and its counts."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from bob.core.errors import StoreError
from bob.core.principal import Role
from bob.http.authenticate import Authenticator, Caller
from bob.http.examples import answered
from bob.http.failures import JsonBytes
from bob.http.index_runs import IndexRuns
from bob.http.metrics import CONTENT_TYPE, Metrics
from bob.http.streams import Streams

_METRICS = 'bob_requests_total{method="GET",route="/search",status="200"} 12\n'


def register(app: FastAPI, auth: Authenticator, metrics: Metrics, streams: Streams, runs: IndexRuns) -> None:
    """Add the routes."""
    admin = auth.needs(Role.ADMIN, None)

    @app.get(
        "/health",
        summary="Check that the server runs (liveness)",
        tags=["status"],
        responses=answered({"status": "ok"}),
    )
    async def health() -> Response:
        """Always `{"status": "ok"}`; `GET /ready` looks deeper, and `GET /doctor` deeper still."""
        return JsonBytes({"status": "ok"})

    @app.get(
        "/ready",
        summary="Check that the server can work (readiness)",
        tags=["status"],
        responses=answered({"ready": True})
        | {503: {"description": "Not now.", "content": {"application/json": {"example": {"ready": False}}}}},
    )
    async def ready() -> Response:
        """200 when the database can be read, else 503."""
        can = await run_in_threadpool(_can_work, auth)
        return JsonBytes({"ready": can}, 200 if can else 503)

    @app.get(
        "/metrics",
        summary="Metrics for Prometheus",
        tags=["status"],
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}, "example": _METRICS}}}},
    )
    def counts(caller: Caller = admin) -> Response:
        """Requests by route and status, how long they took, and what waits. Nothing of what was asked."""
        jobs = caller.engine.status.jobs()
        gauges = {
            "bob_jobs_waiting": ("Waiting jobs of the organization.", int(jobs["queued"])),
            "bob_jobs_running": ("Running jobs of the organization.", int(jobs["running"])),
            "bob_jobs_failed": ("Failed jobs of the organization.", int(jobs["failed"])),
            "bob_streams_running": ("Running answers and evaluations.", streams.running()),
            "bob_index_runs": ("Running and waiting index runs.", runs.streams.running()),
        }
        return Response(metrics.text(gauges), media_type=CONTENT_TYPE)


def _can_work(auth: Authenticator) -> bool:
    try:
        return auth.can_work()
    except StoreError:
        return False
