"""No text of files, names, models and peers steers the terminal: each command, on a terminal and in a pipe.

A command that is not in `RUNS` fails the first test.
"""

import json
import shutil
import signal
import urllib.error
import urllib.request

import pytest
import typer
from hostile_terminal import KEPT, LINE, MARK, NAME, SHOWN, TEXT, dangers, hostile_memory, in_terminal
from model_server import ModelServer, Reply, answer, refusal
from small_memory import Bob

from bob.cli.main import app

H = "{home}/"
PERSONA = f"{H}personas/p{NAME}"
DRY = "--dry-run"
RUNS = {
    "index": ["{notes}"],
    "ask": ["giraffe", "tower"],
    "chat": ["--chat", "1", "giraffe tower"],
    "context": ["--chat", "1", "giraffe tower"],
    "smart-context": [],
    "serve": ["--host", NAME],
    "worker": ["--once"],
    "verify": [f"{H}claims{NAME}.md"],
    "search": ["giraffe", "tower"],
    "status": [],
    "doctor": [],
    "trust": [f"{H}clone{NAME}"],
    "config": ["--config", f"{H}bob{NAME}.yaml"],
    "lint": ["{notes}"],
    "remember": [f"The elephant {TEXT} eats hay every day."],
    "retry": [],
    "rebuild": ["--yes"],
    "feedback": [],
    "assist": ["Have we seen giraffe payment timeouts before?", "--steps"],
    "rag-search": ["giraffe payment timeouts"],
    "new": ["meeting", f"Kick {LINE}", DRY, "--into", "{notes}"],
    "chats list": [],
    "chats show": ["1"],
    "chats search": ["what does the giraffe eat"],
    "chats delete": ["1"],
    "memories list": [],
    "memories search": ["giraffe"],
    "memories show": ["1"],
    "memories edit": ["1", f"The elephant {TEXT} eats."],
    "memories pin": ["1"],
    "memories forget": ["1"],
    "memories export": [],
    "memories import": [f"{H}memories{NAME}.jsonl"],
    "decisions": [],
    "decisions list": [],
    "decisions show": ["ADR-7"],
    "decisions history": ["ADR-8"],
    "decisions supersede": ["ADR-7", "ADR-8", DRY],
    "decisions reject": ["ADR-7", DRY],
    "decisions edit": ["ADR-7", "--title", f"Use {TEXT} swans", DRY],
    "decisions undo": ["ADR-8", DRY],
    "import bookmarks": [f"{H}bookmarks{NAME}.html", "--into", "{notes}", DRY],
    "import highlights": [f"{H}highlights{NAME}.json", "--into", "{notes}", DRY],
    "import pdf-annotations": [f"{{notes}}/bad{NAME}.pdf", "--into", "{notes}", DRY],
    "health": [],
    "health show": ["{finding}"],
    "health fix": ["--all", DRY],
    "health dismiss": [f"orphan{NAME}"],
    "eval run": [f"{H}golden{NAME}.jsonl"],
    "eval runs": ["1"],
    "eval compare": ["1", "2"],
    "eval golden suggest": [],
    "eval benchmark beir": [f"{H}beir"],
    "eval benchmark claims": [f"{H}set{NAME}.jsonl"],
    "eval benchmark seeded": ["{notes}", "--most", "1"],
    "eval benchmark duplicates": [f"{H}beir"],
    "eval benchmark locomo": [f"{H}locomo{NAME}.json", "--only", NAME],
    "eval benchmark longmemeval": [f"{H}talk{NAME}.jsonl"],
    "persona list": [],
    "persona show": [PERSONA],
    "persona interview": [PERSONA, "storms"],
    "persona questions": [PERSONA, "--topic", "afraid of storms"],
    "persona report": [PERSONA],
    "keys create": ["phone", "--user", f"ana{LINE}"],
    "keys list": [],
    "keys revoke": ["{key}"],
    "work add": [f"Fall {LINE}", "--description", TEXT],
    "work list": [],
    "work show": ["1"],
    "work edit": ["1", "--title", f"Fall {LINE}"],
    "work archive": ["1"],
    "work log": [],
    "work import": [f"{H}work{NAME}.csv", "--from", "csv", DRY],
    "work category add": [f"cat2 {LINE}"],
    "work category list": [],
    "work category rename": [f"cat {KEPT}", f"dog {LINE}"],
    "work field add": [f"field2 {LINE}"],
    "work field list": [],
    "work field rename": [f"field {KEPT}", f"pasture {LINE}"],
    "routine daily": [DRY, "--into", "{notes}"],
    "routine meeting": ["giraffe tower", LINE, DRY, "--into", "{notes}"],
    "routine review": [DRY, "--into", "{notes}"],
    "mcp": ["--project", NAME],
    "mcp install": [NAME],
    "mcp uninstall": [NAME],
    "mcp log": [],
    "db migrate": ["--database", f"{H}db{NAME}.db"],
    "db check": ["--database", f"{H}db{NAME}.db"],
    "db copy": ["--from", f"{H}a{NAME}.db", "--to", f"{H}b{NAME}.db", DRY],
}
MORE_RUNS = {
    "ask --markdown": ["giraffe", "tower", "--markdown"],
    "ask --audit": ["giraffe", "tower", "--audit"],
    "ask of git": ["zebra", "tower"],
    "ask in vain": [f"Who invented {LINE} calculus?"],
    "search --explain": ["hippo", "tower", "--explain"],
    "search for nothing like a date": ["giraffe", "--after", LINE],
    "status --check": ["--check"],
    "lint --fix --dry-run": ["{notes}", "--fix", DRY],
    "lint --sarif": ["{notes}", "--sarif"],
    "verify --mark": [f"{H}claims{NAME}.md", "--mark"],
    "verify --remove": [f"{H}claims{NAME}.md", "--remove"],
    "verify --answer": ["--answer", "1"],
    "feedback of an answer": ["1"],
    "context --for-agent": ["--for-agent", "--project", f"pro{NAME}", "giraffe"],
    "eval runs all": [],
    "health of a rule": ["--rule", LINE],
    "new --list": ["--list"],
    "index of git": [f"{H}repo{NAME}", "--at", "b\u202e\u200b"],
    "index of no branch": [f"{H}repo{NAME}", "--at", f"main{LINE}"],
    "index --remove": ["{notes}", "--remove"],
    "index of nothing": [f"{H}none{NAME}"],
    "memories forget --yes": ["1", "--yes"],
    "mcp install --print": ["cursor", "--print", "--project", NAME],
    "mcp install --dry-run": ["cursor", DRY, "--project", NAME],
    "persona show of none": [f"none{NAME}"],
    "config wrong": ["--config", f"{H}wrong{NAME}.yaml"],
    "config broken": ["--config", f"{H}broken{NAME}.yaml"],
    "no such option": [f"--nope{NAME}"],
    "a bad number": ["giraffe", "--limit", NAME],
    "a bad choice": ["giraffe", "--mode", NAME],
}
NAMED = {
    "ask of git": "ask",
    "ask in vain": "ask",
    "search for nothing like a date": "search",
    "feedback of an answer": "feedback",
    "eval runs all": "eval runs",
    "health of a rule": "health",
    "index of git": "index",
    "index of no branch": "index",
    "index of nothing": "index",
    "persona show of none": "persona show",
    "config wrong": "config",
    "config broken": "config",
    "no such option": "search",
    "a bad number": "search",
    "a bad choice": "search",
}
"""Which command it is, where the name says more than that and its options."""
_MEASURES, _JSON = "it prints figures", "it prints JSON, which is not marked but escaped"
SILENT = {
    "smart-context": "it prints a switch",
    "worker": "it prints a count",
    "doctor": "its parts are Bob's own",
    "status --check": "as above",
    "eval benchmark beir": _MEASURES,
    "eval benchmark duplicates": _MEASURES,
    "eval benchmark seeded": _MEASURES,
    "db copy": "it prints organizations and counts, where both databases are as they should be",
    "memories forget --yes": "it prints counts",
    "keys create": "a key's name and user are checked when it is made",
    "keys list": "as above",
    "keys revoke": "as above",
    "mcp": "it has no client here",
    "new --list": "a template's words are cleaned when it is read",
    "a bad number": "the number is not repeated",
    "memories export": _JSON,
    "eval golden suggest": _JSON,
}
"""Runs that print nothing of others."""


