"""What is evidence and what is not: nothing that Bob copied itself, no other project's words."""

from datetime import date, timedelta
from pathlib import PurePath

import pytest
from small_memory import write_files

from bob import Bob, Filters
from bob.answers.question import Question
from bob.app.settings import Settings
from bob.notes.routines import Occasion

PHOTOS = {
    number: f"""# ADR-{number}: {title}

Date: {day}

## Status

{status}

## Context

The family takes many photos.

## Decision

{decision}
"""
    for number, title, day, status, decision in (
        (1, "Photos on the NAS", "2022-03-01", "Superseded by ADR-4", "We will keep all photos on the NAS."),
        (4, "Photos in a cloud", "2023-06-10", "Superseded by ADR-7", "We will keep all photos in a cloud."),
        (
            7,
            "Immich for photos",
            "2024-11-02",
            "Accepted. Supersedes ADR-4",
            "We will run Immich for photos.",
        ),
    )
}


def settings_over(folder):
    return Settings(database=str(folder / "bob.db"), notes={"folders": [str(folder / "vault")]})


def routines_of(bob):
    return bob._engine.knowledge.routines


def stated(bob):
    return sorted((each.found.title, each.status) for each in bob.decisions())


def test_what_bob_gathered_decides_nothing_and_answers_nothing(tmp_path):
    write_files(tmp_path / "vault", {f"adr/{n:04}.md": text for n, text in PHOTOS.items()})
    write_files(tmp_path / "vault", {"todo.md": "# Things\n\n- [ ] Print the photos of June\n"})
    with Bob(settings=settings_over(tmp_path)) as bob:
        bob.index(tmp_path / "vault")
        before = stated(bob)
        assert len(before) == 3
        routines = routines_of(bob)
        for week in range(12):
            day = date(2026, 1, 5) + timedelta(weeks=week)
            written = [
                routines.write_routine("review", Occasion(day)),
                routines.write_routine("meeting", Occasion(day, topic=f"Photos {week}")),
                routines.write_routine("daily", Occasion(day)),
            ]
            assert all(each.note.written and each.note.indexed for each in written)
            assert "Immich" in written[1].note.text
        assert stated(bob) == before
        answer = bob.ask("Where do we keep the photos?")
        assert answer.found
        assert not [each.chunk.path for each in answer.sources if "/adr/" not in each.chunk.path]


def test_what_a_person_writes_into_a_prepared_note_counts(tmp_path):
    write_files(tmp_path / "vault", {f"adr/{n:04}.md": text for n, text in PHOTOS.items()})
    with Bob(settings=settings_over(tmp_path)) as bob:
        bob.index(tmp_path / "vault")
        made = routines_of(bob).write_routine("meeting", Occasion(date(2026, 1, 5), topic="Photos"))
        text = made.note.path.read_text()
        made.note.path.write_text(text + "\n## Decisions\n\n- We will print an album each Christmas.\n")
        bob.index(tmp_path / "vault")
        assert "album" in bob.ask("What will we print each Christmas?").text
        # The place of an answer is that of the file with the gathered lines still in it.
        source = bob.ask("What will we print each Christmas?").sources[0]
        lines = made.note.path.read_text().split("\n")
        assert "album" in lines[source.locator.start_line - 1]


BRACES = [
    'We will set the body to {"error": "message"} for all failures.',
    "We will name keys `{ tenant }`.",
    "We will name keys { tenant }.",
    "We will name queues ${ var.environment }-orders.",
    "We will write {{ user name }} with Jinja.",
    "We allow {red, green, blue} as colours.",
    "We will keep `{a: 1, b: 2}` in each row.",
    "We will send {id: 1} first.",
    'We will use locals { name = "x y" } in Terraform.',
    "We will write function() { return 1 } by hand.",
    "We set color: { red, green }.",
    "The path is /work/{item id}/files; we will keep it.",
]


@pytest.mark.parametrize("decision", BRACES)
@pytest.mark.parametrize(
    "form", ["## Decision\n\n{}\n", "## Decision Outcome\n\n{}\n", "## Decision\n\n- {}\n"]
)
def test_braces_lose_no_record(tmp_path, decision, form):
    body = form.replace("{}", decision)
    write_files(tmp_path, {"adr/0014.md": f"# 14. Errors\n\n## Status\n\nAccepted\n\n{body}"})
    with Bob(tmp_path / "bob.db") as bob:
        bob.index(tmp_path / "adr")
        assert [each.found.number for each in bob.decisions()] == ["14"]


SUBJECTS = ["orchard", "press", "cellar", "garden", "kitchen"]
QUESTIONS = [
    "On which day do we deploy?",
    "Who checks the pumps?",
    "How long is the oven hot?",
    "Which day is the meeting?",
    "What do we do with old bottles?",
]


