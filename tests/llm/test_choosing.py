"""Which model the settings give, with which key, and what is told when they do not fit together."""

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from small_memory import engine_over

from bob.app import Engine
from bob.app.settings import LanguageModelSettings, load_settings
from bob.core.errors import LanguageModelError, SettingsError
from bob.core.prompt import Message, Prompt, Segment
from bob.llm.complete import ScriptedModel, complete
from bob.llm.providers import PROVIDERS

OWN = {name: each.base_url for name, each in PROVIDERS.items()}


@pytest.fixture
def load(tmp_path):
    def loaded(text, **environment):
        (tmp_path / "bob.yaml").write_text(text, encoding="utf-8")
        return load_settings(tmp_path / "bob.yaml", environment=environment, home=tmp_path / "home")

    return loaded


def test_without_a_setting_there_is_no_model(tmp_path):
    assert engine_over(tmp_path / "bob.db").llm is None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_settings_choose(load, provider):
    engine = Engine(load(f"llm: {{provider: {provider}, model: small, api_key: k}}").settings)
    assert engine.llm.name == f"{provider}:small"
    assert engine.llm is engine.llm


@pytest.mark.parametrize(
    ("provider", "variables", "key", "origin"),
    [
        ("openai", {"OPENAI_API_KEY": "one"}, "one", "environment OPENAI_API_KEY"),
        ("anthropic", {"ANTHROPIC_API_KEY": " two\n"}, "two", "environment ANTHROPIC_API_KEY"),
        ("gemini", {"GEMINI_API_KEY": "three"}, "three", "environment GEMINI_API_KEY"),
        (
            "gemini",
            {"GEMINI_API_KEY": "three", "GOOGLE_API_KEY": "four"},
            "four",
            "environment GOOGLE_API_KEY",
        ),
        ("gemini", {"GEMINI_API_KEY": "three", "GOOGLE_API_KEY": " "}, "three", "environment GEMINI_API_KEY"),
        (
            "openai",
            {"OPENAI_API_KEY": "one", "BOB_LLM__API_KEY": "own"},
            "own",
            "environment BOB_LLM__API_KEY",
        ),
    ],
)
def test_the_key_of_the_environment(load, provider, variables, key, origin):
    loaded = load(f"llm: {{provider: {provider}, model: small}}", **variables)
    assert loaded.settings.llm.api_key.get_secret_value() == key
    assert {row.key: row.origin for row in loaded.rows()}["llm.api_key"] == origin
    assert Engine(loaded.settings).llm.name == f"{provider}:small"


def test_without_a_provider_no_key_is_read(load):
    assert load("llm: {provider: none}", OPENAI_API_KEY="one").settings.llm.api_key is None


@pytest.mark.parametrize(
    "base_url",
    [
        "http://localhost:11434/v1",
        "http://api.openai.com/v1",
        "https://api.openai.com.example.org/v1",
        "https://notapi.openai.com/v1",
        "https://example.org/api.openai.com",
    ],
)
def test_the_key_of_the_environment_is_for_the_provider_alone(load, base_url):
    settings = load(
        f"llm: {{provider: openai, model: small, base_url: '{base_url}'}}", OPENAI_API_KEY="one"
    ).settings
    assert settings.llm.api_key is None
    assert Engine(settings).llm.name == "openai:small"
    chosen = load(
        f"llm: {{provider: openai, model: small, base_url: '{base_url}', api_key: own}}", OPENAI_API_KEY="one"
    )
    assert chosen.settings.llm.api_key.get_secret_value() == "own"


@pytest.mark.parametrize("base_url", ["https://api.openai.com/v1", "https://eu.api.openai.com/v1"])
def test_the_providers_own_address_may_be_spelled_out(load, base_url):
    loaded = load(f"llm: {{provider: openai, model: small, base_url: '{base_url}'}}", OPENAI_API_KEY="one")
    assert loaded.settings.llm.api_key.get_secret_value() == "one"


HOSTS = sorted(url.removeprefix("https://").partition("/")[0] for url in OWN.values())
ADDRESSES = st.lists(
    st.sampled_from([*HOSTS, "example.org", *"./@:#?\\[]% \t", "%2e", "1"]) | st.text(max_size=2), max_size=5
).map(lambda parts: "https://" + "".join(parts))