def commands(found, name=""):
    """Each command below one with its name, and groups that do something by themselves."""
    below = getattr(found, "commands", None)
    if below is None or (name and found.invoke_without_command):
        yield name, found
    for key, each in (below or {}).items():
        yield from commands(each, f"{name} {key}".strip())


COMMANDS = dict(commands(typer.main.get_command(app)))
EVERY = RUNS | MORE_RUNS


def with_option(option):
    return [name for name in RUNS if option in {each for made in COMMANDS[name].params for each in made.opts}]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return hostile_memory(tmp_path_factory.mktemp("hostile") / "home")


@pytest.fixture
def bob(hostile, tmp_path):
    """The hostile memory, with a database of the test's own."""
    made = Bob(hostile[0].home, dict(hostile[0].environment))
    for name in ("bob.db", "bob.db-agents.jsonl"):
        shutil.copy(made.home / name, tmp_path / name)
    made.environment |= {
        "BOB_DATABASE": str(tmp_path / "bob.db"),
        "BOB_PERSONA__FOLDER": str(made.home / "personas"),
        "BOB_NOTES__TEMPLATES": str(made.home / "templates"),
    }
    return made


@pytest.fixture
def server():
    made = ModelServer()
    yield made
    made.close()


def call(hostile, run):
    """The words of a run."""
    command = NAMED.get(run, run.split(" --")[0])
    return [*command.split(), *(each.format(**hostile[1]) for each in EVERY[run])]


