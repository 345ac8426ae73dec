"""The web application: every route over one engine."""

from __future__ import annotations

from functools import cache, partial
from importlib.metadata import version

from fastapi import FastAPI

from bob.app import Engine
from bob.http import (
    agent_calls,
    ai,
    ask,
    chat_completions,
    chats,
    context,
    decisions,
    embeddings,
    evaluation,
    event_stream,
    failures,
    files,
    hippocampus,
    idempotency,
    imports,
    indexing,
    keys,
    library,
    lint,
    liveness,
    memories,
    models,
    notes,
    pages,
    personas,
    remembering,
    search,
    session,
    settings,
    sources,
    status,
    verify,
    work,
    work_import,
)
from bob.http import health as knowledge_health
from bob.http.authenticate import Authenticator, Identified
from bob.http.description import described
from bob.http.guard import Guard
from bob.http.idempotency import Idempotency
from bob.http.index_runs import IndexRuns
from bob.http.metrics import Metrics
from bob.http.relative_paths import RelativePaths
from bob.http.request_log import Traced
from bob.http.session import Links
from bob.http.sessions import Sessions
from bob.http.slow_clients import Crowd
from bob.http.streams import Streams

_ANSWERS_AT_ONCE = 8


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
    server, door, metrics = engine.settings.server, Authenticator(engine, sessions), Metrics()
    streams, runs = Streams(_ANSWERS_AT_ONCE), IndexRuns()
    # What is added last comes first: an id, the guard, who asks, what they are shown.
    app.add_middleware(Idempotency, resume=partial(event_stream.resumed, streams))
    app.add_middleware(Crowd)
    app.add_middleware(RelativePaths, door=door)
    app.add_middleware(Identified, door=door)
    app.add_middleware(Links, sessions=door.sessions)
    app.add_middleware(
        Guard,
        most_bytes=server.max_request_mb * 1024 * 1024,
        hosts=server.hosts,
        seconds=server.request_seconds,
    )
    app.add_middleware(Traced, metrics=metrics)
    failures.register(app)
    idempotency.register(app, door)
    app.router.add_event_handler("shutdown", streams.close)
    app.router.add_event_handler("shutdown", runs.streams.close)
    # A path is compared with one route after the other, and a visit asks for a dozen files of the pages.
    pages.register(app)
    ask.register(app, door, streams)
    verify.register(app, door)
    search.register(app, door)
    library.register(app, door)
    sources.register(app, door)
    indexing.register(app, door, runs)
    files.register(app, door, runs)
    status.register(app, door)
    settings.register(app, door)
    chats.register(app, door, streams)
    context.register(app, door)
    # Before the routes of single memories, which would take "export" for a number.
    remembering.register(app, door)
    memories.register(app, door)
    personas.register(app, door)
    decisions.register(app, door)
    knowledge_health.register(app, door)
    notes.register(app, door)
    imports.register(app, door)
    lint.register(app, door)
    evaluation.register(app, door, streams)
    event_stream.register(app, door, streams)
    chat_completions.register(app, door)
    models.register(app, door)
    embeddings.register(app, door)
    work.register(app, door)
    work_import.register(app, door)
    ai.register(app, door)
    hippocampus.register(app, door)
    agent_calls.register(app, door)
    liveness.register(app, door, metrics, streams, runs)
    session.register(app, door)
    keys.register(app, door)
    app.openapi = cache(partial(described, app))  # type: ignore[method-assign]
    return app
