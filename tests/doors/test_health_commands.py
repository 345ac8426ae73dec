"""`bob health` as people and scripts meet it."""

import pytest
from small_memory import bob_in, write_files

FILES = {
    "gate.md": "---\ndate: 2026-01-05\n---\n# Gate\n\nThe gate is locked at sunset. See [[fence]].\n",
    "fence.md": "---\ndate: 2026-01-06\n---\n# Fence\n\nThe fence is painted. See [the gate](old/gate.md).\n",
    "pond.md": "The pond is two metres deep. See [[gate]].\n",
}


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory):
    """A memory with a broken link, a note without title and date, and a question without an answer."""
    bob = bob_in(tmp_path_factory.mktemp("health") / "home")
    write_files(bob.home / "notes", FILES)
    assert bob("index", bob.home / "notes").returncode == 0
    assert bob("ask", "Who sells sea shells?").returncode == 1
    return bob


def test_on_an_empty_memory_it_says_how_to_begin(bob):
    assert bob("health").stdout.endswith("bob index FOLDER\n")


def test_findings_are_listed_shown_fixed_and_dismissed(looked_at):
    bob = looked_at
    found = {each["rule"]: each["id"] for each in bob.json("health")["findings"]}
    assert found.keys() == {"broken-link", "no-date", "no-title", "unanswered-question"}
    listed = bob("health", "--rule", "broken-link", "--fail-under", "100")
    assert listed.returncode == 1 and found["broken-link"] in listed.stdout
    assert "Link to «old/gate.md» leads nowhere" in listed.stdout and "notes/fence.md:6" in listed.stdout

    shown = bob("health", "show", found["broken-link"]).stdout
    assert "See [the gate](old/gate.md)." in shown and f"bob health fix {found['broken-link']}" in shown

    assert (
        bob("health", "--project", "NOTES", "--rule", "Broken-Link").stdout
        == bob("health", "--project", "notes", "--rule", "broken-link").stdout
    )

    into = ["--into", bob.home / "notes" / "gaps"]
    done = bob.json("health", "fix", "--all", *into)
    assert {each["id"]: each["done"] for each in done} == {
        found["unanswered-question"]: True,
        found["broken-link"]: True,
    }
    assert "See [the gate](gate.md)." in (bob.home / "notes" / "fence.md").read_text()
    (gap,) = (bob.home / "notes" / "gaps").glob("*.md")
    assert "Who sells sea shells?" in gap.read_text()

    assert bob("health", "dismiss", found["no-date"]).returncode == 0
    left = bob.json("health")
    assert [each["rule"] for each in left["findings"]] == ["no-title"]
    assert left["dismissed"] == [found["no-date"]] and len(left["projects"][0]["history"]) > 1
    assert bob("health", "dismiss", "--undo", found["no-date"]).stdout == f"Shown again: {found['no-date']}\n"


MISTAKES = [
    (["show", "stale-1"], "no finding stale-1"),
    (["fix"], "use --all"),
    (["--project", "typo", "--fail-under", "100"], "no project «typo»; use one of notes"),
    (["--rule", "broken-links"], "no rule «broken-links»; use one of broken-link, duplicate"),
]


@pytest.mark.parametrize(("arguments", "said"), MISTAKES)
def test_mistakes_are_told(looked_at, arguments, said):
    done = looked_at("health", *arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
