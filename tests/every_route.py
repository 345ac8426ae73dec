"""Every route of the server with a valid request, and everybody who might send it.

The routes, what they need and their bodies come from the OpenAPI document; what a route names (a chat, a
work item) is there for it."""

import itertools
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import httpx
from served_memory import GARDEN, index
from small_memory import engine_over, every_row
from small_shop import RECORDS

from bob.core.principal import SCOPES, Role
from bob.health.values import finding_id
from bob.http.app import create_app
from bob.http.authenticate import Sessions
from bob.http.server import address_of, build_parts, listen, server_of

UNANSWERED = "who sells sea shells?"
FINDING = finding_id("unanswered-question", UNANSWERED)
NOW = datetime(2025, 6, 15, tzinfo=UTC)
NEEDS = re.compile(
    r"Requires the role `(\w+)`(?: and the scope `(\w+)`)?(; only the user of this machine may)?\."
)
ROLES = [each.value for each in Role]


@dataclass(frozen=True)
class Route:
    """A route as the document describes it; `role` None: it is everybody's."""

    method: str
    path: str
    role: str | None
    scope: str | None
    at_home: bool
    body: object
    fields: frozenset

    def __str__(self):
        return f"{self.method} {self.path}"

    @property
    def keyed(self):
        """Whether it takes an Idempotency-Key."""
        return self.method == "POST" and not self.path.startswith("/v1/")


@dataclass(frozen=True)
class Sender:
    """Somebody with an API key, or the browser of this machine's user."""

    name: str
    org_id: str
    user: str
    role: str
    scopes: frozenset
    headers: dict
    valid: bool = True
    at_home: bool = False

    def may(self, route):
        """The statuses that a route may answer to this sender."""
        if route.role is None:
            return "2xx"
        if not self.valid:
            return 401
        enough = ROLES.index(self.role) >= ROLES.index(route.role)
        within = route.scope is None or not self.scopes or route.scope in self.scopes
        return "2xx" if enough and within and (self.at_home or not route.at_home) else 403


def routes_of(document):
    """All routes, those that take something away last."""
    found = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            needs = NEEDS.search(operation["description"])
            role, scope, home = needs.groups() if needs else (None, None, None)
            content = operation.get("requestBody", {}).get("content", {})
            schema = content.get("application/json", {}).get("schema")
            body = None if schema is None else example(document, schema)
            fields = frozenset(resolved(document, schema).get("properties", ())) if schema else frozenset()
            found.append(Route(method.upper(), path, role, scope, bool(home), body, fields))
    return sorted(found, key=lambda each: (each.path == "/index/rebuild", each.method == "DELETE"))


@cache
def described_routes():
    """The OpenAPI document of a server, without one; it takes a second to make."""
    return create_app(engine_over(Path("/nowhere/bob.db"))).openapi()


def every_route():
    """The routes of a server, without one."""
    return routes_of(described_routes())


def resolved(document, schema):
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def example(document, schema):
    """A valid value, of the examples that the document has."""
    if schema.get("examples"):
        return schema["examples"][0]
    schema = resolved(document, schema)
    if schema.get("examples"):
        return schema["examples"][0]
    if schema.get("default") is not None:
        return schema["default"]
    if "anyOf" in schema:
        return example(document, schema["anyOf"][0])
    if schema.get("type") == "object" or "properties" in schema:
        required = schema.get("required", ())
        return {
            name: example(document, each)
            for name, each in schema.get("properties", {}).items()
            if name in required or resolved(document, each).get("examples")
        }
    return {"string": "x", "integer": 1, "boolean": False, "array": []}.get(schema.get("type"))


