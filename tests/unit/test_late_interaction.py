"""Late interaction by the shipped model: its scores, what it remembers, and what it prefers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bob.core.locator import LineLocator
from bob.core.search import FoundChunk
from bob.models.networks import OnnxEmbedder
from bob.search.late_interaction import LateInteraction, best_matches

QUERY = "where is the river bank"
TEXTS = [
    "He sat on the bank of the river until dusk.",
    "The bank lends money at four percent.",
    "Bread rises better in a warm kitchen.",
    "",
]


class CountingEmbedder:
    """The shipped model, counting the texts that it is given."""

    def __init__(self):
        self._model = OnnxEmbedder(threads=1)
        self.texts = []

    def token_vectors(self, texts):
        self.texts += texts
        return self._model.token_vectors(texts)


def chunk(text, headings=(), context=""):
    # The content hash of a stored chunk is made of these three.
    key = repr((headings, context, text))
    place = LineLocator(start_line=1, end_line=1)
    return FoundChunk(
        1, 1, 0, "/a.md", "a", "p", "markdown", "en", None, None, headings, context, place, text, key
    )


@pytest.fixture(scope="module")
def model():
    return CountingEmbedder()


@pytest.fixture
def embedder(model):
    model.texts = []
    return model


def token_rows(most):
    shape = st.integers(0, most).map(lambda rows: (rows, 4))
    return arrays.arrays(np.float32, shape, elements=st.floats(-1, 1, width=32, allow_subnormal=False))


@given(token_rows(6), token_rows(9))
def test_the_score_is_the_mean_of_each_tokens_best(query, text):
    total = 0.0
    for asked in query.tolist():
        best = max(
            (sum(a * b for a, b in zip(asked, there, strict=True)) for there in text.tolist()), default=0.0
        )
        total += best
    expected = total / len(query) if len(query) else 0.0
    assert best_matches(query, text) == pytest.approx(expected, abs=1e-5)


def test_scores_are_those_of_the_models_own_vectors(embedder):
    found = LateInteraction(embedder).scores(QUERY, [chunk(each) for each in TEXTS])
    asked, *texts = embedder.token_vectors([QUERY, *TEXTS])
    expected = [np.mean([max(row @ other for other in each) for row in asked]) for each in texts[:3]]
    assert found.shape == (4,) and found.dtype == np.float32
    assert found[:3] == pytest.approx(expected, abs=2e-3) and found[3] == 0
    assert found[0] > found[1] > found[2]


def test_headings_and_context_are_read_too(embedder):
    bare, headed, placed = LateInteraction(embedder).scores(
        "river bank",
        [chunk("It is steep."), chunk("It is steep.", ("River bank",)), chunk("It is steep.", (), "bank")],
    )
    assert headed > placed > bare


def test_no_chunks_no_scores(embedder):
    assert LateInteraction(embedder).scores(QUERY, []).shape == (0,)


def test_a_known_chunk_is_not_read_again_and_scores_the_same(embedder):
    reranker = LateInteraction(embedder)
    chunks = [chunk(each) for each in TEXTS]
    first = reranker.scores(QUERY, chunks)
    embedder.texts.clear()
    again = reranker.scores(QUERY, chunks[::-1])
    assert embedder.texts == [QUERY]
    assert again.tolist() == first[::-1].tolist()


def test_equal_chunks_are_read_once(embedder):
    one, other = LateInteraction(embedder).scores(QUERY, [chunk(TEXTS[0]), chunk(TEXTS[0])])
    assert one == other and embedder.texts == [QUERY, TEXTS[0]]


def test_the_least_recently_used_is_forgotten(embedder):
    first, second, third = (chunk(f"{word} {word} {word} {word}") for word in ("river", "money", "bread"))
    reranker = LateInteraction(embedder, remembered_tokens=8)
    reranker.scores(QUERY, [first, second])
    reranker.scores(QUERY, [first])
    reranker.scores(QUERY, [third])
    embedder.texts.clear()
    reranker.scores(QUERY, [first, third])
    assert embedder.texts == [QUERY]
    reranker.scores(QUERY, [second])
    assert embedder.texts == [QUERY, QUERY, second.text]


def test_more_than_can_be_remembered_is_scored_all_the_same(embedder):
    chunks = [chunk(each) for each in TEXTS]
    assert (
        LateInteraction(embedder, remembered_tokens=1).scores(QUERY, chunks).tolist()
        == LateInteraction(embedder).scores(QUERY, chunks).tolist()
    )
