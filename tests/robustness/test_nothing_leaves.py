"""Nothing leaves the machine, and nothing is written outside Bob's own folders (SPEC A7): every command, the
first run, a server and an MCP server in use, with each name lookup, connection and file counted.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial

import forked_bob
import httpx
import pytest
import typer
from every_command import COMMANDS, commands, play, prepare_folder
from model_server import ModelServer, answer
from traffic_trap import STRACE, run_trapped, signal_trapped, traffic_of, trapped

from bob.cli.main import app

pytestmark = pytest.mark.skipif(STRACE is None, reason="there is no strace")

SERVED_SECONDS = float(os.environ.get("SERVED_SECONDS", "8"))

WATCHED_LONGER = {"serve", "mcp"}
"""These have a test of their own below."""


class Trap:
    """An account that has never run Bob, whose processes are watched."""

    def __init__(self, folder):
        self.home, self.work = folder / "home", folder / "work"
        self.home.mkdir()
        prepare_folder(self.work)
        self.trace = folder / "trace"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("BOB_", "XDG_"))}
        kept.pop("ORT_DISABLE_TELEMETRY", None)  # Set by this process, which has imported Bob.
        kept.pop("SSL_CERT_FILE", None)
        kept.pop("COMPUTED_ONCE")  # A folder of the suite, which a network's outputs would be written to.
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
    begin = 0
    try:
        run = partial(forked_bob.run, cwd=trap.work, environment=trap.environment, path=path)
        for name, _, done in play(run):
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
    # With this set, `Counter` of prometheus_client writes files there.
    counts = trap.home / "counts"
    counts.mkdir()
    trap.environment["PROMETHEUS_MULTIPROC_DIR"] = str(counts)
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
