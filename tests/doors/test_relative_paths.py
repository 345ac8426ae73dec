"""Who is no administrator and not the user of the machine learns nothing of the server's folders."""

import base64
import re

import httpx
import pytest
from every_route import described_routes
from served_memory import GARDEN, served
from signed_tokens import AUDIENCE, ISSUER, SECRET, by_secret, claims
from small_memory import engine_over, write_files
from small_shop import RECORDS

from bob.http.relative_paths import ShownPaths

PLACES = {"document_id": 1, "page": 1, "answer_id": 1, "chat_id": 1, "memory_id": 1, "decision": "ADR-2"}
PLACES |= {"number": 1, "name": "Size", "resource_id": "workItem:1", "kind": "meeting", "run": "1"}
POSTS = {
    "/ask": {"question": "When is the hedge cut?"},
    "/ask/stream": {"question": "When is the hedge cut?"},
    "/search": {"query": "hedge orders database"},
    "/verify": {"text": "The hedge is cut in August."},
    "/context": {"project": "garden", "question": "When is the hedge cut?"},
    "/context/brief": {"project": "garden", "question": "cut the hedge"},
    "/lint": {"text": "# Hedge\n\nDecision: none.\n"},
    "/lint/fix": {"text": "# Hedge\n\nDecision: none.\n"},
    "/chats/1/messages": {"text": "When is the hedge cut?"},
    "/chats/1/messages/stream": {"text": "When is the hedge cut?"},
    "/decisions/ADR-2/reject": {"dry_run": True},
    "/decisions/ADR-2/supersede": {"by": "ADR-7", "dry_run": True},
    "/index": {"project": "garden"},
    "/index ": {"path": "/nowhere"},
    "/failures/retry": None,
    "/memories/forget": {"memory_ids": [1]},
    "/v1/chat/completions": {"model": "bob/garden", "messages": [{"role": "user", "content": "The hedge?"}]},
}


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    folder = tmp_path_factory.mktemp("relative")
    auth = {"jwt_secret": SECRET, "audience": AUDIENCE, "issuer": ISSUER, "requests_per_minute": 100_000}
    engine = engine_over(folder / "bob.db", auth=auth, server={"uploads": str(folder / "uploads")})
    files = GARDEN | {"script.md": f"{folder}/garden/run.sh starts it, for the hedge.\n", "bad.pdf": "no PDF"}
    for project, held in (("garden", files), ("shop", RECORDS)):
        engine.index_files.index_folder(write_files(folder / project, held), project)
    with served(engine) as server, httpx.Client(base_url=server.address, timeout=60) as made:

        def ask(role, method, path, **more):
            token = by_secret(claims(role=role, exp=2**33))
            return made.request(method, path, headers={"Authorization": f"Bearer {token}"}, **more)

        ask.folder = folder
        ask("member", "POST", "/ask", json=POSTS["/ask"])
        ask("member", "POST", "/chats", json={"project": "garden"})
        ask("member", "POST", "/memories", json={"text": "My project codename is Giraffe."})
        yield ask
    engine.close()


def texts(answer):
    """All that a response tells, what its cursors hold included."""
    yield answer.text
    yield str(answer.headers)
    for cursor in re.findall(r'"next":"([\w-]+)"', answer.text):
        yield base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("utf-8", "replace")


def told(answer, folder):
    """What a response tells of the server's folders, but for the document whose own words they are."""
    mark = re.escape(folder.as_posix())
    return [
        match[0]
        for text in texts(answer)
        for match in re.finditer(f".{{0,60}}{mark}.{{0,40}}", text)
        if "run.sh" not in match[0]
    ]


def reading():
    """Every route that reads."""
    for path, operations in described_routes()["paths"].items():
        if "get" in operations and "{stream_id}" not in path and path != "/metrics":
            yield path.format_map(PLACES | {"run_id": "none", "finding": "none", "key_id": "none"})


