"""The web application: every route over one engine."""

from __future__ import annotations

from functools import cache, partial
from importlib.metadata import version

from fastapi import FastAPI

from bob.api import ai, chat_completions, embeddings, failures, hippocampus, models, work
from bob.api.authenticate import Authenticator, Identified
from bob.api.description import described
from bob.api.guard import Guard
from bob.engine import Engine


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
    chat_completions.register(app, door)
    models.register(app, door)
    embeddings.register(app, door)
    work.register(app, door)
    ai.register(app, door)
    hippocampus.register(app, door)

    @app.get("/health", summary="Whether the server answers")
    def health() -> dict[str, str]:
        """Always `{"status": "ok"}`; `bob doctor` looks deeper."""
        return {"status": "ok"}

    app.openapi = cache(partial(described, app))  # type: ignore[method-assign]
    return app
