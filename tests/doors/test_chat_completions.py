"""The official client of OpenAI's API, with nothing changed but the address, through Bob to an upstream."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import openai
import pytest
from model_server import EVENTS, JSON, ModelServer, Reply, answer, openai_chunk, openai_last, refusal
from served_memory import GARDEN, KITCHEN, index, served
from small_memory import engine_over, rows_in

KEY = "sk-very-secret-key"


@pytest.fixture
def upstream():
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def bob_server(tmp_path, upstream):
    engine = engine_over(
        tmp_path / "bob.db",
        llm={
            "provider": "openai",
            "model": "small",
            "base_url": upstream.url,
            "api_key": KEY,
            "timeout_seconds": 2,
        },
        context={"similarity": -1},
    )
    index(engine, tmp_path, garden=GARDEN, kitchen=KITCHEN)
    with served(engine) as made:
        yield made
    engine.close()


def whole(text, **message):
    """A completion that is not streamed."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, **message},
        "finish_reason": "stop",
    }
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
    body = {"id": "c1", "object": "chat.completion", "created": 1, "model": "small", "choices": [choice]}
    return Reply(200, JSON, [json.dumps(body | {"usage": usage}).encode()])


def user(text):
    return {"role": "user", "content": text}


def bot(text):
    return {"role": "assistant", "content": text}


RULES = {"role": "system", "content": "Answer in one sentence."}


def test_a_reply_knows_the_project_and_is_kept_with_its_receipt(bob_server, upstream):
    upstream.script = [whole("In August.")]
    with bob_server.client() as client:
        reply = client.chat.completions.create(
            model="bob/garden", messages=[RULES, user("When is the hedge cut?")]
        )
    assert (reply.choices[0].message.content, reply.model) == ("In August.", "bob/garden")
    assert (reply.usage.prompt_tokens, reply.usage.prompt_tokens_details.cached_tokens) == (100, 0)
    (request,) = upstream.requests
    assert (request.path, request.body["model"]) == ("/chat/completions", "small")
    system, asked = request.body["messages"]
    assert system["content"].startswith(
        "Answer in one sentence.\n\nYou are Bobo, an intelligent Second Brain."
    )
    assert GARDEN["hedge.md"].strip() in system["content"] and "soup" not in system["content"]
    assert asked == user("When is the hedge cut?"), "Smart Context is off"
    assert bob_server.kept_alone() == [("user", "When is the hedge cut?"), ("assistant", "In August.")]
    (chat,) = bob_server.chats()
    assert (chat.title, chat.scope.project) == ("When is the hedge cut?", "garden")
    receipt = bob_server.receipt(chat)
    assert [each["source"] for each in receipt["segments"][0]["sources"]] == ["hedge.md", "shed.md"]
    with bob_server.engine.database.read() as connection:
        assert len(rows_in(connection, "jobs", kind="remember")) == 2


def test_a_stream_comes_in_the_upstreams_pieces(bob_server, upstream):
    upstream.script = [answer("openai", ["In ", "August", "\u2028."])]
    options = {"include_usage": True}
    with bob_server.client() as client:
        chunks = list(
            client.chat.completions.create(
                model="bob/garden", messages=[user("When?")], stream=True, stream_options=options
            )
        )
    assert [each.choices[0].delta.content for each in chunks if each.choices] == [
        "",
        "In ",
        "August",
        "\u2028.",
        None,
    ]
    assert {each.model for each in chunks} == {"bob/garden"}
    assert chunks[-1].usage.prompt_tokens_details.cached_tokens == 60
    assert upstream.requests[0].body["stream_options"] == options
    assert bob_server.kept_alone()[-1] == ("assistant", "In August\u2028.")


def beginning(request, messages):
    """The bytes of a request up to the end of its first messages."""
    last = json.dumps(request.body["messages"][messages - 1], ensure_ascii=False).encode()
    return request.sent[: request.sent.index(last) + len(last)]


