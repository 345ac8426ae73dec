"""Features of messages as bytes, and the ranking by them, for any numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.core.errors import StoreError
from bob.search.message_features import MessageColumns, MessageFeatures, quantized
from bob.search.message_ranking import ChatMessage, RecallQuestion, ranked_columns, ranked_messages

DIMENSION = 8
SEEDS = st.integers(0, 2**32 - 1)


def unit(rng, *shape):
    rows = rng.normal(size=(*shape, DIMENSION)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def made(rng):
    terms = np.sort(rng.choice(12, rng.integers(0, 6), replace=False)).astype(np.uint64)
    counts = rng.integers(1, 255, len(terms)).astype(np.uint8)
    words = unit(rng, rng.integers(0, 5))
    return MessageFeatures(terms, counts, unit(rng).astype(np.float16), quantized(words))


def asked(rng):
    terms = [(int(each),) for each in rng.choice(12, 3, replace=False)]
    return RecallQuestion(terms, frozenset(["ann"]), unit(rng), unit(rng, 3))


def fields(features):
    return (features.terms, features.counts, features.vector, features.word_vectors)


@given(SEEDS)
def test_what_is_packed_comes_back(seed):
    features = made(np.random.default_rng(seed))
    packed = features.pack()
    for before, after in zip(fields(features), fields(MessageFeatures.unpack(packed)), strict=True):
        assert before.dtype == after.dtype and before.shape == after.shape and (before == after).all()
    assert MessageFeatures.unpack(packed).pack() == packed


@given(SEEDS, st.data())
def test_other_bytes_are_refused(seed, data):
    packed = made(np.random.default_rng(seed)).pack()
    cut = data.draw(st.integers(0, len(packed) - 1))
    for wrong in (packed[:cut], packed + b"\0", b"\x63" + packed[1:]):
        with pytest.raises(StoreError, match="made again"):
            MessageFeatures.unpack(wrong)


@given(SEEDS, st.integers(1, 20))
def test_bytes_keep_the_direction(seed, count):
    rows = np.random.default_rng(seed).normal(size=(count, 384)).astype(np.float32)
    rows[0] = 0
    found = quantized(rows).astype(np.float32)
    assert not found[0].any()
    lengths = np.linalg.norm(rows[1:], axis=1) * np.linalg.norm(found[1:], axis=1)
    assert ((rows[1:] * found[1:]).sum(axis=1) > 0.999 * lengths).all()


@given(SEEDS, st.lists(st.integers(1, 6), min_size=1, max_size=6), st.data())
def test_the_order_of_chats_changes_no_score(seed, sizes, data):
    rng = np.random.default_rng(seed)
    question = asked(rng)
    chats = [
        [(ChatMessage(chat, str(rng.choice(["Ann", "Bo", ""]))), made(rng)) for _ in range(size)]
        for chat, size in enumerate(sizes)
    ]
    order = data.draw(st.permutations(range(len(chats))))

    def scores(order):
        rows = [(chat, at) for chat in order for at in range(sizes[chat])]
        given = [chats[chat][at] for chat, at in rows]
        found = ranked_messages(question, [m for m, _ in given], [f for _, f in given], len(given))
        assert len(found) == len(given)
        return {rows[each.index]: each.score for each in found}

    one, other = scores(sorted(order)), scores(order)
    assert one == scores(sorted(order))
    assert other == pytest.approx(one, abs=1e-5)
    assert all(0 <= each <= 1 + 1e-6 for each in one.values())


@given(SEEDS, st.integers(1, 30), st.integers(0, 40))
def test_a_limit_takes_the_first(seed, count, limit):
    rng = np.random.default_rng(seed)
    question, features = asked(rng), [made(rng) for _ in range(count)]
    messages = [ChatMessage(at // 3) for at in range(count)]
    every = ranked_messages(question, messages, features, count)
    assert ranked_messages(question, messages, features, limit) == every[:limit]


def stored(given):
    parts = [each.pack_columns() for each in given]
    columns = MessageColumns.unpack([each[0] for each in parts], [each[1] for each in parts])
    return columns, [each[2] for each in parts]


@given(SEEDS, st.integers(1, 200), st.integers(1, 200))
def test_columns_rank_as_the_messages_do_and_ask_for_the_words_of_the_best_only(seed, count, limit):
    rng = np.random.default_rng(seed)
    question, features = asked(rng), [made(rng) for _ in range(count)]
    messages = [ChatMessage(int(rng.integers(0, 9)), str(rng.choice(["Ann", ""]))) for _ in range(count)]
    columns, words = stored(features)
    wanted = []

    def word_vectors(best):
        wanted.append(len(best))
        return [columns.word_vectors(words[each]) for each in best]

    found = ranked_columns(question, messages, columns, word_vectors, limit)
    assert found == ranked_messages(question, messages, features, limit)
    assert wanted == [min(count, max(150, limit))]


@given(SEEDS, st.integers(1, 9))
def test_columns_that_are_packed_come_back(seed, count):
    features = [made(np.random.default_rng([seed, at])) for at in range(count)]
    columns, words = stored(features)
    whole = MessageColumns.of(features)
    for name in ("terms", "counts", "owners", "vectors"):
        one, other = getattr(columns, name), getattr(whole, name)
        assert one.dtype == other.dtype and (one == other).all(), name
    for each, packed in zip(features, words, strict=True):
        assert (columns.word_vectors(packed) == each.word_vectors).all()


def test_damaged_columns_are_refused():
    columns, _ = stored([made(np.random.default_rng(1))])
    for terms, vectors in (([b"1234567"], [b"ab"]), ([b""], [b"abc"]), ([b"", b""], [b"ab", b"abcd"])):
        with pytest.raises(StoreError, match="made again"):
            MessageColumns.unpack(terms, vectors)
    with pytest.raises(StoreError, match="made again"):
        columns.word_vectors(b"abc")
