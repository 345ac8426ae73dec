"""The memory as a service: the wire protocol of Hippocampus, as its clients speak it."""

import httpx
import pytest
from served_hippocampus import serving
from small_memory import HashingEmbedder, engine_over


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    engine = engine_over(tmp_path_factory.mktemp("served") / "bob.db")
    engine.shipped_model = HashingEmbedder()
    with serving(engine) as made:
        yield made
    engine.close()


@pytest.fixture
def client(service):
    address, keys = service
    with httpx.Client(base_url=address, headers={"x-api-key": keys["local"]}) as made:
        yield made


@pytest.fixture
def other(service):
    address, keys = service
    with httpx.Client(base_url=address, headers={"x-api-key": keys["other"]}) as made:
        yield made


def collection(client, name="org:1"):
    answer = client.post("/collection", json={"name": name, "settings": {"chunkSize": 512}})
    assert answer.status_code == 200 and answer.json()["name"] == name
    return answer.json()["collectionId"]


def add(client, collection_id, resource_id="workItem:8", title="blue lantern", content="key box", **more):
    body = {"collectionId": collection_id, "title": title, "content": content, "ownerId": "org:1"}
    return client.post("/resource", json=body | ({"resourceId": resource_id} if resource_id else {}) | more)


def search(client, collection_id, query, **more):
    body = {"query": query, "collectionId": collection_id, "ownerId": "org:1", "limit": 5, "minScore": 0.1}
    return client.post("/search", json=body | more)


def test_a_resource_lives_as_the_protocol_says(client):
    number = collection(client)
    assert collection(client) == number
    assert add(client, number).json() == {"resourceId": "workItem:8", "status": "indexed"}
    results = search(client, number, "blue lantern").json()["results"]
    assert [each["resourceId"] for each in results] == ["workItem:8"] and 0.1 <= results[0]["score"] <= 1
    changed = client.put("/resource/workItem:8", json={"title": "rope", "content": "night tide"})
    assert changed.status_code == 200
    assert client.get("/resource/workItem:8").json() == {
        "resourceId": "workItem:8",
        "title": "rope",
        "content": "night tide",
        "ownerId": "org:1",
        "collectionId": number,
    }
    assert search(client, number, "blue lantern").json() == {"results": []}
    assert [client.delete("/resource/workItem:8").status_code for _ in range(2)] == [204, 204]
    assert client.get("/resource/workItem:8").status_code == 404
    assert client.put("/resource/workItem:8", json={"title": "a", "content": "b"}).status_code == 404
    assert search(client, number, "night tide").json() == {"results": []}


def test_fields_of_a_clients_own_have_no_effect(client):
    number = collection(client, "own")
    assert add(client, number, "workItem:9", priority="high").json()["status"] == "indexed"
    assert search(client, number, "blue lantern", rerank=True).status_code == 200


def test_a_resource_without_an_id_gets_one(client):
    number = collection(client, "org:unnamed")
    add(client, number, "resource:2")
    names = [add(client, number, None).json()["resourceId"] for _ in range(3)]
    assert len({*names, "resource:2"}) == 4
    assert client.get(f"/resource/{names[0]}").json()["title"] == "blue lantern"


def test_owners_of_a_collection_do_not_meet(client):
    number = collection(client, "org:shared")
    add(client, number, ownerId="org:1")
    assert search(client, number, "blue lantern", ownerId="org:2").json() == {"results": []}


def test_another_organization_meets_nothing(client, other):
    number = collection(client, "org:secret")
    add(client, number, "workItem:70")
    theirs = [collection(other, f"org:{n}") for n in range(3)]
    assert search(other, number, "blue lantern").json() in ({"results": []},) or number not in theirs
    for each in theirs:
        assert search(other, each, "blue lantern").json() == {"results": []}
    assert other.get("/resource/workItem:70").status_code == 404
    assert other.put("/resource/workItem:70", json={"title": "a", "content": "b"}).status_code == 404
    assert other.delete("/resource/workItem:70").status_code == 204
    assert client.get("/resource/workItem:70").json()["title"] == "blue lantern"


def test_an_id_in_two_collections_is_named_with_its_collection(client):
    first, second = collection(client, "org:first"), collection(client, "org:second")
    for number in (first, second):
        add(client, number, "workItem:5", title=f"of {number}")
    assert client.get("/resource/workItem:5").status_code == 400
    assert client.delete("/resource/workItem:5").status_code == 400
    named = {"x-collection-id": second}
    assert client.get("/resource/workItem:5", headers=named).json()["title"] == f"of {second}"
    assert client.delete("/resource/workItem:5", headers=named).status_code == 204
    assert client.get("/resource/workItem:5").json()["title"] == f"of {first}"


@pytest.mark.parametrize("unknown", ["9999", 9999, "none", "-1", "1e3", "²"])
def test_a_collection_that_is_not_there_is_not_found(client, unknown):
    assert add(client, unknown).status_code == 404
    assert search(client, unknown, "blue").status_code == 404


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/collection", {}),
        ("/collection", {"name": ""}),
        ("/collection", {"name": "x" * 256}),
        ("/resource", {"title": "a", "content": "b"}),
        ("/search", {"query": "", "collectionId": "1", "ownerId": "org:1"}),
        ("/search", {"query": "a", "collectionId": "1", "ownerId": "org:1", "limit": 0}),
        ("/search", {"query": "a", "collectionId": "1", "ownerId": "org:1", "minScore": 2}),
    ],
)
def test_what_is_missing_or_wrong_is_refused(client, path, body):
    assert client.post(path, json=body).status_code == 400


def test_only_who_is_known_may_ask_and_readers_only_read(service, client):
    address, keys = service
    number = collection(client, "org:roles")
    add(client, number, "workItem:3")
    assert httpx.post(f"{address}/collection", json={"name": "org:1"}).status_code == 401
    with httpx.Client(base_url=address, headers={"x-api-key": keys["reader"]}) as reader:
        assert reader.get("/resource/workItem:3").status_code == 200
        assert search(reader, number, "blue lantern").json()["results"]
        refused = [
            reader.post("/collection", json={"name": "org:1"}),
            add(reader, number),
            reader.put("/resource/workItem:3", json={"title": "a", "content": "b"}),
            reader.delete("/resource/workItem:3"),
        ]
    assert [each.status_code for each in refused] == [403] * 4
