"""What a request cost, and what the provider's cache saved: exact, in US dollars."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from bob.core.prompt import Usage
from bob.llm.prices import ModelPrices

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
