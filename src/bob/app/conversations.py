"""Chats, their prompts and what is remembered of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

from bob.app.settings import Settings
from bob.core.conversation import Scope

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from bob.app.parts import Parts
    from bob.conversations.agent_context import AgentContext
    from bob.conversations.chat import ChatTurn
    from bob.conversations.chats import Conversations as ConversationsService
    from bob.conversations.chats import DeleteChat
    from bob.conversations.compile_context import CompileContext
    from bob.conversations.compile_context import RecallMemories as Recalling
    from bob.conversations.context import PredictCost
    from bob.conversations.forget import Forget
    from bob.conversations.judge import Funnel
    from bob.conversations.memories import Memories
    from bob.conversations.proxy import ProxyTurn
    from bob.conversations.recall_memories import RecallMemories
    from bob.conversations.remember import Remember
    from bob.conversations.search_chats import SearchChats
    from bob.conversations.simulate_context import SimulateContext
    from bob.conversations.system_prompt import SmartContext
    from bob.conversations.transcript import ImportTranscript
    from bob.llm.prices import ModelPrices
    from bob.search.message_features import FeatureBuilder
    from bob.storage.worker import Stopped, Turn

_UNKNOWN_WINDOW = 16_384
"""Tokens that a model of which nothing is known is taken to read: what local servers commonly set up."""


_EXAMPLES = {"anthropic": "claude-sonnet-5", "openai": "gpt-5.4", "gemini": "gemini-3.5-flash"}
"""A model of each provider, for simulations where the settings name none."""


class Conversations:
    """The services of chats, over an engine's parts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @cached_property
    def own_scope(self) -> Scope:
        """The user of the settings, outside all projects."""
        return Scope(self._parts.settings.organization, self._parts.settings.user)

    def scope(self, project: str = "", user: str | None = None) -> Scope:
        """A user, by default that of the settings, and a project."""
        return replace(self.own_scope, project=project, user_id=user or self.own_scope.user_id)

    @cached_property
    def chats(self) -> ConversationsService:
        """Starts, finds and lists chats."""
        from bob.conversations.chats import Conversations as ConversationsService

        return ConversationsService(self._parts.database)

    @cached_property
    def smart_context(self) -> SmartContext:
        """The switch of the user of the settings."""
        return self.smart_context_of(self._parts.settings.user)

    def smart_context_of(self, user: str) -> SmartContext:
        """The switch of a user."""
        from bob.conversations.system_prompt import SmartContext

        local = str(Settings.model_fields["user"].default)
        return SmartContext(self._parts.database, user, local)

    @cached_property
    def context(self) -> CompileContext:
        """Compiles prompts."""
        return self._context_with(self.recall_memories.for_prompt)

    def _context_with(self, recall: Recalling) -> CompileContext:
        from bob.conversations.compile_context import CompileContext, ContextOptions

        settings = self._parts.settings
        chosen, llm = settings.context, settings.llm
        options = ContextOptions(
            chosen.assistant,
            chosen.locale,
            chosen.project_tokens,
            chosen.inspiration_tokens,
            chosen.similarity,
            chosen.recent_messages,
            chosen.earlier_importance,
            window=self._window(),
            reply_tokens=llm.max_tokens,
        )
        return CompileContext(self._parts.database, lambda: self._parts.search, recall, options)

    def _window(self) -> int | None:
        llm = self._parts.settings.llm
        if llm.provider == "none":
            return None
        prices = self._prices()
        return llm.context_tokens or (prices.context_window if prices else _UNKNOWN_WINDOW)

    def _prices(self) -> ModelPrices | None:
        """Those of today: a server runs for longer than they hold."""
        from bob.llm.prices import model_prices

        llm = self._parts.settings.llm
        if llm.provider == "none":
            return None
        return model_prices(llm.provider, llm.model or "", _now().date(), llm.base_url)

    @cached_property
    def predict_cost(self) -> PredictCost | None:
        """Predicts what prompts cost; None without a language model."""
        from bob.conversations.context import PredictCost
        from bob.llm.prices import prompt_rules

        llm = self._parts.settings.llm
        if llm.provider == "none":
            return None
        return PredictCost(prompt_rules(llm.provider, llm.model or "", llm.base_url), self._prices)

    @cached_property
    def brief_agent(self) -> AgentContext:
        """Tells coding agents what is known."""
        from bob.conversations.agent_context import AgentContext

        similarity = self._parts.settings.context.memory_similarity
        return AgentContext(self._parts.database, self.context, self.recall_memories, similarity)

    @cached_property
    def _features(self) -> FeatureBuilder:
        from bob.search.message_features import FeatureBuilder

        return FeatureBuilder(self._parts.shipped_model)

    @cached_property
    def recall_memories(self) -> RecallMemories:
        """Finds memories."""
        from bob.conversations.recall_memories import Recall, RecallMemories

        context = self._parts.settings.context
        return RecallMemories(
            self._parts.database,
            self._features,
            Recall(self._parts.shipped_model),
            limit=context.memories,
            last_chats=context.memory_chats,
            similarity=context.memory_similarity,
        )

    @cached_property
    def search_chats(self) -> SearchChats:
        """Finds messages."""
        from bob.conversations.recall_memories import Recall
        from bob.conversations.search_chats import SearchChats

        settings, model = self._parts.settings, self._parts.shipped_model
        similarity = settings.context.memory_similarity
        database = self._parts.database
        return SearchChats(database, self._features, Recall(model), similarity)

    @cached_property
    def take_transcript(self) -> ImportTranscript:
        """Keeps conversations that were had elsewhere."""
        from bob.conversations.transcript import ImportTranscript

        return ImportTranscript(self._parts.database, _now)

    @cached_property
    def remember(self) -> Remember:
        """Makes memories of messages."""
        from bob.conversations.remember import Remember

        clock = partial(datetime.now, UTC)
        # Made for the first message: the language model of the settings may be without a key.
        return Remember(self._parts.database, cache(self._funnel), self._features, clock)

    def remembering(self) -> AbstractContextManager[None]:
        """Makes memories in the background, as long as its block lasts."""
        from bob.conversations.rows import REMEMBER
        from bob.storage.worker import Worker

        organization = self._parts.settings.organization
        own = {REMEMBER: self.remember_turn}
        worker = Worker(self._parts.database, lambda _: own, lambda: _now().timestamp(), organization)
        return worker.beside()

    def remember_turn(self, stopped: Stopped) -> Turn:
        """A worker's turn at the messages that wait."""
        from bob.storage.worker import Turn

        report = self.remember.process_messages(stopped=stopped)
        return Turn(report.messages, report.error)

    def _funnel(self) -> Funnel:
        from bob.conversations.judge import Funnel, RulesJudge
        from bob.conversations.llm_judge import LanguageModelJudge

        rules = RulesJudge(self._parts.shipped_model)
        chosen, llm = self._parts.settings.memory, self._parts.llm
        if chosen.judge == "rules" or llm is None:
            return Funnel(chosen.words, rules)
        return Funnel(chosen.words, LanguageModelJudge(llm, rules))

    @cached_property
    def memories(self) -> Memories:
        """Lists, edits, pins, exports and imports memories."""
        from bob.conversations.memories import Memories

        return Memories(self._parts.database)

    @cached_property
    def forget(self) -> Forget:
        """Forgets memories."""
        from bob.app.private_places import files_beside, uploaded_files
        from bob.conversations.forget import Forget
        from bob.conversations.timeline import Timeline

        database, settings = self._parts.database, self._parts.settings
        timeline = Timeline(settings.organization, self._features)
        return Forget(
            database,
            timeline,
            lambda: files_beside(settings, database),
            lambda: uploaded_files(settings),
        )

    @cached_property
    def delete_chat(self) -> DeleteChat:
        """Deletes chats."""
        from bob.conversations.chats import DeleteChat

        return DeleteChat(self._parts.database)

    @property
    def simulate(self) -> SimulateContext:
        """Replays chats, for the model of the settings or for one of each provider."""
        from bob.conversations.simulate_context import PricedModel, SimulateContext
        from bob.llm.prices import model_prices, prompt_rules

        llm = self._parts.settings.llm
        models = list(_EXAMPLES.items())
        base_url = None
        if llm.provider != "none":
            models, base_url = [(llm.provider, llm.model or "")], llm.base_url
        today = _now().date()
        priced = [
            PricedModel(
                provider,
                model,
                prompt_rules(provider, model, base_url),
                model_prices(provider, model, today, base_url),
            )
            for provider, model in models
        ]
        return SimulateContext(self._parts.database, self._context_with, priced)

    @cached_property
    def turn(self) -> ChatTurn:
        """Answers messages."""
        from bob.conversations.chat import ChatTurn

        llm = self._parts.settings.llm
        return ChatTurn(
            self._parts.database,
            self.context,
            self._parts.llm,
            lambda: self._parts.ask,
            self.predict_cost,
            (lambda: self._parts.verify_text) if self._parts.settings.context.check_replies else None,
            max_tokens=llm.max_tokens,
            temperature=llm.temperature,
            clock=_now,
        )

    @cached_property
    def proxy(self) -> ProxyTurn:
        """Answers requests whose client keeps the conversation. Raises SettingsError: a key is missing."""
        from bob.conversations.proxy import ProxyTurn
        from bob.llm.choose import endpoint_of
        from bob.llm.forward import Forward

        llm = self._parts.settings.llm
        forward = None
        if llm.provider == "openai":
            place = endpoint_of(llm.provider, llm.model or "", llm.base_url, llm.api_key, llm.timeout_seconds)
            forward = Forward(place)
        return ProxyTurn(
            self._parts.database,
            self.context,
            forward,
            None if forward else self._parts.llm,
            lambda: self._parts.ask,
            max_tokens=llm.max_tokens,
            temperature=llm.temperature,
            clock=_now,
        )


def _now() -> datetime:
    return datetime.now().astimezone()
