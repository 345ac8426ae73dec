"""Which quantity a question wants, and which texts state one."""

import pytest

from bob.answers.quantity import StatedBeside, quantity_of, states


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


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long is the lease?", "(3) The lease ends with the death of the keeper."),
        ("How large is the deposit?", "The deposit is set out in Section 4.2 and Table 3."),
        ("What is the fee for a mooring?", "2. The fee for a mooring is set by the harbour master."),
        ("Wie hoch ist die Kaution?", "(2) Die Kaution nach § 7 Abs. 3 Satz 1 Nr. 2 wird verzinst."),
        ("Wie lange gilt der Ausweis?", "Näheres zur Gültigkeit regelt Artikel 12 der Hausordnung."),
        ("Qual o valor da diária?", "O valor da diária segue o art. 5º da Lei nº 9.120 e o Parecer no 31."),
        (
            "A partir de quantas faltas há multa?",
            "Há multa pelo Parecer XYZ no 9.120, de 4 de maio, de 1.991.",
        ),
        ("Quanto tempo dura a vistoria?", "A cada 10 minutos o vigia anota a vistoria."),
        ("How long does the alarm ring?", "Every 5 minutes the alarm is tested."),
    ],
)
def test_the_number_of_a_clause_is_no_amount(question: str, text: str) -> None:
    assert not StatedBeside(question, question).states(quantity_of(question), text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long is the lease?", "(3) The lease ends after 5 years (Section 9)."),
        ("What is the fee for a mooring?", "2. The fee for a mooring is 40."),
        ("How many guests does it seat?", "Table 4 seats 6 guests."),
        ("How many pages does it have?", "It has 12 pages; see page 3."),
        ("Wie hoch ist die Kaution?", "Die Kaution nach § 7 Abs. 3 beträgt 15 €."),
        ("Wie viele Sitze hat der Rat?", "Nach § 4 hat der Rat 9 Sitze."),
        ("Qual o número da lei das férias?", "As férias seguem a Lei nº 9.120."),
        ("Quanto tempo dura a vistoria?", "A vistoria dura 10 minutos."),
        ("How long is a term?", "The chair is elected every two years."),
        ("What is the port number?", "1. The port is 8080."),
        ("How often is the alarm tested?", "Every 5 minutes the alarm is tested."),
    ],
)
def test_other_numbers_are_amounts(question: str, text: str) -> None:
    assert StatedBeside(question, question).states(quantity_of(question), text)


@pytest.mark.parametrize(
    ("question", "stated", "lacking"),
    [
        ("How heavy is the anchor?", "The anchor weighs 14 kg.", "The anchor is checked after 2 years."),
        ("How tall is the mast?", "The mast: 9.5 m.", "The mast costs £900."),
        ("How far is the island?", "The island is 20 minutes away.", "The island has 3 kg of sand a head."),
        ("How warm is the pool?", "The pool is kept at 26 °C.", "The pool is open for 3 hours."),
        ("How cold is the cellar?", "The cellar: 8 degrees.", "The cellar is closed."),
        ("How much does a berth cost?", "A berth: £300.", "A berth is given back after 30 days."),
        ("How much does a berth cost?", "A berth is 300 for a season.", "A berth costs 10% more for guests."),
        ("How much can I claim for fuel?", "Claim up to 75% of the fuel.", "Claim within 60 days."),
        ("What salary does the keeper get?", "The keeper gets $2000.", "The keeper gets 10% more salary."),
        ("What does the harbour pay the keeper?", "It pays €2000.", "It pays after 14 days."),
        ("Wie schwer ist der Anker?", "Der Anker wiegt 14 kg.", "Der Anker kostet 90 €."),
        ("Wie kalt wird der Keller?", "Der Keller hat 8 °C.", "Der Keller ist 40 m lang."),
        ("Was kostet ein Liegeplatz?", "Ein Liegeplatz: 300 Euro.", "Ein Liegeplatz gilt 12 Monate."),
        ("Wie hoch ist die Kaution?", "Die Kaution: 15 €.", "Die Kaution gibt es nach 14 Tagen zurück."),
        ("Quanto custa a vaga?", "A vaga: R$ 300.", "A vaga vale por 12 meses."),
        ("A que distância fica a ilha?", "A ilha fica a 3 km.", "A ilha recebe 20% do dinheiro."),
        ("How long may a message be?", "A message has at most 200 bytes.", "A message costs £2."),
        ("Wie hoch ist das Porto in Euro?", "Das Porto: 3 Euro.", "Das Porto stieg um 20 %."),
        ("How far is the island in miles?", "It is 3 miles.", "It is 20 minutes."),
        ("How long is a term?", "A term is 2 years.", "A term ends if 20% want it."),
        ("What's the right oil temperature for chips?", "Heat it to 315 F.", "Fry them for 9 to 11 minutes."),
        ("What core temperature should the roast reach?", "It reaches 70 °C.", "Roast it for 3 hours."),
        ("Qual é o peso do barco?", "O barco tem 40 kg.", "O barco tem 4 metros."),
    ],
)
def test_a_number_measures_what_is_asked(question: str, stated: str, lacking: str) -> None:
    quantity, states_it = quantity_of(question), StatedBeside(question, question).states
    assert quantity and states_it(quantity, stated) and not states_it(quantity, lacking)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How much time does the trip cost?", "The trip takes 2 hours."),
        ("What percentage of the salary is withheld?", "Of the salary 12% is withheld."),
        ("What is the fee for a refund?", "The fee is 3%."),
        ("How much honey goes in?", "Add 3 kg of honey."),
        ("How large is the deposit tank?", "The deposit tank has 40 litres."),
        ("How fast did the club grow?", "The club grew by 5%."),
        ("How much does parking cost?", "Parking is free of charge."),
        ("Wie weit im Voraus wird gebucht?", "Gebucht wird 6 Wochen im Voraus."),
        ("Was kostet die Zeitung?", "Die Zeitung ist kostenlos."),
    ],
)
def test_other_numbers_are_not_turned_down(question: str, text: str) -> None:
    assert StatedBeside(question, question).states(quantity_of(question), text)


@pytest.mark.parametrize(
    ("question", "quantity"),
    [
        ("How hot may the oven get?", "number"),
        ("Wie heiß darf der Ofen werden?", "number"),
        ("Que idade tem o barco?", "number"),
        ("Com que idade se pode remar?", "number"),
        ("Que distância há até a ilha?", "number"),
        ("De quanto é a multa?", "number"),
        ("Ab welcher Vertragssumme gilt das?", "number"),
        ("Welcher Zinssatz gilt?", "number"),
        ("Welcher Jahresbeitrag ist zu zahlen?", "number"),
        ("What internal temperature should the ribs have?", "number"),
        ("What is the name and price of the boat?", None),
        ("What is the main cost driver of the project?", None),
        ("What does the insurance pay for?", None),
        ("Que barco tem o clube?", None),
        ("Welcher Satz steht am Anfang?", None),
        ("Welcher Beitrag erschien zuerst?", None),
        ("Welcher Diskussionsbeitrag war der längste?", None),
        ("Welcher Ansatz gilt?", None),
        ("Por que idade importa para remar?", None),
    ],
)
def test_an_amount_may_be_asked_for_by_its_name(question: str, quantity: str | None) -> None:
    assert quantity_of(question) == quantity
