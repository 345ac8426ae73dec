"""The OpenAPI document against the running server: no error of its own, no status and no shape that it does
not tell. SCHEMATHESIS_EXAMPLES asks for more tries a route."""

import json
import os

import httpx
import pytest
import schemathesis
from every_route import described_routes
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from served_memory import GARDEN, index, served
from small_memory import engine_over, write_files
from small_shop import RECORDS

from bob.health.values import finding_id

TRIES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "3"))
UNANSWERED = "who sells sea shells?"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
KNOWN = {
    "document_id": 1,
    "page": 1,
    "answer_id": 1,
    "chat_id": 1,
    "memory_id": 1,
    "run": "1",
    "decision": "ADR-2",
    "kind": "meeting",
    "finding": finding_id("unanswered-question", UNANSWERED),
    "name": "ines",
    "number": 1,
}
"""What there is of what a path names."""


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    """The routes of a server whose memory has one of everything."""
    folder = tmp_path_factory.mktemp("schema")
    places = {"uploads": str(folder / "uploads")}
    groups = {"notes": {"folders": [str(folder / "notes")]}, "persona": {"folder": str(folder / "personas")}}
    engine = engine_over(folder / "bob.db", server=places, **groups)
    write_files(folder / "notes", {"gate.md": "# Gate\n"})
    index(engine, folder, garden=GARDEN, shop=RECORDS)
    write_files(folder / "personas" / "ines", {"corpus.md": "# Ines\n\n## Work\n\nI keep the tools.\n"})
    asked = {"id": "a", "question": "When is the hedge cut?", "sources": [{"path": "hedge.md"}]}
    (folder / "golden.jsonl").write_text(json.dumps(asked) + "\n", encoding="utf-8")
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        client.post("/ask", json={"question": asked["question"]})
        client.post("/ask", json={"question": UNANSWERED})
        client.post("/answers/1/feedback", json={"verdict": "helpful"})
        client.post("/chats", json={"project": "garden"})
        client.post("/chats/1/messages", json={"text": "We decided that our project cuts the hedge in May."})
        engine.conversations.remember.process_messages()
        client.post("/work/categories", json={"name": "Tools"})
        client.post("/work/items", json={"title": "Sharpen the shears", "category": "Tools"})
        client.post("/work/fields", json={"name": "ines", "type": "text"})
        for _ in range(2):
            begun = client.post("/eval/runs", json={"golden": str(folder / "golden.jsonl")})
            client.get(begun.headers["location"])
        schema = schemathesis.openapi.from_dict(client.get("/openapi.json").json())
        schema.config.update(base_url=made.address)
        operations = {each.ok().label: each.ok() for each in schema.get_all_operations()}
        yield made.address, operations, folder
    engine.close()


def routes():
    """The routes' names, for tests that are one a route."""
    paths = described_routes()["paths"]
    return [f"{method.upper()} {path}" for path, operations in paths.items() for method in operations]


@pytest.mark.parametrize("route", routes())
def test_a_route_answers_as_it_says(api, route):
    address, operations, _ = api
    operation = operations[route]

    @settings(
        max_examples=TRIES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def tried(case):
        keep_away(case)
        case.call_and_validate(base_url=address, checks=CHECKS, timeout=30)

    tried()


def keep_away(case):
    """No try may read the disk of whoever runs the tests, or drop what the next ones ask for."""
    body = case.body if isinstance(case.body, dict) else {}
    for name in ("path", "golden", "into", "file"):
        if isinstance(body.get(name), str):
            body[name] = f"/nowhere/{body[name]}"
    if case.path == "/index/rebuild":
        body["yes"] = False
    if case.path == "/keys":
        body["scopes"] = ["nowhere"]  # from the first key on, every request needs one


@pytest.mark.parametrize("route", [each for each in routes() if each.startswith("GET ")])
def test_what_there_is_is_shown_as_the_document_says(api, route):
    address, operations, home = api
    named = operations[route].path_parameters
    if any(each.name not in KNOWN for each in named):
        pytest.skip("a stream or run of its own; other tests read those")
    path = {each.name: KNOWN[each.name] for each in named}
    query = {"query": "hedge"} if "search" in route else {}
    if route == "GET /notes":
        query = {"path": str(home / "notes" / "gate.md")}
    case = operations[route].Case(path_parameters=path, query=query)
    told = case.call_and_validate(base_url=address, checks=CHECKS, timeout=30)
    # There is no PDF, no second resource, and no model of that name.
    if not any(each in route for each in ("/pages/", "/hippocampus/", "/v1/models/{name}")):
        assert told.status_code == 200, told.text


def test_every_route_is_described(api):
    _, operations, _ = api
    for label, operation in operations.items():
        raw = operation.definition.raw
        assert raw["summary"] and raw["description"], label
        assert all(each["description"] for each in raw["responses"].values()), label
        # OpenAI's and Hippocampus' routes are described where they come from.
        if not label.split()[1].startswith(("/v1/", "/hippocampus/")):
            done = next(told for status, told in raw["responses"].items() if status.startswith("2"))
            shown = done.get("content", {"": {"example": "nothing"}})
            assert all("example" in each or {"$ref", "format"} & {*each["schema"]} for each in shown.values())