@pytest.mark.parametrize("role", ["reader", "member"])
def test_no_reply_to_others_names_a_folder_of_the_server(team, role):
    found = []
    for path in reading():
        for query in ({}, {"query": "hedge"}, {"limit": 1}, {"limit": 1, "order": "path"}):
            found += [(path, each) for each in told(team(role, "GET", path, params=query), team.folder)]
    for path, body in POSTS.items():
        answer = team(role, "POST", path.strip(), json=body)
        if role == "member":
            assert (answer.status_code < 300) == (not path.endswith(" ")), (path, answer.text)
        found += [(path, each) for each in told(answer, team.folder)]
        run = answer.headers.get("location")
        for place in (run, f"{run}/events") if run else ():
            found += [(place, each) for each in told(team(role, "GET", place), team.folder)]
    assert found == []


def test_administrators_see_where_files_are(team):
    documents = team("admin", "GET", "/documents").json()["documents"]
    assert {each["path"].partition("/garden/")[0] for each in documents if each["project"] == "garden"} == {
        str(team.folder)
    }
    assert told(team("admin", "GET", "/status"), team.folder)


def test_paths_are_shown_from_the_folder_that_was_indexed(team):
    (hit, *_) = team("reader", "POST", "/search", json=POSTS["/search"]).json()["hits"]
    assert hit["path"].startswith(("garden/", "shop/adr/"))
    narrowed = team("reader", "POST", "/search", json=POSTS["/search"] | {"paths": [hit["path"]]}).json()
    assert {each["path"] for each in narrowed["hits"]} == {hit["path"]}
    events = team("reader", "POST", "/ask/stream", json=POSTS["/ask"]).text
    assert '"garden/hedge.md"' in events


def test_what_was_sent_is_told_by_project_and_name(team):
    sent = team(
        "member", "POST", "/files", files={"files": ("letter.md", b"# Letter")}, data={"project": "post"}
    )
    assert sent.json()["files"] == [{"name": "letter.md", "path": "post/letter.md", "new": True}]
    assert told(sent, team.folder) == []
    events = team("member", "GET", f"{sent.headers['location']}/events")
    assert told(events, team.folder) == []
    assert "post" in events.text


def test_pages_in_the_order_of_paths_follow_each_other(team):
    for role in ("reader", "admin"):
        seen, cursor = [], {}
        while cursor is not None:
            page = team(role, "GET", "/documents", params={"limit": 2, "order": "path"} | cursor).json()
            seen += [each["path"] for each in page["documents"]]
            cursor = page["next"] and {"cursor": page["next"]}
        whole = team(role, "GET", "/documents", params={"limit": 200, "order": "path"}).json()
        assert seen == [each["path"] for each in whole["documents"]]
        assert len(seen) >= len(GARDEN) + len(RECORDS)


def test_the_text_of_a_document_stays_as_it_is(team):
    shown = team("reader", "POST", "/search", json={"query": "run.sh starts it"}).text
    assert f"{team.folder.as_posix()}/garden/run.sh starts it" in shown


def test_names_are_told_from_longer_ones():
    shown = ShownPaths(["/srv/notes", "/srv/notes/deep", "/"], "/srv/up")
    told = {
        "/srv/notes": "notes",
        "/srv/notes/deep/a.md": "notes/deep/a.md",
        "/srv/notes@main/a.md": "notes@main/a.md",
        "/srv/notesbook/a.md": "/srv/notesbook/a.md",
        "/srv/up/garden/a.md": "garden/a.md",
        "x/srv/notes/a.md": "x/srv/notes/a.md",
    }
    assert {path: shown.rewrite(path) for path in told} == told
    assert shown.rewrite({"/srv/notes/a.md": [1]}) == {"notes/a.md": [1]}
    assert shown.rewrite({"detail": "no '/srv/notes/a.md', nor /srv/up/b/c"}) == {
        "detail": "no 'notes/a.md', nor b/c"
    }
