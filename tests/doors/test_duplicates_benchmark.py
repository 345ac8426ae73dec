"""The benchmark of duplicates as people and scripts meet it."""

import json

import pytest
from small_memory import bob_in, write_files

ITEMS = {
    "a": ("App is slow on mobile", "The dashboard takes five seconds to load."),
    "b": ("Mobile app loads slowly", "Opening the dashboard on a phone takes very long."),
    "c": ("Login fails after the update", "Users cannot sign in."),
    "d": ("Cannot sign in since the update", "The login page rejects every password."),
    "e": ("Order new office chairs", "Ten for the second floor."),
}
QUERIES = ("a", "c", "e")


def lines(records):
    return "".join(json.dumps(each) + "\n" for each in records)


@pytest.fixture(scope="module")
def bob(tmp_path_factory):
    made = bob_in(tmp_path_factory.mktemp("duplicates") / "home")
    write_files(
        made.home,
        {
            "tracker/corpus.jsonl": lines(
                {"_id": name, "title": title, "text": text} for name, (title, text) in ITEMS.items()
            ),
            "tracker/queries.jsonl": lines({"_id": name, "text": ITEMS[name][0]} for name in QUERIES),
            "tracker/qrels/test.tsv": "query-id\tcorpus-id\tscore\na\tb\t1\nc\td\t1\ne\tb\t1\n",
            "kitchen/queries.jsonl": lines(
                {"_id": str(number), "text": text}
                for number, text in enumerate(["banana bread recipe", "how long to boil an egg", "slow app"])
            ),
        },
    )
    return made


def test_duplicates_are_found_and_what_is_off_topic_is_not(bob):
    asked = ("eval", "benchmark", "duplicates", bob.home / "tracker", "--off-topic", bob.home / "kitchen")
    found = bob.json(*asked)
    assert (found["queries"], found["documents"]) == (3, 5)
    # Chairs have no duplicate that anything could find.
    assert found["hit@1"] == found["hit@5"] == found["mrr@10"] == pytest.approx(2 / 3)
    assert found["off_topic_nothing"] == pytest.approx(2 / 3) and found["off_topic_queries"] == 3
    # The second run takes the items from the cache, and says the same to people.
    again = bob(*asked)
    assert again.returncode == 0 and "hit@5                0.6667" in again.stdout


def test_a_folder_that_is_no_set_is_a_users_mistake(bob):
    done = bob("eval", "benchmark", "duplicates", bob.home / "nowhere")
    assert done.returncode == 2 and "Traceback" not in done.stderr
