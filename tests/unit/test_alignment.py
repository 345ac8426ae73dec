"""Signals of a claim beside its evidence, and the model that judges by them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.answers.claims.alignment import Aligned, overlap, signals, tokens_of
from bob.answers.claims.evidence import from_json, grading


def aligned(text):
    """Each word has a direction of its own, so that only equal words are alike."""
    tokens = tokens_of(text)
    vectors = np.zeros((len(tokens.words), 64), np.float32)
    for row, stem in zip(vectors, tokens.stems, strict=True):
        if stem:
            row[sum(map(ord, stem)) % 64] = 1
    return Aligned(tokens, vectors)


BY = ("", "_by_one", "_by_two")
AGREED = {f"entailed{by}": 0.97 for by in BY} | {f"denied{by}": 0.01 for by in BY}
SILENT = {f"entailed{by}": 0.02 for by in BY} | {f"denied{by}": 0.1 for by in BY}


def even(word):
    return 1.0


def of(claim, *evidence):
    return signals(aligned(claim), [aligned(each) for each in evidence], even, even)


def test_a_copy_has_every_word_and_nothing_missing():
    values, alone = of("The tank holds 5,000 litres.", "Something else.", "The tank holds 5,000 litres.")
    for name in ("words", "words_in_one", "pairs", "order", "weakest_part"):
        assert values[name] == pytest.approx(1.0), name
    for name in ("missing", "missing_most", "absent", "unlike"):
        assert values[name] == pytest.approx(0.0, abs=1e-6), name
    assert alone.index(max(alone)) == 1


def test_what_two_texts_say_together_no_single_one_says():
    values, _ = of("red fish swim", "red stones", "fish swim")
    assert values["words"] == pytest.approx(1.0)
    assert values["words_in_one"] == pytest.approx(2 / 3)


def test_the_weakest_part_is_the_one_without_evidence():
    whole, _ = of("red fish swim", "red fish swim")
    half, _ = of("red fish swim and green birds sing", "red fish swim")
    assert half["weakest_part"] < whole["weakest_part"]
    assert half["weakest_part"] == pytest.approx(0.0, abs=0.5)


def test_stems_are_compared_not_forms():
    assert overlap(tokens_of("rotating keys"), tokens_of("the key is rotated"), even) == 1.0


TEXT = st.text("abc de,.(fox) 1", min_size=1, max_size=60).filter(lambda text: any(tokens_of(text).stems))


@given(TEXT, st.lists(TEXT, min_size=1, max_size=4))
def test_signals_are_finite_and_shares_are_shares(claim, evidence):
    values, alone = of(claim, *evidence)
    assert all(math.isfinite(each) for each in values.values())
    for name in ("words", "words_in_one", "pairs", "order"):
        assert -1e-6 <= values[name] <= 1 + 1e-6, name
    assert len(alone) == len(evidence)


@given(TEXT, st.lists(TEXT, min_size=1, max_size=3), TEXT)
def test_more_evidence_never_takes_words_away(claim, evidence, another):
    fewer, _ = of(claim, *evidence)
    more, _ = of(claim, *evidence, another)
    assert more["words"] >= fewer["words"] - 1e-6
    assert more["meaning"] >= fewer["meaning"] - 1e-6


def test_a_model_is_the_sum_of_its_trees_over_signals_within_their_ranges():
    model = from_json(
        {
            "names": ["a", "b"],
            "ranges": [[0, 1], [-1, 1]],
            "bias": 0.5,
            "trees": [[[0, 0.25, 1, 2], [3.0], [-3.0]], [[1, -2.0, 1, 2], [9.0], [4.0]]],
        }
    )
    # b is held at -1, so that it never is at most -2.
    assert model.probability({"a": 9, "b": -9}) == pytest.approx(1 / (1 + math.exp(-1.5)))
    assert model.probability({"a": 0.25, "b": 0}) == pytest.approx(1 / (1 + math.exp(-7.5)))
    with pytest.raises(KeyError):
        model.probability({"a": 1})


def test_the_shipped_model_knows_every_signal_and_tells_a_copy_from_nonsense():
    said, _ = of("The tank holds 5,000 litres of rain.", "The tank holds 5,000 litres of rain.")
    unsaid, _ = of("The tank holds 5,000 litres of rain.", "Potatoes are planted in April.")
    missing = {f"{kind}_missing" for kind in ("number", "date", "name")}
    elsewhere = {f"{kind}_elsewhere" for kind in ("number", "date")}
    otherwise = {f"{kind}_otherwise" for kind in ("measured", "named", "denied", "opposed")}
    apart = {"names_apart", "numbers_apart"}
    more = dict.fromkeys({"question", "contradicted", *missing, *elsewhere, *otherwise, *apart}, 0.0)
    here, nowhere = more | {"words_in_place": 1.0}, more | {"words_in_place": 0.0}
    assert set(grading(False).names) == set(said | here)
    for verified, agreed, denied in ((False, {}, {}), (True, AGREED, SILENT)):
        assert set(grading(verified).names) == set(said | here | agreed)
        assert grading(verified).probability(said | here | agreed) > 0.9
        assert grading(verified).probability(unsaid | nowhere | denied) < 0.1
