"""What Bob gathers into notes decides nothing and answers nothing, however often it is written."""

import os
from datetime import date, timedelta
from typing import get_args

import pytest
from judges import RULES_ALONE
from small_memory import bob_in, write_files

from bob.notes.routines import Routine

ROUNDS = int(os.environ.get("ROUTINE_ROUNDS", "3"))
"""ROUTINE_ROUNDS=12 in the environment is a run of a minute by hand."""
CHAINS = {
    "photos": ("the family photos", ("the NAS", "a cloud", "Immich")),
    "mail": ("the mail of the club", ("a shared inbox", "a mailing list", "Zulip")),
    "backup": ("the nightly backup", ("tapes", "a disk in the shed", "restic in Falkenstein")),
}
QUESTIONS = {
    "What do we use for the family photos?": "Immich",
    "Where did we decide to keep the family photos?": None if RULES_ALONE else "Immich",
    "What do we use for the mail of the club?": "Zulip",
    "Which decision on the mail of the club holds now?": "Zulip",
    "What do we use for the nightly backup?": "Falkenstein",
    "Did we ever consider a folder on each laptop?": "nobody could find a thing",
    "Why did we leave the shared inbox?": None,
    "Who mows the meadow in July?": None,
    "How much does a key to the boathouse cost?": None,
}
"""Questions, and a word that their answer has (None: whatever it is)."""


def chain(first, name):
    """Three records of one thing, each of which supersedes the one before."""
    what, places = CHAINS[name]
    for number, place in enumerate(places, first):
        before, after = number > first, number < first + 2
        status = f"Superseded by ADR-{number + 1}" if after else "Accepted"
        more = f" This supersedes ADR-{number - 1}." if before else ""
        rejected = "A folder on each laptop: nobody could find a thing."
        yield (
            f"adr/{number:04}-{name}.md",
            f"# ADR-{number}: {place} for {what}\n\nDate: {2020 + number}-03-01\n\n## Status\n\n{status}\n\n"
            f"## Context\n\nWe need a place for {what}.\n\n## Decision\n\n"
            f"We will use {place} for {what}.{more}\n\n## Rejected alternatives\n\n- {rejected}\n",
        )


@pytest.fixture(scope="module")
def routines(tmp_path_factory):
    """A vault before and after some rounds of all routines: its decisions, its answers, its new notes."""
    bob = bob_in(tmp_path_factory.mktemp("routines") / "home")
    vault = bob.home / "vault"
    for first, name in zip((1, 4, 7), CHAINS, strict=True):
        write_files(vault, dict(chain(first, name)))
    # The task says itself that it was decided; what gathers open loops copies it.
    write_files(vault, {"todo.md": "# Things\n\n- [ ] We decided to print the family photos of June\n"})
    bob.environment["BOB_NOTES__FOLDERS"] = f'["{vault}"]'
    bob.json("index", vault)
    for question in QUESTIONS:  # what nobody could answer, a review lists, and gap notes are written of
        bob("ask", question)
        bob("ask", question)
    before = bob.json("decisions")["decisions"]
    answers_before = {question: ask(bob, question) for question in QUESTIONS}
    for week in range(ROUNDS):
        day = str(date(2026, 1, 5) + timedelta(weeks=week))
        for routine in get_args(Routine):
            for topic in CHAINS.values() if routine == "meeting" else [("", ())]:
                words = [f"{topic[0]}, week {week}"] if topic[0] else []
                bob.json("routine", routine, *words, "--date", day)
        bob.json("health", "fix", "--all", "--into", vault / "gaps")
    after = bob.json("decisions")["decisions"]
    return vault, before, after, answers_before, {each: ask(bob, each) for each in QUESTIONS}


def ask(bob, question):
    done = bob.json("ask", question, expect=None)
    return done["answer"], [each["path"] for each in done["sources"]]


def test_rounds_of_routines_bring_no_decision_forth(routines):
    _, before, after, *_ = routines
    assert len(before) == 10 and {each["status"] for each in before} == {"active", "superseded"}
    assert after == before


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_answer_rests_on_what_bob_gathered(routines, question):
    *_, before, after = routines
    text, sources = after[question]
    assert (text, sources) == before[question]
    assert (QUESTIONS[question] or "") in text
    assert not [each for each in sources if "/adr/" not in each]


def test_the_notes_do_hold_what_was_decided(routines):
    vault, *_ = routines
    notes = [each for each in vault.rglob("*.md") if each.parent.name not in ("adr", "vault")]
    kinds = {each.parent.name for each in notes}
    assert kinds == {"daily", "meetings", "reviews", "gaps"}
    texts = [each.read_text() for each in notes]
    assert sum("Decision 3: Immich" in each for each in texts) >= ROUNDS
    assert sum("Who mows the meadow in July?" in each for each in texts) >= 1
