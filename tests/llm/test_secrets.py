"""The key goes to the server and nowhere else: not into logs, errors, objects or settings that are shown."""

import logging
import traceback

import pytest
from model_server import MODELS, ModelServer, Reply, answer, endpoint, refusal
from pydantic import SecretStr

from bob.app.settings import load_settings
from bob.core.errors import LanguageModelError, SettingsError
from bob.core.prompt import Message, Prompt
from bob.llm.complete import complete
from bob.llm.failure import Failure, explained

KEY = "sk-very-secret-key"
QUESTION = Prompt((), (Message("user", "Why?"),), 50)


@pytest.fixture
def server():
    made = ModelServer()
    yield made
    made.close()


def unfriendly(provider):
    """Every way to fail, each with the key in the server's words where it has words."""
    yield refusal(provider, 401, f"Incorrect API key provided: {KEY}. Find yours at example.org.")
    yield refusal(provider, 404, f"{'x' * 290} {KEY}")
    yield Reply(400, {"Content-Type": "text/html"}, [f"<html>{KEY}".encode()])
    yield Reply(307, {"Location": "http://127.0.0.1:9/"})
    yield Reply(parts=[f"data: {KEY}\n\n".encode(), f"event: message_start\ndata: {KEY}\n\n".encode()])
    yield Reply(end="silent")
    yield answer(provider, ["Because "], end="cut")
    yield answer(provider, ["Because"])


@pytest.mark.parametrize("provider", MODELS)
def test_logs_errors_and_objects_do_not_have_the_key(provider, server, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "anthropic", "google_genai", "httpx2", "httpcore2"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.DEBUG)
    model = MODELS[provider](endpoint(provider, server.url, SecretStr(KEY), 2), [].append)
    server.script = list(unfriendly(provider))
    failures = []
    while server.script:
        try:
            complete(model, QUESTION)
        except LanguageModelError as error:
            failures.append(error)
    assert len(failures) == 7 and len(caplog.records) > 20
    assert all(KEY in str(request.headers) for request in server.requests), "else the test proves nothing"
    told = [str(error) + repr(error) + "".join(traceback.format_exception(error)) for error in failures]
    assert not [text for text in told if "very-secret" in text]
    logged = [caplog.handler.format(record) for record in caplog.records]
    logged += [repr(record.__dict__) for record in caplog.records]
    assert not [text for text in logged if "very-secret" in text]
    assert "very-secret" not in repr(model) + repr(vars(model)) + repr(vars(model)["_endpoint"])


def test_a_key_that_is_cut_by_the_limit_of_a_quotation_is_hidden_first():
    place = endpoint("openai", "http://127.0.0.1:9", SecretStr(KEY))
    for start in range(270, 310):
        assert "sk-" not in explained(Failure("status", f"{'x' * start}{KEY}", 400), place)


@pytest.mark.parametrize("key", ["sk-secret\nX: y", "sk-secret\N{EN DASH}", "sk secret"])
def test_a_key_that_cannot_be_sent_is_not_shown(key):
    with pytest.raises(SettingsError, match=r"llm\.api_key") as caught:
        endpoint("openai", "http://127.0.0.1:9", SecretStr(key))
    assert "secret" not in str(caught.value)


def test_settings_that_are_shown_do_not_have_the_key(tmp_path):
    loaded = load_settings(
        environment={"OPENAI_API_KEY": KEY, "BOB_LLM__PROVIDER": "openai", "BOB_LLM__MODEL": "small"},
        home=tmp_path,
        folder=tmp_path,
    )
    assert loaded.settings.llm.api_key.get_secret_value() == KEY
    assert (
        "very-secret" not in repr(loaded.rows()) + repr(loaded.settings) + loaded.settings.model_dump_json()
    )
