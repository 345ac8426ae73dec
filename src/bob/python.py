"""The Python face: the same verbs as the command line, typed."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from bob.answers.answer import Answer
from bob.answers.feedback_rows import Feedback, FeedbackVerdict
from bob.answers.verified import VerifiedText
from bob.app import Engine
from bob.app.disclosure import Disclosure
from bob.app.settings import Settings, known_servers, load_settings
from bob.conversations.chat import Replied, check_message
from bob.conversations.context import Compiled
from bob.conversations.forgetting import ForgetPlan, ForgetReport
from bob.conversations.recall_memories import RecalledMemory
from bob.core.conversation import Memory, Scope
from bob.core.decision import Decision
from bob.core.document import Writer
from bob.core.errors import UsageError
from bob.core.search import NO_FILTERS, Filters, Hit
from bob.decisions.service import DecisionQuery
from bob.documents.index_report import IndexReport, Progress
from bob.documents.index_sources import GitWish
from bob.evaluation.golden import read_golden
from bob.evaluation.values import EvalRun
from bob.health.values import HealthReport, narrowed
from bob.notes.capture import Captured, NoteRequest
from bob.notes.lint_notes import LintReport
from bob.search.query import parse_query
from bob.storage.paths import absolute

log = logging.getLogger(__name__)


class FolderTrustWarning(UserWarning):
    """Settings of the working folder's `bob.yaml` are not in force, since the user does not trust it."""


