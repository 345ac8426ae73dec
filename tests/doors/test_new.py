"""`bob new` and `bob routine` as people and scripts meet them."""

import json
import os
import pty
import subprocess

import pytest
from small_memory import bob_in, write_files


@pytest.fixture(scope="module")
def bob(tmp_path_factory):
    bob = bob_in(tmp_path_factory.mktemp("new") / "home")
    write_files(bob.home / "notes", {"a.md": "# Gate\n\n- [ ] Oil the gate\n\nThe gate is green.\n"})
    write_files(bob.home, {"bob.yaml": "notes:\n  folders: [notes]\n"})
    assert bob("trust", "--yes").returncode == 0
    assert bob("index", "notes", "--words-only").returncode == 0
    return bob


def test_a_note_is_written_shown_and_found(bob):
    words = ("trip", "Faro", "by", "train", "--tag", "sea", "--set", "to=2025-07-09", "--date", "2025-07-01")
    shown = bob.json("new", *words, "--dry-run")
    assert (shown["written"], shown["indexed"]) == (False, False) and "\nto: '2025-07-09'\n" in shown["text"]
    path = bob.home / "notes" / "trips" / "2025-07-01-faro-by-train.md"
    assert shown["path"] == str(path) and not path.exists()
    assert bob("new", *words).stdout == "notes/trips/2025-07-01-faro-by-train.md\n"
    assert path.read_text("utf-8") == shown["text"]
    (hit, *_) = bob.json("search", "faro tag:sea", "--mode", "words")["hits"]
    assert (hit["title"], hit["source_date"]) == ("Faro by train", "2025-07-01")


def test_the_kinds_are_listed(bob):
    kinds = {each["kind"]: each for each in bob.json("new", "--list")}
    assert kinds["highlight"]["needs"] == ["title", "quote"] and "author" in kinds["highlight"]["fields"]


MISTAKES = [
    (["new"], "bob new --list"),
    (["new", "nap"], "unknown kind of note; use one of daily"),
    (["new", "meeting"], "meeting: title must not be empty"),
    (["new", "daily", "--date", "31/1/2025"], "--date: '31/1/2025' is not a date"),
    (["new", "daily", "--set", "mood"], "--set FIELD=VALUE"),
    (["new", "daily", "--set", "tags=x"], "--tag TAG"),
    (["new", "daily", "--set", "mood=x"], "unknown field mood"),
    (["new", "daily", "--into", ".."], "add more folders in notes.folders"),
    (["routine", "meeting", " "], "missing topic"),
]


@pytest.mark.parametrize(("arguments", "said"), MISTAKES)
def test_mistakes_are_told(bob, arguments, said):
    done = bob(*arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_a_routine_writes_what_it_shows(bob):
    made = bob.json("routine", "daily", "--date", "2025-07-02")
    (line,) = made["lines"]["open_loops"]
    assert (line["text"], line["path"]) == ("Oil the gate", str(bob.home / "notes" / "a.md"))
    assert line["locator"]["start_line"] == 3 and made["written"] and made["indexed"]
    assert "- Oil the gate ([a.md:3](../a.md))\n" in (bob.home / "notes/daily/2025-07-02.md").read_text()
    shown = bob("routine", "meeting", "the", "gate", "--dry-run", "--date", "2025-07-03").stdout
    assert shown.startswith("would write notes/meetings/2025-07-03-the-gate.md:\n\n---\ntitle: the gate\n")
    assert "- The gate is green. ([a.md:5](../a.md))\n" in shown
    assert json.dumps(bob.json("routine", "review", "--dry-run")["lines"]["gaps"]) == "[]"


def test_in_a_terminal_bob_asks_for_what_is_missing(bob):
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        bob.command("new", "highlight", "--no-index", "--json", "--date", "2025-07-04"),
        cwd=bob.home,
        env=bob.environment,
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    os.write(leader, b"Slow tools\nKnow what you own.\n")
    printed, asked = process.communicate(timeout=60)
    os.close(follower)
    os.close(leader)
    assert process.returncode == 0 and asked.split() in ([b"Title:", b"Quote:"], [b"Title:Quote:"])
    made = json.loads(printed)
    assert made["path"].endswith("/highlights/slow-tools.md") and "\n> Know what you own.\n" in made["text"]