def test_every_command_is_run():
    assert len(COMMANDS) > 80 and COMMANDS.keys() == RUNS.keys()
    assert not RUNS.keys() & MORE_RUNS.keys() and SILENT.keys() <= EVERY.keys()


@pytest.mark.parametrize("run", EVERY)
def test_nothing_steers_the_terminal(hostile, bob, run):
    words = call(hostile, run)
    piped = bob(*words)
    shown = f"{piped.stdout}{piped.stderr}".encode()
    assert "Traceback" not in piped.stderr, piped.stderr
    assert not dangers(shown, terminal=False), shown
    code, shown_there = in_terminal(bob, *words)
    assert not dangers(shown_there, terminal=True), shown_there
    assert b"Traceback" not in shown_there
    if run not in SILENT:
        assert SHOWN.search(shown.decode()) and SHOWN.search(shown_there.decode()), (piped, code, shown_there)


def texts(value):
    """All strings in a value of JSON."""
    if isinstance(value, str):
        return [value]
    parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value
    return [text for each in parts for text in texts(each)] if isinstance(parts, list) else []


@pytest.mark.parametrize("run", with_option("--json"))
def test_json_is_exact_and_holds_no_raw_control(hostile, bob, run):
    words = call(hostile, run)
    piped = bob(*words, "--json")
    assert not dangers(f"{piped.stdout}{piped.stderr}".encode(), terminal=False), piped.stdout
    if piped.stdout:
        assert not MARK.search("".join(texts(json.loads(piped.stdout)))), "what is marked is not exact"
        assert (
            run in SILENT
            or run == "rag-search"
            or any(
                dangers(each.encode("utf-8", "replace"), terminal=False)
                for each in texts(json.loads(piped.stdout))
            )
        )


