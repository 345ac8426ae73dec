"""A fact told in one chat is known in another, and forgotten everywhere, with OpenAI's own client, the real
server, the real model and the real command."""

import json
import subprocess
import time

import pytest
from model_server import JSON, ModelServer, Reply
from served_memory import GARDEN, KITCHEN, index, served
from small_memory import engine_over

from bob import Bob
from bob.app.settings import Settings
from bob.core.errors import UsageError
from bob.storage import jobs

FACT = "We decided to rent the cider press from Philomena Quist for 340 crowns."
ECHO = "Noted: we rent the cider press from Philomena Quist for 340 crowns, as you decided."
QUESTION = "Whom do we rent the cider press from?"
TRACES = (b"Philomena", b"Quist", b"340 crowns")


@pytest.fixture
def upstream():
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def memory(bob, upstream, tmp_path):
    """The server with its background work, in front of the upstream."""
    engine = engine_over(bob.database, llm={"provider": "openai", "model": "small", "base_url": upstream.url})
    index(engine, tmp_path, garden=GARDEN, kitchen=KITCHEN)
    engine.index.compact(force=True)
    with engine.conversations.remembering(), served(engine) as made:
        yield made
    engine.close()


def says(upstream, memory, text, reply="Yes.", project="garden", history=(), **headers):
    """One request; the messages that reached the upstream for it, as one text."""
    message = {"role": "assistant", "content": reply}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "small"}
    body["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
    upstream.script.append(Reply(200, JSON, [json.dumps(body).encode()]))
    with memory.client(**headers) as client:
        client.chat.completions.create(
            model=f"bob/{project}", messages=[*history, {"role": "user", "content": text}]
        )
    return json.dumps(upstream.requests[-1].body["messages"], ensure_ascii=False)


def remembered(memory):
    """Waits until no message waits for the funnel; the memories."""
    for _ in range(600):
        with memory.engine.database.read() as connection:
            waiting = jobs.counts(connection)
        if not sum(waiting.values()):
            return memory.engine.conversations.memories.of("me")
        time.sleep(0.1)
    raise AssertionError(waiting)


def bytes_of(folder):
    """All files that the database is made of, and what is made of it.

    Read by another process: this one has the database open, and to close one of its files would give up the
    locks of all its connections (POSIX's rule for locks).
    """
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path: subprocess.run(["cat", path], capture_output=True, check=False).stdout for path in paths}


def test_a_fact_is_recalled_in_another_chat_when_smart_context_is_on(memory, upstream, bob):
    says(upstream, memory, FACT, ECHO, X_Bob_Chat="first")
    (kept,) = remembered(memory)
    assert kept.summary == FACT and kept.scope.project == "garden"

    # Off by default; on by the request; on by the switch, and off by the request again.
    assert "Philomena" not in says(upstream, memory, QUESTION, X_Bob_Chat="a")
    sent = says(upstream, memory, QUESTION, X_Bob_Chat="b", X_Bob_Smart_Context="on")
    assert f"[Importance {kept.importance}] {FACT}" in sent
    assert bob("smart-context", "on").returncode == 0
    assert FACT in says(upstream, memory, QUESTION, X_Bob_Chat="c")
    assert "Philomena" not in says(upstream, memory, QUESTION, X_Bob_Chat="d", X_Bob_Smart_Context="off")
    # About something else nothing is recalled, and in another project it is no truth.
    assert "Philomena" not in says(upstream, memory, "How do I sharpen a pencil?", X_Bob_Chat="e")
    elsewhere = says(upstream, memory, QUESTION, project="kitchen", X_Bob_Chat="f")
    assert FACT in elsewhere.partition("<global_context>")[2].partition("</global_context>")[0]
    assert FACT not in elsewhere.partition("<global_context>")[0]
    assert bob("smart-context", "off").returncode == 0
    assert "Philomena" not in says(upstream, memory, QUESTION, X_Bob_Chat="g")


def test_what_is_forgotten_is_gone_while_the_server_runs(memory, upstream, bob):
    said = [{"role": "user", "content": FACT}, {"role": "assistant", "content": ECHO}]
    says(upstream, memory, FACT, ECHO, X_Bob_Chat="first")
    (kept,) = remembered(memory)
    on = {"X_Bob_Smart_Context": "on"}
    assert FACT in says(upstream, memory, QUESTION, ECHO, X_Bob_Chat="second", **on)
    remembered(memory)
    folder = bob.database.parent
    assert any(TRACES[0] in content for content in bytes_of(folder).values())

    done = bob.json("memories", "forget", kept.memory_id, "--yes")["done"]
    assert done["gone"] and done["messages"] == 3
    looked_at = {probe["path"] for probe in done["probes"]}
    assert str(bob.database) in looked_at and len(looked_at) > 1, "the snapshot is searched, too"
    assert not bob.json("memories", "list")
    assert found_in(folder) == []
    assert "Philomena" not in says(upstream, memory, QUESTION, X_Bob_Chat="third", **on)

    # The client of the first chat still has its history; what it sends again is not kept again.
    sent = says(upstream, memory, "And the hedge?", history=said, X_Bob_Chat="first", **on)
    assert sent.count("Philomena") == 2, "in the client's own messages, and nowhere else"
    assert remembered(memory) == []
    first = next(each for each in memory.chats() if each.name == "first")
    assert [text for _, text in memory.kept(first)] == [
        "[forgotten]",
        "[forgotten]",
        "And the hedge?",
        "Yes.",
    ]
    assert found_in(folder) == []


def found_in(folder):
    return [
        (path, trace) for path, content in bytes_of(folder).items() for trace in TRACES if trace in content
    ]


def test_a_script_recalls_what_it_has_said(tmp_path):
    with Bob(settings=Settings(database=str(tmp_path / "bob.db"))) as memory:
        memory.chat(FACT)
        assert [found.memory.summary for found in memory.recall(QUESTION)] == [FACT]
        with pytest.raises(UsageError, match="must not be empty"):
            memory.chat(" ")
