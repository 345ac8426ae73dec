"""Decisions in the minutes of a meeting: below outcome headings, behind labels, in resolutions and votes."""

from __future__ import annotations

from datetime import date

import pytest
from small_decisions import document_of, extract

from bob.core.decision import FoundDecision
from bob.decisions.extract import Extraction
from bob.decisions.extract import extract as extract_all

NAME = "2024-03-05 meeting.md"


def found(text: str, name: str = NAME) -> tuple[FoundDecision, ...]:
    return extract(*document_of(text, name))


def in_minutes(text: str) -> tuple[FoundDecision, ...]:
    return found(f"# Rowing club, meeting of 5 March 2024\n\n## Boat house\n\n{text}\n")


HEADINGS = [
    "Resolution",
    "Resolutions",
    "Conclusion",
    "Conclusion/Resolution",
    "Consensus / Resolution:",
    "Consensus",
    "Outcome",
    "Resolved",
    "Decisions and Action Items",
    "Decisions & actions",
    "3. Outcome",
    "Beschlüsse",
    "Beschlüsse und Aufgaben",
    "Ergebnis",
    "Deliberações",
    "Decisões e tarefas",
    "Décisions",
    "Résolutions",
    "Acuerdos",
    "Resoluciones y tareas",
]


@pytest.mark.parametrize("heading", HEADINGS)
def test_what_stands_below_an_outcome_heading_of_minutes_is_decided(heading: str) -> None:
    first, second = in_minutes(
        f"Ann told of the roof.\n\n### {heading}\n\n- The roof will be painted red.\n"
        "- The boats will stay in the shed.\n"
    )

    assert (first.statement, first.kind) == ("The roof will be painted red.", "marked")
    assert second.statement == "The boats will stay in the shed."
    assert {first.stated_date, second.stated_date} == {date(2024, 3, 5)}


@pytest.mark.parametrize("heading", ["Decisions and Action Items", "Conclusion", "Beschlüsse und Aufgaben"])
def test_a_task_below_such_a_heading_is_no_decision(heading: str) -> None:
    (decision,) = in_minutes(
        f"### {heading}\n\n- The roof will be red.\n- Ann to write to the painter.\n"
        "- [ ] We will buy paint.\n"
    )

    assert decision.statement == "The roof will be red."


@pytest.mark.parametrize(
    "text",
    [
        "# On roofs\n\nRed ones rust.\n\n## Conclusion\n\n- Roofs should be red.\n",
        "# On roofs\n\nRed ones rust.\n\nConclusion: roofs should be red.\n",
        "# Release 2.1\n\n## Resolution\n\n- The roof stays red.\n",
    ],
)
@pytest.mark.parametrize("name", ["roofs.md", "2024-03-05-roofs.md"])
def test_a_conclusion_outside_of_minutes_is_no_decision(text: str, name: str) -> None:
    assert found(text, name) == ()


@pytest.mark.parametrize(
    "name",
    ["2024-03-05 meeting.md", "2024_03_05_board_meeting.md", "20240305-minutes.md", "2024-03-05 Sitzung.md"],
)
def test_dated_minutes_are_known_by_their_name(name: str) -> None:
    assert len(found("# Roof\n\nAgreement: the roof stays red.\n", name)) == 1


@pytest.mark.parametrize("name", ["2024-03-05 Roofs in 30 minutes.md", "meeting.md"])
def test_other_names_make_no_minutes(name: str) -> None:
    assert found("# Roof\n\nAgreement: the roof stays red.\n", name) == ()


def test_the_names_of_those_present_make_dated_notes_minutes() -> None:
    text = "# Rowers\n\n{}: Ann, Bea\n\n## Roof\n\nAgreement: the roof stays red.\n"

    assert [each.statement for each in found(text.format("Present"), "2024-03-05.md")] == [
        "the roof stays red."
    ]
    assert found(text.format("Built by"), "2024-03-05.md") == ()
    assert found(text.format("Present"), "rowers.md") == ()


@pytest.mark.parametrize(
    "text",
    [
        "To be discussed at the next meeting.",
        "No consensus.",
        "Further discussion needed.",
        "The old paint and its colours",
        "https://rowers.example/notes/12",
        "I would rather have a blue one.",
    ],
)
def test_what_puts_off_or_names_nothing_is_no_outcome(text: str) -> None:
    assert in_minutes(f"### Conclusion\n\n- {text}\n") == ()


