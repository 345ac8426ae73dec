"""Records all that people and programs see of Bob, as texts: commands, routes, tools of agents, verbs in
Python, and what is then in the database."""

import contextlib
import dataclasses
import datetime
import io
import json
import os
import re
import sqlite3
import sys
import time
from pathlib import Path
from unittest import mock

import anyio
import httpx
import typer
from every_command import command_objects, play, prepare_folder
from mcp import StdioServerParameters, stdio_client
from mcp.client.client import Client
from normalize import Normalizer
from routes import REQUESTS
from served_memory import served
from small_memory import bob_in, engine_over

from bob.cli.main import app

_PLAIN = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "BOB_INGEST__WORKERS": "1"}
# Where Bob's own command is not, so that it is told of in one way.
_PLAIN |= {"PATH": "/usr/bin:/bin"}


def _normalizer(home, **more):
    today = datetime.date.today()
    days = {
        (today + datetime.timedelta(offset)).isoformat(): f"<today{offset:+}>" for offset in range(-31, 32)
    }
    days[today.isoformat()] = "<today>"
    week = "{}-W{:02}".format(*today.isocalendar()[:2])
    return Normalizer({str(home): "<home>", sys.executable: "<python>", week: "<week>", **days, **more})


def _account(folder):
    bob = bob_in(folder / "home")
    bob.environment |= _PLAIN | {"BOB_DATABASE": str(bob.home / ".local/share/bob/bob.db")}
    work = prepare_folder(bob.home / "work")
    bob.environment |= {
        "BOB_NOTES__FOLDERS": f"[{work}/notes]",
        "BOB_PERSONA__FOLDER": f"{work}/personas",
    }
    return bob, work


def help_of_commands(_folder):
    """In this process, as nothing but the words matters."""
    whole = typer.main.get_command(app)
    parts = []
    for name, _found in command_objects(whole):
        printed = io.StringIO()
        with mock.patch.dict(os.environ, _PLAIN), contextlib.redirect_stdout(printed):
            whole.main([*name.split(), "--help"], prog_name="bob", standalone_mode=False)
        parts.append(f"$ bob {name} --help\n{printed.getvalue().rstrip()}\n")
    return "\n".join(parts)


def commands(folder):
    """Every command with --json where it has that, and then the rows of the database."""
    bob, work = _account(folder)
    with_json = {
        name
        for name, found in command_objects(typer.main.get_command(app))
        if any("--json" in parameter.opts for parameter in found.params)
    }
    normal = _normalizer(bob.home)
    parts = []

    def run(words):
        name = next((each for each in with_json if words[: len(each.split())] == each.split()), None)
        return bob(*words, *(["--json"] if name else []), cwd=work)

    for _name, words, done in play(run):
        parts.append(f"$ bob {normal.text(' '.join(words))}\n{normal.output(done.stdout)}")
        if done.stderr:
            parts.append(f"! {normal.output(done.stderr)}")
        parts.append(f"= {done.returncode}\n\n")
    return "".join(parts), _dump(Path(bob.environment["BOB_DATABASE"]), normal)


def _dump(path, normal):
    """The rows of all tables, without vectors and the like."""
    lines = []
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        tables = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        for (table,) in tables.fetchall():
            rows = database.execute(f"SELECT * FROM {table}")
            columns = [each[0] for each in rows.description]
            shown = sorted(_row(row, normal) for row in rows)
            lines += [f"{table} ({', '.join(columns)})", *(f"  {each}" for each in shown), ""]
    return "\n".join(lines)


def _row(row, normal):
    values = {}
    for name in row.keys():  # noqa: SIM118 - a row iterates over its values
        value = row[name]
        if isinstance(value, bytes):
            value = "<bytes>"
        elif isinstance(value, str) and value[:1] in "[{":
            with contextlib.suppress(ValueError):
                value = json.loads(value)
        # A note names the file that it was made from, so that the length of a folder's name shows in these.
        values[name] = "<n>" if name in ("size", "tokens") else normal.value(value, name)
    return json.dumps(values, ensure_ascii=False)


RECORDS = {
    "help.txt": lambda folder: (help_of_commands(folder),),
    "settings.json": lambda folder: (settings(folder),),
    "python.txt": lambda folder: (python_verbs(folder),),
    "agents.txt": lambda folder: (agents_tools(folder),),
    "commands.txt database.txt": lambda folder: commands(folder),
    "routes.txt openapi.json": lambda folder: http(folder),
}
"""What is recorded together, by the names of the files that hold it."""


def settings(folder):
    bob, _ = _account(folder)
    return _normalizer(bob.home).output(bob("config", "--json").stdout)


def python_verbs(folder):
    """What a program gets, as far as it can be told in JSON."""
    from bob import Bob

    home = folder / "home"
    work = prepare_folder(home / "work")
    normal = _normalizer(home)
    parts = []

    def keep(name, value):
        parts.append(f">>> {name}\n{normal.laid_out(_told(value))}")

    with mock.patch.dict(os.environ, _PLAIN), Bob(database=home / "bob.db") as bob:
        keep("index", bob.index(work / "notes"))
        keep("search", bob.search("hedge"))
        answer = bob.ask("When is the hedge cut?")
        keep("ask", answer)
        keep("chat", bob.chat("When is the hedge cut?", project="notes"))
        keep("remember", bob.remember("The press is rented out at 5 euros a day.", project="notes"))
        keep("memories", bob.memories())
        keep("recall", bob.recall("press"))
        keep("decisions", bob.decisions())
        keep("forget", bob.forget(1))
    return "\n".join(parts)


