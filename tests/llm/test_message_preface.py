"""What stands before a question in the same message: the user's for each provider, marked if it is cached."""

import json

import pytest
from model_server import MODELS, ModelServer, answer, endpoint, own_endpoint

from bob.core.prompt import Message, Prompt, Segment
from bob.llm.complete import complete
from bob.llm.openai import OpenAIModel

ASKED = Prompt(
    (Segment("Rules."),),
    (Message("user", "Why?", preface=(Segment("The sources \ud800.", cached=True),)),),
    50,
)


@pytest.fixture
def server():
    made = ModelServer()
    yield made
    made.close()


def sent(server, model):
    server.requests.clear()
    server.script = [answer(model.name.partition(":")[0], ["x"])]
    complete(model, ASKED)
    (request,) = server.requests
    return json.loads(request.sent)


def test_anthropic_gets_one_message_of_two_blocks(server):
    body = sent(server, MODELS["anthropic"](endpoint("anthropic", server.url), [].append))
    mark = {"cache_control": {"type": "ephemeral"}}
    blocks = [{"type": "text", "text": "The sources ?."} | mark, {"type": "text", "text": "Why?"}]
    assert body["messages"] == [{"role": "user", "content": blocks}]
    assert body["system"] == [{"type": "text", "text": "Rules."}]


def test_servers_that_take_no_marks_get_one_text(server):
    body = sent(server, OpenAIModel(endpoint("openai", server.url), [].append))
    assert body["messages"] == [
        {"role": "system", "content": "Rules."},
        {"role": "user", "content": "The sources ?.\n\nWhy?"},
    ]


def test_openais_newer_models_get_the_mark_after_it(server):
    body = sent(server, OpenAIModel(own_endpoint("openai", server.url, "gpt-6-sol"), [].append))
    first, second = body["messages"][1]["content"]
    assert first["text"] == "The sources ?." and "prompt_cache_breakpoint" in first
    assert second == {"type": "text", "text": "\n\nWhy?"}


def test_gemini_gets_one_content_of_two_parts(server):
    body = sent(server, MODELS["gemini"](endpoint("gemini", server.url), [].append))
    assert body["contents"] == [{"role": "user", "parts": [{"text": "The sources ?."}, {"text": "Why?"}]}]


def test_a_preface_counts_among_the_breakpoints():
    cached = Segment("x", cached=True)
    assert ASKED.breakpoints == 1
    with pytest.raises(ValueError, match="at most 4"):
        Prompt((cached,) * 3, (Message("user", "Why?", preface=(cached, cached)),), 50)
