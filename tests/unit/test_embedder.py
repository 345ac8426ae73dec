import json
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from bob.core.errors import ModelError
from bob.models.networks import DEFAULT_MODEL, OnnxEmbedder

TEXTS = [
    "How do I reset my password?",
    "To change a forgotten passphrase, open the account settings.",
    "The harvest of wheat was poor this year.",
    "",
    'fn main() { println!("hello"); }',
    "Überraschung: naïve café 東京 😀",
    "A sentence that is said again and again. " * 28,
]


@pytest.fixture(scope="module")
def embedder():
    return OnnxEmbedder(threads=1)


def test_shape_and_length(embedder):
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimension) == (len(TEXTS), 384)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed([]).shape == (0, 384)
    assert embedder.token_vectors([]) == []


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        (TEXTS[0], TEXTS[1], TEXTS[2]),
        ("capital of France", "Paris is where the French government sits.", "Berlin lies on the Spree."),
        ("undo the last commit", "git reset --soft HEAD~1 takes it back", "git clone copies a repository"),
        ("heart attack", "myocardial infarction", "a romantic evening"),
    ],
)
def test_what_means_the_same_is_nearer(embedder, query, near, far):
    query_row, near_row, far_row = embedder.embed([query, near, far])
    assert query_row @ near_row > query_row @ far_row + 0.1


def test_known_cosine(embedder):
    """The figure on the upstream model's card, which full precision gives, to what int8 weights allow."""
    a, b = embedder.embed(["This is an example sentence", "Each sentence is converted"])
    assert a[:3] == pytest.approx([0.0676, 0.0635, 0.0487], abs=0.003)
    assert b[:3] == pytest.approx([0.0864, 0.1024, 0.0053], abs=0.003)


def test_a_row_does_not_depend_on_the_others(embedder):
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    backwards = embedder.embed(TEXTS[::-1])[::-1]
    assert np.allclose(together, alone, atol=1e-6)
    assert np.allclose(together, backwards, atol=1e-6)


def test_many_texts_keep_their_order(embedder):
    texts = [f"{'word ' * (number % 37)}number {number}" for number in range(50)]
    rows = embedder.embed(texts)
    for number in (0, 1, 36, 37, 49):
        assert np.allclose(rows[number], embedder.embed([texts[number]])[0], atol=1e-6)


def test_threads_do_not_change_the_result(embedder):
    assert np.allclose(OnnxEmbedder(threads=2).embed(TEXTS), embedder.embed(TEXTS), atol=1e-6)


