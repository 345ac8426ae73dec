"""`bob ask` with a language model: the real command, a model's server on loopback, a real terminal."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

import pytest
from model_server import ModelServer, answer, refusal
from small_memory import write_files

KEY = "sk-very-secret-key"
QUESTION = "How often are the backup keys rotated?"
TRUE = "The backup keys are rotated every three months by the storage team"
FALSE = "The backup keys are rotated every nine months by the storage team."
DRAFT = [TRUE, " [1].", *re.split(r"(?<= )", f" {FALSE}")]


@pytest.fixture
def server():
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def writing(bob, server):
    """`bob` with a model at the server, and a memory of one note."""
    write_files(bob.home / "notes", {"keys.md": f"# Backup keys\n\n{TRUE}.\n"})
    assert bob("index", bob.home / "notes").returncode == 0
    bob.environment |= {
        "BOB_LLM__PROVIDER": "openai",
        "BOB_LLM__MODEL": "small",
        "BOB_LLM__BASE_URL": server.url,
        "BOB_LLM__API_KEY": KEY,
        "TERM": "xterm-256color",
    }
    return bob


@pytest.fixture
def agreed(writing, server):
    """The same, where it was said before that text goes to the server: a terminal does not ask any more."""
    server.script = [answer("openai", DRAFT)]
    assert "This notice appears once" in writing("ask", QUESTION).stderr
    return writing


def in_terminal(bob, *arguments, until=None, then=None):
    """What the command shows in a terminal, and its exit code; `then` is sent when `until` was shown."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        bob.command(*arguments),
        cwd=bob.home,
        env=bob.environment,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
    )
    os.close(follower)
    shown = ""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if not select.select([leader], [], [], 0.2)[0]:
            continue
        try:
            read = os.read(leader, 65536)
        except OSError:  # The other end is closed.
            break
        if not read:
            break
        shown += read.decode("utf-8", "replace")
        if until and until in shown:
            process.send_signal(then)
            until = None
    code = process.wait(timeout=60)
    os.close(leader)
    return Screen().after(shown), shown, code


class Screen:
    """As much of a terminal as shows which lines stay: new lines, moves up, and erased lines."""

    def after(self, shown):
        lines, at = [""], 0
        for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|\x1b\]8;[^\x1b]*\x1b\\|[^\x1b\r\n]+", shown):
            if part == "\n":
                at += 1
                lines += [""] * (at + 1 - len(lines))
            elif part.startswith("\x1b[") and part.endswith("A"):
                at -= int(part[2:-1] or 1)
            elif part.startswith("\x1b[") and part.endswith("K"):
                lines[at] = ""
            elif not part.startswith("\x1b") and part != "\r":
                lines[at] += part
        return "\n".join(lines)


def test_a_pipe_gets_the_checked_answer_alone(writing, server):
    server.script = [answer("openai", DRAFT)]
    done = writing("ask", QUESTION)
    assert done.returncode == 0, done.stderr
    assert f"{TRUE} [1]." in done.stdout
    assert "nine" not in done.stdout + done.stderr and "draft" not in done.stdout
    assert "Written by openai:small, each claim checked against its source; 1 claim removed" in done.stdout


def test_json_is_one_document_with_the_audit_and_without_the_key(writing, server):
    server.script = [answer("openai", DRAFT)]
    done = writing("ask", QUESTION, "--json")
    found = json.loads(done.stdout)
    assert found["written_by"] == "openai:small" and found["answer"] == f"{TRUE} [1]."
    assert found["audit"]["draft"] == "".join(DRAFT)
    assert found["audit"]["removed"][0]["text"] == FALSE
    assert found["audit"]["language_model"]["usage"]["output_tokens"] == 7
    assert "very-secret" not in done.stdout + done.stderr


def test_markdown_has_no_draft_either(writing, server):
    server.script = [answer("openai", DRAFT)]
    done = writing("ask", QUESTION, "--markdown")
    assert done.stdout.startswith(f"{TRUE} [1].\n") and "**Sources**" in done.stdout
    assert "*Written by openai:small" in done.stdout and "nine" not in done.stdout


def test_extractive_asks_no_model(writing, server):
    done = writing.json("ask", QUESTION, "--extractive")
    assert done["written_by"] is None and TRUE in done["answer"]
    assert server.requests == []


def test_a_model_that_fails_leaves_quotes_and_the_reason(writing, server):
    server.script = [refusal("openai", 401, f"wrong key {KEY}")]
    done = writing("ask", QUESTION)
    assert done.returncode == 0 and TRUE in done.stdout
    assert "No answer was written: openai:small" in done.stdout
    assert "very-secret" not in done.stdout + done.stderr


def test_a_terminal_shows_the_draft_and_ends_with_the_answer(agreed, server):
    server.script = [answer("openai", DRAFT)]
    screen, shown, code = in_terminal(agreed, "ask", QUESTION)
    assert code == 0
    assert "not checked yet" in shown and "nine" in shown
    assert "not checked yet" not in screen and "nine" not in screen
    assert TRUE in " ".join(screen.split())


def test_a_cut_draft_does_not_stay_in_the_terminal(agreed, server):
    server.script = [answer("openai", DRAFT, end="cut")]
    screen, shown, code = in_terminal(agreed, "ask", QUESTION)
    assert code == 0 and "nine" in shown and "nine" not in screen
    assert "These are quotes instead." in screen


def test_ctrl_c_leaves_no_draft(agreed, server):
    server.script = [answer("openai", DRAFT, end="silent")]
    screen, _, code = in_terminal(agreed, "ask", QUESTION, until="nine", then=signal.SIGINT)
    assert code == 130
    assert "stopped before the draft was checked" in screen
    assert "keys" not in screen