def test_what_is_added_leaves_the_conversation_a_prefix_to_the_byte(bob_server, upstream):
    questions = ["How long does it cook?", "Who cuts the hedge, é?", "And the shed?"]
    replies = ["Forty minutes.", "Ines does.", "Behind the door."]
    upstream.script = [whole(each) for each in replies]
    messages = [RULES]
    with bob_server.client(X_Bob_Smart_Context="on") as client:
        for question, reply in zip(questions, replies, strict=True):
            messages.append(user(question))
            client.chat.completions.create(model="bob/garden", messages=messages)
            messages.append(bot(reply))
    first, second, third = upstream.requests
    # What the second request holds before its last message, the third holds too, at the same place.
    for earlier, later in ((first, second), (second, third)):
        history = len(earlier.body["messages"]) - 1
        assert earlier.body["messages"][:history] == later.body["messages"][:history]
        start = beginning(earlier, history)
        assert later.sent.startswith(start)
        own = json.dumps(user(messages[history]["content"]), ensure_ascii=False)[:-2].encode()
        assert earlier.sent.removeprefix(start).removeprefix(b", ").startswith(own)
        assert later.sent.removeprefix(start).removeprefix(b", ").startswith(own)
    for request, question in zip(upstream.requests, questions, strict=True):
        *before, last = [each["content"] for each in request.body["messages"]]
        assert last.startswith(f"{question}\n\n<added_context>\n") and last.endswith("</added_context>")
        assert "nutmeg" in last and "nutmeg" not in "".join(before)
        assert "added_context" not in "".join(before)
    said = [text for pair in zip(questions, replies, strict=True) for text in pair]
    assert [text for _, text in bob_server.kept_alone()] == said


def test_a_project_that_is_too_large_rides_on_the_question_and_not_before_the_history(tmp_path, upstream):
    engine = engine_over(
        tmp_path / "bob.db",
        llm={"provider": "openai", "model": "small", "base_url": upstream.url},
        context={"project_tokens": 70},
    )
    index(engine, tmp_path, garden=GARDEN)
    upstream.script = [whole("August.")]
    with served(engine) as bob_server, bob_server.client() as client:
        client.chat.completions.create(model="bob/garden", messages=[RULES, user("When is the hedge cut?")])
    engine.close()
    system, asked = upstream.requests[0].body["messages"]
    assert system == RULES
    assert "The hedge is cut" in asked["content"] and "<project_context>" in asked["content"]


def test_without_a_project_the_request_goes_on_as_it_came(bob_server, upstream):
    upstream.script = [whole("Hello.")]
    parts = [
        {"type": "text", "text": "Hi"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
    ]
    asked = {
        "messages": [RULES, {"role": "user", "content": parts, "name": "ana"}],
        "temperature": 0.5,
        "seed": 7,
        "logit_bias": {"12": -1},
        "response_format": {"type": "json_object"},
        "n": 2,
        "logprobs": True,
    }
    with bob_server.client() as client:
        client.chat.completions.create(model="bob", **asked, extra_body={"of_a_local_server": [1, None]})
    assert upstream.requests[0].body == asked | {"model": "small", "of_a_local_server": [1, None]}
    assert bob_server.kept_alone() == [("user", "Hi"), ("assistant", "Hello.")]


TOOL = {
    "type": "function",
    "function": {"name": "open_shed", "parameters": {"type": "object", "properties": {}}},
}
CALL = {"id": "call_1", "type": "function", "function": {"name": "open_shed", "arguments": "{}"}}


def test_tools_pass_through_and_their_turn_is_one_turn(bob_server, upstream):
    upstream.script = [whole(None, tool_calls=[CALL]), whole("It is open.")]
    messages = [user("Open the shed.")]
    with bob_server.client(X_Bob_Smart_Context="on") as client:
        first = client.chat.completions.create(
            model="bob/garden", messages=messages, tools=[TOOL], tool_choice="auto"
        )
        assert first.choices[0].message.tool_calls[0].function.name == "open_shed"
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "click"},
        ]
        client.chat.completions.create(model="bob/garden", messages=messages, tools=[TOOL])
    one, two = (each.body for each in upstream.requests)
    assert one["tools"] == two["tools"] == [TOOL] and one["tool_choice"] == "auto"
    assert two["messages"][: len(one["messages"])] == one["messages"], "what was added stays where it was"
    assert two["messages"][-2:] == messages[-2:]
    assert bob_server.kept_alone() == [("user", "Open the shed."), ("assistant", "It is open.")]


def test_context_is_a_part_of_its_own_where_the_message_has_parts(bob_server, upstream):
    upstream.script = [whole("Yes.")]
    part = {"type": "text", "text": "Soup?"}
    with bob_server.client(X_Bob_Smart_Context="on") as client:
        client.chat.completions.create(model="bob/garden", messages=[{"role": "user", "content": [part]}])
    system, asked = upstream.requests[0].body["messages"]
    assert system["role"] == "system"
    assert asked["content"][0] == part
    (added,) = asked["content"][1:]
    assert added["type"] == "text" and added["text"].startswith("<added_context>")
    assert bob_server.kept_alone()[0] == ("user", "Soup?")


