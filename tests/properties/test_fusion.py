"""Fusion, duplicates and phrases: pure functions, so their properties hold for any numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bob.core.search import Query
from bob.search.duplicates import DuplicateFilter
from bob.search.fusion import combine_for_question, fused, normalized_cosines, normalized_words, reranked
from bob.search.service import taken
from bob.search.text_conditions import TextConditions

BM25 = arrays.arrays(
    np.float32, st.integers(0, 20), elements=st.floats(0, 50, width=32, allow_subnormal=False)
)
WEIGHTS = st.floats(0, 1)


def cosines_like(shape):
    each = st.one_of(st.floats(-1, 1, width=32, allow_subnormal=False), st.just(float("nan")))
    return arrays.arrays(np.float32, shape, elements=each)


@given(BM25)
def test_words_lie_between_nothing_and_the_best(scores):
    found = normalized_words(scores)
    assert ((found >= 0) & (found <= 1)).all()
    assert ((found == 0) == (scores == 0)).all() or scores.max() < 1e-30
    if len(scores) and scores.max() > 0:
        assert found[scores.argmax()] == 1
    assert (np.argsort(found, kind="stable") == np.argsort(scores, kind="stable")).all() or len(
        set(found.tolist())
    ) < len(set(scores.tolist()))


@given(cosines_like(st.integers(0, 20)), st.floats(-0.5, 0.5, width=32))
def test_cosines_lie_between_the_floor_and_the_best(cosines, floor):
    found = normalized_cosines(cosines, floor)
    known = ~np.isnan(cosines)
    assert (np.isnan(found) == ~known).all()
    assert ((found[known] >= 0) & (found[known] <= 1)).all()
    if known.any() and cosines[known].max() > floor:
        assert found[known].max() == 1
    else:
        assert not found[known].any()
    order = np.argsort(cosines[known])
    assert (np.diff(found[known][order]) >= 0).all()


@given(st.integers(0, 20).flatmap(lambda n: st.tuples(BM25.filter(len), cosines_like(n))), WEIGHTS)
def test_fused_scores_are_bounded_and_add_up(pair, weight):
    size = min(map(len, pair))
    words, vectors = normalized_words(pair[0][:size]), normalized_cosines(pair[1][:size], 0.0)
    total, word_share, vector_share = fused(words, vectors, weight)
    assert np.isfinite(total).all() and (total >= 0).all() and (total <= 1 + 1e-6).all()
    assert np.allclose(total, word_share + vector_share)
    late = np.isnan(vectors)
    assert not vector_share[late].any() and np.allclose(word_share[late], words[late])


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.5), WEIGHTS)
def test_more_of_either_signal_never_scores_less(words, vectors, more, weight):
    def score(one, other):
        return fused(np.array([one], np.float32), np.array([other], np.float32), weight)[0][0]

    assert score(min(words + more, 1), vectors) >= score(words, vectors) - 1e-6
    assert score(words, min(vectors + more, 1)) >= score(words, vectors) - 1e-6


@pytest.mark.parametrize(("weight", "expected"), [(0.0, [1.0, 0.5]), (1.0, [0.25, 1.0]), (0.6, [0.55, 0.8])])
def test_the_weight_is_the_share_of_meaning(weight, expected):
    words, vectors = np.array([1.0, 0.5], np.float32), np.array([0.25, 1.0], np.float32)
    assert np.allclose(fused(words, vectors, weight)[0], expected)


SHARES = st.floats(0, 1, width=32, allow_subnormal=False)
ROWS = st.lists(
    st.tuples(
        st.floats(0, 50, width=32, allow_subnormal=False),
        st.one_of(st.floats(-1, 1, width=32, allow_subnormal=False), st.just(float("nan"))),
        SHARES,
        st.one_of(st.just(0.0), st.floats(0.125, 0.5, width=32)),
    ),
    max_size=12,
)


@given(ROWS, WEIGHTS)
def test_rows_for_a_question_are_bounded_and_their_shares_add_up(rows, weight):
    bm25, cosines, coverage, worth = np.array(rows, np.float32).reshape(len(rows), 4).T
    found = combine_for_question(bm25, cosines, coverage, 0.0, weight, worth)
    assert (found.scores >= 0).all() and (found.scores <= 1 + 1e-6).all()
    assert np.allclose(found.scores, found.words + found.vectors + found.lifts, atol=1e-5)
    if len(rows) and found.scores.any():
        assert found.scores.max() == pytest.approx(1)
    exact, other = found.scores[worth > 0], found.scores[worth == 0]
    assert not len(exact) or not len(other) or exact.min() >= other.max() - 1e-6
    assert not found.vectors[np.isnan(cosines)].any()


@given(ROWS.filter(len), WEIGHTS, SHARES, SHARES)
def test_a_row_that_has_more_of_a_question_is_no_further_down(rows, weight, coverage, cosine):
    bm25, cosines, covered, _ = np.array(rows, np.float32).reshape(len(rows), 4).T
    nothing = np.zeros(len(rows) + 1, np.float32)
    less = coverage / 2, cosine / 2

    def place(share, nearness):
        scores = combine_for_question(
            np.append(bm25, np.float32(0)),
            np.append(cosines, np.float32(nearness)),
            np.append(covered, np.float32(share)),
            0.0,
            weight,
            nothing,
        ).scores
        return (scores[:-1] > scores[-1] + 1e-6).sum()

    assert place(coverage, cosine) <= place(less[0], cosine)
    assert place(coverage, cosine) <= place(coverage, less[1])


@given(ROWS.filter(len), WEIGHTS, SHARES, st.floats(0, 50, width=32, allow_subnormal=False))
def test_a_vector_to_come_is_worth_no_more_than_the_nearest(rows, weight, share, score):
    """Of two rows with the same words one is the nearest of all, and the other has no vector yet."""
    bm25, cosines, covered, _ = np.array(rows, np.float32).reshape(len(rows), 4).T
    nearest = np.float32(max(0.0, np.nanmax(np.append(cosines, np.float32(0)))))
    scores = combine_for_question(
        np.append(bm25, np.float32([score, score])),
        np.append(cosines, np.float32([nearest, np.nan])),
        np.append(covered, np.float32([share, share])),
        0.0,
        weight,
        np.zeros(len(rows) + 2, np.float32),
    ).scores
    assert scores[-1] <= scores[-2] + 1e-5


@given(ROWS.filter(len), WEIGHTS)
def test_without_any_vector_words_alone_decide(rows, weight):
    bm25, _, coverage, _ = np.array(rows, np.float32).reshape(len(rows), 4).T
    none, nothing = np.full(len(rows), np.nan, np.float32), np.zeros(len(rows), np.float32)
    found = combine_for_question(bm25, none, coverage, 0.0, weight, nothing)
    assert not found.vectors.any()
    expected = 0.8 * coverage + 0.2 * normalized_words(bm25)
    assert np.allclose(found.scores * expected.max(), expected, atol=1e-4)


def test_what_one_signal_alone_is_sure_of_comes_before_what_is_middling():
    """Two rows that are middling by both, and two that are the best by one."""
    bm25 = np.array([10, 0, 4, 4], np.float32)
    cosines = np.array([0.1, 0.6, 0.35, 0.35], np.float32)
    coverage = np.array([0.9, 0.1, 0.5, 0.5], np.float32)
    nothing = np.zeros(4, np.float32)
    scores = combine_for_question(bm25, cosines, coverage, 0.0, 0.6, nothing).scores
    assert min(scores[:2]) > max(scores[2:])


def test_a_signal_that_is_weak_in_all_rows_counts_little():
    """The nearest of what is far from the question does not come before what has half of its words."""
    bm25, coverage = np.array([2, 4], np.float32), np.array([0.1, 0.5], np.float32)
    cosines = np.array([0.12, 0.04], np.float32)
    nothing = np.zeros(2, np.float32)
    near, worded = combine_for_question(bm25, cosines, coverage, 0.0, 0.6, nothing).scores
    assert worded > near


TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1).map(" ".join), max_size=10)


def test_texts_that_differ_in_a_number_are_no_duplicates():
    seen = DuplicateFilter(0.5)
    text = "Flights of more than {} hours may be booked in business class."
    assert [seen.original_of(hours, text.format(hours)) for hours in (8, 14, 8)] == [None, None, 8]


@given(TEXTS, st.floats(0.5, 1))
def test_duplicates_are_those_whose_words_overlap(texts, similarity):
    seen = DuplicateFilter(similarity)
    shown = {}
    for key, text in enumerate(texts):
        words = set(text.split())
        original = seen.original_of(key, text)
        alike = [
            other
            for other, theirs in shown.items()
            if len(words & theirs) >= similarity * len(words | theirs)
        ]
        assert original == (alike[0] if alike else None)
        if original is None:
            shown[key] = words


@given(st.text(), st.text(min_size=1))
def test_a_phrase_is_found_in_any_case_and_spacing(around, phrase):
    def contains_phrase(texts, phrase):
        return TextConditions(Query("", (phrase,))).are_met(texts)

    assert contains_phrase([f"{around} {phrase.upper().lower()} {around}"], phrase.upper().lower())
    assert contains_phrase(["One  two\nTHREE"], "one two three")
    assert not contains_phrase(["one", "two"], "one two")


@given(st.lists(st.integers()), st.integers(1, 20))
def test_pieces_are_the_whole(keys, limit):
    assert [key for piece in taken(keys, limit) for key in piece] == keys


OPINIONS = st.floats(-5, 5, width=32, allow_subnormal=False)
SCORED = st.lists(st.tuples(st.floats(0, 1, width=32, allow_subnormal=False), OPINIONS), max_size=20)


@given(SCORED, WEIGHTS)
def test_reranking_stays_in_range_and_says_what_it_changed(rows, weight):
    scores = np.array([each[0] for each in rows], np.float32)
    opinions = np.array([each[1] for each in rows], np.float32)
    mixed, change = reranked(scores, opinions, weight)
    assert mixed.shape == change.shape == scores.shape
    assert np.allclose(scores + change, mixed, atol=1e-6)
    if rows:
        assert scores.min() <= mixed.min() and mixed.max() <= scores.max()


@given(SCORED)
def test_a_reranker_without_weight_changes_nothing_and_with_all_decides_alone(rows):
    scores = np.array([each[0] for each in rows], np.float32)
    opinions = np.array([each[1] for each in rows], np.float32)
    assert np.allclose(reranked(scores, opinions, 0.0)[0], scores, atol=1e-6)
    alone = reranked(scores, opinions, 1.0)[0]
    if rows and np.ptp(opinions):
        assert (np.diff(alone[np.argsort(opinions)]) >= 0).all()
    else:
        assert alone.tolist() == scores.tolist()


@given(SCORED, WEIGHTS, st.floats(0.125, 8, width=32), OPINIONS)
def test_the_scale_of_a_reranker_does_not_matter(rows, weight, scale, shift):
    scores = np.array([each[0] for each in rows], np.float32)
    opinions = np.array([round(each[1]) for each in rows], np.float32)
    mixed, _ = reranked(scores, opinions, weight)
    assert np.allclose(reranked(scores, opinions * np.float32(scale) + shift, weight)[0], mixed, atol=1e-4)
