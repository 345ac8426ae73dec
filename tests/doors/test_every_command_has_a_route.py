"""What the command line can do, HTTP can do: each command has a route, or a reason why it has none."""

import typer
from every_route import described_routes

from bob.cli.main import app

ROUTES = {
    "index": ["POST /index", "POST /index/remove"],
    "ask": ["POST /ask", "POST /ask/stream"],
    "chat": ["POST /chats", "POST /chats/{chat_id}/messages"],
    "context": ["POST /context", "POST /context/brief"],
    "smart-context": ["GET /smart-context", "PUT /smart-context"],
    "verify": ["POST /verify", "POST /answers/{answer_id}/verify"],
    "search": ["GET /search", "POST /search"],
    "status": ["GET /status"],
    "doctor": ["GET /doctor"],
    "config": ["GET /settings"],
    "lint": ["POST /lint", "POST /lint/fix"],
    "remember": ["POST /memories", "POST /chats/import"],
    "retry": ["POST /failures/retry"],
    "rebuild": ["POST /index/rebuild"],
    "feedback": ["GET /answers", "GET /answers/{answer_id}", "POST /answers/{answer_id}/feedback"],
    "assist": ["POST /ai/assist"],
    "rag-search": ["POST /ai/rag-search", "POST /ai/rag-search/feedback"],
    "new": ["POST /notes", "GET /templates", "GET /templates/{kind}"],
    "chats list": ["GET /chats"],
    "chats show": ["GET /chats/{chat_id}"],
    "chats search": ["GET /chats/search"],
    "chats delete": ["DELETE /chats/{chat_id}"],
    "memories list": ["GET /memories"],
    "memories search": ["GET /memories/search"],
    "memories show": ["GET /memories/{memory_id}"],
    "memories edit": ["PATCH /memories/{memory_id}"],
    "memories pin": ["PATCH /memories/{memory_id}"],
    "memories forget": ["POST /memories/forget"],
    "memories export": ["GET /memories/export"],
    "memories import": ["POST /memories/import"],
    "decisions": ["GET /decisions"],
    "decisions list": ["GET /decisions"],
    "decisions show": ["GET /decisions/{decision}"],
    "decisions history": ["GET /decisions/{decision}/history"],
    "decisions supersede": ["POST /decisions/{decision}/supersede"],
    "decisions reject": ["POST /decisions/{decision}/reject"],
    "decisions edit": ["PATCH /decisions/{decision}"],
    "decisions undo": ["POST /decisions/{decision}/undo"],
    "import bookmarks": ["POST /import/bookmarks"],
    "import highlights": ["POST /import/highlights"],
    "import pdf-annotations": ["POST /import/pdf-annotations"],
    "health": ["GET /knowledge-health", "GET /knowledge-health/history"],
    "health show": ["GET /knowledge-health/findings/{finding}"],
    "health fix": ["POST /knowledge-health/fix"],
    "health dismiss": [
        "POST /knowledge-health/findings/{finding}/dismiss",
        "POST /knowledge-health/findings/{finding}/restore",
    ],
    "eval run": ["POST /eval/runs"],
    "eval runs": ["GET /eval/runs", "GET /eval/runs/{run}"],
    "eval compare": ["GET /eval/compare"],
    "eval golden suggest": ["GET /eval/golden/suggest"],
    "persona list": ["GET /personas"],
    "persona show": ["GET /personas/{name}"],
    "persona interview": ["POST /personas/{name}/interview"],
    "persona questions": ["POST /personas/{name}/questions"],
    "persona report": ["GET /personas/{name}/report"],
    "keys create": ["POST /keys"],
    "keys list": ["GET /keys"],
    "keys revoke": ["DELETE /keys/{key_id}"],
    "work add": ["POST /work/items"],
    "work list": ["GET /work/items"],
    "work show": ["GET /work/items/{number}"],
    "work edit": ["PATCH /work/items/{number}"],
    "work archive": ["DELETE /work/items/{number}"],
    "work log": ["GET /work/events"],
    "work import": ["POST /work/items/import"],
    "work category add": ["POST /work/categories"],
    "work category list": ["GET /work/categories"],
    "work category rename": ["PATCH /work/categories/{number}"],
    "work field add": ["POST /work/fields"],
    "work field list": ["GET /work/fields"],
    "work field rename": ["PATCH /work/fields/{name}"],
    "routine daily": ["POST /routines/{routine}"],
    "routine meeting": ["POST /routines/{routine}"],
    "routine review": ["POST /routines/{routine}"],
    "mcp log": ["GET /mcp/log"],
}

_PROCESS = "it is a process of its own, and not a question to one that runs"
_CLIENTS = "it writes the settings of other programs on this machine"
_BENCHMARK = "it measures Bob on a downloaded set, for minutes or hours, and not this memory"
WITHOUT = {
    "serve": "it is the server",
    "worker": _PROCESS,
    "mcp": _PROCESS,
    "trust": "whoever may ask a server must not say which settings it starts with",
    "mcp install": _CLIENTS,
    "mcp uninstall": _CLIENTS,
    "db migrate": "a server's database is up to date once it runs",
    "db check": "it looks at the database's files; GET /doctor says whether Bob can work",
    "db copy": "both databases have to be at rest while it runs",
    "eval benchmark beir": _BENCHMARK,
    "eval benchmark claims": _BENCHMARK,
    "eval benchmark seeded": _BENCHMARK,
    "eval benchmark duplicates": _BENCHMARK,
    "eval benchmark locomo": _BENCHMARK,
    "eval benchmark longmemeval": _BENCHMARK,
}


def commands(found, name=""):
    """The names of all commands below one, and of groups that do something by themselves."""
    below = getattr(found, "commands", None)
    if below is None or (name and found.invoke_without_command):
        yield name
    for key, each in (below or {}).items():
        yield from commands(each, f"{name} {key}".strip())


def test_each_command_has_a_route_or_a_reason():
    known = set(commands(typer.main.get_command(app)))
    assert len(known) > 80 and known == ROUTES.keys() | WITHOUT.keys()
    assert not ROUTES.keys() & WITHOUT.keys() and all(ROUTES.values())


def test_each_of_these_routes_is_there():
    there = {
        f"{method.upper()} {path}" for path, every in described_routes()["paths"].items() for method in every
    }
    assert {route for routes in ROUTES.values() for route in routes} <= there
