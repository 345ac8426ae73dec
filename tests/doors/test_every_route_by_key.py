"""Each route with a valid request, by everybody: who may gets an answer, others a refusal, and nobody what is
another's."""

import itertools

import pytest
from every_route import FINDING, every_route, rows_of, world_in

from bob.storage.organizations import every_organization

ROUTES = every_route()

READS = {
    *(
        "POST /ask",
        "POST /ask/stream",
        "POST /verify",
        "POST /search",
        "POST /context",
        "POST /context/brief",
    ),
    *("POST /personas/{name}/interview", "POST /personas/{name}/questions", "POST /lint", "POST /lint/fix"),
    *("POST /v1/embeddings", "POST /work/suggestions", "POST /ai/rag-search", "POST /ai/execute-sql"),
    *("POST /ai/assist", "POST /hippocampus/search", "POST /session", "DELETE /session"),
    "DELETE /streams/{stream_id}",
}
"""What a reader may do although it is no GET: it shows something, or ends what is the reader's own."""

ABSENT = {
    "GET /documents/{document_id}/pages/{page}": 400,
    "GET /eval/runs/{run}": 404,
    "GET /eval/compare": 400,
}
"""What there is not even for those who may ask: no PDF, and nothing that was evaluated."""

NUMBERS = itertools.count(1)

