"""Sentences and marked lines that state a decision, and those that only look so."""

from __future__ import annotations

from datetime import date

import pytest
from small_decisions import document_of, extract

from bob.core.decision import FoundDecision, StatedLink


def found(text: str, name: str = "notes.md") -> tuple[FoundDecision, ...]:
    return extract(*document_of(text, name))


STATED = [
    "We decided to keep the queue in the database.",
    "After a long discussion we decided to keep the queue in the database.",
    "We have decided that the queue stays in the database.",
    "We've decided to keep the queue in the database.",
    "The team decided to keep the queue in the database.",
    "Therefore the whole team has decided to keep the queue in the database.",
    "I decided to keep the queue in the database.",
    "It was decided that the queue stays in the database.",
    "It has been decided to keep the queue in the database.",
    "The decision was made to keep the queue in the database.",
    "A decision was made to keep the queue in the database.",
    "Our decision is to keep the queue in the database.",
    "We agreed to keep the queue in the database.",
    "We all agreed that the queue stays in the database.",
    "In the end we chose to keep the queue in the database.",
    "We chose the database over a broker because it is there already.",
    "We picked the database instead of a broker.",
    "We went with the database because a broker is one more thing to watch.",
    "We are going with the database.",
    "We settled on the database.",
    "We opted for the database.",
    "Agreed that the queue stays in the database.",
    "Decided to keep the queue in the database.",
    "We have standardised on one database.",
    "The database was chosen over a broker because it is there already.",
    "The database was selected rather than a broker.",
    "We considered a broker but decided against it because nobody could look after one.",
    "We ruled out a broker.",
    "**We decided** to keep the queue in the database.",
    "- We decided to keep the queue in the database.",
    "Wir haben beschlossen, die Warteschlange in der Datenbank zu lassen.",
    "Es wurde entschieden, dass die Warteschlange in der Datenbank bleibt.",
    "Nous avons décidé de garder la file dans la base.",
    "Se decidió dejar la cola en la base de datos.",
]

NOT_STATED = [
    "We have not decided whether the queue stays in the database.",
    "We haven't decided to move the queue.",
    "We never decided to move the queue.",
    "We did not agree to move the queue.",
    "If we decided to move the queue, every worker would have to change.",
    "Once we have decided to move the queue, the workers change.",
    "When we decided to move the queue is not known.",
    "Should we have decided to move the queue, this page would say so.",
    "Have we decided to move the queue?",
    "We decided to move the queue?",
    "Nobody knows why we decided to move the queue.",
    "What we decided to do about the queue is written elsewhere.",
    "The compiler decided to inline the call.",
    "The scheduler has decided that the task may run.",
    "They decided to rename the function.",
    "Suppose we decided to move the queue.",
    "For example, we decided to move the queue.",
    "We will decide to move the queue next week.",
    "We could have decided to move the queue.",
    "No decision was made about the queue.",
    "A decision has yet to be made.",
    "It was decided in 1862 that the railway should end at the river.",
    "It was originally decided that names are bytes.",
    "The method is preferred over the older one.",
    "A value is chosen over the range of the list.",
    "Once the peer has agreed to the protocol, data can be sent.",
    "The selected item was chosen by the user.",
    "We will keep the queue in the database.",
    "This option decides whether the queue is kept.",
    "See also how the decision is made to retry.",
]


@pytest.mark.parametrize("sentence", STATED)
def test_a_sentence_that_states_a_decision(sentence: str) -> None:
    (decision,) = found(f"# Queues\n\nThe queue is slow.\n{sentence}\n")

    assert decision.kind == "prose"
    assert decision.status == "active"
    assert decision.statement in sentence
    assert 0.5 <= decision.confidence < 0.95


@pytest.mark.parametrize("sentence", NOT_STATED)
def test_a_sentence_that_only_looks_so(sentence: str) -> None:
    assert found(f"# Queues\n\nThe queue is slow.\n{sentence}\n") == ()


