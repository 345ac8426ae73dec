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
    server, auth, metrics = engine.settings.server, Authenticator(engine, sessions), Metrics()
    streams, runs = Streams(_ANSWERS_AT_ONCE), IndexRuns()
    # What is added last comes first: an id, the guard, who asks, what they are shown.
    app.add_middleware(Idempotency, resume=partial(event_stream.resumed, streams))
    app.add_middleware(Crowd)
    app.add_middleware(RelativePaths, auth=auth)
    app.add_middleware(Identified, auth=auth)
    app.add_middleware(Links, sessions=auth.sessions)
    app.add_middleware(
        Guard,
        most_bytes=server.max_request_mb * 1024 * 1024,
        hosts=server.hosts,
        seconds=server.request_seconds,
    )
    app.add_middleware(Traced, metrics=metrics)
    failures.register(app)
    idempotency.register(app, auth)
    app.router.add_event_handler("shutdown", streams.close)
    app.router.add_event_handler("shutdown", runs.streams.close)
    # A path is compared with one route after the other, and a visit asks for a dozen files of the pages.
    pages.register(app)
    ask.register(app, auth, streams)
    verify.register(app, auth)
    search.register(app, auth)
    library.register(app, auth)
    sources.register(app, auth)
    indexing.register(app, auth, runs)
    files.register(app, auth, runs)
    status.register(app, auth)
    settings.register(app, auth)
    chats.register(app, auth, streams)
    context.register(app, auth)
    # Before the routes of single memories, which would take "export" for a number.
    remembering.register(app, auth)
    memories.register(app, auth)
    personas.register(app, auth)
    decisions.register(app, auth)
    knowledge_health.register(app, auth)
    notes.register(app, auth)
    imports.register(app, auth)
    lint.register(app, auth)
    evaluation.register(app, auth, streams)
    event_stream.register(app, auth, streams)
    chat_completions.register(app, auth)
    models.register(app, auth)
    embeddings.register(app, auth)
    work.register(app, auth)
    work_import.register(app, auth)
    ai.register(app, auth)
    hippocampus.register(app, auth)
    agent_calls.register(app, auth)
    liveness.register(app, auth, metrics, streams, runs)
    session.register(app, auth)
    keys.register(app, auth)
    app.openapi = cache(partial(described, app))  # type: ignore[method-assign]
    return app