EXTRA = {
    "org_id": "mallory",
    "organization": "mallory",
    "user": "mallory",
    "user_id": "mallory",
    "owner": "mallory",
    "created_by": "mallory",
    "actor": "mallory",
    "role": "admin",
    "scopes": [],
    "id": 999_999,
    "key_id": "mallory",
    "at_home": True,
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with world_in(tmp_path_factory.mktemp("world")) as made:
        yield made


def test_only_listed_routes_change_nothing_without_being_a_get():
    may = {str(each) for each in ROUTES if each.method != "GET" and each.role == "reader"}
    assert may == READS
    assert {str(each) for each in ROUTES if each.role is None} == {"GET /health", "GET /ready"}


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_a_route_answers_those_who_may_and_nobody_else(world, route):
    for sender in (*world.senders.values(), world.home()):
        answer = world.ask(route, sender)
        expected, status = sender.may(route), answer.status_code
        case = (sender.name, str(route), status, answer.text[:300])
        if expected != "2xx":
            assert status == expected, case
        elif sender.at_home:
            # What names files and programs of this machine finds not all of them; a cookie begins no session.
            absent = route.at_home or str(route) in {*ABSENT, "POST /session"}
            assert status < 300 or (absent and status in (400, 404)), case
        elif str(route) in ABSENT:
            assert status in (ABSENT[str(route)], 404), case
        elif sender.org_id == "local" and not _lacks_stream(sender, route):
            assert status < 300, case
        else:
            assert status < 300 or status in (400, 404), case
        if sender.org_id != "local":
            assert "KESTREL" not in answer.text and "OSPREY-ana" not in answer.text, case
        if sender.user != "ana":
            assert "OSPREY-ana" not in answer.text, case
        if status >= 300:
            assert "KESTREL" not in answer.text and "OSPREY" not in answer.text, case
    world.until_idle()


def _lacks_stream(sender, route):
    """Whether a sender may not begin what the route reads."""
    return route.path.startswith("/streams/") and bool(sender.scopes) and "ask" not in sender.scopes


OWN = [
    ("GET", "/chats/{chat}", None),
    ("DELETE", "/chats/{chat}?yes=true&with_memories=true", None),
    ("POST", "/chats/{chat}/messages", {"text": "Hello"}),
    ("POST", "/chats/{chat}/messages/stream", {"text": "Hello"}),
    ("POST", "/context", {"question": "Hello", "chat_id": "{chat}"}),
    ("GET", "/memories/{memory}", None),
    ("PATCH", "/memories/{memory}", {"summary": "Hello"}),
    ("POST", "/memories/forget", {"memory_ids": ["{memory}"], "yes": True}),
    ("GET", "/streams/{stream}", None),
    ("DELETE", "/streams/{stream}", None),
    ("POST", "/ai/assist", {"message": "Hello", "thread_id": "{thread}"}),
]
"""What is one user's, as it would be reached by another who knows its name."""

SHARED = [
    ("GET", "/documents/{document}", None),
    ("GET", "/documents/{document}/source", None),
    ("GET", "/answers/1", None),
    ("POST", "/answers/1/feedback", {"verdict": "helpful"}),
    ("POST", "/answers/1/verify", None),
    ("GET", "/index/runs/{run}", None),
    ("GET", "/index/runs/{run}/events", None),
    ("DELETE", "/index/runs/{run}", None),
    ("POST", "/index", {"project": "garden"}),
    ("GET", "/decisions/ADR-2", None),
    ("GET", "/decisions/ADR-2/history", None),
    ("PATCH", "/decisions/ADR-2", {"title": "Hello"}),
    ("POST", "/decisions/ADR-2/supersede", {"by": "ADR-7"}),
    ("POST", "/decisions/ADR-2/reject", {}),
    ("POST", "/decisions/ADR-2/undo", {}),
    ("GET", "/knowledge-health/findings/{finding}", None),
    ("POST", "/knowledge-health/findings/{finding}/dismiss", None),
    ("GET", "/work/items/{item}", None),
    ("PATCH", "/work/items/{item}", {"title": "Hello"}),
    ("DELETE", "/work/items/{item}", None),
    ("PATCH", "/work/categories/1", {"name": "Hello"}),
    ("PATCH", "/work/fields/Platform", {"name": "Hello"}),
    ("POST", "/ai/rag-search/feedback", {"query": "roof", "work_item_id": "{item}", "helpful": True}),
    ("GET", "/hippocampus/resource/bird", None),
    ("PUT", "/hippocampus/resource/bird", {"content": "Hello"}),
    ("POST", "/hippocampus/resource", {"content": "x", "collectionId": "1", "ownerId": "x"}),
    ("POST", "/hippocampus/search", {"query": "Hello", "collectionId": "1", "ownerId": "ana"}),
    ("DELETE", "/keys/{key}", None),
]
"""What is an organization's, as it would be reached from another."""


@pytest.fixture(scope="module")
def names(world):
    """What there is, all of it the first user's."""
    http, admin = world.http, world.admin.headers
    world.until_idle()
    stream = http.post("/ask/stream", json={"question": "When is the hedge cut?"}, headers=admin)
    said = http.post("/ai/assist", json={"message": "Where does KESTREL sit?"}, headers=admin).json()
    run = http.post("/index", json={"project": "garden"}, headers=admin).json()["run"]
    world.until_idle()
    key = http.get("/keys", headers=admin).json()["keys"][0]["key_id"]
    world.engine.team.hippocampus.add(1, "bird", "Bird", "KESTREL again", "ana")
    item = http.post("/work/items", json={"title": "KESTREL nests"}, headers=admin).json()["id"]
    document = http.get("/documents", headers=admin).json()["documents"][0]["document_id"]
    return {
        "{chat}": world.new_chat("ana"),
        "{memory}": world.new_memory("ana"),
        "{stream}": stream.headers["x-bob-stream"],
        "{thread}": said["thread_id"],
        "{run}": run,
        "{finding}": FINDING,
        "{key}": key,
        "{item}": item,
        "{document}": document,
    }


def newcomers(world):
    """Two admins of an organization that has nothing yet, so that no number is taken there."""
    engine = world.engine.for_organization(f"new{next(NUMBERS)}")
    return [world.sender(user, user, "admin", engine=engine) for user in ("carl", "ana")]


def named(value, names):
    """A path or body with what there is put in."""
    if isinstance(value, str):
        whole = names.get(value)
        for name, there in names.items():
            value = value.replace(name, str(there))
        return value if whole is None else whole
    if isinstance(value, dict):
        return {key: named(each, names) for key, each in value.items()}
    return [named(each, names) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("method", "path", "body"), OWN, ids=lambda each: each if each else "")
def test_what_is_a_users_is_not_there_for_another(world, names, method, path, body):
    strangers = [world.senders["ben, admin"], *newcomers(world)]
    if path.startswith("/streams/"):
        # Another key of hers, which did not begin it.
        strangers.append(world.senders["member"])
    before = rows_of(world.engine, "local")
    for who in strangers:
        asked = {"headers": who.headers, "json": named(body, names)}
        answer = world.http.request(method, named(path, names), **asked)
        assert answer.status_code == 404, (who, method, path, answer.status_code, answer.text)
        assert "KESTREL" not in answer.text and "OSPREY" not in answer.text
    after = rows_of(world.engine, "local")
    assert {table: rows - after[table] for table, rows in before.items() if rows - after[table]} == {}
    if method == "GET":
        assert world.http.get(named(path, names), headers=world.admin.headers).status_code == 200


@pytest.mark.parametrize(("method", "path", "body"), SHARED, ids=lambda each: each if each else "")
def test_what_is_an_organizations_is_not_there_for_another(world, names, method, path, body):
    before = rows_of(world.engine, "local")
    for who in newcomers(world):
        asked = {"headers": who.headers, "json": named(body, names)}
        answer = world.http.request(method, named(path, names), **asked)
        assert answer.status_code == 404, (who, method, path, answer.status_code, answer.text)
        assert "KESTREL" not in answer.text and "OSPREY" not in answer.text
    assert rows_of(world.engine, "local") == before
    if method == "GET":
        assert world.http.get(named(path, names), headers=world.admin.headers).status_code == 200


def test_a_chat_of_another_is_not_gone_on_with_by_its_name_in_a_header(world):
    body = {"model": "bob", "messages": [{"role": "user", "content": "What is the private word?"}]}
    name = {"X-Bob-Chat": "ana's own"}
    for sender in (world.admin, world.senders["ben, admin"]):
        told = world.http.post("/v1/chat/completions", json=body, headers=sender.headers | name)
        assert told.status_code == 200, told.text
    kept = {
        user: {each.name: each.chat_id for each in world.engine.conversations.chats.recent(user, 1000)}
        for user in ("ana", "ben")
    }
    assert kept["ana"]["ana's own"] != kept["ben"]["ana's own"]


@pytest.mark.parametrize("route", [each for each in ROUTES if each.body is not None], ids=str)
def test_a_field_that_a_route_does_not_have_is_refused_or_does_nothing(world, route):
    sender = world.home() if route.at_home else world.admin
    place, kwargs = world.request(route, sender)
    more = {name: value for name, value in EXTRA.items() if name not in route.fields}
    accepted = 0
    for name, value in [*more.items(), ("all", more)]:
        extra = value if name == "all" else {name: value}
        body = kwargs["json"] | extra
        answer = world.http.request(route.method, place, json=body, headers=sender.headers)
        if answer.status_code >= 300:
            assert answer.status_code == 400 and answer.json()["field"] in more, answer.text
        accepted += answer.status_code < 300
    lenient = route.path.startswith(("/v1/", "/hippocampus/"))
    assert accepted == (len(more) + 1 if lenient else 0)
    world.until_idle()
    for org_id in ("local", "other"):
        everything = rows_of(world.engine, org_id)
        assert not [each for rows in everything.values() for each in rows if "mallory" in each]
    assert "mallory" not in every_organization(world.engine.database)
    mine = world.http.get("/session", headers=world.admin.headers).json()
    assert (mine["user"], mine["organization"], mine["role"]) == ("ana", "local", "admin")
