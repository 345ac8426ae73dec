"""Ask: the answer contract, from files to JSON."""

import json
from datetime import date

import pytest
from judges import needs_networks
from small_memory import write_files

from bob.answers.answer import NOT_FOUND

TODAY = date(2025, 6, 1)

NOTES = {
    "keys.md": (
        "# Backup keys\n\nDate: 2025-01-05\n\nThe backup keys are rotated every three months by the storage "
        "team. They are kept in **two** safes.\n\n| Safe | City |\n|---|---|\n| A | Porto |\n| B | Berlin |\n"
    ),
    "deploy.md": (
        "# Deploying\n\nTo deploy the shop, run the release script:\n\n```sh\n./release.sh shop\n```\n\n"
        "Deployments are forbidden on Fridays because nobody watches them.\n"
    ),
    "soup.md": "# Leek soup\n\nCook the leeks with three potatoes for twenty minutes, then blend the soup.\n",
}


@pytest.fixture
def asked(engine, tmp_path):
    engine.index_files.index_folder(write_files(tmp_path / "notes", NOTES))
    return lambda question: engine.ask.answer_question(question, today=TODAY)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How often are the backup keys rotated?", "every three months"),
        ("Why are deployments forbidden on Fridays?", "because nobody watches them"),
        ("How do I deploy the shop?", "./release.sh shop"),
    ],
)
def test_an_answer_has_what_was_asked_and_its_quotes_are_the_source(asked, tmp_path, question, part):
    answer = asked(question)
    assert answer.found
    assert part in answer.text
    for source in answer.sources:
        whole = (tmp_path / "notes" / source.chunk.path.rpartition("/")[2]).read_text(encoding="utf-8")
        start, end = source.quote_range
        assert source.quote == source.chunk.text[start:end]
        assert source.quote in whole


def test_every_claim_is_supported_cited_and_audited(asked):
    found = asked("How often are the backup keys rotated?").to_json()
    assert json.loads(json.dumps(found)) == found
    numbers = {source["n"] for source in found["sources"]}
    assert found["claims"]
    for claim, checked in zip(found["claims"], found["audit"]["claims"], strict=True):
        assert claim["verdict"] == "supported"
        assert claim["citations"] and numbers >= set(claim["citations"])
        assert 0 <= claim["score"] <= 1
        assert checked["quotes"]
    assert found["audit"]["support"] >= found["audit"]["answers_from"]
    assert found["audit"]["evidence"]["chunk_coverage"] > 0.5
    assert found["audit"]["used"]


def test_code_stands_by_itself_under_the_sentence_that_opens_it(asked):
    text = asked("How do I deploy the shop?").text
    assert "```\n./release.sh shop\n```" in text
    assert text.index("run the release script:") < text.index("./release.sh")


def test_what_the_notes_do_not_say_is_not_found_and_the_closest_is_named(asked):
    answer = asked("Which railway company runs the night train to Vienna?")
    assert not answer.found
    assert answer.text == NOT_FOUND == "Not found in sources."
    assert answer.claims == () and answer.sources == ()
    for closest in answer.audit["closest"]:
        assert set(closest) == {"document_id", "path", "title", "locator", "text", "score"}
    scores = [closest["score"] for closest in answer.audit["closest"]]
    assert len(scores) <= 3 and scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("question", ["", "   ", "?", "-nothing", '"', "the of and"])
def test_an_odd_question_is_no_error(asked, question):
    answer = asked(question)
    assert answer.to_json()["question"] == question


def test_an_empty_index_answers_nothing(engine):
    answer = engine.ask.answer_question("What is in here?", today=TODAY)
    assert not answer.found
    assert answer.audit["closest"] == []


def test_the_same_question_gives_the_same_answer(asked):
    one, two = (asked("How often are the backup keys rotated?").to_json() for _ in range(2))
    one["audit"].pop("timings"), two["audit"].pop("timings")
    assert one == two


@needs_networks
def test_a_fact_is_told_in_few_words_and_a_subject_in_as_many_as_it_takes(engine, tmp_path):
    """Four files say nearly the same of the bell, each in some thirty words."""
    (tmp_path / "bells").mkdir()
    for name, rest in (
        ("north", "nobody who lives by the river has slept through it since the old mill was pulled down"),
        ("south", "the fishers of the lower harbour like it, as their boats go out with the first light"),
        ("east", "the bakers of the upper town, who begin before dawn, know when to light their ovens"),
        ("west", "the teacher at the school asked the keeper twice to wait for the end of her lesson"),
    ):
        rung = f"The {name} bell is rung seven times every morning by its keeper"
        told = f"{rung}, except in the second week of March, and {rest}."
        (tmp_path / "bells" / f"{name}.md").write_text(f"# The {name} bell\n\n{told}\n", encoding="utf-8")
    engine.index_files.index_folder(tmp_path / "bells")
    fact = engine.ask.answer_question("How many times is the bell rung every morning?", today=TODAY)
    subject = engine.ask.answer_question("bell rung every morning by its keeper", today=TODAY)
    assert fact.found and "seven times" in fact.text
    words_of_fact, words_of_subject = (
        sum(len(claim.text.split()) for claim in answer.claims) for answer in (fact, subject)
    )
    assert words_of_fact <= 60 < words_of_subject


