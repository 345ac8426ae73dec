"""Nothing leaves the machine, and nothing is written outside Bob's own folders (SPEC A7): every command, the
first run, a server and an MCP server in use, with each name lookup, connection and file counted.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import forked_bob
import httpx
import pytest
import typer
from model_server import ModelServer, answer
from small_memory import write_files
from small_talk import LOCOMO, LONGMEMEVAL
from traffic_trap import STRACE, run_trapped, signal_trapped, traffic_of, trapped

from bob.cli.main import app

pytestmark = pytest.mark.skipif(STRACE is None, reason="there is no strace")

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
GOLDEN = '{"id": "hedge", "question": "When is the hedge cut?", "phrases": ["August"]}\n'
LINES = "The press is rented out at 5 euros a day.\nWe decided to plant two pears.\n"
CLAIMS = '{"claim": "The sky is blue.", "evidence": ["The sky is blue."], "label": "supported"}\n'
TRACKER = {
    "corpus.jsonl": '{"_id": "a", "title": "App is slow", "text": "Five seconds to load."}\n'
    '{"_id": "b", "title": "Slow app", "text": "It loads for five seconds."}\n',
    "queries.jsonl": '{"_id": "a", "text": "App is slow"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\na\tb\t1\n",
}
SERVED_SECONDS = float(os.environ.get("SERVED_SECONDS", "60"))

COMMANDS = {
    "index": ["notes", "shop"],
    "ask": ["When is the hedge cut?"],
    "search": ["hedge"],
    "status": [],
    "doctor": [],
    "config": [],
    "chat": ["--project", "notes", "When is the hedge cut?"],
    "context": ["--project", "notes", "When is the hedge cut?"],
    "smart-context": ["on"],
    "remember": ["--lines", "lines.txt"],
    "memories list": [],
    "memories search": ["press"],
    "memories show": ["1"],
    "memories edit": ["1", "The press is rented out at 6 euros a day."],
    "memories pin": ["1"],
    "memories export": [],
    "memories import": ["memories.jsonl"],
    "memories forget": ["2", "--yes"],
    "chats list": [],
    "chats show": ["1"],
    "chats search": ["hedge"],
    "chats delete": ["1", "--yes"],
    "verify": ["lines.txt"],
    "lint": ["notes"],
    "retry": [],
    "feedback": [],
    "decisions": [],
    "decisions list": [],
    "decisions show": ["1"],
    "decisions history": ["1"],
    "decisions supersede": ["id-1", "id-2"],
    "decisions reject": ["1"],
    "decisions edit": ["1", "--status", "active"],
    "decisions undo": ["id-1"],
    "import bookmarks": ["exports/bookmarks.html"],
    "import highlights": ["exports/highlights.csv"],
    "import pdf-annotations": ["exports/rules.pdf"],
    "health": [],
    "health show": ["nothing"],
    "health fix": ["--all", "--dry-run"],
    "health dismiss": ["nothing"],
    "eval run": ["golden.jsonl"],
    "eval runs": [],
    "eval compare": [],
    "eval golden suggest": ["--limit", "2"],
    "eval benchmark beir": ["tracker"],
    "eval benchmark claims": ["claims.jsonl"],
    "eval benchmark seeded": ["notes", "--most", "2"],
    "eval benchmark duplicates": ["tracker"],
    "eval benchmark locomo": ["talk.json"],
    "eval benchmark longmemeval": ["chats.json"],
    "persona list": [],
    "persona show": ["montaigne"],
    "persona interview": ["montaigne", "What is friendship?"],
    "persona questions": ["montaigne"],
    "persona report": ["montaigne"],
    "keys create": ["laptop", "--user", "ana", "--json"],
    "keys list": [],
    "keys revoke": ["KEY"],
    "work add": ["Login fails on mobile"],
    "work list": [],
    "work show": ["1"],
    "work edit": ["1", "--title", "Login fails on phones"],
    "work log": [],
    "work import": ["work/tasks.csv", "--from", "csv"],
    "work category add": ["Bugs"],
    "work category list": [],
    "work category rename": ["Bugs", "Faults"],
    "work field add": ["Browser", "--type", "text"],
    "work field list": [],
    "work field rename": ["Browser", "Client"],
    "worker": ["--once"],
    "rag-search": ["login issues"],
    "assist": ["Have we seen login issues before?"],
    "work archive": ["1"],
    "new": ["daily"],
    "routine daily": [],
    "routine meeting": ["hedge"],
    "routine review": [],
    "rebuild": [],
    "db migrate": [],
    "db check": [],
    "db copy": ["--from", "../home/.local/share/bob/bob.db", "--to", "copy.db"],
    "mcp log": [],
    "mcp install": ["cursor", "--dry-run"],
    "mcp uninstall": ["cursor", "--dry-run"],
}
WATCHED_LONGER = {"serve", "mcp"}
"""These have a test of their own below."""


def commands(found, name=""):
    """The names of all commands below one, and of groups that do something by themselves."""
    below = getattr(found, "commands", None)
    if below is None or (name and found.invoke_without_command):
        yield name
    for key, each in (below or {}).items():
        yield from commands(each, f"{name} {key}".strip())


class Trap:
    """An account that has never run Bob, whose processes are watched."""

    def __init__(self, folder):
        self.home, self.work = folder / "home", folder / "work"
        self.home.mkdir()
        shutil.copytree(EXAMPLES, self.work)
        files = {
            "golden.jsonl": GOLDEN,
            "lines.txt": LINES,
            "memories.jsonl": '{"summary": "The pears are old.", "importance": 60}\n',
            "claims.jsonl": CLAIMS,
            "talk.json": json.dumps(LOCOMO),
            "chats.json": json.dumps(LONGMEMEVAL),
            **{f"tracker/{name}": text for name, text in TRACKER.items()},
        }
        write_files(self.work, files)
        self.trace = folder / "trace"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("BOB_", "XDG_"))}
        kept.pop("ORT_DISABLE_TELEMETRY", None)  # Set by this process, which has imported Bob.
        kept.pop("SSL_CERT_FILE", None)
        self.environment = kept | {
            "HOME": str(self.home),
            "BOB_NOTES__FOLDERS": f"[{self.work}/notes]",
            "BOB_PERSONA__FOLDER": f"{self.work}/personas",
            # Python's own copies of modules, which an installer makes and not a run.
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    @property
    def folders(self):
        """Bob's own, and the one that a command is told to write into."""
        own = [".local/share/bob", ".local/state/bob", ".cache/bob", ".config/bob"]
        return [*(self.home / each for each in own), self.work]

    def run(self, *command, **more):
        return run_trapped(command, self.trace, cwd=self.work, env=self.environment | more)

    def bob(self, *arguments, **more):
        return self.run(sys.executable, "-m", "bob.cli.main", *arguments, **more)

    def start(self, *arguments):
        command = [sys.executable, "-m", "bob.cli.main", *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            trapped(command, self.trace),
            cwd=self.work,
            env=self.environment,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )

    def traffic(self, *addresses, begin=0):
        return traffic_of(self.trace, self.folders, self.work, addresses, begin)


