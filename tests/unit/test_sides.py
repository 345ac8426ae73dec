"""The two sides of a question, and answers to questions that have two."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges import needs_networks
from small_memory import write_files

from bob.answers.sides import both_told, not_told, sides_of

CASES = {
    "What is the difference between forget and prune?": ("What is forget?", "What is prune?"),
    "What's different in price between coal and gas?": ("What is coal in price?", "What is gas in price?"),
    "What is the difference between a soft and a hard deprecation?": (
        "What is a soft deprecation?",
        "What is a hard deprecation?",
    ),
    "How do tabs and spaces differ?": ("What is tabs?", "What is spaces?"),
    "How long is the line limit for code and for docstrings?": (
        "How long is the line limit for code?",
        "How long is the line limit for docstrings?",
    ),
    "How much was left in March 2026 and at the end of May 2026?": (
        "How much was left in March 2026?",
        "How much was left at the end of May 2026?",
    ),
    "Which one has more members, the council or the board?": (
        "Which one has more members, the council?",
        "Which one has more members, the board?",
    ),
    "Qual a idade mínima para Presidente e para Vereador?": (
        "Qual a idade mínima para Presidente?",
        "Qual a idade mínima para Vereador?",
    ),
    "Qual é a diferença entre o estado de defesa e o estado de sítio?": (
        "O que é o estado de defesa?",
        "O que é o estado de sítio?",
    ),
    "Was trennt Schankbier von Bockbier?": ("Was ist Schankbier?", "Was ist Bockbier?"),
    "Wie unterscheiden sich Pfand und Kaution?": ("Was ist Pfand?", "Was ist Kaution?"),
    "Como se diferenciam o penhor e a fiança?": ("O que é o penhor?", "O que é a fiança?"),
    "Compare tabs and spaces in tables": ("What is tabs in tables?", "What is spaces in tables?"),
    "Can you compare the council with the board?": ("What is the council?", "What is the board?"),
    "Vergleiche Pfand und Kaution": ("Was ist Pfand?", "Was ist Kaution?"),
    "Compare o penhor com a fiança": ("O que é o penhor?", "O que é a fiança?"),
    "Is a soft frost different from a hard frost?": ("What is a soft frost?", "What is a hard frost?"),
    "How does the lower barrel differ from the upper one?": (
        "What is the lower barrel?",
        "What is the upper one?",
    ),
    "Como o penhor é diferente da fiança?": ("O que é o penhor?", "O que é fiança?"),
    "Worin unterscheidet sich das Pfand von der Kaution?": ("Was ist das Pfand?", "Was ist der Kaution?"),
    "Tabs vs spaces": ("What is Tabs?", "What is spaces?"),
    "Draft vs Final plans: what is the difference?": ("What is Draft plans?", "What is Final plans?"),
    "draft or final, how do they differ?": ("What is draft?", "What is final?"),
    "tabs vs spaces: which are wider?": ("tabs: which are wider?", "spaces: which are wider?"),
    "How long may we leave big versus small leaks?": (
        "How long may we leave big leaks?",
        "How long may we leave small leaks?",
    ),
    "What is the difference between a formal and a short warning?": (
        "What is a formal warning?",
        "What is a short warning?",
    ),
    "What is the difference between an issue and a pull request?": (
        "What is an issue?",
        "What is a pull request?",
    ),
    "How do the fees for late and early guests compare?": (
        "What is the fees for late guests?",
        "What is the fees for early guests?",
    ),
    "How do paying members and honorary members of the club differ?": (
        "What is paying members of the club?",
        "What is honorary members of the club?",
    ),
    "How does bread differ from cake in weight?": ("What is bread in weight?", "What is cake in weight?"),
    "Was ist der Unterschied zwischen kleinen und großen Schäden?": (
        "Was ist kleinen Schäden?",
        "Was ist großen Schäden?",
    ),
    "Qual a diferença entre prova de rua e de pista?": ("O que é prova de rua?", "O que é prova de pista?"),
    "Welche Frist gilt vor und nach der Geburt?": (
        "Welche Frist gilt vor der Geburt?",
        "Welche Frist gilt nach der Geburt?",
    ),
}


@pytest.mark.parametrize("question", CASES)
def test_each_side_is_a_question_of_its_own(question):
    sides = sides_of(question)
    assert sides is not None
    assert tuple(side.question for side in sides) == CASES[question]
    assert not any(side.earlier for side in sides)


def test_a_second_question_goes_on_from_the_first():
    one, other = sides_of("How long do I boil soft eggs and how long hard ones?")
    assert one.question == "How long do I boil soft eggs?"
    assert (other.question, other.earlier) == ("how long hard ones?", (one.question,))


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("How much of the fuel can I claim, and until when?", "until when can I claim?"),
        ("Who rows the ferry on Sundays and when?", "when rows the ferry on Sundays?"),
        ("Wie lange darf ich das Boot leihen und wofür?", "wofür darf ich das Boot leihen?"),
        ("Onde fica a garagem dos barcos e quando?", "quando fica a garagem dos barcos?"),
        ("How large is the crew, and how is it chosen?", "how is it chosen?"),
    ],
)
def test_a_bare_asking_word_asks_it_of_the_first_question(question, second):
    one, other = sides_of(question)
    assert (other.question, other.earlier) == (second, (one.question,))


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (
            "How many seats do the Swift and the Red Heron have?",
            ("How many seats do the Swift have?", "How many seats do the Red Heron have?"),
        ),
    ],
)
def test_what_is_asked_of_two_names_is_asked_of_each(question, sides):
    assert tuple(side.question for side in sides_of(question)) == sides


@pytest.mark.parametrize(
    "question",
    [
        "",
        "Which seats do oars and sails need?",
        "Is the ferry late, and why?",
        "Wann müssen Vorstand und Beirat dem Kauf zustimmen?",
        "?",
        "What does restic prune do?",
        "Which rules hold for salt and pepper?",
        "How do I install and configure the server?",
        "Is there a limit, and why?",
        "Por quanto tempo e a que temperatura assa o bolo?",
        "How long and at what temperature do I bake the cake?",
        "Who may enter or leave?",
        "What is the difference?",
        "between and",
        "Do I put a dash between cloud and native?",
        "How do I set up VS Code for notes?",
        "How is it different from prune?",
        "Can I set a different path for each folder?",
        "vs",
        "tabs vs",
        " vs : ",
        "Que parte faz a ponte entre os dados e as telas?",
        "a and b " * 200,
    ],
)
def test_other_questions_have_no_sides(question):
    assert sides_of(question) is None


_PIECES = [
    "vs",
    "and",
    "or",
    "between",
    "differ",
    "from",
    "the",
    "of",
    "What is",
    "compare",
    ",",
    ":",
    "x",
    "Y 2",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=40).map(" ".join) | st.text(max_size=200))
def test_no_question_is_too_odd(question):
    sides = sides_of(question)
    assert sides is None or all(side.question.endswith("?") for side in sides)


OATS = {
    "oats.md": "# Oats\n\nUse a water ratio of 2:1 for rolled oats.\n",
    "steel.md": "# Steel cut oats\n\nUse a water ratio of 3:1 for steel cut oats.\n",
    "eggs.md": "# Eggs\n\nSoft eggs are boiled for five minutes.\n",
}


@pytest.fixture
def asked(engine, tmp_path):
    engine.index_files.index_folder(write_files(tmp_path / "notes", OATS))
    return lambda question: engine.ask.answer_question(question, today=date(2025, 6, 1))


def test_both_sides_are_told_side_by_side_each_from_its_own_source(asked):
    answer = asked("What is the water ratio for rolled oats and for steel cut oats?")
    assert answer.found
    assert answer.text.index("2:1") < answer.text.index("3:1")
    assert {source.chunk.title for source in answer.sources} == {"Oats", "Steel cut oats"}
    found = answer.to_json()
    retrieved = {hit["chunk_id"] for hit in found["audit"]["retrieved"]}
    assert set(found["audit"]["used"]) <= retrieved
    assert [hit["rank"] for hit in found["audit"]["retrieved"]] == [*range(1, len(retrieved) + 1)]


def test_a_sentence_that_has_both_sides_is_told_with_what_goes_on_from_it(engine, tmp_path):
    words = {
        "words.md": "# Words of the game\n\n"
        "## Bonds\n\nBonds are mini stories in the second person that tie a character to the setting.\n\n"
        "## Omens\n\nOmens are much like Bonds, but less tied to an individual. "
        "They are written in the third person.\n"
    }
    engine.index_files.index_folder(write_files(tmp_path / "notes", words))
    question = "What is the difference between Bonds and Omens?"
    bonds, omens = engine.ask.answer_question(question, today=date(2025, 6, 1)).text.split("\n\n")
    assert "second person" in bonds and "Omens" not in bonds
    assert "much like Bonds" in omens and "third person" in omens


RULES = {
    "rules.md": "# Rules of the club\n\n## Members\n\nThe club has paying members and honorary members. "
    "Paying members may vote on the budget. Honorary members may speak but have no vote.\n",
    "2025-02-05.md": "# Meeting of the club\n\n## Present\n\n"
    + "".join(f"- {name} (paying member)\n" for name in ("Ana", "Ben", "Cleo", "Dirk", "Eva")),
}


def test_one_passage_that_tells_each_side_tells_both(engine, tmp_path):
    engine.index_files.index_folder(write_files(tmp_path / "club", RULES))
    question = "How do paying members and honorary members of the club differ?"
    answer = engine.ask.answer_question(question, today=date(2025, 6, 1))
    assert "vote on the budget" in answer.text and "have no vote" in answer.text
    assert {source.chunk.path.rpartition("/")[2] for source in answer.sources} == {"rules.md"}
    assert not answer.notices


@needs_networks
def test_what_is_said_of_the_other_thing_is_not_told_of_this_one(engine, tmp_path):
    words = {
        "leaks.md": "# Leaks\n\nHow long a leak may stay open:\n\n"
        "- Big: 3 days\n- Small: 100 days\n- Tiny: a year\n"
    }
    engine.index_files.index_folder(write_files(tmp_path / "notes", words))
    question = "How long may we leave big versus small leaks?"
    answer = engine.ask.answer_question(question, today=date(2025, 6, 1))
    assert answer.text.index("3 days") < answer.text.index("100 days")


@needs_networks
def test_it_is_said_which_half_of_a_question_is_not_answered(asked):
    answer = asked("How long are soft eggs boiled and how long are ostrich feathers dyed?")
    assert answer.found and "five minutes" in answer.text
    assert answer.notices == ("Not answered: “how long are ostrich feathers dyed?”",)


def test_what_tells_both_has_a_word_of_each():
    sides = sides_of("What is the water ratio for rolled oats and for steel cut oats?")
    assert both_told(sides, "Use 2:1 for rolled oats, 3:1 for steel cut.")
    assert not both_told(sides, "Use 2:1 for rolled oats.")
    assert not both_told(sides, "")


@pytest.mark.parametrize(
    ("question", "text", "untold"),
    [
        ("Who ordered the boards and how many?", "I ordered 40 larch boards.", []),
        ("Who ordered the boards and how many?", "I ordered the larch boards.", ["how many?"]),
        (
            "Was kostet die Hütte für Mitglieder und für Gäste?",
            "Von Mitgliedern für 45 € je Nacht, von Gästen für 80 €.",
            [],
        ),
    ],
)
def test_a_half_is_told_in_another_form_or_by_the_quantity_that_it_asks_for(question, text, untold):
    assert not_told(sides_of(question), text) == untold
