"""Seeded errors: each changes the sentence in one place, the same for the same seed, and grammar stays."""

from random import Random

import pytest

from bob.evaluation.seeded import KINDS, inject, names_of, rephrased

SENTENCES = {
    "number": "The box has 12 files.",
    "date": "It was released in March 2024.",
    "name": "The branch lives in Lisbon today.",
    "negation": "The server does not start.",
    "unit": "It takes 5 seconds.",
    "quantifier": "Some files are copied.",
    "comparison": "The hook runs before the commit.",
}
POOL = ["Porto", "max_size", "--force"]


@pytest.mark.parametrize("kind", KINDS)
def test_one_place_changes_and_the_seed_decides(kind):
    sentence = SENTENCES[kind]
    made = [inject(sentence, kind, Random(seed), POOL) for seed in (1, 1)]
    assert made[0] == made[1]
    assert made[0] is not None and made[0].sentence != sentence
    assert made[0].sentence.replace(made[0].instead, made[0].said, 1) == sentence


@pytest.mark.parametrize("kind", KINDS)
def test_a_sentence_without_such_a_fact_stays_true(kind):
    assert inject("Birds sing.", kind, Random(1), POOL) is None


@pytest.mark.parametrize(
    ("sentence", "false"),
    [
        ("The server can start.", "The server cannot start."),
        ("The server cannot start.", "The server can start."),
        ("The server doesn't start.", "The server does start."),
        ("The server is started.", "The server is not started."),
    ],
)
def test_negation_keeps_the_grammar(sentence, false):
    made = inject(sentence, "negation", Random(1))
    assert made is not None and made.sentence == false


def test_names_are_replaced_by_names_of_the_same_shape():
    made = inject("Set min_size here.", "name", Random(1), POOL)
    assert made is not None and made.sentence == "Set max_size here."
    assert names_of(["Set min_size, --quiet and os.path here."]) == ["--quiet", "os.path", "min_size"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Note that the files do not fit.",
        "If it rains, the road is closed.",
        "It has 5 legs on it.",
        "Use `it` for example here.",
    ],
)
def test_a_rephrased_sentence_differs_for_some_seed(sentence):
    said = {rephrased(sentence, Random(seed)) for seed in range(9)}
    assert said - {None, sentence}


def test_nothing_to_rephrase():
    assert rephrased("Birds sing.", Random(1)) is None