class Bob:
    """One memory: index, search, ask. Not to be shared between threads without a lock."""

    def __init__(
        self,
        database: str | Path | None = None,
        *,
        settings: Settings | None = None,
        config: str | Path | None = None,
    ) -> None:
        """Open the memory that the settings name, or the one in `database`.

        A `bob.yaml` in the working folder counts as far as the user trusts it (`bob trust`); a
        FolderTrustWarning names the settings that are ignored. Before text goes to a server that files or
        the environment name, it is logged once.

        Args:
            database: the database file, made when it is not there; or a postgresql:// address.
            settings: all settings, in place of those of files and environment.
            config: a settings file, in place of the folder's `bob.yaml`.

        Raises:
            SettingsError: a setting is wrong.
        """
        disclosure = None
        if settings is None:
            loaded = load_settings(None if config is None else Path(config))
            if loaded.ignored is not None:
                warnings.warn(loaded.ignored.message, FolderTrustWarning, stacklevel=2)
            settings, records = loaded.settings, known_servers(os.environ)
            disclosure = Disclosure(records, loaded.origins, log.warning, None, _now)
        if database is not None:
            settings = settings.model_copy(update={"database": str(database)})
        self._engine = Engine(settings, disclosure)

    def index(
        self,
        path: str | Path,
        project: str | None = None,
        *,
        at: str | None = None,
        include: Literal["docs", "code", "all"] | None = None,
        history: bool | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> IndexReport:
        """Bring the index in line with a folder or file; what did not change costs one look.

        With `at` it is a branch, tag or commit of a git repository (a bare one is read at HEAD); `include`
        says what to read of it, and `history` whether past versions too: as the last time unless given, at
        first docs alone.

        Raises:
            UsageError: there is no such path, repository or ref.
            UnreadableError: the repository is damaged.
            StoreError: the database cannot be used.
        """
        wish = GitWish(at, include, history)
        return self._engine.knowledge.index_sources.index_sources(Path(path), project, wish, report=progress)

    def search(
        self,
        query: str,
        limit: int | None = None,
        *,
        filters: Filters = NO_FILTERS,
        mode: str = "hybrid",
    ) -> list[Hit]:
        """The best passages, best first; `query` may use the query syntax, `mode` be words or vectors."""
        found = self._engine.search.search_chunks(
            parse_query(query, filters),
            limit or self._engine.settings.search.limit,
            mode=mode,
            today=_today(),
        )
        return found.hits

    def ask(
        self,
        question: str,
        *,
        earlier: Sequence[str] = (),
        filters: Filters = NO_FILTERS,
        extractive: bool = False,
    ) -> Answer:
        """An answer from the sources; `found` is False when they do not answer.

        It is written by the language model of the settings and checked claim by claim; without a model, or
        with `extractive`, it is in sentences of the sources. `earlier` are the questions that this one goes
        on from, oldest first.

        It is kept, and has an `answer_id`, unless the setting `answer.keep` is off or the database cannot be
        written.
        """
        asked_at = _now()
        answer = self._engine.ask.answer_question(
            question, earlier=earlier, filters=filters, today=asked_at.date(), extractive=extractive
        )
        return self._engine.keep_answer.save_answer(answer, filters=filters, asked_at=asked_at)

    def feedback(self, answer_id: int, verdict: FeedbackVerdict | str, note: str | None = None) -> Feedback:
        """Say how an answer served.

        Raises:
            UsageError: there is no such answer, or no such verdict.
        """
        try:
            chosen = FeedbackVerdict(verdict)
        except ValueError as error:
            raise UsageError(f"{verdict!r} must be one of {', '.join(FeedbackVerdict)}") from error
        return self._engine.give_feedback.save_feedback(answer_id, chosen, note, _now())

    def evaluate(
        self, golden: str | Path, k: int = 10, *, name: str | None = None, unconfirmed: bool = False
    ) -> EvalRun:
        """Ask the questions of a golden set, and store what came out; `k` results of each search count.

        Raises:
            UsageError: the set cannot be read, or no question of it is confirmed.
        """
        asked = read_golden(absolute(Path(golden)))
        return self._engine.evaluation.evaluate.evaluate_set(
            asked, k, started_at=_now(), name=name, unconfirmed=unconfirmed
        )

    def context(self, question: str, project: str = "", *, smart: bool | None = None) -> Compiled:
        """The prompt that a new chat about the project would send, with its receipt; nothing is sent or kept.

        `smart` says whether other chats and projects are looked at; as Smart Context is switched when None.

        Raises:
            UsageError: no document belongs to the project.
        """
        return self._engine.conversations.context.compile_prompt(
            self._scope(project), question, smart=self._smart(smart)
        )

    def chat(
        self, text: str, project: str = "", *, name: str | None = None, smart: bool | None = None
    ) -> Replied:
        """Say something in the chat called `name`, or in a new one, and get the whole reply; both are kept.

        It is the language model's, or without one in sentences of the project's sources.

        Raises:
            UsageError: no document belongs to the project, or the text is empty.
        """
        check_message(text)
        conversations, scope, smart = self._engine.conversations, self._scope(project), self._smart(smart)
        begin = conversations.chats
        chat = begin.start(scope, _now()) if name is None else begin.named(scope, name, _now())
        for event in conversations.turn.send_message(chat, text, smart=smart):
            if isinstance(event, Replied):
                return event
        raise AssertionError("the last event must be the reply")

    def remember(self, text: str, project: str = "", importance: int | None = None) -> Memory | None:
        """Keep what you say, ending what it contradicts; None when nothing is left of it without secrets."""
        conversations = self._engine.conversations
        scope = replace(conversations.own_scope, project=project)
        return conversations.remember.tell(scope, text, importance)

    def memories(self, project: str | None = None) -> list[Memory]:
        """What holds, the oldest first, after the funnel has seen all messages."""
        conversations = self._engine.conversations
        conversations.remember.process_messages()
        return conversations.memories.of(self._engine.settings.user, project)

    def recall(self, query: str, limit: int = 6, project: str | None = None) -> list[RecalledMemory]:
        """The memories that fit a query, best first, after the funnel has seen all messages; of all projects
        unless one is named."""
        conversations = self._engine.conversations
        conversations.remember.process_messages()
        scope = conversations.scope(project or "")
        return conversations.recall_memories.search(scope, query, limit, everywhere=project is None)

    def forget(
        self, *memory_ids: int, include: Sequence[str] = (), exclude: Sequence[str] = ()
    ) -> ForgetReport:
        """Forget memories for good, with the messages that said them and every row that has their words.

        `include` and `exclude` are keys of the plan's rows, as `forget_plan` shows them: candidates that go
        too ("all" of them), and rows that stay.

        Raises:
            UsageError: there is no such memory, or no such row in the plan.
        """
        service = self._engine.conversations.forget
        plan = service.plan(self._engine.settings.user, memory_ids)
        return service.forget_memories(plan, include=include, exclude=exclude)

    def forget_plan(self, *memory_ids: int) -> ForgetPlan:
        """What forgetting these memories would take away, and what it would leave; nothing is done.

        Raises:
            UsageError: there is no such memory.
        """
        return self._engine.conversations.forget.plan(self._engine.settings.user, memory_ids)

    def decisions(
        self, *, projects: Sequence[str] = (), statuses: Sequence[str] = (), min_confidence: float = 0.0
    ) -> list[Decision]:
        """The decisions of these projects and statuses, or all, the newest first. `min_confidence`, from 0 to
        1, leaves out those that Bob is less sure of."""
        query = DecisionQuery(tuple(projects), tuple(statuses), min_confidence=min_confidence)
        return self._engine.knowledge.decisions.matching(query).decisions

    def verify(self, text: str, *, filters: Filters = NO_FILTERS) -> VerifiedText:
        """Every claim of a text in Markdown with its verdict by the sources."""
        return self._engine.verify_text.verify_text(text, filters=filters, today=_today())

    def health(self, *, projects: Sequence[str] = (), rules: Sequence[str] = ()) -> HealthReport:
        """What is wrong with what is known, what to do first, and every project's score."""
        return narrowed(self._engine.knowledge.check_health.check_health(_now()), projects, rules)

    def lint(self, *paths: str | Path) -> LintReport:
        """What is wrong with notes: files, and folders with all below them.

        Raises:
            UsageError: there is no such path, or it is no Markdown.
        """
        service = self._engine.knowledge.lint_notes
        return service.lint_notes([Path(path) for path in paths], service.rules(), _today())

    def lint_text(self, text: str, name: str = "note.md") -> LintReport:
        """The same for a text that is in no file; `name` may have a date."""
        service = self._engine.knowledge.lint_notes
        return service.run_text(text, name, service.rules(), _today())

    def new(
        self,
        kind: str,
        title: str = "",
        *,
        day: date | None = None,
        tags: Sequence[str] = (),
        into: str | Path | None = None,
        by_assistant: bool = False,
        write: bool = True,
        **fields: str,
    ) -> Captured:
        """Write a note from a template, and index it; `fields` are its own ones. Without `write` only say
        what it would be. What is `by_assistant` is found, and no answer quotes it.

        Raises:
            UsageError: no such kind, a field is missing or unknown, or the place is not allowed.
        """
        values = fields | ({"title": title} if title else {})
        folder = None if into is None else Path(into)
        writer: Writer | None = "assistant" if by_assistant else None
        request = NoteRequest(kind, day or _today(), values, tuple(tags), folder, writer)
        return self._engine.knowledge.capture.write_note(request, write=write)

    def _scope(self, project: str) -> Scope:
        conversations = self._engine.conversations
        return conversations.scope(conversations.chats.project(project) if project else "")

    def _smart(self, wanted: bool | None) -> bool:
        """Whether other chats and projects are looked at; the funnel then sees all messages first: a script
        has no worker beside it."""
        conversations = self._engine.conversations
        smart = conversations.smart_context.enabled if wanted is None else wanted
        if smart:
            conversations.remember.process_messages()
        return smart

    def status(self) -> dict[str, Any]:
        """What the index holds, what is pending, and what failed and why."""
        return self._engine.status.report()

    def close(self) -> None:
        """Give back the database."""
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _now() -> datetime:
    return datetime.now().astimezone()


def _today() -> date:
    return _now().date()