# One of each kind: the settings are read, and the error told, in one place.
@pytest.mark.parametrize("run", ["ask", "db copy", "memories list"])
def test_an_error_names_a_hostile_file_in_one_line(hostile, bob, run):
    words = call(hostile, run)
    failed = bob(*words, "--config", bob.home / f"none{NAME}.yaml")
    assert failed.returncode == 2 and failed.stdout == "" and MARK.search(failed.stderr)
    assert failed.stderr.startswith("bob: ") and failed.stderr.count("\n") == 1
    assert not dangers(failed.stderr.encode(), terminal=False)


def test_a_file_that_is_named_gets_the_exact_text(hostile, bob, tmp_path):
    out = tmp_path / f"questions{NAME}.jsonl"
    made = bob("eval", "golden", "suggest", "--out", out)
    assert made.returncode == 0 and not dangers(made.stdout.encode(), terminal=False)
    questions = [json.loads(line)["question"] for line in out.read_text("utf-8").splitlines()]
    assert any(LINE in each for each in questions), questions


SPOKEN = {
    "ask": ["giraffe", "tower"],
    "chat": ["--chat", "1", "Which colour has the giraffe tower?"],
    "persona interview": [PERSONA, "Do you doubt storms?"],
    "persona questions": [PERSONA, "--topic", "afraid of storms"],
}
REPLIES = {
    "a reply": answer("openai", ["The giraffe \x1b", f"]0;x\x07 tower {TEXT} is orange", f" {LINE} [1].\n"]),
    "a refusal": refusal("openai", 400, f"no {TEXT}\nFORGED"),
    "no JSON": Reply(404, {"Content-Type": "text/html"}, [f"<h1>{TEXT}\nFORGED</h1>".encode()]),
}


def with_model(bob, server):
    bob.environment |= {
        "BOB_LLM__PROVIDER": "openai",
        "BOB_LLM__MODEL": f"small\x1b[2J{KEPT}",
        "BOB_LLM__BASE_URL": server.url,
        "BOB_LLM__API_KEY": "sk-secret",
    }


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize("command", SPOKEN)
def test_a_model_does_not_steer_the_terminal(hostile, bob, server, command, reply):
    with_model(bob, server)
    words = [*command.split(), *(each.format(**hostile[1]) for each in SPOKEN[command])]
    for stdout in ("a pipe", "JSON", "a terminal"):
        server.script = [REPLIES[reply]] * 9
        if stdout == "a terminal":
            _, shown = in_terminal(bob, *words)
        else:
            done = bob(*words, *(["--json"] if stdout == "JSON" else []))
            shown = f"{done.stdout}{done.stderr}".encode()
            assert "Traceback" not in done.stderr, done.stderr
            if stdout == "JSON" and done.stdout:
                json.loads(done.stdout)
        assert server.requests and not dangers(shown, terminal=stdout == "a terminal"), shown
        assert stdout == "JSON" or MARK.search(shown.decode())


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_server_marks_what_it_says(bob, server, tmp_path, form):
    with_model(bob, server)
    new = str(tmp_path / f"new{NAME}.db")
    process = bob.start("serve", "--port", "0", BOB_SERVER__LOG_FORMAT=form, BOB_DATABASE=new)
    try:
        first = process.stdout.readline()
        server.script = [REPLIES["a refusal"]] * 9
        body = json.dumps({"model": "bob", "messages": [{"role": "user", "content": f"giraffe {LINE}"}]})
        request = urllib.request.Request(
            f"{first.split()[3].rstrip(',')}/v1/chat/completions",
            body.encode(),
            {"Content-Type": "application/json"},
        )
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(request, timeout=60)
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert MARK.search(first), "the model's name"
    assert not dangers(f"{first}{out}{err}".encode(), terminal=False), (out, err)
    log = [line for line in err.splitlines() if not line.startswith("bob: ")]
    assert form == "text" or [json.loads(line) for line in log], err
