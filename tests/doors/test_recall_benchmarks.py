"""The benchmarks of recall as people and scripts meet them."""

import json

import pytest
from small_memory import bob_in, write_files
from small_talk import LOCOMO, LONGMEMEVAL


@pytest.fixture(scope="module")
def bob(tmp_path_factory):
    made = bob_in(tmp_path_factory.mktemp("recall") / "home")
    write_files(made.home, {"talk.json": json.dumps(LOCOMO), "chats.json": json.dumps(LONGMEMEVAL)})
    return made


def test_locomo_reports_recall_by_category(bob):
    found = bob.json("eval", "benchmark", "locomo", bob.home / "talk.json")
    assert (found["n"], found["messages"]) == (4, 7)
    assert found["recall@5"] == found["recall@10"] == found["recall@20"] == 1.0
    assert {name: row["n"] for name, row in found["by_category"].items()} == {
        "multi-hop": 1,
        "single-hop": 2,
        "temporal": 1,
    }
    assert found["model"].startswith("all-MiniLM-L6-v2@") and found["median_query_ms"] > 0
    # The second run takes the features from the cache.
    assert list(bob.home.rglob("messages-*.features"))
    one = bob("eval", "benchmark", "locomo", bob.home / "talk.json", "--only", "kitchen")
    assert one.returncode == 0 and "2 messages; a query" in one.stdout
    assert one.stdout.splitlines()[-2].split() == ["all", "1", "1.000", "1.000", "1.000"]


def test_longmemeval_reports_chats(bob):
    found = bob.json("eval", "benchmark", "longmemeval", bob.home / "chats.json")
    assert (found["n"], found["messages"]) == (2, 4)
    assert (found["any@1"], found["any@5"], found["any@10"], found["all@10"]) == (1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("locomo", "chats.json"),
            "not in LoCoMo's format: the field 'conversation' is missing",
        ),
        (("longmemeval", "talk.json"), "talk.json: not in LongMemEval's format"),
        (("locomo", "none.json"), "cannot be read"),
        (("locomo", "talk.json", "--only", "attic"), "no conversation 'attic'; use one of garden, kitchen"),
    ],
)
def test_a_wrong_request_is_told_in_one_line(bob, arguments, said):
    name, file, *rest = arguments
    done = bob("eval", "benchmark", name, bob.home / file, *rest)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1
