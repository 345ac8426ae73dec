"""The server itself: who may ask, what is listed, vectors, other upstreams, and its beginning and end."""

import base64
import json
import os
import signal
import socket
import struct
import time

import httpx
import numpy as np
import openai
import pytest
from model_server import ModelServer, Reply, answer, refusal
from served_memory import GARDEN, KITCHEN, index, served
from small_memory import engine_over, write_files

from bob.http.guard import refusal as refused

QUESTION = [{"role": "user", "content": "When is the hedge cut?"}]


@pytest.fixture
def quoting(tmp_path):
    """Without a language model."""
    engine = engine_over(tmp_path / "bob.db", server={"max_request_mb": 1})
    index(engine, tmp_path, garden=GARDEN, kitchen=KITCHEN)
    with served(engine) as made:
        yield made
    engine.close()


@pytest.fixture
def upstream():
    made = ModelServer()
    yield made
    made.close()


@pytest.mark.parametrize("stream", [False, True])
def test_without_a_model_the_files_are_quoted_with_their_places(quoting, stream):
    with quoting.client() as client:
        reply = client.chat.completions.create(model="bob/garden", messages=QUESTION, stream=stream)
        if stream:
            text = "".join(each.choices[0].delta.content or "" for each in reply)
        else:
            text = reply.choices[0].message.content
            assert reply.usage.total_tokens == 0
            assert reply.choices[0].finish_reason == "stop"
        again = [*QUESTION, {"role": "assistant", "content": text}, {"role": "user", "content": "Soup?"}]
        nothing = client.chat.completions.create(model="bob/garden", messages=again)
    assert text.startswith("The hedge is cut in the last week of August, by Ines and two neighbours. [1]")
    assert text.endswith("Sources:\n\n[1] hedge.md:3")
    assert nothing.choices[0].message.content == "Not found in sources."
    assert [role for role, _ in quoting.kept_alone()] == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize("provider", ["anthropic", "gemini"])
def test_upstreams_of_other_protocols_get_text(tmp_path, upstream, provider):
    llm = {"provider": provider, "model": "small", "base_url": upstream.url, "api_key": "k"}
    engine = engine_over(tmp_path / "bob.db", llm=llm, context={"similarity": -1})
    index(engine, tmp_path, garden=GARDEN, kitchen=KITCHEN)
    upstream.script = [answer(provider, ["In ", "August."]) for _ in range(2)]
    messages = [
        {"role": "developer", "content": "Be short."},
        {"role": "user", "content": "Hello"},
        {"role": "user", "content": [{"type": "text", "text": "Are you there?"}]},
        {"role": "assistant", "content": "Yes."},
        *QUESTION,
    ]
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    with served(engine) as bob_server, bob_server.client(X_Bob_Smart_Context="on") as client:
        reply = client.chat.completions.create(model="bob/garden", messages=messages, max_tokens=99)
        chunks = client.chat.completions.create(
            model="bob/garden", messages=messages, stream=True, stream_options={"include_usage": True}
        )
        streamed = list(chunks)
        with pytest.raises(openai.BadRequestError, match=r"requires llm\.provider: openai") as caught:
            client.chat.completions.create(model="bob/garden", messages=messages, tools=[tool])
        for limit in (-1, "many"):
            with pytest.raises(openai.BadRequestError, match="max_tokens"):
                client.chat.completions.create(model="bob/garden", messages=messages, max_tokens=limit)
        upstream.script = [refusal(provider, 401, "no")]
        with pytest.raises(openai.APIStatusError, match="check the key") as failed:
            client.chat.completions.create(model="bob/garden", messages=messages)
        kept = bob_server.kept_alone()
    engine.close()
    assert reply.choices[0].message.content == "In August."
    assert "".join(each.choices[0].delta.content or "" for each in streamed if each.choices) == "In August."
    for usage in (reply.usage, streamed[-1].usage):
        assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (100, 7, 107)
        assert usage.prompt_tokens_details.cached_tokens == 60
    assert (caught.value.param, failed.value.status_code) == ("tools", 502)
    sent = upstream.requests[0].sent.decode()
    assert "99" in sent
    assert sent.index("Be short.") < sent.index("Second Brain") or provider == "anthropic"
    body = upstream.requests[0].body
    turns = body["messages"] if provider == "anthropic" else body["contents"]
    assert len(turns) == 3 and "Hello" in json.dumps(turns[0]) and "Are you there?" in json.dumps(turns[0])
    assert "nutmeg" in json.dumps(turns[2]) and "nutmeg" not in json.dumps(turns[:2])
    assert [text for _, text in kept][-2:] == ["In August.", "In August."]


