"""The same question to the same memory has the same answer through Python, the command line, HTTP and MCP."""

import json
from datetime import date, datetime

import httpx
import pytest
from served_memory import GARDEN, served
from small_memory import bob_in, write_files
from small_shop import RECORDS

from bob import Bob
from bob.app import Engine
from bob.app.settings import load_settings
from bob.core.search import Filters
from bob.mcp.calls import Calls
from bob.mcp.calls import Client as Caller
from bob.mcp.permissions import permissions_of
from bob.mcp.tool import ToolContext

QUESTION = "When is the hedge cut?"
TEXT = "The hedge is cut in the last week of August.\n\nThe hedge is cut in May.\n"
NOTE = "# Plan\n\nSee [the gate](gate.md).\n"


class Doors:
    """One memory and its four faces; all read the same settings of the same environment."""

    def __init__(self, command, python, http, calls):
        self.command, self.python, self.http, self._calls = command, python, http, calls

    def get(self, path, /, **params):
        told = self.http.get(path, params=params)
        assert told.status_code == 200, told.text
        return told.json()

    def post(self, path, /, **body):
        told = self.http.post(path, json=body)
        assert told.status_code in (200, 201), told.text
        return told.json()

    def tool(self, name, **arguments):
        return dict(self._calls.call_tool(name, arguments, Caller("a client 1.0", "2026-07-28")).content)


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    command = bob_in(tmp_path_factory.mktemp("doors") / "home")
    home = command.home
    write_files(home / "garden", GARDEN)
    write_files(home / "shop", RECORDS)
    command.environment |= {
        "BOB_NOTES__FOLDERS": json.dumps([str(home / "garden")]),
        "BOB_MCP__SCOPES": '["read", "remember"]',
    }
    named = {key: value for key, value in command.environment.items() if key.startswith("BOB_")}
    settings = load_settings(environment=named, home=home, folder=home).settings
    engine = Engine(settings)
    with Bob(settings=settings) as python:
        for project in ("garden", "shop"):
            python.index(home / project)
        python.remember("I prefer to cut the hedge by hand.", "garden")
        calls = Calls(ToolContext(engine, permissions_of(settings), lambda: datetime.now().astimezone()))
        with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as http:
            yield Doors(command, python, http, calls)
    engine.close()


CHANGES = frozenset({"answer_id", "taken_at", "history", "answers"})
"""What is another with each question, or a duration."""


def even(value):
    """The value without what may differ."""
    if isinstance(value, dict):
        return {
            key: even(each)
            for key, each in value.items()
            if key not in CHANGES and not key.endswith("_seconds")
        }
    if isinstance(value, list | tuple):
        return [even(each) for each in value]
    return value


def equal(first, *others):
    for each in others:
        assert even(each) == even(first)
    assert even(first)
    return first


def test_ask(doors):
    answer = equal(
        doors.python.ask(QUESTION).to_json(),
        doors.command.json("ask", QUESTION),
        doors.post("/ask", question=QUESTION),
    )
    told = doors.tool("ask", question=QUESTION)
    assert told["found"] and told["answer"] == answer["answer"]
    assert [(int(each["id"]), each["text"]) for each in told["sources"]] == [
        (each["document_id"], each["quote"]) for each in answer["sources"]
    ]


def test_what_no_source_answers(doors):
    question = "Who sells sea shells?"
    equal(
        doors.python.ask(question).to_json(),
        doors.command.json("ask", question, expect=1),
        doors.post("/ask", question=question),
    )
    assert not doors.tool("ask", question=question)["found"]


def test_search(doors):
    query = "hedge project:garden"
    by_http = doors.get("/search", query=query)
    found = equal(
        [each.to_json() for each in doors.python.search(query)],
        doors.command.json("search", query)["hits"],
        by_http["hits"],
        doors.post("/search", query=query)["hits"],
    )
    told = doors.tool("search", query="hedge", project="garden")["results"]
    assert [int(each["id"]) for each in told] == list(dict.fromkeys(each["document_id"] for each in found))
    of_2019 = {"filters": Filters(projects=("shop",), as_of=date(2020, 1, 1))}
    equal(
        [each.chunk.path for each in doors.python.search("orders", **of_2019)],
        [
            each["path"]
            for each in doors.get("/search", query="orders", projects="shop", as_of="2020")["hits"]
        ],
    )


