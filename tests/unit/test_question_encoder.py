"""What makes the vectors of questions."""

import logging

import numpy as np
import pytest

from bob.models.networks import OnnxEmbedder, OnnxQuestionEncoder

QUESTION = "how do I get rid of the last thing I saved to the history?"
PASSAGES = [
    "`git reset HEAD~1` takes the newest commit back and keeps the files.",
    "The history of the museum is saved in the archive.",
    "Backups are made at night.",
]


@pytest.fixture(scope="module")
def embedder():
    return OnnxEmbedder(threads=1)


def test_a_question_is_near_to_what_answers_it_in_other_words(embedder):
    (question,) = OnnxQuestionEncoder(embedder, threads=1).embed([QUESTION])
    assert np.linalg.norm(question) == pytest.approx(1, abs=1e-5)
    passages = embedder.embed(PASSAGES)
    assert int((passages @ question).argmax()) == 0
    # As a passage it would be nearest to the one that shares its words.
    assert int((passages @ embedder.embed([QUESTION])[0]).argmax()) == 1


def test_without_its_network_questions_are_embedded_as_passages_are(embedder, tmp_path, caplog):
    encoder = OnnxQuestionEncoder(embedder, tmp_path / "missing", threads=1)
    with caplog.at_level(logging.WARNING):
        found = encoder.embed([QUESTION])
    assert np.array_equal(found, embedder.embed([QUESTION]))
    assert "questions are embedded as passages are" in caplog.text and "missing" in caplog.text
