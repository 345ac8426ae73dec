"""`bob feedback` as people and scripts meet it."""

import pytest
from small_memory import bob_in, write_files

FILES = {"a.md": "# Gate\n\nThe gate is locked at sunset each day.\n"}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A memory that answered one question and refused another."""
    bob = bob_in(tmp_path_factory.mktemp("feedback") / "home")
    assert bob("index", write_files(bob.home / "notes", FILES)).returncode == 0
    assert bob.json("ask", "When is the gate locked?")["answer_id"] == 1
    assert bob.json("ask", "Who sells sea shells?", "--tag", "x", expect=1)["answer_id"] == 2
    return bob


def test_feedback_is_given_listed_and_shown(asked):
    given = asked.json("feedback", "1", "wrong-source", "--note", "ask the warden", TZ="Asia/Tokyo")
    assert given == {
        "answer_id": 1,
        "verdict": "wrong-source",
        "note": "ask the warden",
        "given_at": given["given_at"],
    }
    assert given["given_at"].endswith("+00:00"), "JSON has one time zone, whatever the reader's"
    second, first = asked.json("feedback")
    assert (second["question"], second["found"], second["feedback"]) == ("Who sells sea shells?", False, [])
    assert second["filters"] == {"tags": ["x"]} and first["feedback"] == [given]
    assert asked("feedback").stdout.splitlines()[-1].strip() == "wrong-source: ask the warden"
    one = asked.json("feedback", "1")
    assert one["answer"]["answer"] == "The gate is locked at sunset each day. [1]"
    assert one["answer"]["sources"] and one["feedback"] == [given]
    assert "The gate is locked at sunset each day. [1]" in asked("feedback", "1").stdout


MISTAKES = [
    (["7", "helpful"], "no answer 7"),
    (["7"], "no answer 7"),
    (["1", "superb"], "superb"),
    (["1", "--note", "ask the warden"], "--note requires a verdict"),
    (["99999999999999999999", "helpful"], "answer"),
]


@pytest.mark.parametrize(("arguments", "said"), MISTAKES)
def test_mistakes_are_told(asked, arguments, said):
    done = asked("feedback", *arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_nothing_to_list(bob):
    assert bob("feedback").stdout == "No answers yet. Ask something: bob ask QUESTION\n"
    assert bob.json("feedback") == []