def project(subject, n):
    """Notes whose everyday words differ from project to project."""
    deploy = (
        " ".join(f"Deploy step {step} of {subject}: deploy the pumps." for step in range(20)) if n else ""
    )
    return {
        f"{subject}/plan.md": f"# Plan\n\nWe deploy on Thursdays.\n\nThe meeting is on day {n + 2}.\n",
        f"{subject}/work.md": f"# Work\n\nAna checks the pumps.\n\nThe oven is hot {n} hours.\n\n{deploy}\n",
        f"{subject}/rules.md": "# Rules\n\nOld bottles go to the shop.\n\nA day has an hour of rest.\n",
    }


def test_other_projects_do_not_change_an_answer(tmp_path):
    for n, subject in enumerate(SUBJECTS):
        write_files(tmp_path, project(subject, n))

    def answers(database, subjects):
        with Bob(tmp_path / database) as bob:
            for subject in subjects:
                bob.index(tmp_path / subject, project=subject)
            only = Filters(projects=("orchard",))
            given = [bob.ask(question, filters=only) for question in QUESTIONS]
            return [
                (answer.found, answer.text, answer.audit["evidence"], *scores(answer)) for answer in given
            ]

    def scores(answer):
        return [
            (hit["path"], hit["score"], hit["explain"] | {"duplicates": None})
            for hit in answer.audit["retrieved"]
        ]

    assert answers("one.db", SUBJECTS[:1]) == answers("five.db", SUBJECTS)


SPENT = "# Money\n\nIn 2024 the club spent 4,100 euros on new oars.\n\nAna keeps the books of the club.\n"


@pytest.mark.parametrize(
    ("question", "found", "missing"),
    [
        ("How much did the club spend on oars in 2024?", True, ""),
        ("How much did the club spend on oars in 2019?", False, "2019"),
        ("Who keeps the books of the club?", True, ""),
        ("How much did the club spend on oars for Porto in 2019?", False, "2019"),
        ("How much did the club spend on oars for Lisbon in 2019?", False, "2019 or Lisbon"),
    ],
)
def test_a_number_or_name_that_no_source_has_is_named(tmp_path, question, found, missing):
    # What the nearest folder is called says what a file is of, and what those above are called nothing.
    write_files(tmp_path / "2019" / "Porto", {"money.md": SPENT})
    with Bob(tmp_path / "bob.db") as bob:
        bob.index(tmp_path / "2019")
        answer = bob.ask(question)
        assert answer.found == found
        assert answer.notices == ((f"What came closest does not speak of {missing}.",) if missing else ())


def test_a_question_for_a_quantity_is_answered_by_no_text_without_one(tmp_path):
    write_files(tmp_path / "club", {"keys.md": "# Keys\n\nLost keys of the boathouse are replaced by Ana.\n"})
    with Bob(tmp_path / "bob.db") as bob:
        bob.index(tmp_path / "club")
        assert bob.ask("Who replaces lost keys of the boathouse?").found
        question = "How many lost keys of the boathouse are replaced?"
        assert not bob.ask(question).found
        # The same beside a decision.
        write_files(tmp_path / "club", {"0001-keys.md": PHOTOS[7].replace("photos", "keys of the boathouse")})
        bob.index(tmp_path / "club")
        answer = bob.ask(question)
        assert not answer.found
        assert "What came closest states no number." in answer.notices


def test_of_sentences_that_are_nearly_as_good_the_one_with_the_quantity_is_told(tmp_path):
    first = "The slipway has a speed limit that is lower than on the lake."
    limits = f"# Slipway\n\n{first} The speed limit on the slipway was set to 3 knots.\n"
    write_files(tmp_path / "club", {"slipway.md": limits})
    with Bob(tmp_path / "bob.db") as bob:
        bob.index(tmp_path / "club")
        assert "3 knots" in bob.ask("What is the speed limit of the slipway?").text


def test_numbers_are_matched_whole_and_names_by_their_stem():
    question = Question("Did Librarian Ana buy 5 oars on the 19th of 2024?")
    assert question.missing_in("Librarians: Ana paid 15 euros in 2024, on day 19.") == ("5",)
    assert question.missing_in("5 oars") == ("19", "2024", "Librarian", "Ana")


@pytest.mark.parametrize(
    "entry",
    [
        "A weir is a low dam across a river.",
        "Weir. A low dam across a river.",
        "Weir (a low dam across a river).",
    ],
)
def test_a_definition_is_found_below_many_passages_that_only_use_the_word(tmp_path, entry):
    uses = {
        f"{number:02}.md": f"# Weir {number}\n\nThe weir, weir number {number}, has a weir keeper.\n"
        for number in range(30)
    }
    glossary = "# Words of the river\n\n" + "A lock lets boats through. It has two gates and a keeper. " * 8
    write_files(tmp_path / "river", uses | {"words.md": f"{glossary}{entry} Boats pass beside it.\n"})
    with Bob(tmp_path / "bob.db") as bob:
        bob.index(tmp_path / "river")
        names = [PurePath(hit["path"]).name for hit in bob.ask("What is a weir?").audit["retrieved"]]
        assert names.index("words.md") == len(names) - 1
