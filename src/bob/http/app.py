"""The web application: every route over one engine."""

from __future__ import annotations

from functools import cache, partial
from importlib.metadata import version

from fastapi import FastAPI

from bob.app import Engine
from bob.http import (
    ai,
    ask,
    chats,
    context,
    decisions,
    evaluation,
    health,
    hippocampus,
    indexing,
    keys,
    library,
    lint,
    memories,
    notes,
    openai_api,
    pages,
    personas,
    session,
    status,
    streams,
    work,
)
from bob.http.authenticate import Authenticator, Identified, Sessions
from bob.http.description import describe_api
from bob.http.failures import handle_errors
from bob.http.guard import Guard
from bob.http.idempotency import Idempotency, handle_repeats
from bob.http.index_runs import IndexRuns
from bob.http.relative_paths import RelativePaths
from bob.http.request_log import Metrics, Traced
from bob.http.session import Links
from bob.http.slow_clients import Crowd
from bob.http.streams import Streams, resume_stream

_ANSWERS_AT_ONCE = 8

# A path is compared with one route after the other, and a visit asks for a dozen files of the pages.
_ROUTERS = tuple(
    feature.router
    for feature in (
        pages,
        ask,
        library,
        indexing,
        status,
        chats,
        context,
        memories,
        personas,
        decisions,
        health,
        notes,
        lint,
        evaluation,
        streams,
        openai_api,
        work,
        ai,
        hippocampus,
        session,
        keys,
    )
)
_EVENTS = {
    "AnswerEvent": ask.AnswerEvents,
    "ReplyEvent": chats.ReplyEvents,
    "IndexEvent": indexing.IndexEvents,
    "EvaluationEvent": evaluation.EvaluationEvents,
}
"""What the streams tell, by the name of its schema."""


def create_app(engine: Engine, sessions: Sessions | None = None) -> FastAPI:
    """The application of one memory. Its requests run in threads, and share the engine; `sessions` are those
    of browsers that were given a link already."""
    app = FastAPI(
        title="Bob",
        version=version("boring-organizer-bot"),
        description="A local-first memory: answers in which every claim has a source that you can open.",
        # Their pages would load their scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    server, authenticator, metrics = engine.settings.server, Authenticator(engine, sessions), Metrics()
    background, runs = Streams(_ANSWERS_AT_ONCE), IndexRuns()
    app.state.authenticator, app.state.metrics = authenticator, metrics
    app.state.streams, app.state.index_runs = background, runs
    # What is added last comes first: an id, the guard, who asks, what they are shown.
    app.add_middleware(Idempotency, resume=partial(resume_stream, background))
    app.add_middleware(Crowd)
    app.add_middleware(RelativePaths, auth=authenticator)
    app.add_middleware(Identified, auth=authenticator)
    app.add_middleware(Links, sessions=authenticator.sessions)
    app.add_middleware(
        Guard,
        most_bytes=server.max_request_mb * 1024 * 1024,
        hosts=server.hosts,
        seconds=server.request_seconds,
    )
    app.add_middleware(Traced, metrics=metrics)
    handle_errors(app)
    handle_repeats(app, authenticator)
    app.router.add_event_handler("shutdown", background.close)
    app.router.add_event_handler("shutdown", runs.streams.close)
    for router in _ROUTERS:
        # Not included one by one: that would make each route anew at the first request.
        app.router.routes.extend(router.routes)
    app.openapi = cache(partial(describe_api, app, _ROUTERS, _EVENTS))  # type: ignore[method-assign]
    return app
