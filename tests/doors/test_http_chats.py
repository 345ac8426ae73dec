"""Chats, memories, prompts, personas, evaluations and settings over HTTP."""

import json

import httpx
import pytest
from model_server import ModelServer, answer
from served_memory import GARDEN, KITCHEN, events_of, index, served
from small_memory import engine_over, write_files

QUESTION = "When is the hedge cut?"
FACT = "We decided that our project cuts the hedge in the last week of August, never earlier."


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chats")
    persona = {"folder": str(folder / "personas")}
    engine = engine_over(folder / "bob.db", persona=persona, context={"similarity": -1})
    index(engine, folder, garden=GARDEN, kitchen=KITCHEN)
    corpus = "# Ines\n\n## Childhood\n\nI grew up beside a hedge.\n\n## Work\n\nI keep the tools.\n"
    write_files(folder / "personas" / "ines", {"corpus.md": corpus, "voice.md": "Short sentences.\n"})
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        client.folder, client.engine = folder, engine
        yield client
    engine.close()


@pytest.fixture
def chat(home):
    return home.post("/chats", json={"project": "garden"}).json()["chat_id"]


def test_a_chat_is_begun_talked_in_and_read(home, chat):
    reply = home.post(f"/chats/{chat}/messages", json={"text": QUESTION}).json()
    assert reply["reply"].startswith("The hedge is cut in the last week of August")
    assert reply["context"]["pinned"] and not reply["context"]["smart_context"]
    told = home.post(f"/chats/{chat}/messages/stream", json={"text": "And the shed?", "smart_context": True})
    events = list(events_of(told.text))
    assert [name for _, name, _ in events] == ["context", "reply"]
    assert events[0][2]["smart_context"] and events[-1][2]["context"]["smart_context"]
    shown = home.get(f"/chats/{chat}").json()
    assert [each["role"] for each in shown["messages"]] == ["user", "assistant"] * 2
    kept = ("n", "document_id", "path", "title", "heading_path", "locator")
    cited = [{name: each[name] for name in kept} for each in reply["sources"]]
    assert [each["sources"] for each in shown["messages"][:2]] == [[], cited] and cited
    assert shown["title"] == QUESTION and home.get("/chats/99999").status_code == 404
    found = home.get("/chats/search", params={"query": "hedge"}).json()["messages"]
    assert found and found[0]["chat_id"] == chat
    plan = home.delete(f"/chats/{chat}").json()
    assert not plan["done"] and home.get(f"/chats/{chat}").status_code == 200
    assert home.delete(f"/chats/{chat}", params={"yes": True}).json()["done"]
    assert home.get(f"/chats/{chat}").status_code == 404


def test_who_tells_something_is_not_told_that_no_source_answers_it(home, chat):
    said = {
        text: home.post(f"/chats/{chat}/messages", json={"text": text}).json()
        for text in ("From now on the brass band plays in Lisbon.", "Where does the brass band play?")
    }
    assert [each["reply"].partition(" ")[0] for each in said.values()] == ["Saved.", "Not"]
    assert all(each["sources"] == [] for each in said.values())


def test_messages_come_in_pages_the_last_first(home, chat):
    for day in ("Monday", "Tuesday", "Friday"):
        home.post(f"/chats/{chat}/messages", json={"text": f"What happens on {day}?"})
    whole = home.get(f"/chats/{chat}").json()
    assert len(whole["messages"]) == 6 and whole["earlier"] is None
    pages, before = [], None
    while True:
        page = home.get(f"/chats/{chat}", params={"last": 4} | ({"before": before} if before else {})).json()
        pages = page["messages"] + pages
        before = page["earlier"]
        if before is None:
            break
    assert pages == whole["messages"]
    assert home.get(f"/chats/{chat}", params={"before": pages[0]["message_id"]}).json()["messages"] == []