def test_a_document_is_read(doors):
    (hit, *_) = doors.get("/search", query="shed key")["hits"]
    told = doors.tool("fetch", id=str(hit["document_id"]))
    read = doors.get(f"/documents/{hit['document_id']}")
    assert told["text"].strip() == GARDEN["shed.md"].strip()
    assert [each["text"] for each in read["content"]] == [GARDEN["shed.md"].strip()]
    assert told["metadata"]["path"] == read["path"] == hit["path"]
    assert doors.get("/notes", path=read["path"])["text"] == GARDEN["shed.md"]
    assert doors.tool("read_note", path=read["path"])["text"] == GARDEN["shed.md"]


def test_decisions(doors):
    by_http = doors.get("/decisions", status="active")
    assert by_http.pop("next") is None
    listed = equal(doors.command.json("decisions", "--status", "active"), by_http)
    own = [each.to_json() for each in doors.python.decisions(statuses=["active"])]
    assert own == [{key: each[key] for key in own[0]} for each in listed["decisions"]]
    equal(doors.command.json("decisions", "show", "ADR-2"), doors.get("/decisions/ADR-2"))
    equal(doors.command.json("decisions", "history", "ADR-2"), doors.get("/decisions/ADR-2/history"))
    equal(
        doors.command.json("decisions", "reject", "ADR-9", "--dry-run"),
        doors.post("/decisions/ADR-9/reject", dry_run=True),
    )


def test_memories(doors):
    (memory,) = equal(
        [each.to_json() for each in doors.python.memories()],
        doors.command.json("memories", "list"),
        doors.get("/memories")["memories"],
        [json.loads(line) for line in doors.http.get("/memories/export").text.splitlines()],
        [json.loads(line) for line in doors.command("memories", "export").stdout.splitlines()],
    )
    query = "how is the hedge cut?"
    found = doors.get("/memories/search", query=query)["memories"]
    equal(found, doors.command.json("memories", "search", query))
    (told,) = doors.tool("recall", query=query)["memories"]
    (own,) = doors.python.recall(query)
    assert told["id"] == own.memory.memory_id == found[0]["memory_id"] == memory["memory_id"]
    assert told["text"] == memory["summary"]


def test_health(doors):
    for _ in range(
        3
    ):  # what can be fixed by itself: a question that is asked again and again, and not answered
        doors.post("/ask", question="Who sells sea shells?")
    by_http = doors.get("/knowledge-health", limit=500)
    assert by_http.pop("next") is None and by_http.pop("total") == len(by_http["findings"])
    report = equal(doors.python.health().to_json(), doors.command.json("health"), by_http)
    finding = report["findings"][0]
    equal(
        finding,
        doors.command.json("health", "show", finding["id"]),
        doors.get(f"/knowledge-health/findings/{finding['id']}"),
    )
    equal(
        doors.command.json("health", "fix", "--all", "--dry-run"),
        doors.post("/knowledge-health/fix", all=True, dry_run=True)["outcomes"],
    )


def test_a_note_before_it_is_written(doors):
    equal(
        doors.python.new("meeting", "Kickoff", project="shop", tags=["client"], write=False).to_json(),
        doors.command.json("new", "meeting", "Kickoff", "--project", "shop", "--tag", "client", "--dry-run"),
        doors.post("/notes", kind="meeting", title="Kickoff", project="shop", tags=["client"], dry_run=True),
    )
    equal(doors.command.json("new", "--list"), doors.get("/templates")["templates"])


def test_lint(doors):
    equal(
        doors.python.lint_text(NOTE).to_json(),
        doors.command.json("lint", "-", input=NOTE, expect=1),
        doors.post("/lint", text=NOTE),
    )
    folder = doors.command.home / "shop"
    equal(
        doors.python.lint(folder).to_json(),
        doors.command.json("lint", folder, expect=1),
        doors.post("/lint", path=str(folder)),
    )


def test_verify(doors):
    found = equal(
        doors.python.verify(TEXT).to_json(),
        doors.command.json("verify", "-", input=TEXT, expect=1),
        doors.post("/verify", text=TEXT),
    )
    assert [each["verdict"] for each in found["claims"]] == ["supported", "contradicted"]


def test_what_is_indexed(doors):
    status = equal(doors.python.status(), doors.command.json("status"), doors.get("/status"))
    told = doors.tool("index_status")
    assert (told["documents"], told["passages"]) == (status["documents"], status["chunks"])
    assert {each["project"] for each in doors.tool("list_projects")["projects"]} == {
        each["project"] for each in doors.get("/projects")["projects"]
    }
