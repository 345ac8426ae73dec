"""The web application: every route over one engine."""

from __future__ import annotations

from functools import cache, partial
from importlib.metadata import version

from fastapi import FastAPI

from bob.api import (
    ai,
    ask,
    chat_completions,
    chats,
    context,
    embeddings,
    evaluation,
    event_stream,
    failures,
    files,
    hippocampus,
    indexing,
    library,
    memories,
    models,
    pages,
    personas,
    search,
    settings,
    sources,
    status,
    work,
)
from bob.api.authenticate import Authenticator, Identified
from bob.api.description import described
from bob.api.guard import Guard
from bob.api.index_runs import IndexRuns
from bob.api.streams import Streams
from bob.engine import Engine

_ANSWERS_AT_ONCE = 8


def create_app(engine: Engine) -> FastAPI:
    """The application of one memory. Its requests run in threads, and share the engine."""
    app = FastAPI(
        title="Bob",
        version=version("boring-organizer-bot"),
        description="One local-first memory, spoken to as OpenAI's API is.",
        # Their pages would load their scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    server, door = engine.settings.server, Authenticator(engine)
    # What is added last comes first: the guard, then who asks.
    app.add_middleware(Identified, door=door)
    app.add_middleware(Guard, most_bytes=server.max_request_mb * 1024 * 1024, hosts=server.hosts)
    failures.register(app)
    streams, runs = Streams(_ANSWERS_AT_ONCE), IndexRuns()
    app.router.add_event_handler("shutdown", streams.close)
    app.router.add_event_handler("shutdown", runs.streams.close)
    ask.register(app, door, streams)
    search.register(app, door)
    library.register(app, door)
    sources.register(app, door)
    indexing.register(app, door, runs)
    files.register(app, door, runs)
    status.register(app, door)
    settings.register(app, door)
    chats.register(app, door, streams)
    context.register(app, door)
    memories.register(app, door)
    personas.register(app, door)
    evaluation.register(app, door, streams)
    event_stream.register(app, door, streams)
    chat_completions.register(app, door)
    models.register(app, door)
    embeddings.register(app, door)
    work.register(app, door)
    ai.register(app, door)
    hippocampus.register(app, door)
    pages.register(app)

    @app.get("/health", summary="Whether the server answers")
    def health() -> dict[str, str]:
        """Always `{"status": "ok"}`; `bob doctor` looks deeper."""
        return {"status": "ok"}

    app.openapi = cache(partial(described, app))  # type: ignore[method-assign]
    return app
