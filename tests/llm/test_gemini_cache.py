"""Gemini's cached content over the wire: created, found again, prolonged, lost, refused; never an error."""

import hashlib
import json
import logging
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
from model_server import JSON, ModelServer, Reply, answer, own_endpoint, refusal

from bob.core.caching import KnownCache
from bob.core.errors import LanguageModelError
from bob.core.prompt import Message, Prompt, Segment, Usage
from bob.llm.complete import complete
from bob.llm.gemini import GeminiModel
from bob.llm.gemini_cache import CachedContents
from bob.llm.providers import KnownCaches

NAME = "gemini-2.5-flash"
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
LONG = "The shed is green. " * 450
ASK = f"/v1beta/models/{NAME}:streamGenerateContent?alt=sse"
CREATE, UPDATE = "/v1beta/cachedContents", "/v1beta/cachedContents/one"
KEY = hashlib.sha256(json.dumps([NAME, ["Rules é.", LONG]]).encode()).hexdigest()

PROMPT = Prompt(
    (Segment("Rules é."), Segment(LONG, cached=True), Segment("A find."), Segment("Another.")),
    (Message("user", "Who?"), Message("assistant", "Bob."), Message("user", "Why?")),
    50,
)
WHOLE = {
    "systemInstruction": {"parts": [{"text": text.text} for text in PROMPT.system]},
    "contents": [
        {"role": "user", "parts": [{"text": "Who?"}]},
        {"role": "model", "parts": [{"text": "Bob."}]},
        {"role": "user", "parts": [{"text": "Why?"}]},
    ],
    "generationConfig": {"maxOutputTokens": 50},
}
SHORTENED = {
    "cachedContent": "cachedContents/one",
    "contents": [
        *WHOLE["contents"][:2],
        {"role": "user", "parts": [{"text": "A find."}, {"text": "Another."}, {"text": "Why?"}]},
    ],
    "generationConfig": {"maxOutputTokens": 50},
}
WRITTEN, READ = Usage(40, 7, cache_write_tokens=60), Usage(40, 7, cache_read_tokens=60)


@pytest.fixture
def server():
    made = ModelServer()
    yield made
    made.close()


class Clock:
    def __init__(self):
        self.now = NOON

    def __call__(self):
        return self.now


class Memory:
    """Bob as it runs: models come and go, what is known and the time stay."""

    def __init__(self, server):
        self.server, self.caches, self.clock, self.pauses = server, KnownCaches(), Clock(), []

    def model(self, name=NAME, url=None):
        place = own_endpoint("gemini", url or self.server.url, name, timeout_seconds=0.5)
        return GeminiModel(place, self.pauses.append, CachedContents(place, self.caches, self.clock))

    def later(self, seconds):
        self.clock.now += timedelta(seconds=seconds)

    def known(self):
        return self.caches.find("gemini", NAME, KEY)


@pytest.fixture
def memory(server):
    return Memory(server)


def kept(name="cachedContents/one"):
    body = {"name": name, "model": f"models/{NAME}", "usageMetadata": {"totalTokenCount": 60}}
    return Reply(200, JSON, [json.dumps(body).encode()])


def asked(server):
    return [request.path for request in server.requests]


def ask(memory, *replies, model=None, prompt=PROMPT):
    """The usage of one question, for which the server gives these replies; the requests are those of it."""
    memory.server.requests.clear()
    memory.server.script = [*replies, answer("gemini", ["Because."])]
    answered = complete(model or memory.model(), prompt)
    assert answered.text == "Because." and memory.server.script == []
    return answered.usage


def test_the_beginning_is_created_once_and_then_named(server, memory):
    model = memory.model()
    assert ask(memory, kept(), model=model) == WRITTEN
    create, question = server.requests
    assert (create.path, question.path) == (CREATE, ASK)
    body = {
        "model": f"models/{NAME}",
        "ttl": "300s",
        "systemInstruction": {"parts": [{"text": "Rules é."}, {"text": LONG}]},
    }
    assert json.loads(create.sent) == body
    assert question.body == SHORTENED
    assert memory.known() == KnownCache("cachedContents/one", NOON + timedelta(seconds=300))

    assert ask(memory, model=model) == READ
    assert [request.body for request in server.requests] == [SHORTENED]
    assert server.requests[0].sent == question.sent