def test_history_is_kept_once_and_what_was_edited_beside_what_was_there(bob_server, upstream):
    upstream.script = [whole(text) for text in ("A1", "A2", "A2 again", "B2", "A3")]
    with bob_server.client(X_Bob_Chat="%C3%9Cber uns", X_Bob_Project="garden") as client:

        def send(*texts):
            roles = (user, bot)
            messages = [roles[n % 2](text) for n, text in enumerate(texts)]
            return client.chat.completions.create(model="bob", messages=messages)

        send("U1")
        send("U1", "A1 ", "U2")
        send("U1", "A1", "U2")
        send("U1", "A1", "V2")
        send("U1", "A1", "U2", "A2 again", "U3")
    (chat,) = bob_server.chats()
    assert (chat.name, chat.scope.project) == ("Über uns", "garden")
    texts = [text for _, text in bob_server.kept(chat)]
    assert texts == ["U1", "A1", "U2", "A2", "A2 again", "V2", "B2", "U3", "A3"]


def test_chats_without_a_name_are_told_apart_by_how_they_began(bob_server, upstream):
    upstream.script = [whole("A"), whole("B"), whole("C")]
    with bob_server.client() as client:
        raw = client.chat.completions.with_raw_response
        one = raw.create(model="bob", messages=[user("First")])
        two = raw.create(model="bob", messages=[user("Second")])
        more = raw.create(model="bob", messages=[user("First"), bot("A"), user("More")])
    names = [each.headers["X-Bob-Chat"] for each in (one, two, more)]
    assert names[0] == names[2] != names[1]
    found = {tuple(text for _, text in bob_server.kept(each)) for each in bob_server.chats()}
    assert found == {("First", "A", "More", "C"), ("Second", "B")}


@pytest.mark.parametrize("stream", [False, True])
def test_an_upstreams_refusal_keeps_its_status_and_never_shows_the_key(bob_server, upstream, stream, caplog):
    upstream.script = [
        refusal("openai", 401, f"Incorrect API key provided: {KEY}"),
        refusal("openai", 429, "slow down", Retry_After="3"),
        refusal("openai", 500, "boom"),
        Reply(307, {"Location": "http://127.0.0.1:9/"}),
        Reply(200, JSON, [f"<html>{KEY}".encode()]),
        Reply(200, EVENTS if stream else JSON, end="silent"),
        Reply(200, EVENTS if stream else JSON, end="cut"),
    ]
    seen = []
    with bob_server.client() as client:
        while upstream.script:
            with pytest.raises(openai.APIStatusError) as caught:
                client.chat.completions.create(model="bob", messages=[user("Hi")], stream=stream)
            seen.append(caught.value)
    assert [each.status_code for each in seen] == [401, 429, 500, 502, 502, 504, 502]
    assert seen[1].response.headers["Retry-After"] == "3"
    assert seen[0].type == "invalid_request_error" and "llm.api_key" in seen[0].message
    assert all(KEY in each.headers["Authorization"] for each in upstream.requests), "else nothing is proven"
    told = [each.response.text + str(each.response.headers) for each in seen] + [caplog.text]
    assert not [each for each in told if "very-secret" in each]
    assert bob_server.kept_alone() == [("user", "Hi")], "the message is kept, once, though no reply came"


def test_an_upstream_that_is_not_there(tmp_path):
    engine = engine_over(
        tmp_path / "bob.db", llm={"provider": "openai", "model": "small", "base_url": "http://127.0.0.1:9/v1"}
    )
    with (
        served(engine) as bob_server,
        bob_server.client() as client,
        pytest.raises(openai.InternalServerError, match="is the server running at") as caught,
    ):
        client.chat.completions.create(model="bob", messages=[user("Hi")])
    engine.close()
    assert caught.value.status_code == 502


@pytest.mark.parametrize(
    "end",
    [
        [b'data: {"error": {"message": "out of memory, sk-very-secret-key"}}\n\n'],
        [b"data: [1]\n\n"],
        [],
    ],
)
def test_a_stream_that_breaks_off_ends_in_an_error_and_no_reply_is_kept(bob_server, upstream, end):
    begun = openai_chunk([{"index": 0, "delta": {"content": "In"}, "finish_reason": None}])
    upstream.script = [Reply(parts=[begun, *end])]
    texts = []
    with bob_server.client() as client, pytest.raises(openai.APIError) as caught:
        for chunk in client.chat.completions.create(model="bob", messages=[user("Hi")], stream=True):
            texts.append(chunk.choices[0].delta.content)
    assert texts == ["In"] and "very-secret" not in str(caught.value.body)
    assert bob_server.kept_alone() == [("user", "Hi")]


def test_a_stream_without_the_last_mark_is_whole_when_it_says_why_it_ended(bob_server, upstream):
    begun = openai_chunk([{"index": 0, "delta": {"content": "In"}, "finish_reason": None}])
    last, *_ = openai_last()
    upstream.script = [Reply(parts=[b": ping\r\n\r\n", begun.replace(b"\n", b"\r\n"), last])]
    with bob_server.client() as client:
        chunks = list(client.chat.completions.create(model="bob", messages=[user("Hi")], stream=True))
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert bob_server.kept_alone() == [("user", "Hi"), ("assistant", "In")]


