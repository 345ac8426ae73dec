"""Over HTTP what has no page of its own in the tests: git refs, imports, routines, memories told, keys."""

import json
import shutil
import time
from pathlib import Path

import httpx
import pytest
from served_memory import GARDEN, index, served
from small_memory import engine_over, write_files
from small_repository import SmallRepository

IMPORTS = Path(__file__).parents[1] / "data" / "imports"
PDF = IMPORTS.parent / "parts" / "rules.pdf"
CORPUS = "# Ines\n\n## Work\n\nI keep the tools.\n\n## Doubt\n\nI am not sure of the roof.\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("more")
    groups = {"notes": {"folders": [str(folder / "garden")]}, "persona": {"folder": str(folder / "personas")}}
    engine = engine_over(folder / "bob.db", **groups)
    index(engine, folder, garden=GARDEN)
    write_files(folder / "personas" / "ines", {"corpus.md": CORPUS})
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        client.folder = folder
        client.engine = engine
        yield client
    engine.close()


def post(home, route, /, expect=200, **body):
    told = home.post(route, json=body)
    assert told.status_code == expect, told.text
    return told.json()


def ended(home, run):
    while (now := home.get(f"/index/runs/{run['run']}").json())["state"] in ("waiting", "running"):
        time.sleep(0.01)
    return now


def documents(home, project):
    return len(home.get("/documents", params={"projects": project}).json()["documents"])


def past(home):
    return home.get("/status").json()["past_documents"]


def test_a_ref_of_a_repository_is_read_again_and_taken_out(home):
    repository = SmallRepository(home.folder / "bench")
    repository.commit({"bench.md": "# Bench\n\nThe bench is of oak.\n"})
    path = str(repository.path)
    asked = {"path": path, "project": "bench", "at": "master", "history": True}
    first = ended(home, post(home, "/index", 202, **asked))
    assert (first["state"], first["reports"][0]["added"]) == ("done", 1)
    repository.commit({"bench.md": "# Bench\n\nThe bench is of ash.\n"})
    again = ended(home, post(home, "/failures/retry", 202))
    assert again["state"] == "done" and sum(each["added"] for each in again["reports"]) == 1
    assert (documents(home, "bench"), past(home)) == (1, 1)
    for wrong in ({"project": "bench", "at": "master"}, {"path": path, "include": "code"}):
        told = home.post("/index", json=wrong)
        assert told.status_code == 400 or ended(home, told.json())["state"] == "failed"
    rebuilt = ended(home, post(home, "/index/rebuild", 202, yes=True))
    assert rebuilt["state"] == "done" and len(rebuilt["reports"]) == 2
    assert (documents(home, "bench"), past(home), documents(home, "garden")) == (1, 1, 2)
    assert home.post("/index/rebuild", json={"yes": False}).status_code == 400
    assert post(home, "/index/remove", path=path, at="nowhere")["removed"] == 0
    assert post(home, "/index/remove", path=path) == {"path": path, "removed": 2}
    assert (documents(home, "bench"), past(home)) == (0, 0)


def test_exports_are_taken_over_once(home):
    file = shutil.copy(IMPORTS / "firefox.html", home.folder)
    asked = {"file": str(file), "into": str(home.folder / "garden" / "web"), "tags": ["web"]}
    plan = post(home, "/import/bookmarks", **asked, dry_run=True)
    assert plan["entries"] and not plan["done"] and not (home.folder / "garden" / "web").exists()
    assert post(home, "/import/bookmarks", **asked) == plan | {"done": True}
    assert Path(plan["notes"][0]["path"]).exists()
    assert post(home, "/import/bookmarks", **asked)["entries"] == 0
    rows = write_files(home.folder, {"marked.csv": "text,source\nThe hedge is old.,Hedges\n"}) / "marked.csv"
    assert post(home, "/import/highlights", file=str(rows))["entries"] == 1
    assert post(home, "/import/pdf-annotations", files=[str(PDF)], dry_run=True)["problems"] == []
    for wrong in (
        {"file": str(rows), "form": "chrome"},
        {"file": "x.html"},
        {"file": str(rows), "into": "x"},
    ):
        assert home.post("/import/bookmarks", json=wrong).status_code == 400


def test_a_routine_writes_what_it_shows(home):
    write_files(home.folder / "garden", {"gate.md": "# Gate\n\n- [ ] Oil the gate\n"})
    home.engine.index_files.index_folder(home.folder / "garden")
    shown = post(home, "/routines/daily", date="2025-07-02", dry_run=True)
    assert "Oil the gate" in [each["text"] for each in shown["lines"]["open_loops"]]
    made = post(home, "/routines/daily", date="2025-07-02")
    assert (
        made == shown | {"written": True, "indexed": True} and Path(made["path"]).read_text() == made["text"]
    )
    assert home.post("/routines/meeting", json={}).status_code == 400
    assert home.post("/routines/nap", json={}).status_code == 400


