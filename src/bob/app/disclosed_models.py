"""Models and services on servers, each of which asks before the first text goes there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bob.app import models
from bob.app.disclosure import Disclosure, TextServer, embedding_server, language_model_server, memory_server
from bob.core.errors import BobError, LanguageModelError, MemoryServiceError, ModelError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bob.app.engine import Engine
    from bob.core.prompt import Piece, Prompt
    from bob.core.protocols import Embedder, LanguageModel, OrganizationMemory


def embedder(engine: Engine) -> Embedder:
    """The embedding model of the settings; it is loaded when it embeds for the first time."""
    made, server = models.embedder(engine.settings), embedding_server(engine.settings)
    if engine.disclosure is None or server is None:
        return made
    return DisclosedEmbedder(made, DisclosedServer(server, engine.disclosure, engine))


def language_model(engine: Engine) -> LanguageModel:
    """The language model; there must be one. Raises SettingsError: it needs a key and has none."""
    from bob.llm.cache_rows import StoredCaches

    caches = StoredCaches(engine.database, engine.settings.organization)
    made, server = models.language_model(engine.settings, caches), language_model_server(engine.settings)
    if engine.disclosure is None or server is None:
        return made
    return DisclosedLanguageModel(made, DisclosedServer(server, engine.disclosure, engine))


def disclosed_memory(memory: OrganizationMemory, engine: Engine) -> OrganizationMemory:
    """The memory of work items, which asks first where it is on a server."""
    server = memory_server(engine.settings)
    if engine.disclosure is None or server is None:
        return memory
    return DisclosedMemory(memory, DisclosedServer(server, engine.disclosure, engine))


class DisclosedServer:
    """A server, before the first text goes to it."""

    def __init__(self, server: TextServer, disclosure: Disclosure, engine: Engine) -> None:
        self._server = server
        self._disclosure = disclosure
        self._engine = engine

    def check(self, error: type[BobError]) -> None:
        """Raises `error`: no text may go there."""
        server = self._server
        if not self._disclosure.allows(server, self._projects):
            raise error(f"nothing was sent to the {server.use} at {server.address}: you did not agree to it")

    def _projects(self) -> list[str]:
        return [str(project["project"]) for project in self._engine.sources.library.projects()]


class DisclosedEmbedder:
    """An `Embedder` on a server."""

    def __init__(self, embedder: Embedder, server: DisclosedServer) -> None:
        self._embedder = embedder
        self._server = server

    @property
    def model_id(self) -> str:
        """The model's name; nothing is sent for it."""
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        """The length of a vector, which may take a request. Raises ModelError."""
        self._server.check(ModelError)
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row a text. Raises ModelError."""
        self._server.check(ModelError)
        return self._embedder.embed(texts)


class DisclosedLanguageModel:
    """A `LanguageModel` on a server."""

    def __init__(self, model: LanguageModel, server: DisclosedServer) -> None:
        self._model = model
        self._server = server

    @property
    def name(self) -> str:
        """Provider and model."""
        return self._model.name

    def stream(self, prompt: Prompt) -> Iterator[Piece]:
        """The answer as it is written. Raises LanguageModelError."""
        self._server.check(LanguageModelError)
        yield from self._model.stream(prompt)


class DisclosedMemory:
    """An `OrganizationMemory` on a server. Every method raises MemoryServiceError."""

    def __init__(self, memory: OrganizationMemory, server: DisclosedServer) -> None:
        self._memory = memory
        self._server = server

    def create_collection(self, org_id: str) -> None:
        """Make the organization's collection."""
        self._server.check(MemoryServiceError)
        self._memory.create_collection(org_id)

    def add_resource(self, org_id: str, resource_id: str, title: str, content: str) -> None:
        """Index a text under an id."""
        self._server.check(MemoryServiceError)
        self._memory.add_resource(org_id, resource_id, title, content)

    def update_resource(self, org_id: str, resource_id: str, title: str, content: str) -> None:
        """Index the text anew."""
        self._server.check(MemoryServiceError)
        self._memory.update_resource(org_id, resource_id, title, content)

    def delete_resource(self, org_id: str, resource_id: str) -> None:
        """Take an id out."""
        self._server.check(MemoryServiceError)
        self._memory.delete_resource(org_id, resource_id)

    def query(self, org_id: str, text: str, limit: int) -> list[tuple[str, float]]:
        """The ids whose texts fit."""
        self._server.check(MemoryServiceError)
        return self._memory.query(org_id, text, limit)