@given(st.sampled_from(sorted(PROVIDERS)), ADDRESSES)
def test_no_other_host_is_taken_for_the_providers_own(provider, address):
    try:
        LanguageModelSettings(base_url=address)
        asked = httpx2.URL(address).host
    except (ValidationError, httpx2.InvalidURL):
        return
    host = OWN[provider].removeprefix("https://").partition("/")[0]
    assert PROVIDERS[provider].owns(address) <= (asked == host or asked.endswith(f".{host}"))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_missing_key_is_told_when_the_model_is_wanted(load, provider):
    engine = Engine(load(f"llm: {{provider: {provider}, model: small}}").settings)
    with pytest.raises(SettingsError, match=rf"{provider} requires a key; set llm.api_key or G?\w+_API_KEY"):
        _ = engine.llm


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("llm: {provider: openai}", "llm: model is required when provider is not none"),
        ("llm: {provider: mistral, model: x}", "llm.provider"),
        ("llm: {provider: anthropic, model: x, temperature: 0}", "llm: temperature must be empty"),
        ("llm: {temperature: 3}", "llm.temperature"),
        ("llm: {max_tokens: 0}", "llm.max_tokens"),
        ("llm: {timeout_seconds: 0}", "llm.timeout_seconds"),
        ("llm: {modle: x}", "did you mean llm.model"),
        ("llm: {base_url: localhost:11434}", "llm.base_url: must be an address such as http://HOST"),
        ("llm: {base_url: 'ftp://localhost'}", "llm.base_url: must be"),
        ("llm: {base_url: 'http://'}", "llm.base_url: must be"),
        ("llm: {base_url: 'http://localhost:99999'}", "llm.base_url: must be"),
        ("llm: {base_url: 'http://[::1'}", "llm.base_url: must be"),
        ("llm: {base_url: 'https://me:hunter2@example.org'}", "llm.base_url: must be"),
        ("llm: {base_url: 'https://example.org/v1?key=hunter2'}", "llm.base_url: must be"),
    ],
)
def test_what_does_not_fit_is_told(load, tmp_path, text, said):
    with pytest.raises(SettingsError) as caught:
        load(text)
    assert said in str(caught.value) and str(tmp_path / "bob.yaml") in str(caught.value)
    assert "hunter2" not in str(caught.value)


QUESTION = Prompt((Segment("Be brief."),), (Message("user", "Why is that?"),), 50)


def test_the_scripted_model_answers_in_order_and_keeps_the_prompts():
    model = ScriptedModel(["Because of the rain.", LanguageModelError("scripted broke"), "And the wind."])
    first = complete(model, QUESTION)
    assert (first.text, first.reason) == ("Because of the rain.", "complete")
    assert (first.usage.input_tokens, first.usage.output_tokens) == (5, 4)
    with pytest.raises(LanguageModelError, match="scripted broke"):
        complete(model, QUESTION)
    assert complete(model, QUESTION).text == "And the wind."
    with pytest.raises(LanguageModelError, match="no replies left"):
        complete(model, QUESTION)
    assert model.prompts == [QUESTION] * 4


@given(st.text())
def test_scripted_pieces_add_up_to_the_reply(reply):
    pieces = list(ScriptedModel([reply]).stream(QUESTION))
    assert "".join(piece.text for piece in pieces[:-1]) == reply
    assert all(piece.text for piece in pieces[:-1])


@pytest.mark.parametrize(
    "made",
    [
        lambda: Prompt((), (), 50),
        lambda: Prompt((), (Message("user", "a"), Message("assistant", "b")), 50),
        lambda: Prompt((Segment("a", cached=True),) * 5, (Message("user", "a"),), 50),
        lambda: Prompt((Segment("a", cached=True),) * 3, (Message("user", "a", cached=True),) * 2, 50),
        lambda: Prompt((), (Message("user", "a"),), 0),
        lambda: Prompt((), (Message("user", "a"),), 50, cache_key=""),
        lambda: Prompt((), (Message("user", "a"),), 50, cache_key="k" * 65),
        lambda: Prompt((), (Message("user", "a"),), 50, cache_key="one\ntwo"),
        lambda: Message("user", ""),
        lambda: Segment(""),
    ],
)
def test_a_prompt_that_no_provider_takes_cannot_be_made(made):
    with pytest.raises(ValueError):
        made()
