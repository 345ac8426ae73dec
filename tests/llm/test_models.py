"""Every model against a real server on loopback: what is sent, what comes back, what goes wrong."""

import re
import sys

import pytest
from model_server import (
    ENDS,
    EVENTS,
    JSON,
    KEY_HEADERS,
    MODELS,
    PATHS,
    WIRE,
    ModelServer,
    Reply,
    answer,
    endpoint,
    event,
    openai_chunk,
    refusal,
)
from pydantic import SecretStr

from bob.core.errors import LanguageModelError, MissingExtraError
from bob.core.prompt import Completion, Finished, Message, Prompt, Segment, TextPiece, Usage
from bob.llm.complete import complete

KEY = "sk-very-secret-key"
USAGES = {
    "openai": Usage(40, 7, 0, 60),
    "anthropic": Usage(10, 7, 30, 60),
    "gemini": Usage(40, 7, 0, 60),
}
QUESTION = Prompt((), (Message("user", "Why?"),), 50)


@pytest.fixture
def server():
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def pauses():
    return []


@pytest.fixture(params=MODELS)
def provider(request):
    return request.param


@pytest.fixture
def model(provider, server, pauses):
    return MODELS[provider](endpoint(provider, server.url, SecretStr(KEY)), pauses.append)


def failing(model, prompt=QUESTION):
    with pytest.raises(LanguageModelError) as caught:
        complete(model, prompt)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert model.name in str(caught.value)
    return str(caught.value)


CONVERSATION = Prompt(
    (Segment("You are Bob."), Segment("The project: naïve €.", cached=True), Segment("Be brief.")),
    (Message("user", "Who?"), Message("assistant", "Bob."), Message("user", "Why?")),
    50,
    0.5,
)
BODIES = {
    "openai": {
        "model": "small",
        "messages": [
            {"role": "system", "content": "You are Bob.\n\nThe project: naïve €.\n\nBe brief."},
            {"role": "user", "content": "Who?"},
            {"role": "assistant", "content": "Bob."},
            {"role": "user", "content": "Why?"},
        ],
        "max_tokens": 50,
        "temperature": 0.5,
        "stream": True,
        "stream_options": {"include_usage": True},
    },
    "anthropic": {
        "model": "small",
        "system": [
            {"type": "text", "text": "You are Bob."},
            {"type": "text", "text": "The project: naïve €.", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "Be brief."},
        ],
        "messages": [
            {"role": "user", "content": "Who?"},
            {"role": "assistant", "content": "Bob."},
            {"role": "user", "content": "Why?"},
        ],
        "max_tokens": 50,
        "stream": True,
    },
    "gemini": {
        "systemInstruction": {
            "parts": [{"text": "You are Bob."}, {"text": "The project: naïve €."}, {"text": "Be brief."}],
        },
        "contents": [
            {"role": "user", "parts": [{"text": "Who?"}]},
            {"role": "model", "parts": [{"text": "Bob."}]},
            {"role": "user", "parts": [{"text": "Why?"}]},
        ],
        "generationConfig": {"maxOutputTokens": 50, "temperature": 0.5},
    },
}
SHORT_BODIES = {
    "openai": {
        "model": "small",
        "messages": [{"role": "user", "content": "Why?"}],
        "max_tokens": 50,
        "stream": True,
        "stream_options": {"include_usage": True},
    },
    "anthropic": {
        "model": "small",
        "messages": [{"role": "user", "content": "Why?"}],
        "max_tokens": 50,
        "stream": True,
    },
    "gemini": {
        "contents": [{"role": "user", "parts": [{"text": "Why?"}]}],
        "generationConfig": {"maxOutputTokens": 50},
    },
}


def test_the_request_is_exactly_this(provider, server, model):
    server.script = [answer(provider, ["Because."])]
    complete(model, CONVERSATION)
    (request,) = server.requests
    assert request.path == PATHS[provider]
    assert request.body == BODIES[provider]
    headers = {name.lower(): value for name, value in request.headers.items()}
    prefix = "" if provider == "gemini" else "Bearer "
    assert headers.pop(KEY_HEADERS[provider].lower()) == f"{prefix}{KEY}"
    assert headers.pop("content-type") == "application/json"
    assert headers.pop("host") == server.url.removeprefix("http://")
    assert bool(headers.pop("anthropic-version", None)) == (provider == "anthropic")
    assert headers.keys() == {"accept", "accept-encoding", "connection", "content-length", "user-agent"}