def test_a_client_that_leaves_in_the_middle_keeps_nobody_waiting(bob_server, upstream):
    begun = openai_chunk([{"index": 0, "delta": {"content": "In"}, "finish_reason": None}])
    upstream.script = [Reply(parts=[begun], end="silent"), whole("Yes.")]
    with bob_server.client() as client:
        stream = client.chat.completions.create(model="bob", messages=[user("Hi")], stream=True)
        next(iter(stream))
        stream.close()
        assert (
            client.chat.completions.create(model="bob", messages=[user("Hi")]).choices[0].message.content
            == "Yes."
        )
    assert bob_server.kept_alone() == [("user", "Hi"), ("assistant", "Yes.")]


def test_text_that_utf8_cannot_hold_does_not_stop_a_request(bob_server, upstream):
    upstream.script = [whole("Odd.")]
    sent = httpx.post(
        f"{bob_server.address}/v1/chat/completions",
        headers={"Content-Type": "application/json"},
        content=b'{"model": "bob", "messages": [{"role": "user", "content": "Hi \\ud800 there"}]}',
    )
    assert sent.status_code == 200
    assert upstream.requests[0].body["messages"] == [user("Hi ? there")]
    assert bob_server.kept_alone()[0] == ("user", "Hi ? there")


def test_many_at_once_are_each_kept_once(bob_server, upstream):
    def ask(number):
        with bob_server.client(X_Bob_Smart_Context="on") as client:
            messages = [user("Start"), bot("Begun"), user(f"Question {number}")]
            return (
                client.chat.completions.create(model="bob/garden", messages=messages)
                .choices[0]
                .message.content
            )

    upstream.script = [whole(f"Reply {number}") for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        replies = set(pool.map(ask, range(12)))
    assert len(replies) == 12
    kept = bob_server.kept_alone()
    assert kept[:2] == [("user", "Start"), ("assistant", "Begun")]
    asked = [("user", f"Question {number}") for number in range(12)]
    assert sorted(kept[2:]) == sorted(asked + [("assistant", each) for each in replies])


def test_a_chat_of_a_client_goes_on_in_bobs_own(bob_server, upstream):
    upstream.script = [whole("Hello."), answer("openai", ["Go on."])]
    with bob_server.client() as client:
        client.chat.completions.create(model="bob", messages=[user("Hi")])
    (chat,) = bob_server.chats()
    *_, replied = bob_server.engine.conversations.turn.send_message(chat, "And?", smart=False)
    assert replied.message.text == "Go on."
    assert upstream.requests[1].body["messages"][1:] == [user("Hi"), bot("Hello."), user("And?")]


def test_projects_and_users_do_not_see_each_other(tmp_path, upstream):
    groups = {
        "llm": {"provider": "openai", "model": "small", "base_url": upstream.url},
        "context": {"similarity": -1},
    }
    mine = engine_over(tmp_path / "bob.db", **groups)
    yours = engine_over(tmp_path / "bob.db", user="you", **groups)
    index(mine, tmp_path, garden=GARDEN, kitchen=KITCHEN)
    upstream.script = [whole(text) for text in ("A", "B", "C", "D")]
    with served(mine) as first, served(yours) as second:
        with first.client(X_Bob_Chat="same") as me, second.client(X_Bob_Chat="same") as you:
            me.chat.completions.create(model="bob/garden", messages=[user("My secret is plum.")])
            you.chat.completions.create(model="bob/garden", messages=[user("Yours?")])
            me.chat.completions.create(model="bob/kitchen", messages=[user("Soup?")])
            me.chat.completions.create(
                model="bob/kitchen", messages=[user("Soup?")], extra_headers={"X-Bob-Smart-Context": "on"}
            )
        names = {each.name for each in first.chats()} | {each.name for each in second.chats("you")}
        owned = [(each.scope.project, first.kept(each)) for each in reversed(first.chats())]
        others = [second.kept(each) for each in second.chats("you")]
    mine.close()
    yours.close()
    assert names == {"same"}
    assert owned[0] == ("garden", [("user", "My secret is plum."), ("assistant", "A")])
    assert others == [[("user", "Yours?"), ("assistant", "B")]]
    assert "plum" not in upstream.requests[1].sent.decode()
    kitchen, inspired = (each.sent.decode() for each in upstream.requests[2:])
    assert "nutmeg" in kitchen and "hedge" not in kitchen
    system, asked = upstream.requests[3].body["messages"]
    assert "hedge" not in system["content"] and "hedge" in asked["content"].partition("<global_context>")[2]
    assert "hedge" in inspired
