"""Dated prices and rules: found by name and day, exact sums, and honest where nothing is known."""

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_memory import engine_over

import bob.llm
from bob.app import conversations
from bob.core.prompt import Usage
from bob.llm.prices import NOT_KNOWN, Cost, ModelPrices, Rates, cost, model_prices, prompt_rules, shown
from bob.llm.providers import PROVIDERS

TODAY = date(2026, 11, 22)
LIST = json.loads((Path(bob.llm.__file__).parent / "prices.json").read_text(encoding="utf-8"))
ROWS = [(name, row) for name, listed in LIST["providers"].items() for row in listed["models"]]


def test_the_list_has_a_date_and_the_providers_own_pages_as_sources():
    assert date.fromisoformat(LIST["looked_up"]) <= TODAY
    assert LIST["providers"].keys() == PROVIDERS.keys()
    for listed in LIST["providers"].values():
        assert len(listed["sources"]) == 2 and all(url.startswith("https://") for url in listed["sources"])
        assert listed["rules"][0]["begins"] == ""


@pytest.mark.parametrize(("provider", "row"), ROWS, ids=[row["model"] for _, row in ROWS])
def test_every_row_makes_sense(provider, row):
    on = date.fromisoformat(row.get("since", "2026-11-22"))
    prices = model_prices(provider, row["model"], on)
    assert prices.rates == Rates(
        *(Decimal(row[key]) for key in ("input", "output", "cache_write", "cache_read"))
    )
    for rates in filter(None, (prices.rates, prices.long_rates)):
        assert rates.cache_read < rates.input <= rates.cache_write < rates.output
    if prices.long_rates:
        assert prices.long_rates.input > prices.rates.input
        assert 0 < prices.long_over < prices.context_window
    assert prompt_rules(provider, row["model"]).minimum_tokens >= 512


@pytest.mark.parametrize(
    ("provider", "model", "of"),
    [
        ("anthropic", "claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("openai", "gpt-5.4-2026-03-05", "gpt-5.4"),
        ("openai", "gpt-5.6-sol", "gpt-5.6-sol"),
        ("gemini", "models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("gemini", "gemini-2.5-flash-001", "gemini-2.5-flash"),
    ],
)
def test_a_dated_name_costs_what_the_model_does(provider, model, of):
    assert model_prices(provider, model, TODAY) == model_prices(provider, of, TODAY) is not None


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-5.4-pro"),
        ("openai", "gpt-7"),
        ("openai", "gpt-5"),
        ("openai", "claude-opus-5"),
        ("anthropic", "claude-opus-5-6"),
        ("anthropic", "claude-opus"),
        ("gemini", "gemini-2.5-pro-preview-tts"),
        ("gemini", ""),
    ],
)
def test_another_model_is_not_taken_for_one_that_is_known(provider, model):
    assert model_prices(provider, model, TODAY) is None
    assert shown(cost(Usage(1, 1), None)) == NOT_KNOWN


def test_a_price_holds_as_long_as_it_was_announced():
    dated = [
        model_prices("gemini", "gemini-4-argon", date(2026, month, day)) for month, day in ((11, 30), (12, 1))
    ]
    assert [each.rates.input for each in dated] == [2, 4]
    assert model_prices("gemini", "gemini-3.8-flash", date(2026, 12, 31)) is not None
    assert model_prices("gemini", "gemini-3.8-flash", date(2027, 1, 1)) is None


def test_other_servers_have_no_price_and_keep_any_beginning():
    own, other = "https://eu.api.openai.com/v1", "http://localhost:11434/v1"
    assert model_prices("openai", "gpt-5.6", TODAY, own) == model_prices("openai", "gpt-5.6", TODAY)
    assert model_prices("openai", "gpt-5.6", TODAY, other) is None
    assert prompt_rules("openai", "gpt-5.6", own).breakpoints == "marked"
    elsewhere = prompt_rules("openai", "gpt-5.6", other)
    assert (elsewhere.breakpoints, elsewhere.minimum_tokens) == ("automatic", 1)


@pytest.mark.parametrize(
    ("provider", "model", "breakpoints", "minimum"),
    [
        ("anthropic", "claude-opus-5-5", "marked", 512),
        ("anthropic", "claude-opus-4-7", "marked", 2048),
        ("anthropic", "claude-haiku-4-5-20251001", "marked", 4096),
        ("anthropic", "claude-sonnet-5", "marked", 1024),
        ("openai", "gpt-5.5", "automatic", 1024),
        ("openai", "gpt-6.2-sol", "marked", 1024),
        ("openai", "gpt-7", "automatic", 1024),
        ("gemini", "gemini-2.5-pro", "created", 2048),
        ("gemini", "gemini-3.8-flash", "created", 4096),
        ("gemini", "gemini-4-argon", "automatic", 4096),
    ],
)
def test_the_longest_beginning_of_a_name_gives_the_rules(provider, model, breakpoints, minimum):
    rules = prompt_rules(provider, model)
    assert (rules.breakpoints, rules.minimum_tokens) == (breakpoints, minimum)


def test_a_cost_is_exact_and_the_saving_may_be_negative():
    opus = model_prices("anthropic", "claude-opus-5-5", TODAY)
    write = cost(Usage(100, 50, cache_write_tokens=10_000), opus)
    assert write == Cost(Decimal("0.0514"), Decimal("-0.01"))
    read = cost(Usage(100, 50, cache_read_tokens=10_000), opus)
    assert read == Cost(Decimal("0.0034"), Decimal("0.038"))
    assert write + read == Cost(Decimal("0.0548"), Decimal("0.028"))
    assert [shown(each) for each in (write.dollars, write.saved, Decimal("-1e-9"))] == [
        "$0.051400",
        "-$0.010000",
        "$0.000000",
    ]


def test_a_long_prompt_pays_more_for_all_of_it():
    haiku = model_prices("anthropic", "claude-haiku-5-5", TODAY)
    assert cost(Usage(40_000, 0, 0, 60_000), haiku).dollars == Decimal("0.0046")
    assert cost(Usage(40_001, 0, 0, 60_000), haiku).dollars == Decimal("0.0230005")


def test_without_tokens_there_is_no_cost():
    assert cost(None, model_prices("anthropic", "claude-opus-5-5", TODAY)) is None


AMOUNT = st.integers(0, 2_000_000)
RATE = st.decimals(0, 100, places=4)


@given(st.builds(Usage, AMOUNT, AMOUNT, AMOUNT, AMOUNT), st.builds(Rates, RATE, RATE, RATE, RATE))
def test_cost_and_saving_add_up_to_the_cost_without_a_cache(usage, rates):
    found = cost(usage, ModelPrices(rates, 1, TODAY, "https://example.org"))
    prompt = usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
    assert (
        found.dollars + found.saved == (prompt * rates.input + usage.output_tokens * rates.output) / 1_000_000
    )


def test_a_server_that_runs_over_midnight_goes_on_with_the_prices_of_the_day(tmp_path, monkeypatch):
    llm = {"provider": "gemini", "model": "gemini-4-argon", "api_key": "k"}
    engine = engine_over(tmp_path / "bob.db", llm=llm)
    predict, asked = engine.conversations.predict_cost, Usage(1_000_000, 0)
    for day, dollars in ((30, 2), (31, 4)):
        now = datetime(2026, 10, 31, tzinfo=UTC) + timedelta(days=day)
        monkeypatch.setattr(conversations, "_now", lambda now=now: now)
        assert predict.of(asked).dollars == dollars
    engine.close()