def test_models_are_bob_and_bob_about_each_project(quoting):
    with quoting.client() as client:
        listed = [each.id for each in client.models.list()]
        assert listed == ["bob", "bob/garden", "bob/kitchen", "hashing@1"]
        assert [client.models.retrieve(each).id for each in listed] == listed
        assert client.models.retrieve("bob/GARDEN").id == "bob/garden"
        for name in ("gpt-5", "bob/attic", "bobby", "bob/"):
            with pytest.raises(openai.NotFoundError) as caught:
                client.models.retrieve(name)
            assert caught.value.code == "model_not_found" and "garden" in caught.value.message
            with pytest.raises(openai.NotFoundError, match="kitchen"):
                client.chat.completions.create(model=name, messages=QUESTION)
        with pytest.raises(openai.NotFoundError, match="garden, kitchen"):
            client.chat.completions.create(
                model="bob", messages=QUESTION, extra_headers={"X-Bob-Project": "attic"}
            )
        with pytest.raises(openai.BadRequestError, match="X-Bob-Project"):
            client.chat.completions.create(
                model="bob/garden", messages=QUESTION, extra_headers={"X-Bob-Project": "kitchen"}
            )
    assert quoting.chats() == []


def test_embeddings_are_those_that_bob_searches_by(quoting):
    texts = ["The hedge", "the soup"]
    expected = quoting.engine.embedder.embed(texts)
    with quoting.client() as client:
        floats = client.embeddings.create(model="bob", input=texts, encoding_format="float")
        packed = client.embeddings.create(model="hashing@1", input=texts, encoding_format="base64")
        usual = client.embeddings.create(model="bob", input=texts[0], dimensions=64)
        assert np.array_equal(np.array([each.embedding for each in floats.data], np.float32), expected)
        unpacked = [struct.unpack("<64f", base64.b64decode(each.embedding)) for each in packed.data]
        assert np.array_equal(np.array(unpacked, np.float32), expected)
        assert np.allclose(usual.data[0].embedding, expected[0])
        assert [each.index for each in floats.data] == [0, 1]
        assert (
            floats.model == "hashing@1" and 4 <= floats.usage.prompt_tokens == floats.usage.total_tokens <= 8
        )
        refusals = [
            ({"input": "x", "dimensions": 32}, "dimensions"),
            ({"input": []}, "input"),
            ({"input": ["a", ""]}, "input"),
            ({"input": [[1, 2]]}, "input"),
            ({"input": ["a"] * 2049}, "input"),
        ]
        for wrong, param in refusals:
            with pytest.raises(openai.BadRequestError) as caught:
                client.embeddings.create(model="bob", **wrong)
            assert caught.value.param == param
        with pytest.raises(openai.NotFoundError, match="hashing@1"):
            client.embeddings.create(model="text-embedding-3-small", input="x")


