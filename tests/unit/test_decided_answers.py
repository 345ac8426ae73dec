"""Answers know which decisions hold, and what was turned down."""

from contextlib import closing
from datetime import UTC, date, datetime

import pytest
from small_memory import engine_over, write_files
from small_shop import RECORDS, TODAY, by_name, record, shop_in

from bob.core.errors import LanguageModelError
from bob.core.search import Filters
from bob.decisions.service import DecisionQuery
from bob.llm.complete import ScriptedModel
from bob.search.query import parse_query

NOW = datetime(2024, 6, 1, tzinfo=UTC)
QUESTION = "Which database do we keep the orders in?"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("decisions")
    engine = engine_over(folder / "bob.db")
    engine.index_files.index_folder(shop_in(folder))
    yield engine
    engine.close()


def asked(engine, question, **filters):
    return engine.ask.answer_question(question, filters=Filters(**filters), today=TODAY)


def test_a_superseded_decision_is_told_after_the_one_that_holds_with_a_warning(shop):
    answer = asked(shop, QUESTION)
    postgres, mysql = answer.text.index("PostgreSQL database on our own"), answer.text.index("MySQL database")
    assert postgres < mysql and "ADR 2, superseded: We will keep the orders in a MySQL" in answer.text
    assert answer.notices == ("ADR 2 was superseded by ADR 7 on 2021-03-04.",)
    named = {source.decision.decision.name: source for source in answer.sources}
    assert named["ADR 7"].n < named["ADR 2"].n
    for source in answer.sources:
        start, end = source.quote_range
        assert source.chunk.text[start:end] == source.quote
    told = next(each for each in answer.to_json()["sources"] if each["n"] == named["ADR 2"].n)["decision"]
    assert (told["status"], [each["name"] for each in told["superseded_by"]]) == ("superseded", ["ADR 7"])
    assert told["id"] == by_name(shop)["ADR 2"].decision_id


def test_the_successor_is_told_even_where_the_search_may_not_find_it(shop):
    only_old = Filters(before=date(2020, 1, 1))
    found = shop.search.search_chunks(parse_query(QUESTION, only_old), 10)
    assert not any("PostgreSQL" in hit.chunk.text for hit in found.hits)
    answer = shop.ask.answer_question(QUESTION, filters=only_old, today=TODAY)
    assert answer.text.index("PostgreSQL") < answer.text.index("MySQL") and answer.notices


def test_as_of_a_day_before_the_change_the_old_decision_holds_and_nothing_is_warned_of(shop):
    answer = asked(shop, QUESTION, as_of=date(2020, 1, 1))
    assert "MySQL" in answer.text and "PostgreSQL" not in answer.text and "superseded" not in answer.text
    assert answer.notices == ()
    assert answer.date_confidence.outdated is False
    later = asked(shop, QUESTION, as_of=date(2021, 3, 4))
    assert later.text.index("PostgreSQL") < later.text.index("MySQL") and later.notices


@pytest.mark.parametrize(
    ("question", "alternative", "reason", "decision"),
    [
        ("Did we ever consider CockroachDB?", "CockroachDB", "nobody here has run it", "ADR 7"),
        ("Why not use CockroachDB for the orders?", "CockroachDB", "nobody here has run it", "ADR 7"),
        ("Have we already looked at MongoDB?", "MongoDB", "orders need transactions", "ADR 2"),
        ("Why didn't we choose MongoDB?", "MongoDB", "orders need transactions", "ADR 2"),
    ],
)
def test_an_alternative_that_was_turned_down_is_found_with_its_reason(
    shop, question, alternative, reason, decision
):
    answer = asked(shop, question)
    assert answer.found and alternative in answer.text and reason in answer.text
    first = answer.sources[0]
    assert alternative in first.quote and first.decision.decision.name == decision
    assert answer.notices[0].startswith(f"Considered and rejected by {decision}")
    assert "We will keep the orders in a PostgreSQL database" in answer.text


@pytest.mark.parametrize("question", ["Did we ever consider PostgreSQL?", "Did we ever consider zeppelins?"])
def test_what_was_chosen_or_never_named_is_no_alternative(shop, question):
    assert not any(each.startswith("Considered") for each in asked(shop, question).notices)


def test_an_alternative_of_a_decision_made_later_was_not_considered_then(shop):
    answer = asked(shop, "Did we ever consider CockroachDB?", as_of=date(2020, 1, 1))
    assert "CockroachDB" not in answer.text