def http(folder, keep_answer=lambda document, method, path, answer: None):
    """Every route with one request, by the document's own list, and then that document."""
    work = prepare_folder(folder / "work")
    engine = engine_over(
        folder / "bob.db",
        notes={"folders": [str(work / "notes")]},
        persona={"folder": str(work / "personas")},
        server={"uploads": str(folder / "uploads")},
        ingest={"workers": 1},
    )
    normal = _normalizer(folder)
    parts = []
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=120) as client:
        normal = _normalizer(folder, **{made.address: "<server>"})
        known = {"work": str(work)}
        document = client.get("/openapi.json").json()
        for method, path, values in REQUESTS:
            told = _send(client, method, path, values, known)
            keep_answer(document, method, told.request.url.path, told)
            known |= _ids(path, told, client)
            shown = f"{method} {path}" + (f" {json.dumps(values)}" if values else "")
            kind = told.headers.get("content-type", "none")
            told_of = _without_steps(told.text) if kind.startswith("text/event-stream") else told.text
            body = "" if path == "/metrics" else normal.output(told_of)
            parts.append(f"{shown}\n= {told.status_code} {kind}\n{body}\n")
            _settle(engine, client, told)
    engine.close()
    routes = {(method.upper(), path) for path, each in document["paths"].items() for method in each}
    missing = {route for route in routes if not any(_fits(route, each) for each in REQUESTS)}
    assert not missing, f"tests/surface/routes.py has no request for {sorted(missing)}"
    return "\n".join(parts), normal.laid_out(document)


def _fits(route, request):
    parts = [re.escape(each) for each in re.split(r"{\w+}", route[1])]
    return route[0] == request[0] and re.fullmatch("[^/]+".join(parts), request[1])


def _send(client, method, path, values, known):
    path = path.format(**known)
    if path == "/files":
        return client.post(path, data=values, files={"files": ("roses.md", b"# Roses\n\nCut in March.\n")})
    filled = {name: _filled(value, known) for name, value in (values or {}).items()}
    if method in ("GET", "DELETE") or values is None:
        return client.request(method, path, params=filled)
    return client.request(method, path, json=filled)


def _without_steps(stream):
    """The events without those of progress: how many there are depends on how quickly they are read."""
    events = [each for each in stream.split("\n\n") if "event: progress" not in each]
    return "\n\n".join(re.sub(r"^id: \d+", f"id: {number}", each) for number, each in enumerate(events, 1))


def _filled(value, known):
    """The value with the names in it that only this run knows."""
    if isinstance(value, list):
        return [_filled(each, known) for each in value]
    if isinstance(value, str) and value.startswith(("{work}", "{collection}")):
        return value.format(**known)
    return value


def _ids(path, told, client):
    """What later requests name: the last run, stream, finding and key."""
    found = {}
    if path in ("/index", "/failures/retry"):
        found["run_id"] = told.json()["run"]
    if stream := told.headers.get("x-bob-stream"):
        found["stream_id"] = stream
    if path == "/hippocampus/collection":
        found["collection"] = str(told.json()["collectionId"])
    if path == "/knowledge-health":
        found["finding"] = told.json()["findings"][0]["id"]
    if path == "/keys" and told.request.method == "POST":
        client.headers["Authorization"] = f"Bearer {told.json()['key']}"
        found["key_id"] = told.json()["key_id"]
    return found


def _settle(engine, client, told):
    """Until nothing is under way: what comes next must find the same."""
    if told.status_code == 202 and (stream := told.headers.get("location", "")).startswith("/streams/"):
        client.get(stream)  # Its last event comes when the work is done.
    while any(
        each["state"] in ("waiting", "running") for each in client.get("/index/runs").json().get("runs", [])
    ):
        time.sleep(0.02)
    engine.conversations.remember.process_messages()


def agents_tools(folder):
    """Every tool of the protocol for agents, as the list describes it, and one call of each."""
    bob, work = _account(folder)
    assert bob("index", work / "notes").returncode == 0
    assert bob("work", "add", "The shed door sticks").returncode == 0
    assert bob("worker", "--once").returncode == 0
    bob.environment |= {
        "BOB_MCP__WRITE": json.dumps([str(work / "notes")]),
        "BOB_MCP__SCOPES": '["read", "remember", "write", "work"]',
    }
    normal = _normalizer(bob.home)
    parts = []

    async def play_tools():
        command, *arguments = bob.command("mcp")
        transport = stdio_client(StdioServerParameters(command=command, args=arguments, env=bob.environment))
        async with Client(transport, mode="auto") as client:
            listed = (await client.list_tools()).tools
            parts.append(
                normal.laid_out([each.model_dump(mode="json", exclude_none=True) for each in listed])
            )
            (hit, *_) = (await client.call_tool("search", {"query": "hedge"})).structured_content["results"]
            calls = {
                "search": {"query": "hedge"},
                "ask": {"question": "When is the hedge cut?"},
                "fetch": {"id": hit["id"]},
                "read_note": {"path": "rules.md"},
                "write_note": {"path": "gate.md", "text": "# Gate\n\nThe gate squeaks.\n"},
                "list_projects": {},
                "index_status": {},
                "remember": {"text": "I prefer to cut the hedge by hand.", "project": "notes"},
                "recall": {"query": "how is the hedge cut?"},
                "rag_search": {"query": "door of the shed"},
            }
            assert set(calls) == {each.name for each in listed}
            for name, given in calls.items():
                result = await client.call_tool(name, given)
                parts.append(
                    f"{name} {normal.text(json.dumps(given))}\n{normal.laid_out(result.structured_content)}"
                )

    anyio.run(play_tools)
    return "\n".join(parts)


def _told(value):
    if dataclasses.is_dataclass(value):
        return {each.name: _told(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, list | tuple | set | frozenset):
        return [_told(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _told(each) for name, each in value.items()}
    return value if isinstance(value, str | int | float | bool | None) else str(value)