class World:
    """A server over a memory that has one of everything, twice: an organization, and another that has
    nothing. `ask` sends what a route needs."""

    def __init__(self, engine, folder, address, sessions, http):
        self.engine = engine
        self.folder = folder
        self.address = address
        self.http = http
        self.other = engine.for_organization("other")
        self.secrets = []
        self._sessions = sessions
        self._numbers = itertools.count(1)
        self._fill()
        self.senders = {each.name: each for each in self._senders()}

    def _fill(self):
        engine, team = self.engine, self.engine.team
        index(engine, self.folder, garden=GARDEN | {"secret.md": "# Safe\n\nThe garden's code: KESTREL.\n"})
        index(engine, self.folder, shop=RECORDS)
        engine.embed_pending.embed_chunks()
        for question in ("When is the hedge cut?", UNANSWERED):
            answer = engine.ask.answer_question(question, today=NOW.date())
            engine.keep_answer.save_answer(answer, asked_at=NOW)
        team.work_items.add_category("Bug Reports", NOW)
        team.work_items.define_field("Platform", "enum", ["iOS"])
        team.work_items.create("ana", {"title": "KESTREL sits on the roof", "category": 1}, NOW)
        team.hippocampus.collection("notes")
        team.hippocampus.add(1, "bird", "Bird", "KESTREL again", "ana")
        self.chat, self.memory = self.new_chat("ana"), self.new_memory("ana")
        self.thread = "thread-of-ana"

    def _senders(self):
        admin = self.sender("admin", "ana", "admin")
        self.admin = admin
        yield admin
        for role in ("reader", "member"):
            yield self.sender(role, "ana", role)
        for scope in SCOPES:
            yield self.sender(f"only {scope}", "ana", "admin", [scope])
        for role in ROLES:
            yield self.sender(f"ben, {role}", "ben", role)
        yield self.sender("eve, elsewhere", "eve", "admin", engine=self.other)
        yield self.sender("ana, elsewhere", "ana", "admin", engine=self.other)
        yield self.sender("revoked", "ana", "admin", valid=False)
        yield self.sender("expired", "ana", "admin", valid_for=timedelta(seconds=-1))

    def sender(self, name, user, role, scopes=(), *, engine=None, valid=True, valid_for=None):
        keys = (engine or self.engine).team.api_keys
        made = keys.create(name, user, Role(role), scopes, valid_for)
        self.secrets.append(made.text)
        if not valid:
            keys.revoke(made.key.key_id)
        org_id = (engine or self.engine).settings.organization
        headers = {"Authorization": f"Bearer {made.text}"}
        return Sender(name, org_id, user, role, frozenset(scopes), headers, valid=valid and valid_for is None)

    def home(self):
        """The browser of this machine's user."""
        word = self._sessions.redeem(self._sessions.new_link())
        self.secrets.append(word)
        headers = {"Cookie": f"bob_session_{self.http.base_url.port}={word}"}
        return Sender("home", "local", "me", "admin", frozenset(), headers, at_home=True)

    def new_chat(self, user):
        conversations = self.engine.conversations
        chat = conversations.chats.start(conversations.scope("", user), NOW)
        for _ in conversations.turn.send_message(
            chat, f"The private word of {user} is OSPREY-{user}.", smart=False
        ):
            pass
        return chat.chat_id

    def new_memory(self, user):
        conversations = self.engine.conversations
        scope = conversations.scope("garden", user)
        told = conversations.remember.tell(scope, f"The press of {user} costs OSPREY-{user} euros.")
        return told.memory_id

    def until_idle(self):
        """Wait until no run of the index and no stream is under way."""
        while any(each["state"] in ("waiting", "running") for each in self.runs()):
            time.sleep(0.02)

    def runs(self):
        return self.http.get("/index/runs", headers=self.admin.headers).json()["runs"]

    def request(self, route, sender):
        """Path and keywords of a valid request of a sender."""
        place, kwargs = route.path, {}
        if route.method == "GET" and place.endswith("search"):
            kwargs["params"] = {"query": "hedge"}
        if str(route) == "GET /notes":
            kwargs["params"] = {"path": str(self.folder / "notes" / "gate.md")}
        if place == "/files":
            kwargs["files"] = [("files", ("letter.md", b"# A letter\n"))]
        elif route.body is not None:
            kwargs["json"] = self._body(route, sender)
        return place.format_map(_Named(self, route, sender)), kwargs

    def ask(self, route, sender, key=None, **more):
        place, kwargs = self.request(route, sender)
        headers = sender.headers | ({"Idempotency-Key": key} if key else {})
        return self.http.request(route.method, place, headers=headers, **(kwargs | more))

    def _body(self, route, sender):
        number = next(self._numbers)
        memory = self.new_memory(sender.user) if route.path == "/memories/forget" else 0
        messages = [{"role": "user", "content": "When is the hedge cut?"}]
        own = {
            "/index": {"project": "garden"},
            "/index/rebuild": {"yes": True},
            "/index/remove": {"path": str(self.folder / "elsewhere")},
            "/open": {"document_id": 1},
            "/eval/runs": {"golden": str(self.folder / "golden.jsonl")},
            "/notes": {"path": str(self.folder / "notes" / f"{number}.md"), "text": "# A gate\n"}
            if route.method == "PUT"
            else {"kind": "meeting", "title": f"Gate {number}", "dry_run": True},
            "/routines/{routine}": {"topic": "budget", "date": "2025-06-30", "dry_run": True},
            "/import/bookmarks": {"file": str(self.folder / "marks.csv"), "dry_run": True},
            "/import/highlights": {"file": str(self.folder / "marks.csv"), "dry_run": True},
            "/import/pdf-annotations": {"files": [str(self.folder / "marks.pdf")], "dry_run": True},
            "/memories/forget": {"memory_ids": [memory]},
            "/knowledge-health/fix": {"all": True, "dry_run": True},
            "/lint": {"text": "# Gate\n"},
            "/lint/fix": {"text": "# Gate\n"},
            "/v1/chat/completions": {"model": "bob/garden", "messages": messages},
            "/v1/embeddings": {"model": "bob", "input": "hedge"},
            "/work/items": {"title": f"The gate {number} squeaks", "category": "Bug Reports"},
            "/work/items/{number}": {"title": f"The gate {number} squeaks"},
            "/work/suggestions": {"title": "The gate squeaks"},
            "/work/categories": {"name": f"Category {number}"},
            "/work/categories/{number}": {"name": f"Category {number}"},
            "/work/fields": {"name": f"Field {number}", "type": "text"},
            "/work/fields/{name}": {"name": f"Field {number}"},
            "/ai/rag-search/feedback": {"query": "roof", "work_item_id": 1, "helpful": True},
            "/hippocampus/resource": {"content": "x", "collectionId": "1", "ownerId": "x"},
            "/hippocampus/search": {"query": "x", "collectionId": "1", "ownerId": "x"},
            "/keys": {"name": "spare", "user": "ana", "role": "reader"},
        }
        return own.get(route.path, route.body)


