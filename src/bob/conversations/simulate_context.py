"""Replays turns of a chat and counts what providers' caches would keep of the prompts (SPEC H4).

Nothing is sent, and nothing is written: the chat and the memories that each turn adds live in this run only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from bob.conversations.compile_context import CompileContext, RecallMemories
from bob.conversations.context import Compiled, changed, digest, parts_of
from bob.core.caching import PromptPart, PromptRules, cached_prefix
from bob.core.conversation import Assessment, ChatMessage, Memory, Scope
from bob.core.errors import UsageError
from bob.core.prompt import Usage
from bob.documents.project_text import documents_of
from bob.llm.prices import ModelPrices, cost
from bob.storage.database import Database

_SECONDS_BETWEEN_TURNS = 60.0
_REMEMBERED = 6


@dataclass(frozen=True, slots=True)
class PricedModel:
    """A model to compute costs for; `prices` is None where they are not known."""

    provider: str
    model: str
    rules: PromptRules
    prices: ModelPrices | None


@dataclass(frozen=True, slots=True)
class CacheShare:
    """What one model's cache makes of the turns: the share of all prompt tokens that is read from it, and the
    dollars for all prompts in Bob's order, in the naive one (what is recalled first), and uncached."""

    model: PricedModel
    read_share: float
    naive_share: float
    dollars: Decimal | None
    naive_dollars: Decimal | None
    uncached_dollars: Decimal | None

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        amounts = (self.dollars, self.naive_dollars, self.uncached_dollars)
        named = zip(("dollars", "naive_dollars", "uncached_dollars"), amounts, strict=True)
        return {
            "provider": self.model.provider,
            "model": self.model.model,
            "read_share": round(self.read_share, 4),
            "naive_read_share": round(self.naive_share, 4),
        } | {name: None if amount is None else str(amount) for name, amount in named}


@dataclass(frozen=True, slots=True)
class Simulation:
    """How `turns` prompts in a row differ. `same` of the turns had the project's bytes exactly as on the
    first; `misses` says for each other turn what changed. Shares are of all prompt bytes and tokens; `digest`
    is that of all prompts, for comparing runs."""

    turns: int
    same: int
    project_tokens: int
    prompt_tokens: int
    prefix_bytes_share: float
    prefix_tokens_share: float
    memories_written: int
    shares: tuple[CacheShare, ...]
    misses: tuple[str, ...]
    digest: str

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "turns": self.turns,
            "turns_with_the_same_project_bytes": self.same,
            "project_tokens": self.project_tokens,
            "prompt_tokens": self.prompt_tokens,
            "prefix_bytes_share": round(self.prefix_bytes_share, 4),
            "prefix_tokens_share": round(self.prefix_tokens_share, 4),
            "memories_written": self.memories_written,
            "models": [share.to_json() for share in self.shares],
            "misses": list(self.misses),
            "sha256": self.digest,
        }


