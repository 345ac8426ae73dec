"""Which quantity a question wants, and which texts state one."""

import pytest

from bob.answers.quantity import quantity_of, states


@pytest.mark.parametrize(
    ("question", "quantity"),
    [
        ("How many members does the club have?", "number"),
        ("And up to how much may a gift be worth?", "number"),
        ("What is the maximum size of an upload?", "number"),
        ("What does a berth cost?", "number"),
        ("What does the harbour charge for a berth?", "number"),
        ("How much does the harbour charge?", "number"),
        ("Innerhalb welcher Frist ist zu zahlen?", "duration"),
        ("Welche Frist gilt für Anträge?", "duration"),
        ("Que horas abre o clube?", "clock"),
        ("A que horas abre o clube?", "clock"),
        ("What is the monthly rent of the flat?", "number"),
        ("What is the click-through rate of the page?", "number"),
        ("What is the main cost driver?", None),
        ("Welche Motorleistung hat die Säge?", "number"),
        ("What is the plumber's number?", "number"),
        ("what's our contract number", "number"),
        ("In wie vielen Sprachen gibt es das Handbuch?", "number"),
        ("Wie gross darf das Bild sein?", "number"),
        ("Quantos barcos tem o clube?", "number"),
        ("For how long are logs kept?", "duration"),
        ("Wie lange werden Protokolle aufbewahrt?", "duration"),
        ("Por quanto tempo os registros são guardados?", "duration"),
        ("How often does the board meet?", "frequency"),
        ("On which day is the regatta?", "date"),
        ("Auf welchen Stichtag beziehen sich die Zahlen?", "date"),
        ("Since when is it required?", "time"),
        ("Seit wann gilt das?", "time"),
        ("When I rename a file, how do I keep its history?", None),
        ("What date format does the log use?", None),
        ("Por que data precisa ser uma função?", None),
        ("Which cups did the club win?", None),
        ("upload size", None),
        ("What is the issue number format?", None),
        ("What is a house?", None),
    ],
)
def test_a_question_wants_a_quantity_or_none(question: str, quantity: str | None) -> None:
    assert quantity_of(question) == quantity


@pytest.mark.parametrize(
    ("quantity", "stated", "lacking"),
    [
        ("number", "The club has over a hundred boats.", "The club has boats of its own."),
        ("number", "Es gibt keine Obergrenze.", "Es gibt eine Obergrenze."),
        ("duration", "They are kept until the case is closed.", "They are kept on the server."),
        ("number", "Canoes are stored free of charge.", "Canoes are stored in the shed."),
        ("number", "Auf dem Hof darf kostenlos geparkt werden.", "Auf dem Hof darf geparkt werden."),
        ("duration", "The sauna is closed from Monday to Wednesday.", "The sauna is closed on Monday."),
        ("time", "It opens in May.", "Dogs may run free."),
        ("duration", "Sie gelten zwei Wochen.", "Sie gelten für Mitglieder."),
        ("frequency", "The board meets monthly.", "The board meets in the boathouse."),
        ("date", "The race is on the 3rd of the month.", "The race is on the lake."),
        ("date", "The current year is 7728.", "The year has 12 months."),
        ("date", "Stand: Herbst 2016", "Stand der Arbeiten"),
        ("time", "It was dropped in version 3.", "It was dropped by the maintainers."),
        ("time", "Members vote after the debate.", "Members vote by hand."),
    ],
)
def test_a_text_states_a_quantity_or_not(quantity, stated: str, lacking: str) -> None:
    assert states(quantity, stated) and not states(quantity, lacking)
