"""What is asked about decides what is recalled: importance only orders what is near (SPEC G4), with the real
model. "Cake vs. steak": a memory of great importance about something else."""

from datetime import UTC, datetime

import pytest
from small_memory import engine_over

from bob.conversations import memory_rows
from bob.conversations import rows as conversation_rows
from bob.core.conversation import Memory, Scope

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
ME = Scope("local", "me", "dinner")

STEAK = "Clara likes her steak well done."
CRITICAL = (
    "The cake for the wedding must never contain nuts.",
    "Every invoice needs two approvals without exception.",
    "We decided to use PostgreSQL for the billing service.",
    "The lease of the office ends on 31 March.",
    "Backups run every night at three.",
    "Our flight to Lisbon leaves on 3 May.",
    "The press is rented out at 340 crowns a week.",
    "All releases of the shop go out on Tuesdays.",
)


@pytest.fixture
def engine(tmp_path):
    made = engine_over(tmp_path / "bob.db")
    with made.database.write() as connection:
        chat = conversation_rows.start(connection, ME, None, "", NOON)
        for summary, importance in [*((each, 100) for each in CRITICAL), (STEAK, 31)]:
            memory_rows.add(connection, Memory(0, ME, chat.chat_id, summary, importance, "fact", NOON), ())
    yield made
    made.close()


def recalled(engine, question):
    return [each.summary for each in engine.conversations.recall_memories.for_prompt(ME, None, question)]


def test_what_is_near_comes_first_however_important_the_others_are(engine):
    assert recalled(engine, "How does Clara want her steak?")[0] == STEAK
    engine.settings = engine.settings.model_copy(
        update={"context": engine.settings.context.model_copy(update={"memories": 1})}
    )
    del engine.conversations
    assert recalled(engine, "How does Clara want her steak?") == [STEAK]


def test_what_is_about_something_else_stays_out_altogether(engine):
    found = recalled(engine, "How does Clara want her steak?")
    assert not {CRITICAL[1], CRITICAL[2], CRITICAL[3], CRITICAL[4], CRITICAL[5], CRITICAL[7]} & set(found)
    assert recalled(engine, "Which database does the billing service use?")[0] == CRITICAL[2]
    assert recalled(engine, "How many moons does Jupiter have?") == []


def test_of_two_that_fit_the_more_important_one_comes_first(engine):
    with engine.database.write() as connection:
        for summary, importance in (("Clara likes steak.", 31), ("Clara likes steak!", 100)):
            memory_rows.add(connection, Memory(0, ME, None, summary, importance, "fact", NOON), ())
    found = recalled(engine, "Does Clara like steak?")
    assert found.index("Clara likes steak!") < found.index("Clara likes steak.")


def test_a_request_overrides_the_switch(bob):
    """The command: off by itself, on and off by the switch and by the flag."""
    notes = bob.home / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Oven\n\nThe oven is hot after ten minutes.\n", "utf-8")
    assert bob("index", notes, "--project", "dinner", "--words-only").returncode == 0
    assert bob("remember", STEAK, "--project", "dinner").returncode == 0

    def knows(*flags):
        asked = ("context", "--project", "dinner", *flags, "How does Clara want her steak?")
        found = bob.json(*asked)
        assert found["receipt"]["smart_context"] == (STEAK in found["system"])
        return STEAK in found["system"]

    assert not knows() and knows("--smart-context")
    assert bob("smart-context", "on").returncode == 0
    assert knows() and not knows("--no-smart-context")
