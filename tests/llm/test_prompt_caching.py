"""What is sent so that a provider keeps the beginning of a prompt, and for an answer in JSON; to the byte."""

import json

import pytest
from model_server import MODELS, ModelServer, answer, endpoint, own_endpoint

from bob.core.prompt import Message, Prompt, Segment, Usage
from bob.llm.complete import complete
from bob.llm.openai import OpenAIModel

SCHEMA = {
    "type": "object",
    "properties": {"café": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["café", "age"],
    "additionalProperties": False,
}


@pytest.fixture
def server():
    made = ModelServer()
    yield made
    made.close()


def sent(server, model, prompt):
    """The body of the one request that the prompt takes."""
    server.requests.clear()
    server.script = [answer(model.name.partition(":")[0], ["x"])]
    complete(model, prompt)
    (request,) = server.requests
    return request.sent


def compact(body):
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


TALK = Prompt(
    (Segment("Rules é."), Segment("The project.", cached=True), Segment("Today's find.")),
    (
        Message("user", "Who?"),
        Message("assistant", "Bob.", cached=True),
        Message("user", "Why?", cached=True),
    ),
    50,
    cache_key="project-7",
)


def test_anthropic_gets_its_marks_after_segments_and_messages(server):
    model = MODELS["anthropic"](endpoint("anthropic", server.url), [].append)
    mark = {"cache_control": {"type": "ephemeral"}}
    body = {
        "max_tokens": 50,
        "messages": [
            {"role": "user", "content": "Who?"},
            {"role": "assistant", "content": [{"type": "text", "text": "Bob."} | mark]},
            {"role": "user", "content": [{"type": "text", "text": "Why?"} | mark]},
        ],
        "model": "small",
        "stream": True,
        "system": [
            {"type": "text", "text": "Rules é."},
            {"type": "text", "text": "The project."} | mark,
            {"type": "text", "text": "Today's find."},
        ],
    }
    assert sent(server, model, TALK) == compact(body)
    server.script = [answer("anthropic", ["x"])]
    assert complete(model, TALK).usage == Usage(10, 7, cache_write_tokens=30, cache_read_tokens=60)


def part(text, marked=False):
    mark = {"prompt_cache_breakpoint": {"mode": "explicit"}} if marked else {}
    return {"type": "text", "text": text} | mark


def test_openais_newer_models_get_marks_a_key_and_no_mark_of_their_own(server):
    model = OpenAIModel(own_endpoint("openai", server.url, "gpt-6-sol"), [].append)
    body = json.loads(sent(server, model, TALK))
    assert body == {
        "model": "gpt-6-sol",
        "messages": [
            {
                "role": "system",
                "content": [part("Rules é."), part("\n\nThe project.", True), part("\n\nToday's find.")],
            },
            {"role": "user", "content": "Who?"},
            {"role": "assistant", "content": [part("Bob.", True)]},
            {"role": "user", "content": [part("Why?", True)]},
        ],
        "max_completion_tokens": 50,
        "prompt_cache_key": "project-7",
        "prompt_cache_options": {"mode": "explicit"},
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_openais_newer_models_write_nothing_that_is_not_marked(server):
    model = OpenAIModel(own_endpoint("openai", server.url, "gpt-6-sol"), [].append)
    body = json.loads(sent(server, model, Prompt((), (Message("user", "Why?"),), 50)))
    assert body["prompt_cache_options"] == {"mode": "explicit"}
    assert "prompt_cache_breakpoint" not in str(body) and "prompt_cache_key" not in body


def test_openais_older_models_find_a_beginning_themselves_and_get_the_key(server):
    model = OpenAIModel(own_endpoint("openai", server.url, "gpt-5.4"), [].append)
    body = json.loads(sent(server, model, TALK))
    assert body["prompt_cache_key"] == "project-7" and body["max_completion_tokens"] == 50
    assert body["messages"][0]["content"] == "Rules é.\n\nThe project.\n\nToday's find."
    assert "prompt_cache_options" not in body and "breakpoint" not in str(body)


@pytest.mark.parametrize("provider", MODELS)
def test_no_other_server_gets_the_key(server, provider):
    model = MODELS[provider](endpoint(provider, server.url), [].append)
    body = sent(server, model, TALK)
    assert b"project-7" not in body and b"cache_key" not in body and b"prompt_cache" not in body


@pytest.mark.parametrize("provider", MODELS)
@pytest.mark.parametrize("own", [False, True])
def test_what_comes_before_a_breakpoint_is_the_same_bytes_from_call_to_call(server, provider, own):
    names = {"openai": "gpt-6-sol", "anthropic": "claude-opus-5-5", "gemini": "gemini-4-argon"}
    place = own_endpoint(provider, server.url, names[provider]) if own else endpoint(provider, server.url)
    model = MODELS[provider](place, [].append)
    later = Prompt(
        (*TALK.system[:2], Segment("Another find."), Segment("And one more.")),
        (*TALK.messages[:2], Message("user", "When?"), Message("assistant", "Soon."), Message("user", "So?")),
        50,
        cache_key="project-7",
    )
    first, again, second = (sent(server, model, prompt) for prompt in (TALK, TALK, later))
    assert first == again
    at = first.index(b"The project.") + len("The project.")
    start = max(first.rindex(mark, 0, at) for mark in (b'"system', b'"messages"') if mark in first[:at])
    kept = first[start:at]
    assert b"Rules " in kept and kept in second


@pytest.mark.parametrize(
    ("provider", "field", "expected"),
    [
        (
            "openai",
            "response_format",
            {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
            },
        ),
        ("anthropic", "output_config", {"format": {"type": "json_schema", "schema": SCHEMA}}),
        (
            "gemini",
            "generationConfig",
            {"maxOutputTokens": 50, "responseMimeType": "application/json", "responseJsonSchema": SCHEMA},
        ),
    ],
)
def test_an_answer_in_json_is_asked_for_with_its_schema(server, provider, field, expected):
    model = MODELS[provider](endpoint(provider, server.url), [].append)
    question = (Message("user", "Who?"),)
    plain = json.loads(sent(server, model, Prompt((), question, 50)))
    body = sent(server, model, Prompt((), question, 50, json_schema=SCHEMA))
    assert json.loads(body)[field] == expected
    assert json.loads(body) == plain | {field: expected}
    assert body.index(b'"caf') < body.index(b'"age"'), "the order of properties is the caller's"
