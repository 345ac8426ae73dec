"""Runs a tool for a client: sees to permissions and arguments, tells errors, and writes the log.

A client's model reads the errors, so they say what to do; nobody outside reads what broke inside Bob.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bob.core.errors import BobError
from bob.mcp.find_tools import ASK, FETCH, INDEX_STATUS, LIST_PROJECTS, RAG_SEARCH, SEARCH, read_document
from bob.mcp.keep_tools import READ_NOTE, RECALL, REMEMBER, WRITE_NOTE
from bob.mcp.tool import Reply, Tool, ToolContext, one_line
from bob.storage.agent_log import AgentLog
from bob.text.secrets import redacted

if TYPE_CHECKING:
    from bob.documents.read_documents import ReadDocument
    from bob.documents.text_rows import DocumentHead

log = logging.getLogger(__name__)

TOOLS = (
    SEARCH,
    ASK,
    FETCH,
    READ_NOTE,
    WRITE_NOTE,
    LIST_PROJECTS,
    INDEX_STATUS,
    REMEMBER,
    RECALL,
    RAG_SEARCH,
)

_UNKNOWN = "no such tool, or it is not allowed (mcp.scopes)"
_BROKEN = "internal error; the reason is in Bob's error output"
_LOGGED_CHARACTERS = 400
"""So much of an argument is looked through for secrets, before it is cut to a line."""
_CONTENT = frozenset({"text", "old"})
"""Arguments that hold a user's content: the log has their length alone."""


class CallError(BobError):
    """A call was not carried out; the message is for the client's model."""


@dataclass(frozen=True, slots=True)
class Client:
    """Who calls, as it names itself, and by which version of the protocol."""

    name: str
    protocol: str


class Calls:
    """The tools of one context."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._tools = {tool.name: tool for tool in TOOLS if tool.scope in context.permissions.scopes}
        self._preparing = threading.Lock()
        self._prepared = False

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools that are allowed."""
        return list(self._tools.values())

    @property
    def context(self) -> ToolContext:
        """What calls work with."""
        return self._context

    def prepare(self) -> None:
        """Make what calls share, once, before threads ask for it; the first call waits for it."""
        with self._preparing:
            if not self._prepared:
                engine = self._context.engine
                knowledge, conversations = engine.knowledge, engine.conversations
                shared = (engine.search, engine.ask, knowledge.agent_notes, conversations.remember)
                self._prepared = all(
                    service is not None
                    for service in (*shared, conversations.recall_memories, engine.keep_answer)
                )

    def documents(self, after: int) -> tuple[list[DocumentHead], bool]:
        """The next documents that may be seen, by id, and whether there are more."""
        self.prepare()
        return self._context.engine.knowledge.read_documents.page(self._context.permissions.allowed, after)

    def document(self, document_id: str, most: int) -> ReadDocument:
        """The first `most` characters of a document. Raises NotFoundError, UsageError."""
        self.prepare()
        return read_document(self._context, document_id, 0, most)

    def call_tool(self, name: str, arguments: Mapping[str, Any], client: Client) -> Reply:
        """Call a tool.

        Raises:
            CallError: there is no such tool, it may not be called so, or it failed.
        """
        began = time.perf_counter()
        outcome, count = "failed", 0
        try:
            reply = self._run(name, arguments)
            outcome, count = "done", reply.count
            return reply
        except (CallError, BobError) as error:
            outcome = "refused"
            raise CallError(str(error)) from error
        except Exception as error:  # BLE001 - a tool's bug must not end the server, nor be told outside
            log.exception("the tool %s failed", one_line(name))
            raise CallError(_BROKEN) from error
        finally:
            self._log(name, arguments, client, outcome, count, time.perf_counter() - began)

    def _run(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        tool = self._tools.get(name)
        if tool is None:
            raise CallError(_UNKNOWN)
        try:
            parsed = tool.arguments.model_validate(dict(arguments))
        except ValidationError as error:
            raise CallError(_explained(error)) from error
        self.prepare()
        return tool.call(self._context, parsed)

    def _log(
        self,
        name: str,
        arguments: Mapping[str, Any],
        client: Client,
        outcome: str,
        count: int,
        seconds: float,
    ) -> None:
        settings = self._context.engine.settings
        entry = {
            "at": self._context.now().isoformat(timespec="seconds"),
            "organization": settings.organization,
            "user": settings.user,
            "client": one_line(client.name),
            "protocol": client.protocol,
            "tool": one_line(name),
            "arguments": {
                one_line(str(key)): _logged(key, argument) for key, argument in list(arguments.items())[:20]
            },
            "dry_run": self._context.permissions.dry_run,
            "outcome": outcome,
            "results": count,
            "milliseconds": round(seconds * 1000),
        }
        try:
            AgentLog(self._context.engine.database.path).append(entry)
        except OSError as error:
            log.warning("cannot write the agents' log: %s", error)


def _logged(key: object, value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else repr(value)
    if key in _CONTENT:
        return f"({len(text)} characters)"
    return one_line(redacted(text[:_LOGGED_CHARACTERS]).text)


def _explained(error: ValidationError) -> str:
    """What is wrong with arguments, without repeating them."""
    links = []
    for problem in error.errors(include_input=False, include_url=False)[:5]:
        key = one_line(".".join(str(part) for part in problem["loc"]))
        message = "is not an argument" if problem["type"] == "extra_forbidden" else problem["msg"]
        links.append(f"{key}: {message[:1].lower()}{message[1:]}" if key else message)
    return "; ".join(links)