def test_another_process_finds_it(server, memory):
    ask(memory, kept())
    assert ask(memory, model=memory.model()) == READ
    assert asked(server) == [ASK] and server.requests[0].body == SHORTENED


def test_a_question_more_keeps_the_beginning(server, memory):
    ask(memory, kept())
    more = (*PROMPT.messages, Message("assistant", "Because."), Message("user", "And?"))
    assert ask(memory, prompt=Prompt(PROMPT.system, more, 50)) == READ
    (request,) = server.requests
    assert request.body["contents"][:2] == SHORTENED["contents"][:2]
    assert request.body["contents"][2:] == [
        {"role": "user", "parts": [{"text": "Why?"}]},
        {"role": "model", "parts": [{"text": "Because."}]},
        {"role": "user", "parts": [{"text": "A find."}, {"text": "Another."}, {"text": "And?"}]},
    ]


def test_without_a_rest_the_last_message_stays_as_it_is(server, memory):
    ask(memory, kept(), prompt=Prompt(PROMPT.system[:2], PROMPT.messages, 50))
    assert server.requests[1].body["contents"] == WHOLE["contents"]


@pytest.mark.parametrize("changed", [(Segment("Rules."), PROMPT.system[1]), (Segment(LONG + "!", True),)])
def test_another_beginning_is_created_for_itself(server, memory, changed):
    ask(memory, kept())
    assert ask(memory, kept("cachedContents/two"), prompt=Prompt(changed, PROMPT.messages, 50)) == WRITTEN
    assert asked(server) == [CREATE, ASK]
    assert server.requests[1].body["cachedContent"] == "cachedContents/two"
    assert memory.known().name == "cachedContents/one"


def test_another_model_has_its_own(server, memory):
    ask(memory, kept())
    ask(memory, kept("cachedContents/two"), model=memory.model("gemini-2.5-pro"))
    assert server.requests[0].path == CREATE and server.requests[0].body["model"] == "models/gemini-2.5-pro"


def test_what_has_little_left_is_prolonged(server, memory):
    ask(memory, kept())
    memory.later(179)
    assert ask(memory) == READ
    assert asked(server) == [ASK], "two fifths of its life are left"
    memory.later(2)
    assert ask(memory, kept()) == READ
    prolong, question = server.requests
    assert (prolong.method, prolong.path, prolong.body) == ("PATCH", UPDATE, {"ttl": "300s"})
    assert question.body == SHORTENED
    assert memory.known().expires_at == NOON + timedelta(seconds=181 + 300)
    memory.later(179)
    ask(memory)
    assert asked(server) == [ASK]


def test_what_has_expired_is_created_anew(server, memory):
    ask(memory, kept())
    memory.later(300)
    assert ask(memory, kept("cachedContents/two")) == WRITTEN
    assert asked(server) == [CREATE, ASK]
    assert memory.known() == KnownCache("cachedContents/two", NOON + timedelta(seconds=600))


@pytest.mark.parametrize("status", [400, 403, 404])
def test_what_cannot_be_prolonged_is_created_anew(server, memory, status):
    ask(memory, kept())
    memory.later(250)
    assert ask(memory, refusal("gemini", status, "CachedContent not found"), kept()) == WRITTEN
    assert asked(server) == [UPDATE, CREATE, ASK]


@pytest.mark.parametrize("status", [400, 403, 404])
def test_what_the_service_has_lost_is_sent_whole_and_then_created_anew(server, memory, status):
    ask(memory, kept())
    assert ask(memory, refusal("gemini", status, "CachedContent not found")) == READ
    assert [request.body for request in server.requests] == [SHORTENED, WHOLE]
    assert memory.known() is None and memory.pauses == []
    assert ask(memory, kept()) == WRITTEN


@pytest.mark.parametrize(("status", "said"), [(400, "too short"), (404, "not supported")])
def test_what_is_refused_is_sent_whole_and_not_offered_again(server, memory, status, said):
    model = memory.model()
    assert ask(memory, refusal("gemini", status, said), model=model) == READ
    assert asked(server) == [CREATE, ASK] and server.requests[1].body == WHOLE
    memory.later(3_600)
    ask(memory, model=model)
    assert asked(server) == [ASK] and server.requests[0].body == WHOLE
    assert memory.pauses == [] and memory.known() is None