def test_first_use_from_many_threads_loads_one_model():
    embedder, rows = OnnxEmbedder(threads=1), []
    threads = [threading.Thread(target=lambda: rows.append(embedder.embed(TEXTS[:2]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rows) == 4
    assert all(np.allclose(each, rows[0], atol=1e-6) for each in rows)


def test_an_empty_text_has_one_vector_and_white_space_the_same(embedder):
    rows = embedder.embed(["", "  \n\t", ""])
    assert np.allclose(rows, rows[0], atol=1e-6)


def test_the_window_counts_to_the_last_token(embedder):
    room = embedder.max_tokens - 2
    fits, longer = ["tree"] * room, ["tree"] * room + ["bicycle"]
    assert embedder.tokenizer.count(" ".join(fits)) == room
    # One window: the sentence-transformers rule of 256 with its frame. One more token: nothing is cut off.
    a, b = embedder.embed([" ".join(fits), " ".join(longer)])
    assert a @ b < 0.9999


def test_the_end_of_a_long_text_counts(embedder):
    filler = "The meeting was about the budget of the department. " * 40
    with_end = filler + "Penguins breed on the ice of Antarctica in the cold of winter. " * 12
    query, plain, ended = embedder.embed(["Antarctic penguins", filler, with_end])
    assert query @ ended > query @ plain + 0.1


def test_a_long_text_is_the_weighted_mean_of_its_windows(embedder):
    words = [f"word{number % 7}" for number in range(400)]
    ids = embedder.tokenizer.encode(" ".join(words))
    windows = -(-len(ids) // (embedder.max_tokens - 2))
    assert len(words) % windows == 0 and len(ids) % len(words) == 0
    share = len(words) // windows
    parts = [" ".join(words[start : start + share]) for start in range(0, len(words), share)]
    mean = embedder.embed(parts).sum(axis=0)
    assert np.allclose(embedder.embed([" ".join(words)])[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_token_vectors(embedder):
    vectors = embedder.token_vectors(TEXTS)
    assert [len(each) for each in vectors] == [embedder.tokenizer.count(text) for text in TEXTS]
    assert all(np.allclose(np.linalg.norm(each, axis=1), 1, atol=1e-6) for each in vectors)
    assert vectors[3].shape == (0, 384)
    again = embedder.token_vectors([TEXTS[6]])[0]
    assert np.allclose(again, vectors[6], atol=1e-5)


def test_token_vectors_find_the_word_in_its_context(embedder):
    query, text = embedder.token_vectors(["river bank", "He sat by the river and later went to the bank."])
    best = (query @ text.T).argmax(axis=1)
    words = ["he", "sat", "by", "the", "river", "and", "later", "went", "to", "the", "bank", "."]
    assert [words[index] for index in best] == ["river", "bank"]


def test_model_id_names_the_file(embedder):
    shipped = json.loads((DEFAULT_MODEL / "manifest.json").read_text())
    assert embedder.model_id == f"all-MiniLM-L6-v2@{shipped['sha256']['model.onnx'][:8]}"
    assert embedder.max_tokens == 256


def test_the_shipped_files_are_whole(embedder):
    embedder.verify()


def test_constructing_touches_nothing(tmp_path):
    OnnxEmbedder(tmp_path / "nowhere")


@pytest.mark.parametrize("use", [lambda e: e.model_id, lambda e: e.embed(["a"]), lambda e: e.verify()])
def test_missing_files_are_a_model_error(tmp_path, use):
    with pytest.raises(ModelError, match=r"(manifest\.json|vocab\.txt) cannot be used"):
        use(OnnxEmbedder(tmp_path))


@pytest.mark.parametrize(
    ("name", "content"), [("model.onnx", b"not a model"), ("model.onnx", b""), ("vocab.txt", b"\xff\xfe")]
)
def test_damaged_files_are_a_model_error(tmp_path, name, content):
    folder = _copy(tmp_path)
    (folder / name).write_bytes(content)
    with pytest.raises(ModelError, match=name):
        OnnxEmbedder(folder).embed(["a"])
    with pytest.raises(ModelError, match=name):
        OnnxEmbedder(folder).verify()


def test_a_run_that_fails_is_a_model_error():
    embedder = OnnxEmbedder()
    with pytest.raises(ModelError, match=r"model\.onnx failed \(.*nothing"):
        list(embedder._run(["nothing"], [[101, 102]]))
    assert embedder.embed(["a"]).shape == (1, embedder.dimension), "the next run is one of its own"


@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt"])
def test_a_lost_file_is_a_model_error(tmp_path, name):
    folder = _copy(tmp_path)
    (folder / name).unlink()
    with pytest.raises(ModelError, match=name):
        OnnxEmbedder(folder).embed(["a"])


@pytest.mark.parametrize("content", ["[]", "{}", "not json", '{"sha256": {}}'])
def test_a_damaged_manifest_is_a_model_error(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(ModelError, match=r"manifest\.json"):
        _ = OnnxEmbedder(tmp_path).model_id


def test_verify_sees_one_changed_byte(tmp_path):
    folder = _copy(tmp_path)
    content = bytearray((folder / "vocab.txt").read_bytes())
    content[1000] ^= 1
    (folder / "vocab.txt").write_bytes(content)
    with pytest.raises(ModelError, match=r"vocab\.txt"):
        OnnxEmbedder(folder).verify()


def _copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DEFAULT_MODEL, tmp_path / "model"))


def test_one_run_gives_the_vectors_of_texts_and_of_their_words(embedder):
    texts = [["The", "hives", "need", "shade", "."], [], ["Oak"], ["wall"] * 300]
    rows, words = embedder.embed_with_words(texts)
    assert rows == pytest.approx(embedder.embed([" ".join(each) for each in texts]), abs=1e-5)
    for found, expected in zip(words, embedder.word_vectors(texts), strict=True):
        assert found.shape == expected.shape and found == pytest.approx(expected, abs=1e-5)
