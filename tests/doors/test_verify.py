"""`bob verify` and the claims benchmarks as people and scripts meet them."""

import json

import pytest
from small_memory import bob_in, write_files

NOTES = {
    "tank.md": "# The tank\n\nThe rainwater tank holds 5,000 litres.\n\nIt is drained in October.\n",
    "gate.md": "# The gate\n\nThe gate is locked at sunset. Each plot has one key.\n",
}
DRAFT = """# Report

The gate is locked at sunset. The rainwater tank holds 7,000 litres [1].

- Each plot has one key.
- The mayor opens the fair in August.

I hope this helps!
"""


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    bob = bob_in(tmp_path_factory.mktemp("verify") / "home")
    write_files(bob.home / "notes", NOTES)
    write_files(bob.home, {"draft.md": DRAFT, "true.md": "The gate is locked at sunset.\n"})
    assert bob("index", bob.home / "notes").returncode == 0
    return bob


def test_each_claim_gets_its_verdict_with_line_and_place(notes):
    found = notes.json("verify", notes.home / "draft.md", expect=1)
    said = {each["text"]: each for each in found["claims"]}
    assert {text: each["verdict"] == "supported" for text, each in said.items()} == {
        "The gate is locked at sunset.": True,
        "The rainwater tank holds 7,000 litres.": False,
        "Each plot has one key.": True,
        "The mayor opens the fair in August.": False,
    }
    wrong = said["The rainwater tank holds 7,000 litres."]
    assert (wrong["verdict"], wrong["line"]) == ("contradicted", 3)
    assert "5,000" in wrong["reason"] and wrong["against"]["path"].endswith("tank.md")
    start, end = wrong["range"]
    assert DRAFT[start:end].startswith("The rainwater tank holds 7,000 litres")
    assert not found["holds"] and sum(found["counts"].values()) == 4


def test_a_page_that_only_asks_bears_out_nothing(tmp_path):
    bob = bob_in(tmp_path / "home")
    asked = "# Who is Ada Brook?\n\nIs the club led by Ada Brook?\n"
    write_files(bob.home, {"notes/asked.md": asked, "draft.md": "The club is led by Ada Brook.\n"})
    bob("index", bob.home / "notes")
    [claim] = bob.json("verify", bob.home / "draft.md", expect=1)["claims"]
    assert claim["verdict"] == "unsupported"


def test_people_see_the_reason_and_the_place(notes):
    shown = notes("verify", notes.home / "draft.md")
    assert shown.returncode == 1
    assert "contradicted" in shown.stdout and "tank.md:3" in shown.stdout
    assert shown.stdout.splitlines()[-1] == "2 of 4 claims supported."


def test_a_text_can_be_cleaned_or_marked_and_checked_again(notes):
    cleaned = notes("verify", notes.home / "draft.md", "--remove").stdout
    assert "7,000" not in cleaned and "mayor" not in cleaned and "Each plot has one key." in cleaned
    write_files(notes.home, {"cleaned.md": cleaned})
    assert notes("verify", notes.home / "cleaned.md").returncode == 0
    marked = notes("verify", notes.home / "draft.md", "--mark").stdout
    assert marked.count("⚠") == 2 and "The mayor opens the fair" in marked


def test_a_text_that_holds_exits_with_0_and_one_that_claims_nothing_too(notes):
    assert notes("verify", notes.home / "true.md").returncode == 0
    write_files(notes.home, {"empty.md": "# Only a heading\n"})
    nothing = notes("verify", notes.home / "empty.md")
    assert nothing.returncode == 0 and "no claims" in nothing.stdout


def test_against_indexes_what_is_new_and_looks_nowhere_else(notes, tmp_path):
    write_files(tmp_path / "more", {"fair.md": "# Fair\n\nThe mayor opens the fair in August.\n"})
    found = notes.json("verify", notes.home / "draft.md", "--against", tmp_path / "more", expect=1)
    held = [each["text"] for each in found["claims"] if each["verdict"] == "supported"]
    assert held == ["The mayor opens the fair in August."]
    (tmp_path / "more" / "bad.md").write_bytes(b"\0\1\2" * 99)
    told = notes("verify", notes.home / "draft.md", "--against", tmp_path / "more")
    assert "1 file could not be read" in told.stderr
    assert notes("index", tmp_path / "more", "--remove").returncode == 0


