"""The two rankings over plain arrays, against what they would be done by hand."""

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bob.search.ranking import SCAN_ALL_BELOW, Bm25, Dense, best, bm25_scores, encoded, invert, nearest
from bob.text.words import postings, query_terms, term_hashes

WORDS = st.lists(st.sampled_from(["apple", "pear", "plum", "fig", "getUserName", "kiwi"]), max_size=8)
ROWS = st.lists(st.tuples(WORDS, WORDS), max_size=8)
CONSTANTS = st.builds(
    Bm25,
    st.integers(0, 30).map(lambda n: n / 10),
    st.floats(0, 1),
    st.integers(0, 50).map(lambda n: n / 10),
    st.integers(1, 12).map(float),
)


def terms_of(words):
    return [term for word in words for term in term_hashes(word, "en")]


@settings(max_examples=100, deadline=None)
@given(ROWS, ROWS, WORDS, CONSTANTS)
def test_bm25_is_what_the_formula_says(first, second, query, bm25):
    packed = [[postings(" ".join(text), head, "en") for text, head in rows] for rows in (first, second)]
    parts = [invert(each, bm25) for each in packed]
    groups = query_terms(" ".join(query))
    scores, idfs, _ = bm25_scores(parts, groups)
    rows = [(terms_of(text), terms_of(head)) for text, head in first + second]
    asked = {term for group in groups for term in group}
    idf = {}
    for term in asked:
        containing = sum(1 for text, head in rows if term in text or term in head)
        idf[term] = math.log(1 + (len(rows) - containing + 0.5) / (containing + 0.5)) if containing else 0.0
    for row, (text, head) in enumerate(rows):
        length = len(text) + len(head)
        expected = 0.0
        for term in asked:
            frequency = text.count(term) + bm25.heading_weight * head.count(term)
            if frequency:
                norm = bm25.k1 * (1 - bm25.b + bm25.b * length / bm25.pivot_length)
                expected += idf[term] * frequency * (bm25.k1 + 1) / (frequency + norm)
        assert scores[row] == pytest.approx(expected, rel=2e-3, abs=1e-3)
    unknown = math.log(1 + (len(rows) + 0.5) / 0.5)
    for group, found in zip(groups, idfs, strict=True):
        known = [idf[term] for term in group if idf[term]]
        assert found == pytest.approx(max(known) if known else unknown, rel=1e-5)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), max_size=30), st.integers(1, 40))
def test_best_is_a_stable_sort_of_what_matches(scores, limit):
    array = np.array(scores, np.float32)
    expected = [row for row in sorted(range(len(scores)), key=lambda row: (-scores[row], row)) if scores[row]]
    assert best(array, limit).tolist() == expected[:limit]


def dense_of(vectors, present=None):
    present = np.ones(len(vectors), np.bool_) if present is None else present
    return Dense(vectors, present, encoded(vectors))


def clustered(rows, dimension, seed):
    """Unit vectors around some hundred centres with a common drift, as sentence embeddings have."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((300, dimension)) + 0.5 * random.standard_normal(dimension)
    found = centres[random.integers(0, 300, rows)] + 0.7 * random.standard_normal((rows, dimension))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("share", [1.0, 0.4, 0.0])
def test_few_vectors_are_compared_one_by_one(share):
    vectors = clustered(3_000, 96, 1)
    allowed = np.random.default_rng(2).random(3_000) < share
    present = np.random.default_rng(3).random(3_000) < 0.9
    query = vectors[17]
    rows, cosines = nearest(dense_of(vectors, present), query, 10, allowed)
    usable = np.flatnonzero(allowed & present)
    expected = usable[np.argsort(-(vectors[usable] @ query), kind="stable")][:10]
    assert rows.tolist() == expected.tolist()
    assert np.allclose(cosines, vectors[rows] @ query, atol=1e-6)


@pytest.mark.parametrize("share", [1.0, 0.7])
def test_many_vectors_are_found_by_their_bits(share):
    rows = int(SCAN_ALL_BELOW * 1.6)
    vectors = clustered(rows, 384, 4)
    dense = dense_of(vectors)
    random = np.random.default_rng(5)
    allowed = None if share == 1.0 else random.random(rows) < share
    usable = np.arange(rows) if allowed is None else np.flatnonzero(allowed)
    assert len(usable) > SCAN_ALL_BELOW
    met = 0
    for seed in range(30):
        query = vectors[random.integers(rows)] + 0.6 * clustered(1, 384, 100 + seed)[0]
        query = (query / np.linalg.norm(query)).astype(np.float32)
        found, cosines = nearest(dense, query, 10, allowed)
        exact = vectors[usable] @ query
        expected = usable[np.argpartition(-exact, 10)[:10]]
        met += len(set(found.tolist()) & set(expected.tolist()))
        assert np.allclose(cosines, vectors[found] @ query, atol=1e-5) and (np.diff(cosines) <= 0).all()
        assert allowed is None or allowed[found].all()
    # Rows that differ by less than a float's rounding may stand for each other.
    assert met >= 0.999 * 300


def test_nothing_to_compare():
    empty = dense_of(np.zeros((0, 64), np.float32))
    assert nearest(empty, np.ones(64, np.float32), 5)[0].tolist() == []
    some = dense_of(clustered(5, 64, 6), np.zeros(5, np.bool_))
    assert nearest(some, np.ones(64, np.float32), 5)[0].tolist() == []
    assert nearest(dense_of(clustered(5, 64, 6)), np.ones(64, np.float32), 0)[0].tolist() == []


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 3, 64, 384]),
    st.integers(1, 30),
    st.sampled_from([0.0, 0.001, 0.3, 1.0]),
)
@settings(max_examples=60)
def test_the_scan_over_bytes_never_rules_out_a_nearest_row(seed, dimension, limit, spread):
    random = np.random.default_rng(seed)
    vectors = random.standard_normal(dimension) + spread * random.standard_normal((200, dimension))
    vectors = (vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    query = vectors[0] + spread * random.standard_normal(dimension).astype(np.float32)
    query = query / np.float32(max(float(np.linalg.norm(query)), 1e-9))
    present = random.random(200) < 0.8
    with mock.patch("bob.search.ranking.SCAN_ALL_BELOW", 0):
        found, cosines = nearest(dense_of(vectors, present), query, limit)
    exact = np.sort(vectors[present] @ query)[::-1][:limit]
    assert np.allclose(cosines, exact, atol=1e-5) and present[found].all()
