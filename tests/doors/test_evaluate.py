"""`bob eval` from a folder to an exit code: golden set, run, change, run, comparison."""

import json

import pytest
from small_memory import bob_in, write_files

NOTES = {
    "gate.md": "# Gate\n\n## Locking\n\nThe gate is locked at sunset by the warden of the week.\n",
    "tank.md": "# Tank\n\n## Volume\n\nThe rainwater tank holds 5,000 litres when it is full.\n",
    "bees.md": "# Bees\n\n## Hives\n\nThe two hives stand in the orchard corner near the path.\n",
}
GOLDEN = [
    {
        "id": "gate",
        "question": "When is the gate locked?",
        "sources": [{"path": "gate.md", "locator": {"start_line": 5}}],
        "phrases": ["at sunset"],
    },
    {
        "id": "tank",
        "question": "How much does the rainwater tank hold?",
        "sources": [{"path": "notes/tank.md", "locator": {"heading": "Volume"}}],
        "phrases": ["5,000 litres"],
        "forbidden": ["6,000"],
    },
    {"id": "sea", "question": "Who sells sea shells on Mondays?", "unanswerable": True},
    {"id": "draft", "question": "What about bees?", "confirmed": False},
]


def write_golden(path, records=GOLDEN):
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """Two runs over one set, and between them a document lost what a question rests on."""
    bob = bob_in(tmp_path_factory.mktemp("evaluate") / "home")
    folder = write_files(bob.home / "notes", NOTES)
    assert bob("index", folder).returncode == 0
    golden = write_golden(bob.home / "golden.jsonl")
    first = bob.json("eval", "run", golden, "--name", "main", "--fail-under", "passed=1", TZ="Asia/Tokyo")
    (folder / "tank.md").write_text("# Tank\n\n## Colour\n\nThe lid is painted green each spring.\n", "utf-8")
    assert bob("index", folder).returncode == 0
    second = bob.json("eval", "run", golden, BOB_SEARCH__VECTOR_WEIGHT="0.5")
    return bob, first, second


def test_a_run_reports_and_is_stored(evaluated):
    bob, first, _ = evaluated
    assert {"recall", "precision", "mrr", "ndcg", "citation_precision", "citation_recall"} < set(
        first["metrics"]
    )
    assert {"unsupported_claims", "abstained", "median_seconds"} < set(first["metrics"])
    assert [first["metrics"][name] for name in ("passed", "recall", "abstained", "phrases")] == [1, 1, 1, 1]
    assert [each["id"] for each in first["results"]] == ["gate", "tank", "sea"], "drafts are left out"
    assert first["models"]["embedder"].startswith("all-MiniLM-L6-v2") and first["failed"] == []
    assert first["settings"]["search.vector_weight"] == 0.6
    assert bob.json("eval", "runs", "main") == {key: first[key] for key in first if key != "failed"}
    assert [(each["run_id"], each["name"]) for each in bob.json("eval", "runs")] == [(2, None), (1, "main")]
    assert "main" in bob("eval", "runs").stdout
    shown = bob("eval", "runs", "2").stdout
    assert "Not as expected:" in shown and "How much does the rainwater tank hold?" in shown


def test_a_planted_regression_is_found_by_question_and_fails_the_gate(evaluated):
    bob, _, second = evaluated
    assert second["metrics"]["recall"] == 0.5
    done = bob("eval", "compare", "--fail-under", "0")
    assert done.returncode == 1
    assert "1 regressed, 2 the same" in done.stdout
    assert "setting search.vector_weight: 0.6 → 0.5" in done.stdout
    assert "regressed  tank  How much does the rainwater tank hold?" in done.stdout
    assert "no longer cites notes/tank.md" in done.stdout
    assert "no longer has the phrase «5,000 litres»" in done.stdout
    (said,) = done.stderr.splitlines()
    assert said.startswith("bob: tank: passed 1 → 0")
    found = bob.json("eval", "compare", "main", "2", "--fail-under", "recall=-0.6")
    assert [each["id"] for each in found["drifts"] if each["kind"] == "regressed"] == ["tank"]
    assert found["counts"]["regressed"] == 1 and found["failed"] == []
    assert bob.json("eval", "compare", "1", "--fail-under", "recall=-0.4", expect=1)["failed"] == [
        "recall 1 → 0.5"
    ]
    assert bob("eval", "compare", "2", "1", "--fail-under", "0").returncode == 0


