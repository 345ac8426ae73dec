"""What models cost and how their providers cache, from `prices.json`, which has its date and sources."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from bob.core.caching import PromptRules
from bob.core.prompt import Usage
from bob.llm.providers import PROVIDERS

_SNAPSHOT = re.compile(r"(-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{3}|-latest)?")
"""What may follow the name of a model that is listed. Anything else, such as -pro, is another model."""

_OTHER_SERVER = PromptRules("automatic", minimum_tokens=1)
"""llama.cpp and its like keep what they have computed for the last prompts, whatever its length."""


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars per million tokens."""

    input: Decimal
    output: Decimal
    cache_write: Decimal
    cache_read: Decimal


@dataclass(frozen=True, slots=True)
class ModelPrices:
    """What a model costs. A prompt of more than `long_over` tokens pays `long_rates` for the whole request.

    `context_window` counts prompt and answer together, in tokens. `looked_up` is the day on which all this
    was read at `source`.
    """

    rates: Rates
    context_window: int
    looked_up: date
    source: str
    long_over: int | None = None
    long_rates: Rates | None = None

    def rates_for(self, prompt_tokens: int) -> Rates:
        """The rates for a request whose prompt is this long."""
        if self.long_rates is None or self.long_over is None or prompt_tokens <= self.long_over:
            return self.rates
        return self.long_rates


def model_prices(provider: str, model: str, on: date, base_url: str | None = None) -> ModelPrices | None:
    """What a model costs on a day; None when that is not known, as for every server that is not the
    provider's own. A dated name (`claude-opus-5-20260724`) costs what the model does."""
    if not _own(provider, base_url):
        return None
    data = _data()
    listed = data["providers"][provider]
    name = model.removeprefix("models/")
    for row in listed["models"]:
        begins = row["model"]
        if not (name.startswith(begins) and _SNAPSHOT.fullmatch(name, len(begins))):
            continue
        if not row.get("since", "0") <= on.isoformat() <= row.get("until", "9"):
            continue
        above = row.get("long_prompt")
        return ModelPrices(
            _rates(row),
            row["context_window"],
            date.fromisoformat(data["looked_up"]),
            listed["sources"][0],
            above and above["over_tokens"],
            above and _rates(above),
        )
    return None


def prompt_rules(provider: str, model: str, base_url: str | None = None) -> PromptRules:
    """How prompts for a model are cached: by the longest beginning of its name that is listed."""
    if not _own(provider, base_url):
        return _OTHER_SERVER
    name = model.removeprefix("models/")
    rows = [row for row in _data()["providers"][provider]["rules"] if name.startswith(row["begins"])]
    chosen = max(rows, key=lambda row: len(row["begins"]))
    return PromptRules(**{key: value for key, value in chosen.items() if key != "begins"})


def _own(provider: str, base_url: str | None) -> bool:
    return base_url is None or PROVIDERS[provider].owns(base_url)


def _rates(row: Mapping[str, str]) -> Rates:
    return Rates(*(Decimal(row[name]) for name in ("input", "output", "cache_write", "cache_read")))


@cache
def _data() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(files("bob.llm").joinpath("prices.json").read_text(encoding="utf-8"))
    return loaded


NOT_KNOWN = "price not known"

_PER = Decimal(1_000_000)
_SHOWN = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars. `saved` is what the same request would have cost more without a cache: less than zero when
    more was paid to write the cache than reading it gave back."""

    dollars: Decimal
    saved: Decimal

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.dollars + other.dollars, self.saved + other.saved)


def cost(usage: Usage | None, prices: ModelPrices | None) -> Cost | None:
    """The cost of one request, or None when its tokens or the model's prices are not known."""
    if usage is None or prices is None:
        return None
    cached = usage.cache_write_tokens + usage.cache_read_tokens
    rates = prices.rates_for(usage.input_tokens + cached)
    through_cache = usage.cache_write_tokens * rates.cache_write + usage.cache_read_tokens * rates.cache_read
    rest = usage.input_tokens * rates.input + usage.output_tokens * rates.output
    return Cost((rest + through_cache) / _PER, (cached * rates.input - through_cache) / _PER)


def shown(dollars: Decimal | None) -> str:
    """Dollars for people, to a millionth: `$0.012300`, `-$0.000025`, or that the price is not known."""
    if dollars is None:
        return NOT_KNOWN
    rounded = dollars.quantize(_SHOWN)
    return f"{'-' if rounded < 0 else ''}${abs(rounded)}"