def test_what_was_asked_too_often_is_offered_again_after_some_minutes(server, memory):
    model = memory.model()
    assert ask(memory, refusal("gemini", 429, "no quota"), model=model) == READ
    memory.later(60)
    ask(memory, model=model)
    assert asked(server) == [ASK] and server.requests[0].body == WHOLE
    memory.later(600)
    assert ask(memory, kept(), model=model) == WRITTEN


@pytest.mark.parametrize(
    "trouble",
    [
        refusal("gemini", 500, "broken"),
        Reply(end="cut"),
        Reply(end="silent"),
        Reply(200, {"Content-Type": "text/html"}, [b"<html>Welcome"]),
        Reply(200, JSON, [b"{}"]),
        Reply(200, JSON, [b"[7]"]),
    ],
    ids=["500", "cut", "silent", "page", "no name", "another shape"],
)
def test_trouble_with_the_cache_does_not_stop_the_question(server, memory, trouble):
    model = memory.model()
    assert ask(memory, trouble, model=model) == READ
    assert asked(server) == [CREATE, ASK] and server.requests[1].body == WHOLE
    assert ask(memory, kept(), model=model) == WRITTEN, "it may have passed"


def test_trouble_while_prolonging_sends_the_whole_text_and_forgets_nothing(server, memory):
    ask(memory, kept())
    memory.later(250)
    assert ask(memory, refusal("gemini", 503, "busy")) == READ
    assert asked(server) == [UPDATE, ASK] and server.requests[1].body == WHOLE
    assert memory.known().name == "cachedContents/one"


def test_a_busy_service_is_asked_again_with_what_it_keeps(server, memory):
    assert ask(memory, kept(), refusal("gemini", 503, "busy")) == READ
    assert asked(server) == [CREATE, ASK, ASK] and memory.pauses == [0.5]
    assert server.requests[1].sent == server.requests[2].sent


def test_an_answer_that_broke_off_is_not_written_twice(server, memory):
    ask(memory, kept())
    reported = {"error": {"code": 400, "message": "bad", "status": "INVALID_ARGUMENT"}}
    cut = answer("gemini", ["Be"], end="cut")
    server.script = [Reply(parts=[*cut.parts, f"data: {json.dumps(reported)}\n\n".encode()])]
    with pytest.raises(LanguageModelError, match="cut off after 2 characters"):
        complete(memory.model(), PROMPT)
    assert asked(server) == [CREATE, ASK, ASK]


def test_a_refusal_of_the_question_itself_is_told_as_ever(server, memory):
    ask(memory, kept())
    server.script = [refusal("gemini", 400, "bad schema"), refusal("gemini", 400, "bad schema")]
    with pytest.raises(LanguageModelError, match=r"HTTP 400 \(bad schema\)") as caught:
        complete(memory.model(), PROMPT)
    assert caught.value.__cause__ is None and caught.value.__context__ is None


@pytest.mark.parametrize(
    "system",
    [(), (Segment(LONG),), (Segment("Short.", cached=True), Segment(LONG))],
    ids=["none", "unmarked", "too short"],
)
def test_what_is_not_worth_keeping_is_sent_whole(server, memory, system):
    ask(memory, prompt=Prompt(system, PROMPT.messages, 50))
    assert asked(server) == [ASK] and "cachedContent" not in server.requests[0].body


def test_a_model_that_only_caches_by_itself_is_sent_the_whole(server, memory):
    ask(memory, model=memory.model("gemini-4-argon"))
    assert len(server.requests) == 1 and server.requests[0].body == WHOLE


def test_the_key_is_told_to_the_server_alone(server, memory, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    for name in ("google_genai", "httpx2", "httpcore2"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.DEBUG)
    secret = "sk-very-secret-key"
    model = memory.model()
    ask(memory, refusal("gemini", 500, f"no {secret}"), model=model)
    ask(memory, kept(), model=model)
    memory.later(250)
    ask(memory, refusal("gemini", 404, f"no {secret}"), kept(), model=model)
    assert all(httpx2.Headers(request.headers)["x-goog-api-key"] == secret for request in server.requests)
    logged = [caplog.handler.format(record) + repr(record.__dict__) for record in caplog.records]
    assert len(logged) > 10 and not [text for text in logged if secret in text]
    assert secret not in repr(model) + repr(vars(model)) + repr(vars(vars(model)["_cached"]))