MEETING = """\
# Meeting of 3 May 2023

Decision: the parcels are packed on Tuesdays and Fridays.

Rejected: packing on Sundays, because nobody wants to work then.

We considered wooden boxes but decided against them because they are heavy.

Decision: the parcels are packed on every working day.
"""


def test_sentences_of_a_meeting_turn_down_and_are_superseded_one_by_one(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    engine.index_files.index_folder(write_files(tmp_path / "minutes", {"2023-05-03.md": MEETING}))
    for question, part in (
        ("Did we ever consider packing on Sundays?", "nobody wants to work then"),
        ("Why don't we use wooden boxes?", "because they are heavy"),
    ):
        answer = asked(engine, question)
        assert part in answer.text and answer.notices[0].startswith("Considered"), question
    registry = engine.knowledge.decisions
    found = {each.found.statement: each for each in registry.matching(DecisionQuery()).decisions}
    old = next(each for text, each in found.items() if "Tuesdays" in text)
    new = next(each for text, each in found.items() if "every working day" in text)
    registry.supersede(f"id-{old.decision_id}", f"id-{new.decision_id}", NOW)
    answer = asked(engine, "Are the parcels packed on Tuesdays and Fridays?")
    engine.close()
    assert answer.text.index("every working day") < answer.text.index("Superseded: Decision: the parcels are")
    assert [source.decision.status for source in answer.sources] == ["active", "superseded"]
    assert all(source.quote in source.chunk.text and source.quote for source in answer.sources)
    assert [each for each in answer.notices if "was superseded by" in each]


def test_a_proposal_is_no_decision(shop):
    answer = asked(shop, "When do we compute the reports of sales?")
    assert answer.found and answer.notices == ("ADR 9 is a proposal, not decided yet.",)


def test_hits_of_records_carry_their_decision_and_others_do_not(shop):
    hits = shop.search.search_chunks(parse_query("orders in MySQL"), 20).hits
    told = {hit.chunk.path.rpartition("/")[2]: hit.to_json().get("decision") for hit in hits}
    assert "decision" not in next(hit.to_json() for hit in hits if hit.chunk.title == "Leek soup")
    assert told["0002-orders-in-mysql.md"]["superseded_by"][0]["name"] == "ADR 7"
    assert (told["0003-mail-by-relay.md"]["status"], told["0003-mail-by-relay.md"]["superseded_by"]) == (
        "active",
        [],
    )


@pytest.mark.parametrize(
    ("status", "files"),
    [
        ("active", {"0003-mail-by-relay.md", "0007-orders-in-postgresql.md"}),
        ("accepted", {"0003-mail-by-relay.md", "0007-orders-in-postgresql.md"}),
        ("superseded", {"0002-orders-in-mysql.md"}),
        ("proposed", {"0009-nightly-reports.md"}),
        ("rejected", set()),
        ("any", {name.partition("/")[2] for name in RECORDS if "/" in name}),
    ],
)
def test_a_search_can_be_limited_to_decisions_of_a_status(shop, status, files):
    hits = shop.search.search_chunks(parse_query(f"decision:{status}"), 50).hits
    assert {hit.chunk.path.rpartition("/")[2] for hit in hits} == files


def test_statuses_are_limited_to_as_of_the_day_too(shop):
    filters = Filters(as_of=date(2020, 1, 1))
    hits = shop.search.search_chunks(parse_query("decision:active", filters), 50).hits
    assert {hit.chunk.path.rpartition("/")[2][:4] for hit in hits} == {"0002", "0003"}


def test_an_answer_that_no_decision_bears_on_has_no_trace_of_them(tmp_path, shop):
    plain = engine_over(tmp_path / "bob.db")
    plain.index_files.index_folder(write_files(tmp_path / "kitchen", {"soup.md": RECORDS["soup.md"]}))
    question = "How long do I cook the leeks?"
    answers = [asked(plain, question), asked(shop, question, path_prefixes=("soup.md",))]
    plain.close()
    one, other = (each.to_json() for each in answers)
    assert one["found"] and one["answer"] == other["answer"] and one["notices"] == other["notices"] == []
    assert not any("decision" in each for found in (one, other) for each in found["sources"])


def written(tmp_path, text):
    engine = engine_over(tmp_path / "bob.db")
    model = engine.llm = ScriptedModel([text])
    engine.index_files.index_folder(shop_in(tmp_path))
    answer = asked(engine, QUESTION)
    engine.close()
    return answer, model.prompts[0].messages[0].preface[0].text


def test_a_model_is_told_what_holds_and_may_not_pass_off_the_old_as_current(tmp_path):
    answer, sources = written(tmp_path, "We will keep the orders in a MySQL database. [2]")
    assert sources.index("PostgreSQL database on our own") < sources.index("MySQL database")
    assert 'status="ADR 2 was superseded by ADR 7 on 2021-03-04."' in sources
    assert answer.written_by is None and "ADR 2, which is no longer in force" in answer.notices[0]
    assert answer.text.index("PostgreSQL") < answer.text.index("MySQL")
    assert answer.notices[-1] == "ADR 2 was superseded by ADR 7 on 2021-03-04."


def test_a_model_that_says_what_holds_is_shown_with_the_warning(tmp_path):
    text = "We will keep the orders in a PostgreSQL database. [1] Before, it was a MySQL database. [2]"
    answer, _ = written(tmp_path, text)
    assert answer.written_by == "scripted" and "PostgreSQL" in answer.text
    names = [each.decision.decision.name for each in answer.sources]
    assert names[0] == "ADR 7"
    assert ("ADR 2" in names) == any("superseded by ADR 7" in each for each in answer.notices)


BLUE = record(
    1, "Boats are blue", "2020-01-01", "Accepted", "They had many.", "We will paint every boat blue."
)
GATE = "The {} gate of the harbour is opened by the keeper at hour {} and shut again when the tide turns."
CREW = (
    "# Harbour\n\n"
    + "\n\n".join(
        GATE.format(name, hour) for hour, name in enumerate(["north", "south", "east", "west", "inner"])
    )
    + "\n\nThe crew must bring the following things to the boat:\n\n"
    + "\n".join(
        f"- a {thing} that its owner checked" for thing in ["lamp", "rope", "anchor", "bucket", "torch"]
    )
    + "\n"
)
EGGS = {
    "soft.md": "# Soft eggs\n\nSoft eggs are boiled for five minutes.\n",
    "hard.md": "# Hard eggs\n\nHard eggs are boiled for ten minutes.\n",
}


@pytest.mark.parametrize(
    ("files", "question"),
    [
        ({"harbour.md": CREW}, "What must the crew bring to the boat?"),
        (EGGS, "What is the difference between soft eggs and hard eggs?"),
        (EGGS, "How long are soft eggs boiled and how long are goose eggs boiled?"),
    ],
)
def test_a_decision_that_is_not_told_changes_no_answer(tmp_path, files, question):
    told = []
    # As many passages either way, since rarity is judged by their number.
    note = BLUE.replace("Status", "Paint").replace("Decision", "Colour").replace("We will", "They may")
    for name, more in (("without", {"notes/boats.md": note}), ("with", {"adr/0001-boats.md": BLUE})):
        with closing(engine_over(tmp_path / f"{name}.db")) as engine:
            engine.index_files.index_folder(write_files(tmp_path / name, files | more))
            answer = asked(engine, question)
            told.append((answer.text, answer.notices))
    assert told[0] == told[1] and told[0][0]


def test_where_the_model_fails_the_quotes_know_what_is_superseded(tmp_path):
    keep = "In which database do the customers of the {} keep their orders, and which of {} do they keep?"
    files = {
        f"notes/{number}.md": f"# Orders of customers {number}\n\n{keep.format(word, word)}\n"
        for number, word in enumerate(
            ["river", "stone", "garden", "window", "letter", "paper", "winter", "summer"] * 2
        )
    }
    engine = engine_over(tmp_path / "bob.db")
    engine.index_files.index_folder(write_files(tmp_path / "shop", files | RECORDS))
    plain = engine.ask.answer_question("Which MySQL database keeps the orders?", today=TODAY)
    del engine.ask
    engine.llm = ScriptedModel([LanguageModelError("overloaded")])
    fallen_back = engine.ask.answer_question("Which MySQL database keeps the orders?", today=TODAY)
    engine.close()
    assert fallen_back.text == plain.text
    assert fallen_back.notices[-len(plain.notices) :] == plain.notices and plain.notices
    retrieved = {hit["chunk_id"] for hit in fallen_back.audit["retrieved"]}
    assert retrieved.issuperset(fallen_back.audit["used"])


def test_what_was_turned_down_is_told_only_of_decisions_that_the_filter_lets_through(shop):
    question = "Have we already looked at MongoDB?"
    assert "Considered and rejected" in asked(shop, question).notices[0]
    only_proposed = asked(shop, question, decisions=("proposed",))
    assert not any("Considered and rejected" in notice for notice in only_proposed.notices)