class _Named(dict):
    """What a path names: there already, or made for this request."""

    def __init__(self, world, route, sender):
        super().__init__()
        self._world, self._route, self._sender = world, route, sender

    def __missing__(self, name):
        world, user = self._world, self._sender.user
        place, local = self._route.path, self._sender.org_id == "local"
        engine = world.engine if local else world.other
        match name:
            case "chat_id":
                return world.chat if user == "ana" and self._route.method == "GET" else world.new_chat(user)
            case "memory_id":
                return world.memory if user == "ana" else world.new_memory(user)
            case "run_id":
                body = {"project": "garden"}
                begun = world.http.post("/index", json=body, headers=world.admin.headers)
                return begun.json()["run"]
            case "stream_id":
                begun = world.http.post(
                    "/ask/stream", json={"question": "When?"}, headers=self._sender.headers
                )
                return begun.headers.get("x-bob-stream", "none")
            case "key_id":
                return engine.team.api_keys.create("spare", "ana", Role.READER, [], None).key.key_id
            case "decision" if local and place.endswith("/undo"):
                engine.knowledge.decisions.edit("ADR-2", NOW, status="rejected")
            case "finding" if local and place.endswith("/restore"):
                engine.knowledge.check_health.dismiss([FINDING], NOW)
            case "resource_id" if local:
                engine.team.hippocampus.add(1, "bird", "Bird", "KESTREL again", "ana")
            case "number" if "categories" in place:
                return 1
            case "name" if "fields" in place:
                name = f"Spare {next(world._numbers)}"
                engine.team.work_items.define_field(name, "text")
                return name
            case "name" if "personas" in place:
                return "ines"
        return {
            "answer_id": 1,
            "document_id": 1,
            "page": 1,
            "number": 1,
            "decision": "ADR-2",
            "finding": FINDING,
            "kind": "meeting",
            "routine": "daily",
            "run": "1",
            "resource_id": "bird",
            "name": "bob",
        }[name]


@contextmanager
def world_in(folder, address=None):
    """A world with its server, from a thread of this process."""
    places = {"uploads": str(folder / "uploads")}
    groups = {"notes": {"folders": [str(folder / "notes")]}, "persona": {"folder": str(folder / "personas")}}
    engine = engine_over(
        address or folder / "bob.db",
        server=places,
        auth={"requests_per_minute": 1_000_000},
        cache=str(folder / "cache"),
        **groups,
    )
    (folder / "notes").mkdir()
    (folder / "notes" / "gate.md").write_text("# Gate\n", encoding="utf-8")
    sessions = Sessions()
    build_parts(engine)
    listening = listen("127.0.0.1", 0)
    server = server_of(engine, sessions)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        with httpx.Client(base_url=address_of(listening), timeout=60) as http:
            yield World(engine, folder, address_of(listening), sessions, http)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
        engine.close()


def rows_of(engine, org_id):
    """Every row of an organization, by table, but for what counts uses."""
    with engine.database.for_organization(org_id).read() as connection:
        return {
            table: {repr(row) for row in rows}
            for table, rows in every_row(connection).items()
            if table not in ("api_keys", "counters", "idempotency_keys")
        }