@pytest.mark.parametrize(
    "label",
    [
        "Agreement:",
        "**Vereinbarung:**",
        "Festlegung:",
        "Deliberação:",
        "Délibération:",
        "Acuerdo:",
    ],
)
def test_a_label_of_what_was_resolved(label: str) -> None:
    (decision,) = in_minutes(f"{label} The roof will stay red.")

    assert decision.statement == "The roof will stay red."


@pytest.mark.parametrize("label", ["Conclusion:", "**Consensus:**", "Outcome:", "Fazit:", "Résultat:"])
def test_what_a_conclusion_opens_may_be_an_opinion(label: str) -> None:
    assert in_minutes(f"{label} The roof will stay red.") == ()


def test_a_numbered_resolution() -> None:
    (decision,) = in_minutes("**Beschluss 3/2024:** Das Dach wird rot.")

    assert decision.statement == "Das Dach wird rot."


RESOLVED = [
    "The board approved the budget of the year.",
    "Consensus to paint the roof red.",
    "The working group reached consensus to paint the roof red.",
    "The committee unanimously adopted the new rules.",
    "Bea was elected as treasurer.",
    "The treasurer moved to raise the fee to 95 euros; seconded by Ann; carried.",
    "RESOLVED, that the fee be raised to 95 euros.",
    "Es wurde einstimmig beschlossen, das Dach rot zu streichen.",
    "Heute wurde beschlossen, das Dach rot zu streichen.",
    "Die Mitgliederversammlung hat beschlossen, das Dach rot zu streichen.",
    "Wir beschließen, das Dach rot zu streichen.",
    "Der Vorstand beschließt, das Dach rot zu streichen.",
    "Es wurde vereinbart, dass das Dach rot wird.",
    "Als Tag für das Fest wurde der 4. August festgelegt.",
    "Der Vorstand wurde für das Jahr 2023 entlastet.",
    "Bea wurde zur Kassenwartin gewählt.",
    "Nach langer Aussprache wurde mit 5 zu 1 Stimmen ein rotes Dach beschlossen.",
    "Der Antrag auf ein rotes Dach wird einstimmig angenommen.",
    "Wir haben uns auf ein rotes Dach geeinigt.",
    "A proposta do telhado vermelho foi aprovada por unanimidade.",
    "Deliberou-se pintar o telhado.",
    "Ficou acordado que o telhado será vermelho.",
    "Decidiu-se pintar o telhado.",
    "Le conseil adopte à l'unanimité le budget.",
    "Il est décidé de peindre le toit en rouge.",
    "Se acordó pintar el tejado.",
    "La asamblea aprueba las cuentas del año.",
]
TURNED_DOWN = [
    "The motion to sell the boat was defeated.",
    "The board rejected the offer for the boat.",
    "Der Antrag auf Verkauf des Bootes wurde mit 2 zu 7 Stimmen abgelehnt.",
    "A assembleia rejeitou a venda do barco.",
    "La proposition de vendre le bateau est rejetée par 5 voix contre 2.",
    "La junta rechazó la venta del barco.",
]
NOT_RESOLVED = [
    "If the board approved the budget, the roof would be red.",
    "The budget must be approved unanimously by the board.",
    "Was the motion carried?",
    "There is no news on whether the motion to sell the boat was carried.",
    "We agreed to this a few meetings ago, so that Ann can paint.",
    "We don't have consensus on the roof.",
    "Der Vorstand beschließt über die Aufnahme von Mitgliedern.",
    "Auf der letzten Sitzung wurde ein rotes Dach beschlossen.",
    "Das Dach soll bei der nächsten Sitzung beschlossen werden.",
    "Es konnte nicht beschlossen werden, das Dach zu streichen.",
    "A proposta será aprovada por unanimidade, se houver tinta.",
    "Le budget doit être adopté à l'unanimité.",
]


@pytest.mark.parametrize("sentence", RESOLVED)
def test_a_sentence_that_tells_what_a_meeting_resolved(sentence: str) -> None:
    (decision,) = in_minutes(f"Ann told of the boats. {sentence}\n\nThen there was tea.")

    assert (decision.statement, decision.status) == (sentence, "active")


@pytest.mark.parametrize("sentence", TURNED_DOWN)
def test_a_sentence_that_tells_what_a_meeting_turned_down(sentence: str) -> None:
    (decision,) = in_minutes(sentence)

    assert (decision.statement, decision.status) == (sentence, "rejected")