def test_memories_are_told_given_out_and_taken_in(home):
    told = post(home, "/memories", 201, text="- The press costs 5 euros.\n- Ines has the key.\n", lines=True)
    assert [each["summary"] for each in told["memories"]] == ["The press costs 5 euros.", "Ines has the key."]
    assert home.post("/memories", json={"text": " \n"}).status_code == 400
    given = home.get("/memories/export")
    assert given.headers["content-type"].startswith("application/x-ndjson")
    assert [json.loads(each)["memory_id"] for each in given.text.splitlines()] == [
        each["memory_id"] for each in told["memories"]
    ]
    assert post(home, "/memories/import", text=given.text) == {"added": 0, "known": 2, "errors": []}
    mixed = '{"summary": "The roof leaks."}\n[]\n'
    done = post(home, "/memories/import", text=mixed)
    assert (done["added"], len(done["errors"])) == (1, 1) and done["errors"][0].startswith("text, line 2")
    old = '{"summary": "The barn was built.", "valid_from": "1921-05-01"}\n'
    assert post(home, "/memories/import", text=old)["added"] == 1
    listed, cursor = [], None
    while cursor is not None or not listed:
        page = home.get("/memories", params={"limit": 1} | ({"cursor": cursor} if cursor else {})).json()
        listed += [each["summary"] for each in page["memories"]]
        cursor = page.get("next")
    assert "The barn was built." in listed and len(listed) == len(set(listed)) >= 4


def test_a_conversation_of_elsewhere_becomes_a_chat_once(home):
    asked = {"text": "User: The hedge is cut in May.\nAssistant: Noted.\n", "name": "monday"}
    taken = post(home, "/chats/import", **asked)
    assert (taken["added"], taken["remembered"]["messages"]) == (2, 2)
    assert len(home.get(f"/chats/{taken['chat_id']}").json()["messages"]) == 2
    assert post(home, "/chats/import", **asked)["known"] == 2


def test_a_text_and_an_answer_are_checked(home):
    text = "The hedge is cut in the last week of August."
    assert post(home, "/verify", text=text, projects=["garden"])["holds"]
    assert not post(home, "/verify", text=text, projects=["none"])["holds"]
    asked = post(home, "/ask", question="When is the hedge cut?")
    checked = post(home, f"/answers/{asked['answer_id']}/verify")
    assert checked["holds"] and checked["claims"][0]["quotes_stand"]
    assert home.post("/answers/999/verify").status_code == 404


def test_a_persona_answers_and_is_asked(home):
    asked = post(home, "/personas/ines/interview", question="What do you keep?")
    assert asked["answer"] is None and asked["brief"] and asked["question"] == "What do you keep?"
    assert post(home, "/personas/ines/questions", topics=["tools"])["topics"] == ["tools"]
    assert home.get("/personas/ines/report").json()["questions_from"] == "headings"
    assert home.post("/personas/..%2Fines/interview", json={"question": "x"}).status_code == 404


def test_items_of_another_tracker_and_drafts_of_questions(home):
    asked = {"text": "title\nApp is slow\n", "form": "csv"}
    assert post(home, "/work/items/import", **asked, dry_run=True)["added"] == 1
    again = [post(home, "/work/items/import", **asked) for _ in range(2)]
    assert [(each["added"], each["unchanged"]) for each in again] == [(1, 0), (0, 1)]
    drafts = home.get("/eval/golden/suggest", params={"limit": 2}).json()["questions"]
    assert len(drafts) == 2 and not any(each["confirmed"] for each in drafts)


def test_keys_are_made_shown_once_and_revoked(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        for wrong in (
            {"name": "a", "scopes": ["no"]},
            {"name": "a", "expires": "soon"},
            {"name": " "},
            {"user": ""},
            {"user": " "},
            {"user": "x" * 129},
        ):
            assert client.post("/keys", json={"name": "a", "user": "ana"} | wrong).status_code == 400
        nobodys = client.post("/keys", json={"name": "a"})
        assert (nobodys.status_code, nobodys.json()["field"]) == (400, "user")
        first = post(client, "/keys", 201, name="laptop", user="me", role="admin")
        assert client.get("/keys").status_code == 401, "from the first key on it is asked who asks"
        client.headers["Authorization"] = f"Bearer {first['key']}"
        narrow = post(
            client, "/keys", 201, name="ci", user="build", role="admin", scopes=["rag"], expires="90d"
        )
        listed = client.get("/keys").json()["keys"]
        assert [each["name"] for each in listed] == ["laptop", "ci"] and "key" not in listed[0]
        own = {"Authorization": f"Bearer {narrow['key']}"}
        assert client.get("/keys", headers=own).status_code == 403
        assert client.delete(f"/keys/{narrow['key_id']}").json()["revoked_at"]
        assert client.get("/keys", headers=own).status_code == 401
        assert client.delete("/keys/0000").status_code == 404
        closed = [("GET", "/templates"), ("GET", "/notes?path=/a.md"), ("GET", "/mcp/log")]
        closed += [("POST", "/index/remove"), ("POST", "/import/highlights"), ("POST", "/routines/daily")]
        closed += [("POST", "/knowledge-health/fix"), ("POST", "/notes"), ("PUT", "/notes")]
        for method, path in closed:
            bodies = {"/index/remove": {"path": "/x"}, "/import/highlights": {"file": "/x"}}
            bodies |= {"/notes": {"kind": "daily"} if method == "POST" else {"path": "/x.md", "text": ""}}
            body = None if method == "GET" else bodies.get(path, {})
            assert client.request(method, path, json=body).status_code == 403, path
        assert client.post("/lint", json={"path": "/"}).status_code == 403
    engine.close()