@pytest.fixture(scope="module")
def trap(tmp_path_factory):
    return Trap(tmp_path_factory.mktemp("watched"))


def test_every_command_is_watched():
    assert {*COMMANDS, *WATCHED_LONGER} == set(commands(typer.main.get_command(app)))


def test_no_command_opens_a_connection_or_writes_elsewhere(trap):
    server, path = forked_bob.start(lambda command: trapped(command, trap.trace), trap.environment)
    traffic, failures = {}, {}
    begin, key = 0, ""
    try:
        for name, arguments in COMMANDS.items():
            for _ in range(2 if name == "eval run" else 1):  # A comparison takes two runs.
                words = [key if each == "KEY" else each for each in (*name.split(), *arguments)]
                done = forked_bob.run(words, trap.work, trap.environment, path=path)
            if name == "keys create":
                key = json.loads(done.stdout)["key_id"]
            if done.returncode not in (0, 1, 3):
                failures[name] = done.stderr[-300:]
            # What the process did before the first command is what every command does when it begins.
            found = trap.traffic(begin=begin)
            begin = trap.trace.stat().st_size
            if found.total:
                traffic[name] = str(found)
    finally:
        signal_trapped(server, signal.SIGTERM)
        server.communicate()
    assert traffic == {}
    # A command that is refused shows little of what it does.
    assert set(failures) == {"health show", "health dismiss"}, failures
    _nothing_of_a_dependency(trap)


def _nothing_of_a_dependency(trap):
    written = {each.relative_to(trap.home).parts[:3] for each in trap.home.rglob("*") if each.is_file()}
    own = {(".local", "share", "bob"), (".local", "state", "bob"), (".cache", "bob"), (".config", "bob")}
    assert all(any(parts[: len(each)] == each for each in own) for parts in written), written


def test_the_first_run_of_a_new_account(tmp_path):
    trap = Trap(tmp_path)
    done = trap.bob("ask", "--in", "notes", "When is the hedge cut?")
    assert done.returncode == 0 and "August" in done.stdout, done.stderr
    found = trap.traffic()
    assert found.total == 0, found
    _nothing_of_a_dependency(trap)


def test_a_program_that_imports_bob(tmp_path):
    trap = Trap(tmp_path)
    program = """
from bob import Bob
with Bob() as bob:
    bob.index("notes")
    print(bob.ask("When is the hedge cut?").text)
"""
    done = trap.run(sys.executable, "-W", "error", "-c", program)
    assert done.returncode == 0 and "August" in done.stdout, done.stderr
    found = trap.traffic()
    assert found.total == 0, found


def test_a_program_is_told_that_it_imported_onnxruntime_first(tmp_path):
    trap = Trap(tmp_path)
    done = trap.run(sys.executable, "-c", "import onnxruntime, bob")
    assert done.returncode == 0 and "onnxruntime was imported before bob" in done.stderr
    again = trap.run(
        sys.executable, "-W", "error", "-c", "import onnxruntime, bob", ORT_DISABLE_TELEMETRY="1"
    )
    assert (again.returncode, again.stderr) == (0, "")
    assert trap.traffic().total == 0