MARKED = [
    ("Decision: Rotate the key every month.", "Rotate the key every month."),
    ("**Decision:** Rotate the key every month.", "Rotate the key every month."),
    ("**Decision**: Rotate the key every month.", "Rotate the key every month."),
    ("*Decision* - Rotate the key every month.", "Rotate the key every month."),
    ("DECISION: Rotate the key every month.", "Rotate the key every month."),
    ("- Decision: Rotate the key every month.", "Rotate the key every month."),
    ("1. Decision: Rotate the key every month.", "Rotate the key every month."),
    ("- [decision] Rotate the key every month.", "Rotate the key every month."),
    ("- [x] Decided: Rotate the key every month.", "Rotate the key every month."),
    ("✅ Decision: Rotate the key every month.", "Rotate the key every month."),
    ("Decision 2: Rotate the key every month.", "Rotate the key every month."),
    ("Final decision: Rotate the key every month.", "Rotate the key every month."),
    ("Decided: Rotate the key every month.", "Rotate the key every month."),
    ("Agreed: Rotate the key every month.", "Rotate the key every month."),
    ("RESOLVED: Rotate the key every month.", "Rotate the key every month."),
    ("Resolved: that the key rotates every month.", "that the key rotates every month."),
    ("#agreed Rotate the key every month.", "Rotate the key every month."),
    ("Decision:\nRotate the key\nevery month.", "Rotate the key\nevery month."),
    ("Decision:\n\nRotate the key every month.", "Rotate the key every month."),
    ("Entscheidung: Der Schlüssel wechselt jeden Monat.", "Der Schlüssel wechselt jeden Monat."),
    ("Beschluss: Der Schlüssel wechselt jeden Monat.", "Der Schlüssel wechselt jeden Monat."),
    ("Décision : La clé change chaque mois.", "La clé change chaque mois."),
    ("Decisión: La clave cambia cada mes.", "La clave cambia cada mes."),
]

NOT_MARKED = [
    "Decision: none",
    "Decision: TBD",
    "Decision: no decision was made",
    "Decision: {what was decided}",
    "Decision: [describe the decision here]",
    "Decision: shall we rotate the key?",
    "Decision: pending",
    "Decision:",
    "Resolved: #4711",
    "Resolved: fixed in 2.1",
    "> Decision: Rotate the key every month.",
    "```\nDecision: Rotate the key every month.\n```",
    "~~~text\nWe decided to rotate the key.\n~~~",
    "    Decision: Rotate the key every month.",
    "<!-- Decision: Rotate the key every month. -->",
    "<!--\nDecision: Rotate the key every month.\n-->",
    "Decision makers: Ann and Bea",
    "Decision trees: see below.",
    "Agreed-upon formats: JSON",
]


@pytest.mark.parametrize(("line", "statement"), MARKED)
def test_a_marked_decision(line: str, statement: str) -> None:
    (decision,) = found(f"# Weekly meeting\n\nAnn asked for it.\n\n{line}\n")

    assert (decision.kind, decision.statement, decision.status) == ("marked", statement, "active")
    assert decision.context == "Weekly meeting"


@pytest.mark.parametrize("line", NOT_MARKED)
def test_a_line_that_marks_none(line: str) -> None:
    assert found(f"# Weekly talk\n\nAnn asked for it.\n\n{line}\n") == ()


MEETING = """# Team

## Meeting notes 2025-01-15

Decision: We ship every Tuesday.
Agreed: The on-call person changes each week.
Action: Bea writes it down.

Rejected: shipping daily, because tests take an hour
"""


def test_meeting_notes() -> None:
    first, second = found(MEETING)

    assert first.statement == "We ship every Tuesday."
    assert second.statement == "The on-call person changes each week."
    assert first.stated_date == second.stated_date == date(2025, 1, 15)
    assert [(each.text, each.reason) for each in second.rejected] == [
        ("shipping daily", "tests take an hour")
    ]
    assert second.rejected[0].locator.text_in(MEETING) == "shipping daily"
    assert first.context == "Team > Meeting notes 2025-01-15"


LISTED = """# Minutes

Date: 3 March 2024

## Decisions

- Invoices are numbered by year.
  - Bea changes the template.
- None of the old ones is renumbered.
- Who pays for paper?
- TBD

## Open questions

- We will see.
"""


def test_a_list_of_decisions() -> None:
    decisions = found(LISTED)

    assert [each.statement for each in decisions] == [
        "Invoices are numbered by year.",
        "None of the old ones is renumbered.",
    ]
    assert {each.stated_date for each in decisions} == {date(2024, 3, 3)}


def test_what_we_will_do_is_a_decision_only_below_such_a_heading() -> None:
    text = "# Plan\n\n## Decisions\n\nWe will number invoices by year. That is what the law wants.\n"

    assert [each.statement for each in found(text)] == ["We will number invoices by year."]
    assert found(text.replace("Decisions", "Ideas")) == ()


def test_a_heading_that_says_decision_without_a_record() -> None:
    (decision,) = found("# Invoices\n\n## Decision\n\nNumber them by year.\n")

    assert (decision.kind, decision.statement) == ("marked", "Number them by year.")


REJECTED = [
    ("We decided to use PostgreSQL instead of MySQL for reliability.", "MySQL", "reliability"),
    ("We decided to use PostgreSQL rather than MySQL.", "MySQL", None),
    (
        "We chose PostgreSQL over MySQL because it has row-level security.",
        "MySQL",
        "it has row-level security",
    ),
    ("PostgreSQL was chosen over MySQL because we know it.", "MySQL", "we know it"),
    ("We decided to use PostgreSQL, not MySQL.", "MySQL", None),
    (
        "We considered MySQL but decided against it because it has no row-level security.",
        "MySQL",
        "it has no row-level security",
    ),
    ("We considered a shared cache, but decided against it.", "a shared cache", None),
    ("We decided against MySQL because of its license.", "MySQL", "of its license"),
    ("We ruled out MySQL since nobody knows it.", "MySQL", "nobody knows it"),
    ("We decided to use PostgreSQL; MySQL was rejected because nobody knows it.", "MySQL", "nobody knows it"),
    ("We decided to keep files, as opposed to a bucket.", "a bucket", None),
    ("We decided to drop MySQL in favour of PostgreSQL.", "MySQL", None),
    ("We decided to wait for the lock instead of asking for it twice.", "asking for it twice", None),
]