def test_tokens_of_the_model_that_comes_with_bob_are_counted_and_not_estimated(tmp_path):
    from bob.models.networks import OnnxEmbedder

    engine = engine_over(tmp_path / "bob.db", embedder=OnnxEmbedder(threads=1))
    text = "Photosynthesis and thermodynamics, 1998."
    assert engine.embed_texts.embed_texts([text, text]).tokens == 2 * engine.embedder.tokenizer.count(text)
    engine.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": b"{", "headers": {"Content-Type": "application/json"}},
        {"content": b'{"model": "bob"}', "headers": {"Content-Type": "text/plain"}},
        {"json": []},
        {"content": b"[" * 200_000, "headers": {"Content-Type": "application/json"}},
        {"json": {"model": "bob"}},
        {"json": {"model": "bob", "messages": []}},
        {"json": {"model": "bob", "messages": ["secret words"]}},
        {"json": {"model": "bob", "messages": QUESTION}, "headers": {"X-Bob-Smart-Context": "maybe"}},
        {"json": {"model": "bob", "messages": QUESTION}, "headers": {"X-Bob-Chat": "a%00b"}},
        {"json": {"model": "bob", "messages": QUESTION}, "headers": {"X-Bob-Chat": "%ff"}},
        {"json": {"model": "bob", "messages": [{"role": "assistant", "content": "x"}]}},
    ],
)
def test_what_cannot_be_read_is_a_bad_request_that_repeats_nothing(quoting, wrong):
    told = httpx.post(f"{quoting.address}/v1/chat/completions", **wrong)
    assert told.status_code == 400
    assert set(told.json()["error"]) == {"message", "type", "param", "code"}
    assert told.json()["error"]["type"] == "invalid_request_error"
    assert "secret words" not in told.text
    assert quoting.chats() == []


def test_other_addresses_and_methods_have_errors_of_the_same_form(quoting):
    for told in (httpx.get(f"{quoting.address}/v1/nothing"), httpx.put(f"{quoting.address}/v1/models")):
        assert told.status_code in (404, 405)
        assert set(told.json()["error"]) == {"message", "type", "param", "code"}
    assert httpx.get(f"{quoting.address}/health").json() == {"status": "ok"}
    paths = httpx.get(f"{quoting.address}/openapi.json").json()["paths"]
    assert {"/v1/chat/completions", "/v1/models", "/v1/embeddings", "/health"} <= set(paths)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_request_that_is_too_large_is_refused(quoting, chunked):
    body = b'{"model": "bob", "messages": "' + b"x" * 1024 * 1024 + b'"}'
    content = iter([body[:1000], body[1000:]]) if chunked else body
    told = httpx.post(
        f"{quoting.address}/v1/chat/completions",
        content=content,
        headers={"Content-Type": "application/json"},
    )
    assert told.status_code == 413
    assert told.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "localhost.evil.example:8080"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "user@localhost"},
        {"Host": "localhost:port"},
        {"Host": ""},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:3000"},
        {"Host": "localhost:1", "Origin": "https://localhost:1"},
    ],
)
def test_other_sites_are_refused(quoting, headers):
    for path in ("/health", "/v1/models", "/openapi.json"):
        told = httpx.get(f"{quoting.address}{path}", headers=headers)
        assert told.status_code == 403
        if path == "/v1/models":
            assert told.json()["error"]["code"] == "forbidden"
        else:
            assert told.headers["content-type"] == "application/problem+json"
            assert (told.json()["status"], told.json()["title"]) == (403, "Forbidden")
    told = httpx.post(
        f"{quoting.address}/v1/chat/completions", headers=headers, json={"model": "bob", "messages": QUESTION}
    )
    assert told.status_code == 403 and quoting.chats() == []
    assert not [name for name in told.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "localhost:1", "LOCALHOST:8080", "[::1]:9"]
)
def test_loopback_may_ask_by_any_of_its_names_and_the_servers_own_pages_too(quoting, host):
    for headers in ({"Host": host}, {"Host": host, "Origin": f"http://{host}"}):
        assert httpx.get(f"{quoting.address}/health", headers=headers).status_code == 200


def test_two_hosts_are_none():
    assert refused([], []) and refused(["localhost", "localhost"], [])


