"""How far one passage says all that a claim says."""

import pytest
from recorded_prompts import chunk

from bob.answers.claims.alignment import tokens_of
from bob.answers.claims.one_place import signals_of_place
from bob.core.search import FoundChunk

SAFE = chunk(1, "The password store is kept by Aura. It holds 40 secrets.", "Passwords", "")
DOORS = chunk(2, "Systemagic looks after the 12 doors of the building.", "Doors", "")


def signals(claim: str, *places: FoundChunk) -> dict[str, float]:
    return signals_of_place(claim, tokens_of(claim), places, lambda word: 1.0)


@pytest.mark.parametrize(
    ("claim", "names", "numbers"),
    [
        ("The password store with its 40 secrets is kept by Aura.", 0, 0),
        ("The password store is kept by Systemagic.", 1, 0),
        ("The password store holds 12 secrets.", 0, 1),
        ("The password store holds forty secrets.", 0, 0),
    ],
)
def test_names_and_numbers_of_other_places_are_counted(claim, names, numbers):
    found = signals(claim, SAFE, DOORS)
    assert (found["names_apart"], found["numbers_apart"]) == (names, numbers)


def test_words_of_the_title_count_and_words_of_other_places_do_not():
    assert signals("Passwords by Aura.", SAFE)["words_in_place"] == 1.0
    both = signals("The password store has 12 doors.", SAFE, DOORS)["words_in_place"]
    assert both < 0.8


def test_without_a_place_nothing_is_said_of_it():
    assert set(signals("The gate is locked.").values()) == {0.0}