@pytest.mark.parametrize(("sentence", "text", "reason"), REJECTED)
def test_what_a_sentence_turns_down(sentence: str, text: str, reason: str | None) -> None:
    (decision,) = found(sentence + "\n")

    assert [(each.text, each.reason) for each in decision.rejected] == [(text, reason)]
    assert decision.rejected[0].locator.text_in(sentence) == text


@pytest.mark.parametrize(
    "sentence",
    [
        "We decided to move the queue, not only the workers.",
        "We decided to move the queue, not because it is slow.",
        "We decided to move the queue over the weekend.",
        "We decided to do this instead of that.",
    ],
)
def test_a_sentence_that_turns_nothing_down(sentence: str) -> None:
    (decision,) = found(sentence + "\n")

    assert decision.rejected == ()


def test_a_rejection_alone_is_a_decision_to_do_without() -> None:
    (decision,) = found("# Storage\n\nRejected: a bucket — it costs too much.\n")

    assert (decision.status, decision.statement) == ("rejected", "a bucket — it costs too much.")
    assert decision.rejected[0].reason == "it costs too much"


def test_a_sentence_after_a_decision_that_turns_something_down() -> None:
    (decision,) = found(
        "We decided to keep files. A bucket was rejected because it costs too much. It rained.\n"
    )

    assert [(each.text, each.reason) for each in decision.rejected] == [("A bucket", "it costs too much")]


def test_a_marker_before_a_list() -> None:
    decisions = found(
        "# 2025-03-02 Sync\n\n**Decisions:**\n\n- Use files, not a bucket\n- Ship on Tuesdays\n\nTea.\n"
    )

    assert [each.statement for each in decisions] == ["Use files, not a bucket", "Ship on Tuesdays"]
    assert [each.text for each in decisions[0].rejected] == ["a bucket"]
    assert decisions[1].stated_date == date(2025, 3, 2)


def test_a_topic_under_decisions() -> None:
    text = "# Shop\n\n## Key decisions\n\n### Storage\n\nFiles, not a bucket.\n\n## Later\n\nA bucket.\n"

    (decision,) = found(text)

    assert (decision.statement, decision.context) == (
        "Files, not a bucket.",
        "Shop > Key decisions > Storage",
    )


LOG = """# Decision log

| # | Decision | Status | Date | Alternatives |
| --- | --- | --- | --- | --- |
| 1 | Keep files | accepted | 2024-01-02 | a bucket |
| 2 | Rent a machine | superseded by 3 | 2024-01-03 | |
| 3 | [Own a machine](0003-own.md) | accepted | 2024-01-04 | |
| 4 | TBD | | | |
"""


def test_a_table_of_decisions() -> None:
    first, second = found(LOG)

    assert (first.number, first.statement, first.status) == ("1", "Keep files", "active")
    assert first.stated_date == date(2024, 1, 2)
    assert [each.text for each in first.rejected] == ["a bucket"]
    assert first.locator.text_in(LOG) == "Keep files"
    assert (second.status, second.links) == ("superseded", (StatedLink("supersedes", "3", backward=True),))


def test_a_table_of_something_else() -> None:
    assert (
        found("# We decided\n\n| Option | Status |\n| --- | --- |\n| We decided to rent | accepted |\n") == ()
    )


def test_a_sentence_with_its_own_date() -> None:
    (decision,) = found("# 2025-02-01\n\nOn 4 March 2025, we decided to move the queue.\n")

    assert decision.stated_date == date(2025, 3, 4)


def test_a_label_of_restructured_text_marks_nothing() -> None:
    assert (
        found("Style\n=====\n\n.. _decisions:\n\nPeople like them.\n\n.. We decided to go.\n", "style.rst")
        == ()
    )


def test_source_code_states_none() -> None:
    assert found("# We decided to keep this loop.\nx = 1\n", "loop.py") == ()


def test_the_same_words_twice_have_two_keys() -> None:
    first, second = found("# A\n\nDecision: Rotate the key.\n\n# B\n\nDecision: Rotate the key.\n")

    assert first.key != second.key
    again = found(
        "# A\n\nSomething new.\n\nDecision:   Rotate the\nkey.\n\n# B\n\nDecision: Rotate the key.\n"
    )
    assert [each.key for each in again] == [first.key, second.key]
