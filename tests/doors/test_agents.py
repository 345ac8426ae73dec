"""The recipes for coding agents, run as clients run them: each command with its event on standard input."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import forked_bob
import pytest

DOCS = Path(__file__).parents[2] / "docs"
RECIPES = DOCS / "examples" / "agents"
SETTINGS = json.loads((RECIPES / "claude-code.settings.json").read_text("utf-8"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

TRANSCRIPT = [
    {"type": "user", "message": {"role": "user", "content": "Where do the spare keys hang?"}},
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Look at the rules."},
                {"type": "text", "text": "In the rules nothing is said about keys."},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat rules.md"}},
            ],
        },
    },
    {
        "type": "user",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "the gate code is 4711"}],
        },
    },
    {
        "type": "user",
        "message": {"role": "user", "content": "We decided to hang the spare keys in the orchard shed."},
    },
]


@pytest.fixture
def project(bob, tmp_path):
    """A repository of which the folder of notes is indexed, and a transcript as the client keeps it."""
    folder = tmp_path / "repository"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "rules.md").write_text("# Garden rules\n\nThe gate is locked at sunset.\n", "utf-8")
    assert bob("index", folder / "notes", "--project", "garden", "--words-only").returncode == 0
    lines = "".join(f"{json.dumps(each)}\n" for each in TRANSCRIPT)
    (tmp_path / "4b1c.jsonl").write_text(lines, "utf-8")
    return folder


def event(project, name, **more):
    transcript = project.parent / "4b1c.jsonl"
    common = {"session_id": "4b1c", "transcript_path": str(transcript), "cwd": str(project)}
    return json.dumps(common | {"hook_event_name": name} | more)


def run(bob, project, name, said):
    """What the client does at an event: each command of the recipe in a shell, the event as its input."""
    done = []
    if not (bob.home / "bin").exists():
        forked_bob.put_command(bob.home / "bin")
    for group in SETTINGS["hooks"][name]:
        for hook in group["hooks"]:
            assert hook["type"] == "command"
            path = (
                f"{bob.home / 'bin'}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            )
            done.append(
                subprocess.run(
                    hook["command"],
                    shell=True,
                    cwd=project,
                    env=bob.environment | {"PATH": path},
                    input=said,
                    capture_output=True,
                    text=True,
                    timeout=120,
                    check=False,
                )
            )
    return done


def test_a_conversation_is_kept_and_told_again(bob, project):
    (start,) = run(bob, project, "SessionStart", event(project, "SessionStart", source="startup"))
    assert start.returncode == 0 and start.stdout.startswith("# What Bob remembers of the project garden")
    assert "rules.md: Garden rules" in start.stdout and "keys" not in start.stdout

    compact = event(project, "PreCompact", trigger="auto", custom_instructions="")
    (kept,) = run(bob, project, "PreCompact", compact)
    assert (kept.returncode, kept.stdout, kept.stderr) == (0, "", "")
    (again,) = run(bob, project, "SessionStart", event(project, "SessionStart", source="compact"))
    assert "We decided to hang the spare keys in the orchard shed." in again.stdout

    transcript = project.parent / "4b1c.jsonl"
    more = {"type": "user", "message": {"role": "user", "content": "My plot is number 17 from today on."}}
    with transcript.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(more)}\n")
    (ended,) = run(bob, project, "SessionEnd", event(project, "SessionEnd", reason="exit"))
    assert (ended.returncode, ended.stdout) == (0, "")
    (chat,) = bob.json("chats", "list")
    assert (chat["name"], chat["project"], chat["messages"]) == ("4b1c", "garden", 4)
    texts = [each["text"] for each in bob.json("chats", "show", chat["chat_id"])["messages"]]
    assert texts[-1] == "My plot is number 17 from today on." and not any("4711" in each for each in texts)
    assert any("number 17" in each["summary"] for each in bob.json("memories", "list", "--project", "garden"))


@pytest.mark.parametrize(
    ("said", "code", "told"),
    [
        ("", 1, "requires the event as JSON"),
        ("[]", 1, "requires the event as JSON"),
        ('{"hook_event_name": "PreCompact"}', 1, "transcript_path"),
        ('{"transcript_path": "nowhere.jsonl"}', 0, ""),
        ('{"transcript_path": "~no-such-user/a.jsonl"}', 1, "no such home folder"),
    ],
)
def test_an_event_that_cannot_be_read_does_not_stop_the_client(bob, said, code, told):
    done = bob("remember", "--hook", input=said)
    assert (done.returncode, done.stdout) == (code, "") and told in done.stderr


def test_a_database_that_cannot_be_used_does_not_stop_the_client(bob, project):
    bob.database.write_bytes(b"no database, and long enough to be seen as none " * 50)
    done = bob("remember", "--hook", input=event(project, "PreCompact"))
    assert done.returncode == 1 and done.stderr.startswith("bob: ")


def test_the_page_shows_the_files_of_the_recipes():
    shown = dict(FENCE.findall((DOCS / "agents.md").read_text("utf-8")))
    assert json.loads(shown["json"]) == SETTINGS
    assert shown["markdown"] == (RECIPES / "AGENTS.md").read_text("utf-8")


def test_lines_are_memories_and_conversations_are_chats(bob):
    lines = "- The gate is green.\n\n* The shed is red.\n"
    kept = bob.json("remember", "--lines", "-", "--project", "garden", input=lines)
    assert [each["summary"] for each in kept] == ["The gate is green.", "The shed is red."]
    talk = "User: We decided to paint the gate blue in May.\nAssistant: Noted.\n"
    first = bob.json("remember", "--from-chat", "-", "--chat", "monday", "--project", "garden", input=talk)
    again = bob.json("remember", "--from-chat", "-", "--chat", "monday", "--project", "garden", input=talk)
    assert (first["added"], first["remembered"]["messages"], first["unreadable"]) == (2, 2, 0)
    assert (again["added"], again["known"], again["chat_id"]) == (0, 2, first["chat_id"])
    found = bob.json("chats", "search", "what colour is the gate painted", "--limit", "1")
    assert found["messages"][0]["text"] == "We decided to paint the gate blue in May."
    assert bob("chats", "search", "xylophone zzqx").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "nothing to remember"),
        (["a", "--hook"], "nothing to remember"),
        (["a", "--chat", "b"], "--chat requires"),
        (["--hook", "--lines"], "cannot be combined"),
        (["--from-chat", "-"], "missing option --chat"),
        (["--from-chat", "nowhere.txt"], "nowhere.txt: No such file"),
        (["--lines", " "], "the text must not be empty"),
    ],
)
def test_a_mistake_is_told(bob, arguments, told):
    done = bob("remember", *arguments, input="")
    assert done.returncode == 2 and told in done.stderr


def test_a_chat_is_deleted_after_its_plan(bob):
    talk = "User: We decided to paint the gate blue in May.\n"
    assert bob("remember", "--from-chat", "-", "--chat", "monday", input=talk).returncode == 0
    plan = bob("chats", "delete", "1")
    assert "Memories from it are kept:" in plan.stdout and "bob chats delete 1 --yes" in plan.stdout
    assert bob.json("chats", "delete", "1")["done"] is False
    done = bob.json("chats", "delete", "1", "--with-memories", "--yes")
    assert done["done"] is True and len(done["plan"]["memories_made_of_it"]) == 1
    assert bob("chats", "show", "1").returncode == 2 and bob.json("memories", "list") == []
    assert not any(b"blue" in path.read_bytes() for path in bob.home.glob("bob.db*"))