SHORT_NOTES = {
    "house.md": (
        "# House\n\n- The spare key hangs behind the boiler.\n- The gas tap is under the sink.\n"
        "- The plumber is Ms Weber, 0171 555 0123.\n"
    ),
    "car.md": (
        "# Car\n\n- Insurance: Northern Mutual, contract 44-871-2, 312 euros a year\n"
        "- Winter tyres are at Meyer's, put on by 1 November.\n"
    ),
    "wohnung.md": (
        "# Wohnung\n\n- Die Fahrräder stehen im Keller.\n"
        "- Die Miete beträgt 850 Euro und wird am Monatsersten abgebucht.\n"
    ),
}


@needs_networks
@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Where is the spare key?", "The spare key hangs behind the boiler."),
        ("What is the plumber's number?", "The plumber is Ms Weber, 0171 555 0123."),
        (
            "What's the insurance contract number?",
            "Insurance: Northern Mutual, contract 44-871-2, 312 euros a year",
        ),
        ("Wo finde ich die Fahrräder?", "Die Fahrräder stehen im Keller."),
        ("Wie hoch ist die Miete?", "Die Miete beträgt 850 Euro und wird am Monatsersten abgebucht."),
        ("What colour is the car?", None),
        ("What is the electrician's number?", None),
        ("Wer ist die Hausmeisterin?", None),
    ],
)
def test_a_short_note_answers_by_its_line_or_not_at_all(engine, tmp_path, question, told):
    """What says only what is wanted need not stand there: "number", "Wie hoch", and "s" behind a name."""
    engine.index_files.index_folder(write_files(tmp_path / "notes", SHORT_NOTES))
    answer = engine.ask.answer_question(question, today=TODAY)
    assert [claim.text for claim in answer.claims][:1] == ([] if told is None else [told])


LAW = """\
# Nationality

Only these posts are reserved for those who are citizens by birth:

  I - President of the Republic;

  II - minister of defence;

  III - judge of the highest court.

Other posts are open to every citizen of the country.
"""


def test_a_list_as_laws_have_it_comes_whole_behind_its_opener_from_one_place(engine, tmp_path):
    engine.index_files.index_folder(write_files(tmp_path / "law", {"posts.md": LAW}))
    answer = engine.ask.answer_question("Which posts are reserved for citizens by birth?", today=TODAY)
    assert answer.found
    for post in ("President of the Republic", "minister of defence", "judge of the highest court"):
        assert post in answer.text
    (source,) = {claim.citations for claim in answer.claims if claim.text.endswith((":", ";", "court."))}
    assert answer.sources[source[0] - 1].quote.startswith("Only these posts")


@needs_networks
def test_the_last_question_of_a_thread_is_answered_from_what_the_thread_is_about(engine, tmp_path):
    breads = {"rye": "250", "no-knead": "230", "potato": "180"}
    files = {
        f"{name}.md": f"# {name.capitalize()} bread\n\nMix the dough for the {name} bread.\n\n"
        f"Heat the oven to {degrees} degrees for the bread.\n"
        for name, degrees in breads.items()
    }
    engine.index_files.index_folder(write_files(tmp_path / "bread", files))
    for name, degrees in breads.items():
        earlier = [f"How is the {name} bread made?"]
        answer = engine.ask.answer_question(
            "To how many degrees is the oven heated?", earlier=earlier, today=TODAY
        )
        assert degrees in answer.claims[0].text


@needs_networks
def test_a_follow_up_of_two_words_is_answered_by_what_was_asked_before(engine, tmp_path):
    rules = (
        "# House rules\n\nMembers may stay for up to fourteen nights. Guests may stay for three nights.\n\n"
        "Members pay 12 euros a night. Guests pay 20 euros a night.\n\n"
        "Members may take the boat out alone. Guests take it out only with a member.\n"
    )
    engine.index_files.index_folder(write_files(tmp_path / "house", {"rules.md": rules}))
    for before, expected, other in (
        ("How long may members stay?", "Guests may stay for three nights.", "only with a member"),
        ("How much do members pay?", "Guests pay 20 euros a night.", "fourteen nights"),
        ("May members take the boat out?", "Guests take it out only with a member.", "20 euros"),
    ):
        told = engine.ask.answer_question("And guests?", earlier=[before], today=TODAY).text
        assert expected in told and other not in told


def test_what_is_of_the_time_asked_for_comes_before_what_only_mentions_it(engine, tmp_path):
    (tmp_path / "minutes").mkdir()
    for day, total, said in (
        ("2026-03-13", "616", "We began at noon."),
        ("2026-05-08", "593", "The report of March 2026 was read again."),
    ):
        text = f"# Meeting\n\nDate: {day}\n\n{said}\n\nThe total assets of the council are {total} dollars.\n"
        (tmp_path / "minutes" / f"{day}.md").write_text(text, encoding="utf-8")
    engine.index_files.index_folder(tmp_path / "minutes")
    answer = engine.ask.answer_question(
        "What were the total assets of the council in the March 2026 meeting?", today=TODAY
    )
    assert "616" in answer.claims[0].text