@pytest.mark.parametrize("sentence", NOT_RESOLVED)
def test_a_sentence_that_tells_of_no_resolution_of_this_meeting(sentence: str) -> None:
    assert in_minutes(sentence) == ()


@pytest.mark.parametrize("sentence", ["Der Antrag wird angenommen.", "The board approved the budget."])
def test_others_resolve_things_too(sentence: str) -> None:
    assert found(f"# News\n\n{sentence}\n", "news.md") == ()


VOTES = [
    ("Cora proposed to elect Bea as secretary. Unanimously approved.", "active"),
    ("MOTION: To paint the roof red. CARRIED.", "active"),
    ("MOTION: To paint the roof red.\n\nMotion carried 5-0.", "active"),
    ("MOTION: To sell the boat.\n\nMotion defeated.", "rejected"),
    ("Ann moved that we paint the roof. Seconded by Bea. All in favour.", "active"),
    ("Bea beantragt, das Dach zu streichen.\nDas Ergebnis der Abstimmung: 5 Ja, 1 Nein.", "active"),
    ("Bea beantragt, das Boot zu verkaufen.\n\n- Ja: 1\n- Nein: 7\n- Enthaltungen: 2", "rejected"),
    ("Antrag: Das Dach wird rot.\nEinstimmig angenommen.", "active"),
    ("Proposta: pintar o telhado. Aprovada por unanimidade.", "active"),
    ("Moción: pintar el tejado.\n5 votos a favor, 1 en contra.", "active"),
]


@pytest.mark.parametrize(("text", "status"), VOTES)
def test_a_motion_and_its_vote_are_one_decision(text: str, status: str) -> None:
    (decision,) = in_minutes(text)

    assert (decision.statement, decision.status) == (text.removeprefix("- "), status)
    assert decision.locator.text_in(f"# Rowing club, meeting of 5 March 2024\n\n## Boat house\n\n{text}\n")


def test_a_vote_below_a_decision_belongs_to_it() -> None:
    text = "The board approved the red roof. 5 yes, 1 no."

    (decision,) = in_minutes(text)

    assert decision.statement == text


@pytest.mark.parametrize("text", ["MOTION: To paint the roof red.", "Is the roof red?\n\n- Yes: 29\n- No: 4"])
def test_a_motion_or_a_poll_alone_decides_nothing(text: str) -> None:
    assert in_minutes(text) == ()


def test_a_resolution_takes_the_list_that_it_introduces() -> None:
    text = "Folgendes wurde vorläufig beschlossen:\n\n- Das Dach wird rot.\n- Die Boote bleiben."

    (decision,) = in_minutes(text)

    assert decision.statement == text


def test_a_long_line_without_an_end_takes_no_time() -> None:
    in_minutes("wurde der antrag " * 20_000)
    in_minutes("yes 1 no 2 " * 30_000)
    found("# Meeting 2024-03-05\n\n### " + "Conclusion / " * 30_000 + "\n\n- We will stay.\n")


@pytest.mark.parametrize("title", ["ROW-118 rowing club meeting", "TOP-3 Sitzung"])
def test_a_number_in_the_title_of_minutes_makes_no_record_of_them(title: str) -> None:
    document, passages = document_of(
        f"# {title}, 2024-03-05\n\n## Status\n\nAccepted: 3\n\n## Decisions\n\n- The roof stays red.\n"
    )

    extraction = extract_all(document, passages)

    assert [(each.kind, each.statement) for each in extraction.decisions] == [
        ("marked", "The roof stays red.")
    ]
    assert extraction.put_aside == ()


def test_minutes_without_a_decision_are_no_failed_record() -> None:
    document, passages = document_of("# ROW-118 rowing club meeting, 2024-03-05\n\nAnn told of the boats.\n")

    assert extract_all(document, passages) == Extraction()


def test_a_title_is_read_without_markup_and_says_on_what_a_short_vote_was() -> None:
    (decision,) = in_minutes("- **Roof and shed:** After a talk, **we decided** to paint [it](roof.md) red.")
    (vote,) = in_minutes("Unanimously approved.")

    assert decision.title == "Roof and shed: After a talk, we decided to paint it red."
    assert vote.title == "Boat house: Unanimously approved."
    assert vote.statement == "Unanimously approved."