def test_a_run_under_its_gate_exits_1_and_one_without_confirmed_questions_2(evaluated):
    bob, *_ = evaluated
    set_of = bob.home / "other.jsonl"
    write_golden(set_of, GOLDEN[2:])
    assert (
        bob(
            "eval", "run", set_of, "--fail-under", "abstained=1", "--fail-over", "slow_seconds=600"
        ).returncode
        == 0
    )
    done = bob("eval", "run", set_of, "--unconfirmed", "--fail-under", "recall=0.5")
    assert (done.returncode, done.stderr) == (1, "bob: recall: no question of the set has it\n")
    write_golden(set_of, GOLDEN[3:])
    assert "no question is confirmed" in bob("eval", "run", set_of).stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "none.jsonl"], "none.jsonl: cannot be read"),
        (["run", "bad.jsonl"], "bad.jsonl:2: question: must be a non-empty text"),
        (["run", "golden.jsonl", "--fail-under", "recal=1"], "measures: passed, recall"),
        (["run", "golden.jsonl", "--k", "0"], "--k"),
        (["compare", "1", "99"], "no run 99"),
        (["compare", "nightly"], "no run nightly"),
        (["compare", "--fail-under", "0.1"], "use -0.1"),
        (["runs", "99"], "no run 99"),
        (["golden", "suggest", "--out", "golden.jsonl"], "already exists; to overwrite it, use --force"),
    ],
)
def test_mistakes_are_told(evaluated, arguments, said):
    bob, *_ = evaluated
    write_golden(bob.home / "bad.jsonl", [GOLDEN[0], {"question": ""}])
    before = (bob.home / "golden.jsonl").read_bytes()
    done = bob("eval", *arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
    assert (bob.home / "golden.jsonl").read_bytes() == before


def test_drafts_are_questions_that_can_be_run(evaluated):
    bob, *_ = evaluated
    listed = bob.json("eval", "golden", "suggest", "--limit", "2")
    lines = bob("eval", "golden", "suggest", "--limit", "2").stdout.splitlines()
    assert [json.loads(line) for line in lines] == listed
    bees = next(each for each in listed if each["sources"][0]["path"] == "notes/bees.md")
    assert bees["question"] == "What does «Bees» say about hives?" and bees["confirmed"] is False
    done = bob("eval", "golden", "suggest", "--out", "drafts.jsonl")
    assert done.stdout.startswith("3 questions in drafts.jsonl")
    assert bob("eval", "golden", "suggest", "--out", "drafts.jsonl", "--force").returncode == 0
    run = bob.json("eval", "run", "drafts.jsonl", "--unconfirmed")
    assert len(run["results"]) == 3 and run["metrics"]["recall"] == 1


def test_there_is_nothing_to_compare_or_to_draft_yet(bob):
    assert bob("eval", "runs").stdout == "No runs yet. Start one: bob eval run GOLDEN\n"
    nothing = bob("eval", "compare")
    assert nothing.returncode == 2 and "nothing to compare" in nothing.stderr
    drafted = bob("eval", "golden", "suggest")
    assert (drafted.returncode, drafted.stdout) == (1, "")


def test_a_run_is_found_by_a_name_of_digits(bob):
    folder = write_files(bob.home / "notes", NOTES)
    assert bob("index", folder).returncode == 0
    made = bob.json("eval", "run", write_golden(bob.home / "golden.jsonl"), "--name", "2024")
    assert bob.json("eval", "runs", "2024")["run_id"] == made["run_id"]
