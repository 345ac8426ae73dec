"""Ranking of past messages with the shipped model: what each signal finds, and what stands alone."""

import numpy as np
import pytest

from bob.conversations.recall_memories import Recall, spoken
from bob.models.networks import OnnxEmbedder
from bob.search.message_features import MOST_WORDS, FeatureBuilder, MessageFeatures
from bob.search.message_ranking import ChatMessage
from bob.text.words import words_of

SAID = [
    ("trip", "Nora", "Which seeds did you buy for the spring?"),
    ("trip", "Tomas", "Mostly pumpkins."),
    ("trip", "Nora", "Nice, I am going to repaint the shed."),
    ("work", "Tomas", "We decided to keep PostgreSQL as the database."),
    ("work", "Nora", "Then I will write the migration on Monday."),
    ("work", "Tomas", "Thanks!"),
]


@pytest.fixture(scope="module")
def model():
    return OnnxEmbedder(threads=1)


@pytest.fixture(scope="module")
def features(model):
    return FeatureBuilder(model).build([spoken(author, text) for _, author, text in SAID])


def messages():
    return [ChatMessage(chat, author) for chat, author, _ in SAID]


def best(model, question, features, given=None):
    return Recall(model).rank(question, given or messages(), features, 6)


def test_the_message_that_says_it_comes_first_and_scores_are_explained(model, features):
    found = best(model, "which database did we choose", features)
    assert found[0].index == 3 and found[0].nearness > found[-1].nearness
    for each in found:
        assert each.score == pytest.approx(each.late + each.words + each.meaning + each.author, abs=1e-6)
        assert 0 <= each.score <= 1
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


def test_an_answer_is_found_by_the_words_of_the_question_before_it(model, features):
    question = "seeds for the spring"
    with_chat = {each.index: each for each in best(model, question, features)}
    apart = [ChatMessage(at) for at in range(len(SAID))]
    alone = {each.index: each for each in best(model, question, features, apart)}
    assert with_chat[1].words > 0 == alone[1].words
    assert with_chat[1].meaning > alone[1].meaning
    # A chat ends its neighbourhood: the first message of the other one got nothing from it.
    assert with_chat[3].words == 0


def test_who_is_named_counts(model, features):
    found = best(model, "what did Tomas say", features)
    assert {each.index for each in found if each.author > 0} == {1, 3, 5}
    assert not any(each.author for each in best(model, "what was said", features))


def test_short_memories_stand_alone(model):
    memories = ["Prefers tea over coffee.", "The office key is under the blue pot.", "Works from Lisbon."]
    features = FeatureBuilder(model).build(memories)
    given = [ChatMessage(at) for at in range(3)]
    assert [each.index for each in Recall(model).rank("where is the key", given, features, 1)] == [1]


def test_odd_input_gives_an_answer(model, features):
    recall, odd = Recall(model), FeatureBuilder(model).build(["", "and the of", "?!", "\u200d"])
    assert recall.rank("anything", [], [], 5) == []
    assert recall.rank("anything", messages(), features, 0) == []
    given = [*messages(), *(ChatMessage("odd") for _ in odd)]
    for question in ("", "?", "what is it", "zzqx"):
        found = recall.rank(question, given, [*features, *odd], 20)
        assert sorted(each.index for each in found) == list(range(10))
        assert all(np.isfinite([each.score, each.nearness]).all() for each in found)
    only = recall.rank("keys", [ChatMessage(at) for at in range(4)], odd, 4)
    assert all(np.isfinite(each.score) for each in only)


def test_features_do_not_depend_on_what_is_built_beside_them(model, features):
    alone = FeatureBuilder(model).build([spoken("Tomas", SAID[3][2])])[0]
    there = features[3]
    assert (alone.terms == there.terms).all() and (alone.counts == there.counts).all()
    assert alone.vector == pytest.approx(there.vector, abs=1e-3)
    assert np.abs(alone.word_vectors.astype(int) - there.word_vectors).max() <= 1


def test_features_hold_the_words_that_tell(model, features):
    # «Tomas We decided to keep PostgreSQL as the database.» without «we», «to», «as» and «the».
    assert features[3].word_vectors.shape == (5, 384)
    (rows,) = model.word_vectors([["Tomas", ":", *SAID[3][2].replace(".", " .").split()]])
    rebuilt = features[3].word_vectors.astype(np.float32)
    rebuilt /= np.linalg.norm(rebuilt, axis=1, keepdims=True)
    kept = [0, 3, 5, 6, 9]
    assert (rebuilt * rows[kept]).sum(axis=1).min() > 0.999


def test_a_long_message_is_read_to_a_bound_and_known_by_all_its_words(model):
    (found,) = FeatureBuilder(model).build(["stone " * MOST_WORDS + "kingfisher"])
    assert len(found.word_vectors) == MOST_WORDS
    assert len(found.terms) == len(set(words_of("stone kingfisher"))) and found.counts.max() == 255


def test_the_id_of_features_names_model_and_analysis(model):
    assert FeatureBuilder(model).model_id.startswith(model.model_id + "+terms-")


def test_packed_features_rank_as_fresh_ones(model, features):
    question = "when is the migration written"
    again = [MessageFeatures.unpack(each.pack()) for each in features]
    assert best(model, question, again) == best(model, question, features)