def test_a_language_model_is_all_that_is_asked(trap):
    """The libraries of the providers look up nothing and connect to nothing else."""
    with contextlib.closing(ModelServer()) as server:
        port = int(server.url.rpartition(":")[2].partition("/")[0])
        trap.bob("index", "notes")
        for provider in ("openai", "anthropic", "gemini"):
            server.script = [answer(provider, "The hedge is cut in August. [1]")] * 3
            settings = {
                "PROVIDER": provider,
                "MODEL": "small",
                "BASE_URL": server.url,
                "API_KEY": "sk-secret",
            }
            done = trap.bob(
                "ask", "When is the hedge cut?", **{f"BOB_LLM__{k}": v for k, v in settings.items()}
            )
            assert done.returncode == 0 and server.requests, done.stderr
            found = trap.traffic(port)
            assert found.total == 0, (provider, str(found))
            assert trap.traffic().connections, "the trap saw what was sent to the model"


def _address(process):
    """Where a server that was started says that it listens."""
    for line in process.stdout:
        if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
            return int(found[1])
    raise AssertionError(process.stderr.read())


def _end(process):
    signal_trapped(process, signal.SIGINT)
    process.communicate(timeout=120)


def test_a_server_in_use(tmp_path):
    trap = Trap(tmp_path)
    process = trap.start("serve", "--port", "0")
    try:
        port = _address(process)
        ended = time.monotonic() + SERVED_SECONDS
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
            _use(client, trap)
            while time.monotonic() < ended:
                assert client.post("/ask", json={"question": "When is the hedge cut?"}).status_code == 200
                time.sleep(1)
    finally:
        _end(process)
    found = trap.traffic()
    assert found.total == 0, found
    _nothing_of_a_dependency(trap)


def _use(client, trap):
    """What a person does with the pages, and a program with the routes."""
    for path in ("/", "/health", "/ready", "/status", "/doctor", "/settings", "/openapi.json", "/metrics"):
        assert client.get(path).status_code == 200, path
    begun = client.post("/index", json={"path": str(trap.work / "notes")})
    assert begun.status_code in (200, 202), begun.text
    while client.get("/status").json()["documents"] < 10:
        time.sleep(0.2)
    sent = client.post(
        "/files",
        data={"project": "notes"},
        files={"files": ("roses.md", b"# Roses\n\nRoses are cut in March.\n")},
    )
    assert sent.status_code in (200, 202), sent.text
    chat = client.post("/chats", json={"project": "notes"}).json()
    said = client.post(
        f"/chats/{chat['chat_id']}/messages", json={"text": "I decided to rent out the press."}
    )
    assert said.status_code == 200, said.text
    for path in ("/memories", "/documents", "/decisions", "/knowledge-health", "/work/items", "/chats"):
        assert client.get(path).status_code == 200, path


def test_an_agent_in_use(tmp_path):
    trap = Trap(tmp_path)
    trap.bob("index", "notes")
    process = trap.start("mcp")
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    said = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        *(
            {
                "jsonrpc": "2.0",
                "id": at,
                "method": "tools/call",
                "params": {"name": name, "arguments": arguments},
            }
            for at, (name, arguments) in enumerate(
                [
                    ("search", {"query": "hedge"}),
                    ("ask", {"question": "When is the hedge cut?"}),
                    ("remember", {"text": "The press is rented out."}),
                ],
                3,
            )
        ),
    ]
    for each in said:
        process.stdin.write(json.dumps(each) + "\n")
        process.stdin.flush()
    answers = {}
    while len(answers) < 5:
        reply = json.loads(process.stdout.readline())
        if "id" in reply:
            answers[reply["id"]] = reply
    process.communicate(timeout=120)
    assert "August" in json.dumps(answers[4]), answers
    found = trap.traffic()
    assert found.total == 0, found


def test_the_trap_sees_what_it_is_for(tmp_path):
    """A program that does each forbidden thing once, and a library that does them by itself where it does."""
    trap = Trap(tmp_path)
    program = """
import contextlib, os, socket
with contextlib.suppress(OSError):
    socket.getaddrinfo("bob.invalid", 443)
with contextlib.suppress(OSError):
    socket.create_connection(("192.0.2.1", 9), 0.01)
with contextlib.suppress(OSError):
    socket.create_connection(("127.0.0.1", 9), 0.01)
open(os.path.expanduser("~/.device-id"), "w").close()
os.mkdir(os.path.expanduser("~/telemetry"))
os.rename(os.path.expanduser("~/.device-id"), os.path.expanduser("~/.local-id"))
"""
    assert trap.run(sys.executable, "-c", program).returncode == 0
    found = trap.traffic()
    assert found.lookups and len(found.connections) == 2 and len(found.files) == 3, found
