"""What a prompt should find in the provider's cache and cost, before it is sent (SPEC H4, I2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from bob.conversations.context import Compiled
from bob.core.caching import CachedPrefix, PromptPart, PromptRules, cached_prefix
from bob.core.prompt import Usage
from bob.llm.prices import Cost, ModelPrices, cost


@dataclass(frozen=True, slots=True)
class Prediction:
    """`dollars` is for the prompt alone, `saved` what the cache should spare; both None without prices.

    `differs` names what is not as in the last prompt before the breakpoint: files where files changed.
    """

    prefix: CachedPrefix
    dollars: Decimal | None
    saved: Decimal | None
    differs: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "cache_read_tokens": self.prefix.read_tokens,
            "cache_write_tokens": self.prefix.write_tokens,
            "outcome": self.prefix.outcome,
            "dollars": None if self.dollars is None else str(self.dollars),
            "saved": None if self.saved is None else str(self.saved),
            "differs": list(self.differs),
        }


class PredictCost:
    """Predicts for one model; `prices` is None where they are not known."""

    def __init__(self, rules: PromptRules, prices: ModelPrices | None) -> None:
        self._rules = rules
        self._prices = prices

    def run(
        self, before: Mapping[str, Any] | None, compiled: Compiled, idle_seconds: float = 0.0
    ) -> Prediction:
        """`before` is the receipt of the prompt that was sent `idle_seconds` ago, None for a first one."""
        receipt = compiled.receipt()
        earlier = [] if before is None else parts_of(before)
        prefix = cached_prefix(earlier, parts_of(receipt), self._rules, idle_seconds)
        rest = compiled.tokens - prefix.read_tokens - prefix.write_tokens
        expected = cost(Usage(rest, 0, prefix.write_tokens, prefix.read_tokens), self._prices)
        return Prediction(
            prefix,
            None if expected is None else expected.dollars,
            None if expected is None else expected.saved,
            () if before is None else changed(before, receipt),
        )

    def of(self, usage: Usage | None) -> Cost | None:
        """What a request cost by the provider's own count."""
        return cost(usage, self._prices)


def parts_of(receipt: Mapping[str, Any]) -> list[PromptPart]:
    """A receipt's parts as the rules of caching see them."""
    system = [
        PromptPart(each["name"], each["sha256"], each["tokens"], each["cached"])
        for each in receipt["segments"]
    ]
    messages = [
        PromptPart(f"message {n} ({each['role']})", each["sha256"], each["tokens"], system=False)
        for n, each in enumerate(receipt["messages"], 1)
    ]
    return system + messages


def changed(before: Mapping[str, Any], receipt: Mapping[str, Any]) -> tuple[str, ...]:
    """What is otherwise in the project's segment than in an earlier receipt's: its files by name."""
    old = next((each for each in before["segments"] if each["name"] == "project"), None)
    new = receipt["segments"][0]
    if old is None or old["sha256"] == new["sha256"]:
        return ()
    was = {each["source"]: each["sha256"] for each in old["sources"]}
    now = {each["source"]: each["sha256"] for each in new["sources"]}
    differ = [f"{name} is new" for name in now if name not in was]
    differ += [f"{name} is gone" for name in was if name not in now]
    differ += [f"{name} changed" for name in now if name in was and was[name] != now[name]]
    return tuple(differ) or ("the name of the project or of the assistant changed",)
