"""`bob decisions` as a person and a script meet it."""

import pytest
from small_memory import bob_in
from small_shop import shop_in


@pytest.fixture(scope="module")
def bob(tmp_path_factory):
    made = bob_in(tmp_path_factory.mktemp("decided") / "home")
    shop_in(made.home)
    done = made("index", "shop", "--words-only")
    assert done.returncode == 0, done.stderr
    return made


def out(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_list_is_what_a_script_gets_too(bob):
    lines = out(bob("decisions")).splitlines()
    assert [line.split()[1] for line in lines] == ["proposed", "active", "active", "superseded"]
    assert "ADR 2  Orders in MySQL  (by ADR 7)" in lines[-1]
    listed = bob.json("decisions", "list", "--status", "superseded", "--older-than", "1y")["decisions"]
    (old,) = listed
    assert (old["name"], old["status"], old["stated_status"], old["date"]) == (
        "ADR 2",
        "superseded",
        "active",
        "2019-05-02",
    )
    assert old["rejected"][0]["text"] == "MongoDB" and old["locator"]["start_line"] == 16
    assert old["superseded_by"] == [bob.json("decisions", "show", "ADR-7")["id"]]
    assert bob.json("decisions", "--about", "zeppelin")["decisions"] == []


def test_a_list_can_leave_out_what_is_less_sure(bob):
    every = bob.json("decisions")["decisions"]
    assert {each["confidence"] for each in every} <= {0.75, 0.85, 0.95}
    sure = bob.json("decisions", "--min-confidence", 0.9)["decisions"]
    assert sure == [each for each in every if each["confidence"] >= 0.9] != []
    assert bob.json("decisions", "--min-confidence", 1)["decisions"] == []


def test_one_decision_is_shown_whole_and_in_its_history(bob):
    shown = out(bob("decisions", "show", "ADR-2"))
    for part in ("Decision", "Context", "MongoDB (orders need transactions", "superseded by ADR 7", ".md:16"):
        assert part in shown
    tree = out(bob("decisions", "history", "ADR-7"))
    assert "└ supersedes ADR 2 Orders in MySQL [superseded, 2019-05-02]" in tree
    assert bob.json("decisions", "history", "ADR-2")["later"][0]["name"] == "ADR 7"


def test_what_a_user_says_counts_until_it_is_undone(bob):
    told = bob.json("decisions", "supersede", "ADR-3", "ADR-9", "--dry-run")
    assert not told["done"] and told["changed"][0]["after"]["status"] == "superseded"
    assert "active → superseded" in out(bob("decisions", "supersede", "ADR-3", "ADR-9"))
    assert "superseded by ADR 9 Nightly reports [proposed, 2022-01-20] (your correction)" in out(
        bob("decisions", "show", "ADR-3")
    )
    out(bob("decisions", "undo", "ADR-3"))
    changed = bob.json("decisions", "edit", "ADR-9", "--title", "Sales reports", "--date", "2022-02")[
        "changed"
    ]
    assert (changed[0]["after"]["title"], changed[0]["after"]["date"]) == ("Sales reports", "2022-02-01")
    assert bob.json("decisions", "reject", "ADR-9")["changed"][0]["after"]["status"] == "rejected"
    out(bob("decisions", "undo", "ADR-9"))
    assert bob.json("decisions", "--rebuild", "--status", "proposed")["decisions"][0]["corrected"] is False


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "ADR-99"), "no decision ADR-99"),
        (("edit", "ADR-2"), "nothing to change"),
        (("undo", "ADR-2"), "there is no correction of ADR 2"),
        (("supersede", "ADR-2", "ADR-2"), "cannot supersede itself"),
        (("list", "--older-than", "ages"), "'ages' is not an age"),
        (("list", "--after", "soon"), "--after: 'soon' is not a date"),
    ],
)
def test_a_mistake_is_told_in_a_line(bob, arguments, said):
    done = bob("decisions", *arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_ask_and_search_tell_what_was_superseded_and_answer_as_of_a_day(bob):
    question = "Which database do we keep the orders in?"
    told = bob.json("ask", question)
    assert told["answer"].index("PostgreSQL") < told["answer"].index("MySQL")
    assert told["notices"] == ["ADR 2 was superseded by ADR 7 on 2021-03-04."]
    then = bob.json("ask", question, "--as-of", "2020")
    assert "MySQL" in then["answer"] and "PostgreSQL" not in then["answer"] and then["notices"] == []
    hits = bob.json("search", "orders in MySQL decision:superseded")["hits"]
    assert {hit["decision"]["superseded_by"][0]["name"] for hit in hits} == {"ADR 7"}
    before = bob.json("search", "orders in MySQL", "--as-of", "2020")["hits"]
    assert {hit["decision"]["status"] for hit in before if "decision" in hit} == {"active"}
    assert "ADR 2 was superseded by ADR 7" in out(bob("search", "orders in MySQL decision:superseded"))


def test_a_decision_dated_by_its_file_alone_has_no_date_and_is_after_none(tmp_path):
    bob = bob_in(tmp_path / "home")
    notes = bob.home / "garden"
    notes.mkdir(parents=True)
    (notes / "roof.md").write_text("# Roof\n\nWe decided to paint the roof red.\n")
    (notes / "2019-05-02-shed.md").write_text("# Shed\n\nWe decided to keep the shed.\n")
    assert bob("index", "garden", "--words-only").returncode == 0

    dated, undated = out(bob("decisions")).splitlines()
    assert "2019-05-02" in dated
    assert "no date; its file is of 20" in undated
    found = bob.json("decisions", "--after", "2019")["decisions"]
    assert [each["date_kind"] for each in found] == ["file_name"]
    assert len(bob.json("decisions", "--before", "2999")["decisions"]) == 2