def test_what_is_not_set_is_not_sent(provider, server, model):
    server.script = [answer(provider, ["Because."])]
    complete(model, QUESTION)
    assert server.requests[0].body == SHORT_BODIES[provider]


def test_the_text_comes_in_pieces(provider, server, model):
    server.script = [answer(provider, ["Be", "cau", "se: naïve €."])]
    pieces = list(model.stream(QUESTION))
    assert pieces == [
        TextPiece("Be"),
        TextPiece("cau"),
        TextPiece("se: naïve €."),
        Finished("complete", USAGES[provider]),
    ]


def test_the_same_prompt_is_sent_in_the_same_bytes_and_a_longer_one_keeps_its_beginning(
    provider, server, model
):
    longer = Prompt(
        CONVERSATION.system,
        (*CONVERSATION.messages, Message("assistant", "Because."), Message("user", "And?")),
        50,
        0.5,
    )
    server.script = [answer(provider, ["x"]) for _ in range(3)]
    for prompt in (CONVERSATION, CONVERSATION, longer):
        complete(model, prompt)
    first, second, third = (request.body for request in server.requests)
    assert list(first) == list(second) and first == second
    turns = "contents" if provider == "gemini" else "messages"
    assert third[turns][: len(first[turns])] == first[turns]
    assert {**third, turns: None} == {**first, turns: None}


@pytest.mark.parametrize(
    ("provider", "given", "reason"),
    [
        ("openai", "length", "length"),
        ("openai", "content_filter", "refused"),
        ("openai", "tool_calls", "other"),
        ("anthropic", "stop_sequence", "complete"),
        ("anthropic", "max_tokens", "length"),
        ("anthropic", "model_context_window_exceeded", "length"),
        ("anthropic", "refusal", "refused"),
        ("anthropic", "pause_turn", "other"),
        ("gemini", "MAX_TOKENS", "length"),
        ("gemini", "SAFETY", "refused"),
        ("gemini", "PROHIBITED_CONTENT", "refused"),
        ("gemini", "OTHER", "other"),
    ],
)
def test_why_it_stopped(provider, server, model, given, reason):
    server.script = [Reply(parts=[*WIRE[provider](["a"]), *ENDS[provider](given)])]
    assert complete(model, QUESTION) == Completion("a", reason, USAGES[provider])


@pytest.mark.parametrize("provider", ["openai"])
def test_what_a_model_declines_in_a_field_of_its_own_is_refused(server, model):
    declined = openai_chunk([{"index": 0, "delta": {"refusal": "I cannot help."}, "finish_reason": None}])
    server.script = [Reply(parts=[declined, *ENDS["openai"]("stop")])]
    assert complete(model, QUESTION) == Completion("", "refused", USAGES["openai"])


@pytest.mark.parametrize("provider", ["gemini"])
def test_a_blocked_prompt_is_refused(server, model):
    server.script = [Reply(parts=[event({"promptFeedback": {"blockReason": "SAFETY"}})])]
    assert complete(model, QUESTION) == Completion("", "refused", None)


@pytest.mark.parametrize("provider", ["gemini"])
def test_thoughts_are_no_answer(server, model):
    parts = [{"text": "Hm.", "thought": True}, {"text": "Yes."}]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    server.script = [Reply(parts=[event({"candidates": [candidate]})])]
    assert complete(model, QUESTION) == Completion("Yes.", "complete", None)


@pytest.mark.parametrize("provider", ["openai"])
def test_a_server_may_keep_its_counts_to_itself(server, model):
    last = list(ENDS["openai"]())
    server.script = [Reply(parts=[*WIRE["openai"](["a"]), last[0], last[-1]])]
    assert complete(model, QUESTION) == Completion("a", "complete", None)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_without_a_key_no_key_is_sent(provider, server, pauses, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, KEY)
    server.script = [answer(provider, ["a"])]
    complete(MODELS[provider](endpoint(provider, server.url), pauses.append), QUESTION)
    assert KEY not in str(server.requests[0].headers)
    assert "authorization" not in {name.lower() for name in server.requests[0].headers}