class SimulateContext:
    """Simulates chats; `context` compiles prompts with the given way to recall memories."""

    def __init__(
        self,
        database: Database,
        context: Callable[[RecallMemories], CompileContext],
        models: Sequence[PricedModel],
    ) -> None:
        self._database = database
        self._context = context
        self._models = models

    def simulate_turns(
        self,
        scope: Scope,
        turns: int,
        began: datetime,
        question: str | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Simulation:
        """Ask the question again and again, or one about each document in turn. Each turn is remembered, and
        recalled in the next ones. Raises UsageError: the project has no documents."""
        questions = [question] if question else self._questions(scope)
        written: list[Memory] = []
        context = self._context(lambda *_: written[: -_REMEMBERED - 1 : -1])
        history: list[ChatMessage] = []
        prompts: list[Compiled] = []
        for turn in range(turns):
            moment = began + timedelta(seconds=turn * _SECONDS_BETWEEN_TURNS)
            asked = questions[turn % len(questions)]
            prompts.append(context.compile_prompt(scope, asked, history=history, smart=True))
            summary = f"In turn {turn + 1} it was decided: {asked}"
            history.append(_said(len(history) + 1, "user", asked, summary, moment))
            history.append(
                _said(len(history) + 1, "assistant", f"{summary} That is settled.", summary, moment)
            )
            written.append(Memory(turn + 1, scope, None, summary, 50, "decision", moment))
            progress(turn + 1, turns)
        return self._counted(prompts, len(written))

    def _questions(self, scope: Scope) -> list[str]:
        """One about each document of the project, in the order of their names."""
        with self._database.read() as transaction:
            documents = documents_of(transaction, scope.project)
        if not documents:
            raise UsageError("a simulation requires a project with documents; use bob context --project NAME")
        return [f"What does {document.title} say?" for document in documents]

    def _counted(self, prompts: Sequence[Compiled], memories: int) -> Simulation:
        first = prompts[0].segments[0]
        same = [prompt.segments[0].text == first.text for prompt in prompts]
        unchanged = sum(same)
        sent = [prompt.system + "".join(turn.text for turn in prompt.turns) for prompt in prompts]
        tokens = sum(prompt.tokens for prompt in prompts)
        receipts = [prompt.receipt() for prompt in prompts]
        parts = [parts_of(receipt) for receipt in receipts]
        return Simulation(
            len(prompts),
            unchanged,
            first.tokens,
            tokens,
            prefix_bytes_share=unchanged * _bytes(first.text) / sum(map(_bytes, sent)),
            prefix_tokens_share=unchanged * first.tokens / tokens,
            memories_written=memories,
            shares=tuple(_share(model, parts) for model in self._models),
            misses=tuple(
                f"turn {n}: {', '.join(changed(receipts[0], receipt))}"
                for n, (kept_whole, receipt) in enumerate(zip(same, receipts, strict=True), 1)
                if not kept_whole
            ),
            digest=digest("\x1e".join(sent)),
        )


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _said(number: int, role: Any, text: str, summary: str, moment: datetime) -> ChatMessage:
    return ChatMessage(number, 1, role, text, moment, Assessment(50, summary, "decision", None))


def _share(model: PricedModel, prompts: Sequence[list[PromptPart]]) -> CacheShare:
    own, naive = _usages(model.rules, prompts), _usages(model.rules, [_naive(prompt) for prompt in prompts])
    uncached = [Usage(sum(part.tokens for part in prompt), 0) for prompt in prompts]
    total = sum(usage.input_tokens for usage in uncached)
    return CacheShare(
        model,
        sum(usage.cache_read_tokens for usage in own) / total,
        sum(usage.cache_read_tokens for usage in naive) / total,
        _dollars(own, model.prices),
        _dollars(naive, model.prices),
        _dollars(uncached, model.prices),
    )


def _naive(parts: Sequence[PromptPart]) -> list[PromptPart]:
    """The order in which memory is commonly injected: what was recalled first, the project after it, and one
    breakpoint after all of the system prompt."""
    system = [replace(part, breakpoint=False) for part in parts if part.system]
    ordered = [*system[1:], system[0]]
    ordered[-1] = replace(ordered[-1], breakpoint=True)
    return [*ordered, *(part for part in parts if not part.system)]


def _usages(rules: PromptRules, prompts: Sequence[list[PromptPart]]) -> list[Usage]:
    lines = []
    for earlier, parts in pairwise([[], *prompts]):
        prefix = cached_prefix(earlier, parts, rules, _SECONDS_BETWEEN_TURNS if earlier else 0)
        rest = sum(part.tokens for part in parts) - prefix.read_tokens - prefix.write_tokens
        lines.append(Usage(rest, 0, prefix.write_tokens, prefix.read_tokens))
    return lines


def _dollars(usages: Sequence[Usage], prices: ModelPrices | None) -> Decimal | None:
    costs = [cost(usage, prices) for usage in usages]
    return None if prices is None else sum((cost.dollars for cost in costs if cost), Decimal(0))