def test_a_past_answer_is_checked_against_its_sources_as_they_are_now(notes):
    number = notes.json("ask", "How many litres does the rainwater tank hold?")["answer_id"]
    assert notes.json("verify", "--answer", str(number))["holds"]
    tank = notes.home / "notes" / "tank.md"
    tank.write_text(NOTES["tank.md"].replace("5,000", "8,000"))
    changed = notes.json("verify", "--answer", str(number), expect=1)
    (claim,) = [each for each in changed["claims"] if "5,000" in each["text"]]
    assert claim["verdict"] == "contradicted" and not claim["quotes_stand"] and "8,000" in claim["reason"]
    tank.unlink()
    gone = notes.json("verify", "--answer", str(number), expect=1)
    assert gone["claims"][0]["gone"] == [str(tank)]
    tank.write_text(NOTES["tank.md"])
    assert notes("index", notes.home / "notes").returncode == 0


MISTAKES = [
    ([], "name a file"),
    (["draft.md", "--answer", "1"], "name a file"),
    (["nowhere.md"], "nowhere.md: cannot be read"),
    (["draft.md", "--mark", "--json"], "with each other"),
    (["--answer", "999"], "no answer 999"),
    (["--answer", "1", "--project", "garden"], "--answer cannot be combined"),
]


@pytest.mark.parametrize(("arguments", "said"), MISTAKES)
def test_mistakes_are_named(notes, arguments, said):
    done = notes("verify", *arguments)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1


RECORDS = [
    ("The tank holds 5,000 litres.", "The rainwater tank holds 5,000 litres.", "supported"),
    ("The tank holds 7,000 litres.", "The rainwater tank holds 5,000 litres.", "refuted"),
    ("The gate is locked at sunset.", "The gate is locked at sunset each day.", "supported"),
    ("Bees live in the greenhouse.", "The gate is locked at sunset each day.", "not_enough_info"),
]


def test_the_claims_benchmark_reports_each_file_and_the_mean(notes):
    lines = [json.dumps({"claim": c, "evidence": [e], "label": label}) for c, e, label in RECORDS]
    write_files(notes.home, {"set.jsonl": "\n".join(lines)})
    found = notes.json("eval", "benchmark", "claims", notes.home / "set.jsonl")
    (one,) = found["by_file"].values()
    assert one == {"balanced_accuracy": 1.0, "auroc": 1.0, "f1": 1.0, "n": 4}
    assert (found["balanced_accuracy"], found["n"]) == (1.0, 4)
    write_files(notes.home, {"bad.jsonl": '{"claim": "x", "evidence": []}'})
    bad = notes("eval", "benchmark", "claims", notes.home / "bad.jsonl")
    assert bad.returncode == 2 and "bad.jsonl, line 1: the field 'label' is missing" in bad.stderr


def test_the_seeded_benchmark_catches_errors_in_a_persons_own_files(notes):
    sentences = [
        f"The number {n} bus typically stops at the mill every {n + 3} minutes and does not wait."
        for n in range(20, 30)
    ]
    write_files(notes.home / "true", {"bus.md": "# Bus\n\n" + "\n\n".join(sentences) + "\n"})
    found = notes.json("eval", "benchmark", "seeded", notes.home / "true", "--most", "5")
    assert found["caught"]["number"] == {"n": 5, "flagged": 5, "rate": 1.0}
    assert found["caught"]["unit"]["flagged"] == 5
    assert found["caught_rephrased"]["number"]["n"] > 0
    assert found["caught_rephrased"]["number"]["rate"] == 1.0
    assert found["false_flags"]["untouched"] == {"n": 5, "flagged": 0, "rate": 0.0}
    write_files(notes.home, {"empty.jsonl": "{}\n"})
    empty = notes("eval", "benchmark", "seeded", notes.home / "empty.jsonl")
    assert empty.returncode == 2 and "no sentence" in empty.stderr