def test_chats_come_in_pages(home):
    made = [home.post("/chats", json={}).json()["chat_id"] for _ in range(5)]
    whole = [each["chat_id"] for each in home.get("/chats?limit=1000").json()["chats"]]
    pages, following = [], None
    while True:
        page = home.get("/chats", params={"limit": 2} | ({"cursor": following} if following else {})).json()
        pages += [each["chat_id"] for each in page["chats"]]
        following = page["next"]
        if following is None:
            break
    assert pages == whole and set(made) <= set(whole)


def test_what_cannot_be_said_is_told(home, chat):
    for path in (f"/chats/{chat}/messages", f"/chats/{chat}/messages/stream"):
        assert home.post(path, json={"text": "  "}).json()["field"] == "text"
        assert home.post(path, json={"text": "x", "smart": True}).json()["field"] == "smart"
    assert home.post("/chats/99999/messages", json={"text": "x"}).status_code == 404
    assert home.post("/chats", json={"project": "attic"}).status_code == 404


def test_a_written_reply_comes_word_by_word(tmp_path):
    upstream = ModelServer()
    upstream.script = [answer("openai", ["In ", "August."])]
    llm = {"provider": "openai", "model": "small", "base_url": f"{upstream.url}/v1", "api_key": "k"}
    engine = engine_over(tmp_path / "bob.db", llm=llm, context={"check_replies": False})
    index(engine, tmp_path, garden=GARDEN)
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        chat = client.post("/chats", json={"project": "garden"}).json()["chat_id"]
        told = client.post(f"/chats/{chat}/messages/stream", json={"text": QUESTION})
    engine.close()
    upstream.close()
    events = list(events_of(told.text))
    assert [data["text"] for _, name, data in events if name == "text"] == ["In ", "August."]
    assert events[0][1] == "context" and events[0][2]["predicted"] is not None
    assert events[-1][2]["usage"]["cache_read_tokens"] == 60


@pytest.mark.parametrize("newest", [False, True])
def test_memories_come_in_pages_from_either_end(home, newest):
    conversations = home.engine.conversations
    scope = conversations.scope("kitchen", "me")
    for amount in range(3 if not newest else 0):
        conversations.remember.tell(scope, f"Recipe {amount} takes {amount + 2} spoons of flour.")
    asked = {"project": "kitchen", "newest": newest}
    whole = home.get("/memories", params=asked).json()["memories"]
    dates = [each["valid_from"] for each in whole]
    assert len(whole) == 3 and dates == sorted(dates, reverse=newest)
    pages, following = [], {}
    while following is not None:
        page = home.get("/memories", params=asked | {"limit": 1} | following).json()
        pages += page["memories"]
        following = page["next"] and {"cursor": page["next"]}
    assert pages == whole


def test_memories_are_read_put_right_and_forgotten(home, chat):
    home.post(f"/chats/{chat}/messages", json={"text": FACT})
    home.engine.conversations.remember.process_messages()
    listed = home.get("/memories", params={"project": "garden"}).json()
    (memory,) = [each for each in listed["memories"] if each["chat_id"] == chat]
    assert listed["funnel"]["kept"] >= 1
    path = f"/memories/{memory['memory_id']}"
    assert FACT in [each["text"] for each in home.get(path).json()["messages"]]
    changed = home.patch(
        path, json={"summary": "The hedge waits for August.", "importance": 90, "pinned": True}
    )
    told = changed.json()
    assert (told["summary"], told["importance"], told["pinned"]) == ("The hedge waits for August.", 90, True)
    found = home.get("/memories/search", params={"query": "hedge", "project": "garden"}).json()["memories"]
    assert found[0]["memory_id"] == memory["memory_id"] and found[0]["score"]
    assert home.get("/memories", params={"limit": 1}).json()["memories"]
    ids = {"memory_ids": [memory["memory_id"]]}
    assert home.post("/memories/forget", json=ids).json()["done"] is None
    assert home.get(path).status_code == 200
    assert home.post("/memories/forget", json=ids | {"yes": True}).json()["done"]["gone"]
    assert home.get(path).status_code == 404 == home.post("/memories/forget", json=ids).status_code
    assert home.patch(path, json={"importance": 101}).json()["field"] == "importance"


