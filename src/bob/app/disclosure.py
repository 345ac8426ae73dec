"""Who is told before text goes to a server: which server, which text, and which setting named it.

Every model and service that the settings name is reached through here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bob.app import models
from bob.app.settings import Settings, without_credentials
from bob.core.errors import BobError, LanguageModelError, MemoryServiceError, ModelError
from bob.text.visible import visible_line

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bob.app.folder_settings import UserRecords
    from bob.core.prompt import Piece, Prompt
    from bob.core.protocols import Embedder, LanguageModel, OrganizationMemory
    from bob.storage.database import Database

_MOST_NAMED = 5
"""Projects that a notice names before it counts."""

Projects = Callable[[], Sequence[str]]
"""The names of the projects that are indexed, when they are asked for."""


@dataclass(frozen=True, slots=True)
class TextServer:
    """A server that gets text: what it is, where, which setting names it, and what it gets."""

    use: str
    address: str
    setting: str
    text: str


def language_model_server(settings: Settings) -> TextServer | None:
    """The server of the language model; None without one."""
    from bob.llm.providers import PROVIDERS

    llm = settings.llm
    if llm.provider == "none":
        return None
    return TextServer(
        "language model",
        without_credentials(llm.base_url or PROVIDERS[llm.provider].base_url),
        "llm.base_url" if llm.base_url else "llm.provider",
        "your questions and messages, with the passages and memories that fit them",
    )


def embedding_server(settings: Settings) -> TextServer | None:
    """The server that makes vectors; None where Bob's own model does."""
    chosen = settings.embedder
    if chosen.kind == "onnx":
        return None
    address = without_credentials(chosen.base_url or "")
    return TextServer(
        "embedding model",
        address,
        "embedder.base_url",
        "the whole text of what you index, and your questions",
    )


def memory_server(settings: Settings) -> TextServer | None:
    """The service with the memory of work items; None where it is Bob's own."""
    url = settings.hippocampus.url
    if not url:
        return None
    address = without_credentials(url)
    return TextServer(
        "memory of work items", address, "hippocampus.url", "work items and questions about them"
    )


def text_servers(settings: Settings) -> list[TextServer]:
    """Every server that the settings have text sent to."""
    named = (language_model_server(settings), embedding_server(settings), memory_server(settings))
    return [server for server in named if server is not None]


class Disclosure:
    """Says once for a server and the place of its setting that text goes there; asks where somebody can
    answer. What was said or agreed to is remembered."""

    def __init__(
        self,
        records: UserRecords,
        origins: Mapping[str, str],
        tell: Callable[[str], None],
        ask: Callable[[str], bool] | None,
        clock: Callable[[], datetime],
    ) -> None:
        """`origins`: where each setting is from. `tell` prints a notice. `ask` prints it and waits for yes or
        no; None where nobody can answer."""
        self._records = records
        self._origins = origins
        self._tell = tell
        self._ask = ask
        self._clock = clock
        self._decided: dict[TextServer, bool] = {}
        self._deciding = threading.Lock()

    def notice(self, server: TextServer, projects: Sequence[str] = ()) -> str:
        """What is said: server, text and setting."""
        of = ""
        if projects:
            named = ", ".join(projects[:_MOST_NAMED])
            more = f" and {len(projects) - _MOST_NAMED} more" if len(projects) > _MOST_NAMED else ""
            of = f", of all projects ({named}{more}) unless you name some"
        origin = self._origins.get(server.setting, "the program")
        return visible_line(
            f"The {server.use} is at {server.address} ({server.setting} from {origin}). "
            f"It gets {server.text}{of}."
        )

    def allows(self, server: TextServer, projects: Callable[[], Sequence[str]]) -> bool:
        """Whether text may go to the server; says or asks it the first time."""
        with self._deciding:
            if server not in self._decided:
                decision = self._decide(server, projects)
                if decision is None:
                    return False
                self._decided[server] = decision
            return self._decided[server]

    def _decide(self, server: TextServer, projects: Callable[[], Sequence[str]]) -> bool | None:
        name = f"{server.use}\n{server.address}\n{self._origins.get(server.setting, '')}"
        if self._records.read(name) is not None:
            return True
        if self._ask is None:
            self._tell(f"{self.notice(server, projects())} This notice appears once.")
        elif threading.current_thread() is not threading.main_thread():
            # Work in the background asks nobody: the keyboard is the main thread's.
            return None
        elif not self._ask(self.notice(server, projects())):
            return False
        with suppress(OSError):
            # In a home that cannot be written it is said each time.
            self._records.write(name, {"agreed_at": self._clock().isoformat(timespec="seconds")})
        return True


def embedder(settings: Settings, disclosure: Disclosure | None, projects: Projects) -> Embedder:
    """The embedding model of the settings; it is loaded when it embeds for the first time."""
    made, server = models.embedder(settings), embedding_server(settings)
    if disclosure is None or server is None:
        return made
    return DisclosedEmbedder(made, DisclosedServer(server, disclosure, projects))


def language_model(
    settings: Settings, disclosure: Disclosure | None, projects: Projects, database: Database
) -> LanguageModel:
    """The language model; there must be one. Raises SettingsError: it needs a key and has none."""
    from bob.llm.cache_rows import StoredCaches

    caches = StoredCaches(database)
    made, server = models.language_model(settings, caches), language_model_server(settings)
    if disclosure is None or server is None:
        return made
    return DisclosedLanguageModel(made, DisclosedServer(server, disclosure, projects))


def disclosed_memory(
    memory: OrganizationMemory, settings: Settings, disclosure: Disclosure | None, projects: Projects
) -> OrganizationMemory:
    """The memory of work items, which asks first where it is on a server."""
    server = memory_server(settings)
    if disclosure is None or server is None:
        return memory
    return DisclosedMemory(memory, DisclosedServer(server, disclosure, projects))


class DisclosedServer:
    """A server, before the first text goes to it."""

    def __init__(self, server: TextServer, disclosure: Disclosure, projects: Projects) -> None:
        self._server = server
        self._disclosure = disclosure
        self._projects = projects

    def check(self, error: type[BobError]) -> None:
        """Raises `error`: no text may go there."""
        server = self._server
        if not self._disclosure.allows(server, self._projects):
            raise error(
                f"nothing was sent to the {server.use} at {server.address}, because you did not agree"
            )


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