def test_nothing_of_the_environment_is_sent(provider, server, model, monkeypatch, caplog):
    for name in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{name}_CUSTOM_HEADERS", "X-From-Environment: stray-value")
        monkeypatch.setenv(f"{name}_BASE_URL", "http://127.0.0.1:9")
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "stray-value")
    for name in ("GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_GENAI_API_VERSION"):
        monkeypatch.setenv(name, "stray-value")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    server.script = [answer(provider, ["a"])]
    complete(model, QUESTION)
    assert "stray-value" not in str(server.requests[0])
    assert server.requests[0].path == PATHS[provider]
    assert "stray-value" not in caplog.text


def test_a_local_model_is_not_asked_through_a_proxy(provider, server, model, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.script = [answer(provider, ["a"])]
    assert complete(model, QUESTION).text == "a"


def test_a_redirect_is_not_followed(provider, server, model):
    elsewhere = ModelServer()
    try:
        elsewhere.script = [answer(provider, ["a"])]
        server.script = [Reply(307, {"Location": elsewhere.url + PATHS[provider]})]
        assert "HTTP 307" in failing(model)
        assert elsewhere.requests == []
    finally:
        elsewhere.close()


@pytest.mark.parametrize(
    ("status", "message", "said"),
    [
        (400, "API key not valid. Please pass a valid API key.", "check the key in llm.api_key"),
        (400, "temperature: not supported", r"\(temperature: not supported\): it refused the request"),
        (401, "wrong key", "HTTP 401 .*check the key in llm.api_key"),
        (403, "not allowed", "HTTP 403 .*check the key in llm.api_key"),
        (404, "no such model", r"HTTP 404 .*check llm.model and llm.base_url \(http://127"),
        (413, "too long", r"HTTP 413 \(too long\)"),
    ],
)
def test_a_refusal_is_final(provider, server, model, pauses, status, message, said):
    server.script = [refusal(provider, status, message)]
    assert re.search(said, failing(model))
    assert len(server.requests) == 1 and pauses == []


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_it_tries_again_twice(provider, server, model, pauses, status):
    server.script = [
        refusal(provider, status, "busy"),
        refusal(provider, status, "slow down", Retry_After="3"),
        answer(provider, ["Because."]),
    ]
    assert complete(model, QUESTION).text == "Because."
    assert pauses == [0.5, 3.0]
    assert server.requests[0] == server.requests[1] == server.requests[2]


@pytest.mark.parametrize(
    ("status", "said"), [(429, "quota is used up"), (500, "has a problem"), (529, "has a problem")]
)
def test_it_gives_up_after_three_tries(provider, server, model, pauses, status, said):
    server.script = [refusal(provider, status, f"busy {count}") for count in range(3)]
    message = failing(model)
    assert f"HTTP {status} (busy 2)" in message and said in message
    assert len(server.requests) == 3 and pauses == [0.5, 1.0]


def test_a_wait_that_nobody_waits_for_is_told(provider, server, model, pauses):
    server.script = [refusal(provider, 429, "enough for today", Retry_After="9999")]
    assert "try again in 9999 seconds" in failing(model)
    assert len(server.requests) == 1 and pauses == []


def test_a_wait_until_a_date_counts_as_not_given(provider, server, model, pauses):
    dated = refusal(provider, 429, "later", Retry_After="Wed, 21 Oct 2065 07:28:00 GMT")
    server.script = [dated, answer(provider, ["a"])]
    assert complete(model, QUESTION).text == "a"
    assert pauses == [0.5]


def test_silence_is_final(provider, server, pauses):
    model = MODELS[provider](endpoint(provider, server.url, SecretStr(KEY), 0.2), pauses.append)
    server.script = [Reply(end="silent")]
    assert "was silent for too long: raise llm.timeout_seconds (0.2)" in failing(model)
    server.await_request()
    assert len(server.requests) == 1 and pauses == []


def test_nobody_there(provider, server, pauses):
    gone = ModelServer()
    gone.close()
    model = MODELS[provider](endpoint(provider, gone.url, SecretStr(KEY)), pauses.append)
    message = failing(model)
    assert "cannot be reached" in message and f"is the server running at {gone.url}?" in message
    assert pauses == [0.5, 1.0]


def test_a_connection_that_breaks_before_the_text_is_tried_again(provider, server, model, pauses):
    server.script = [Reply(end="cut"), answer(provider, [], end="cut"), answer(provider, ["Because."])]
    assert complete(model, QUESTION).text == "Because."
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize("end", ["cut", "quiet end", "silent"])
def test_an_answer_that_is_cut_off_is_an_error_and_never_asked_again(provider, server, pauses, end):
    patience = 2 if end == "silent" else 60
    model = MODELS[provider](endpoint(provider, server.url, SecretStr(KEY), patience), pauses.append)
    cut = answer(provider, ["Because ", "it"], end="cut")
    server.script = [Reply(parts=cut.parts, end="whole" if end == "quiet end" else end)]
    pieces = []
    with pytest.raises(LanguageModelError, match="cut off after 10 characters") as caught:
        pieces.extend(model.stream(QUESTION))
    assert model.name in str(caught.value)
    assert len(server.requests) == 1 and pauses == []


def test_pieces_are_handed_on_as_they_come(provider, server, pauses):
    model = MODELS[provider](endpoint(provider, server.url, SecretStr(KEY), 5), pauses.append)
    server.script = [answer(provider, ["first", "second"], end="silent")]
    stream = model.stream(QUESTION)
    assert [next(stream), next(stream)] == [TextPiece("first"), TextPiece("second")]
    stream.close()


REPORTED = {
    "openai": event({"error": {"message": f"out of memory {KEY}", "type": "server_error"}}),
    "anthropic": event(
        {"type": "error", "error": {"type": "overloaded_error", "message": f"out of memory {KEY}"}}, "error"
    ),
    "gemini": event({"error": {"code": 503, "message": f"out of memory {KEY}", "status": "UNAVAILABLE"}}),
}


def test_an_error_in_the_stream_is_tried_again_before_the_text(provider, server, model, pauses):
    server.script = [Reply(parts=[REPORTED[provider]]), answer(provider, ["Because."])]
    assert complete(model, QUESTION).text == "Because."
    assert pauses == [0.5]


def test_an_error_in_the_stream_is_told(provider, server, model, pauses):
    server.script = [Reply(parts=[*WIRE[provider](["Because "]), REPORTED[provider]])]
    message = failing(model)
    assert "cut off after 8 characters" in message and "(out of memory ***)" in message
    assert len(server.requests) == 1 and pauses == []


@pytest.mark.parametrize(
    "reply",
    [
        Reply(parts=[b"data: {broken\n\n", b"event: message_start\ndata: {broken\n\n"]),
        Reply(parts=[b"data: 5\n\n", b"event: message_start\ndata: 5\n\n"]),
        Reply(
            parts=[
                b'data: {"choices": 7, "candidates": 7}\n\n',
                b'event: message_start\ndata: {"type": "message_start"}\n\n',
            ]
        ),
    ],
    ids=["no JSON", "no object", "another shape"],
)
def test_what_is_no_answer_is_told(provider, server, model, pauses, reply):
    server.script = [reply]
    assert re.search(r"gave an invalid answer .*is llm.base_url right \(http", failing(model))
    assert len(server.requests) == 1 and pauses == []


@pytest.mark.parametrize("headers", [EVENTS, JSON, {"Content-Type": "text/html"}])
def test_a_page_of_something_else_is_an_error(server, model, headers):
    server.script = [Reply(headers=headers, parts=[b"<html>Welcome to the router</html>"])]
    assert "is llm.base_url right" in failing(model)
    assert len(server.requests) == 1


def test_a_lone_surrogate_is_sent_as_a_question_mark(provider, server, model):
    server.script = [answer(provider, ["a"])]
    complete(model, Prompt((Segment("s\ud800"),), (Message("user", "b\ud800"),), 50))
    assert "s?" in str(server.requests[0].body) and "b?" in str(server.requests[0].body)


SDKS = {"openai": "openai", "anthropic": "anthropic", "gemini": "google.genai.errors"}


def test_without_its_sdk_the_message_names_the_command(provider, model, monkeypatch):
    monkeypatch.setitem(sys.modules, SDKS[provider], None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'boring-organizer-bot\[{provider}\]'"):
        list(model.stream(QUESTION))