def test_a_prompt_is_shown_before_it_is_sent(home, chat):
    shown = home.post("/context", json={"question": QUESTION, "project": "garden"}).json()
    assert "<project_context>" in shown["system"] and shown["messages"][-1]["content"] == QUESTION
    assert shown["receipt"]["predicted"] is None and shown["receipt"]["tokens"] > 100
    of_chat = home.post("/context", json={"question": QUESTION, "chat_id": chat})
    assert of_chat.json()["receipt"]["project"] == "garden"
    other = {"question": QUESTION, "chat_id": chat, "project": "kitchen"}
    assert home.post("/context", json=other).json()["field"] == "project"
    brief = home.post("/context/brief", json={"project": "Garden", "question": QUESTION}).json()
    assert brief["project"] == "garden" and "hedge.md" in brief["text"]


def test_the_switch_is_its_users(home):
    assert home.get("/smart-context").json() == {"enable_smart_rag": False}
    assert home.put("/smart-context", json={"enable_smart_rag": True}).json() == {"enable_smart_rag": True}
    shown = home.post("/context", json={"question": QUESTION, "project": "garden"}).json()
    assert shown["receipt"]["smart_context"] and "nutmeg" in shown["system"]
    assert home.put("/smart-context", json={"enable_smart_rag": False}).json() == {"enable_smart_rag": False}


def test_personas_are_listed_and_no_other_folder_is_read(home):
    assert [each["name"] for each in home.get("/personas").json()["personas"]] == ["ines"]
    shown = home.get("/personas/ines").json()
    assert shown["voice"].startswith("Short") and len(shown["parts"]) >= 2
    write_files(home.folder / "elsewhere", {"corpus.md": "# Other\n\n## Part\n\nWords.\n"})
    for name in ("other", "%2E%2E", "..%2F..", "%2Fetc", str(home.folder / "elsewhere").replace("/", "%2F")):
        assert home.get(f"/personas/{name}").status_code == 404, name


def test_an_evaluation_is_run_in_the_background_listed_and_compared(home):
    asked = {"id": "a", "question": QUESTION, "sources": [{"path": "hedge.md"}], "confirmed": True}
    golden = home.folder / "golden.jsonl"
    golden.write_text(json.dumps(asked) + "\n", encoding="utf-8")
    for name in ("first", "second"):
        begun = home.post("/eval/runs", json={"golden": str(golden), "name": name})
        assert begun.status_code == 202
        events = list(events_of(home.get(begun.headers["location"]).text))
        assert [each for _, each, _ in events] == ["progress", "run"]
    assert [each["name"] for each in home.get("/eval/runs").json()["runs"]] == ["second", "first"]
    assert home.get("/eval/runs/first").json()["results"][0]["found"]
    assert home.get("/eval/compare").json()["counts"]["same"] == 1
    assert home.get("/eval/runs/third").status_code == 404
    assert home.get("/eval/compare", params={"before": "third"}).status_code == 404
    assert home.post("/eval/runs", json={"golden": "golden.jsonl"}).json()["field"] == "golden"
    golden.write_text("no JSON\n", encoding="utf-8")
    assert home.post("/eval/runs", json={"golden": str(golden)}).status_code == 400


def test_settings_are_shown_without_secrets(tmp_path):
    key = "sk-never-shown"
    engine = engine_over(tmp_path / "bob.db", llm={"provider": "openai", "model": "m", "api_key": key})
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        told = client.get("/settings")
        checks = client.get("/doctor").json()
    engine.close()
    shown = {each["key"]: each for each in told.json()["settings"]}
    assert key not in told.text and shown["llm.api_key"]["value"] == "**********"
    assert shown["search.limit"] == {
        "key": "search.limit",
        "value": 10,
        "default": 10,
        "description": "Maximum number of results.",
    }
    assert {each["name"] for each in checks["checks"]} >= {"database", "parsers", "full text"}