@pytest.fixture
def started(bob, tmp_path):
    """`bob serve` as its own process on a free port."""
    processes = []

    def start(*arguments, **environment):
        process = bob.start("serve", "--port", "0", *arguments, **environment)
        processes.append(process)
        lines = [process.stdout.readline() for _ in range(4)]
        assert lines[0].startswith("Bob listens at http://"), process.stderr.read()
        return process, lines

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_told_to_end(bob, started, tmp_path, told):
    bob("index", write_files(tmp_path / "garden", GARDEN), "--project", "garden")
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path / "opened"}\n')
    browser.chmod(0o755)
    process, lines = started("--open", BROWSER=f"{browser} %s")
    address = lines[0].split()[3].rstrip(",")
    assert f"OPENAI_BASE_URL={address}/v1" in lines[1]
    with openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
        reply = client.chat.completions.create(model="bob/garden", messages=QUESTION)
        assert "last week of August" in reply.choices[0].message.content
    assert lines[3].endswith((tmp_path / "opened").read_text() + "\n")
    os.kill(process.pid, told)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")


def test_an_upstream_that_is_silent_does_not_keep_the_command_from_ending(started, upstream):
    llm = {"PROVIDER": "openai", "MODEL": "small", "BASE_URL": upstream.url, "API_KEY": "sk-secret"}
    process, lines = started(**{f"BOB_LLM__{name}": value for name, value in llm.items()})
    address = lines[0].split()[3].rstrip(",")
    upstream.script = [Reply(end="silent")]
    body = json.dumps({"model": "bob", "messages": QUESTION, "stream": True}).encode()
    with socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1]))) as asking:
        head = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        asking.sendall(b"POST /v1/chat/completions HTTP/1.1\r\n" + head.encode() + body)
        while not upstream.requests:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "sk-secret" not in err and "hedge" not in err


def test_the_command_prints_a_link_for_one_browser_and_logs_without_content(bob, started):
    process, lines = started(BOB_SERVER__LOG_FORMAT="json")
    link = lines[3].split()[-1]
    with httpx.Client(timeout=30) as client:
        told = client.get(link)
        assert (told.status_code, told.headers["location"]) == (303, "/") and client.cookies
        home = link.partition("?")[0]
        assert (
            client.get(f"{home}search?query=privatewords", headers={"X-Request-ID": "one"}).status_code == 200
        )
        client.cookies.clear()
        assert client.get(link).status_code == 403
    os.kill(process.pid, signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    logged = [json.loads(line) for line in err.splitlines()]
    assert [(each["route"], each["status"]) for each in logged] == [
        ("(none)", 303),
        ("/search", 200),
        ("(none)", 403),
    ]
    assert logged[1]["request_id"] == "one" and logged[1]["seconds"] >= 0
    assert "privatewords" not in err and link.partition("=")[2] not in err


def test_the_command_says_why_it_cannot_serve(bob, started):
    _, lines = started()
    port = lines[0].split()[3].rstrip(",").rsplit(":", 1)[1]
    for arguments, why in [
        (("--host", "0.0.0.0"), "bob keys create"),
        (("--host", "example.org"), "bob keys create"),
        (("--port", port), "choose another --port"),
    ]:
        done = bob("serve", *arguments)
        assert (done.returncode, done.stdout) == (2, "") and why in done.stderr
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = free.getsockname()[1]
    itself = {
        "BOB_LLM__PROVIDER": "openai",
        "BOB_LLM__MODEL": "m",
        "BOB_LLM__BASE_URL": f"http://localhost:{number}/v1",
    }
    done = bob("serve", "--port", number, **itself)
    assert done.returncode == 2 and "Bob's own address" in done.stderr
    done = bob(
        "serve", "--port", "0", BOB_LLM__PROVIDER="anthropic", BOB_LLM__MODEL="m", ANTHROPIC_API_KEY=""
    )
    assert done.returncode == 2 and "ANTHROPIC_API_KEY" in done.stderr
