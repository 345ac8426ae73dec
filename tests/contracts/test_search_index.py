"""Snapshot and delta together rank as the database itself would, whatever happened in whatever order."""

import math
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_memory import HashingEmbedder, indexed, open_database, record, rows_in

from bob.core.search import Filters
from bob.documents import rows as document_rows
from bob.documents.disks import LocalDisks
from bob.documents.embed_pending import EmbedPending, Maintain
from bob.search import index as search_index
from bob.search import ranking
from bob.search import vector_rows as vectors
from bob.search.index import SearchIndex, cosines, coverage, mask_of, rank_vectors, rank_words
from bob.search.query import documents_matching
from bob.search.ranking import Bm25, best
from bob.search.snapshot import Recipe, unpack
from bob.text.words import query_terms, words_of

ORG = "local"
EMBEDDER = HashingEmbedder()
BM25 = Bm25(0.9, 0.4, 1.0, pivot_length=3.0)
RECIPE = Recipe("terms-1", EMBEDDER.model_id, EMBEDDER.dimension, BM25)
WORDS = ["apple", "pear", "plum", "fig", "kiwi", "lime", "quince", "date"]
QUERIES = ["apple", "pear plum", "fig fig kiwi lime", "nothing", "quince date apple pear"]


class Store:
    """A database with an index over it, and what a test does to it."""

    def __init__(self, folder, recipe=RECIPE, address=None):
        self.address, self.folder = address or Path(folder) / "bob.db", folder
        self.database = open_database(self.address, ORG, "other", cache_folder=Path(folder) / "cache")
        self.index = SearchIndex(self.database, recipe)
        self.recipe = recipe

    def save(self, path, *texts, document_id=None, headings=(), org=ORG, **values):
        with self.database.for_organization(org).write() as connection:
            kept = record(path, document_id, **values)
            return document_rows.save(
                connection, kept, indexed(*texts, headings=headings), self.recipe.model
            ).document_id

    def remove(self, *document_ids):
        with self.database.write() as connection:
            document_rows.remove(connection, document_ids)

    def embed(self, embedder=EMBEDDER):
        EmbedPending(self.database, embedder).embed_chunks()

    def words(self, query, allowed=None):
        """The matching chunks with their BM25, best first."""
        view = self.index.view()
        groups = query_terms(query, view.languages)
        scores, *_ = rank_words(view, groups, mask_of(view, allowed))
        return [(int(view.chunk_ids[row]), float(scores[row])) for row in best(scores, 1_000)]

    def nearest(self, query, limit=1_000, allowed=None):
        view = self.index.view()
        vector = EMBEDDER.embed([query])[0]
        rows, found = rank_vectors(view, vector, limit, mask_of(view, allowed))
        again = cosines(view, vector, rows)
        assert np.allclose(found, again, atol=1e-6)
        return [(int(view.chunk_ids[row]), float(each)) for row, each in zip(rows, found, strict=True)]

    def texts(self, org=ORG):
        with self.database.for_organization(org).read() as connection:
            return {row.chunk_id: (row.text, row.heading_path) for row in rows_in(connection, "chunks")}

    def published(self, model=EMBEDDER.model_id):
        with self.database.read() as connection:
            found = rows_in(connection, "vectors", model=model)
        return {row.chunk_id: unpack([row.vector])[0] for row in found if row.sequence is not None}

    def close(self):
        self.database.close()


@pytest.fixture
def store(tmp_path, database_address):
    made = Store(tmp_path, address=database_address)
    yield made
    made.close()


def brute_words(texts, query):
    """BM25 as the books write it, but for its constant length, from the texts alone. Words here are their own
    stems, and lower case."""
    counts = {
        chunk_id: (Counter(words_of(text)), Counter(words_of(" ".join(headings))))
        for chunk_id, (text, headings) in texts.items()
    }
    lengths = {each: sum(body.values()) + sum(head.values()) for each, (body, head) in counts.items()}
    found = {}
    for chunk_id, (body, head) in counts.items():
        score = 0.0
        for word in dict.fromkeys(words_of(query)):
            frequency = body[word] + BM25.heading_weight * head[word]
            containing = sum(1 for b, h in counts.values() if b[word] or h[word])
            if not frequency:
                continue
            idf = math.log(1 + (len(texts) - containing + 0.5) / (containing + 0.5))
            norm = BM25.k1 * (1 - BM25.b + BM25.b * lengths[chunk_id] / BM25.pivot_length)
            score += idf * frequency * (BM25.k1 + 1) / (frequency + norm)
        if score:
            found[chunk_id] = score
    return found


def assert_same_ranking(found, expected):
    """Scores agree to the precision in which they are kept, and so does the order beyond it."""
    assert {chunk_id for chunk_id, _ in found} == set(expected)
    for chunk_id, score in found:
        assert score == pytest.approx(expected[chunk_id], rel=2e-3, abs=2e-3)
    ours = [score for _, score in found]
    assert ours == sorted(ours, reverse=True)


CHANGES = st.lists(
    st.one_of(
        st.tuples(
            st.just("save"),
            st.integers(0, 5),
            st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=3),
            st.lists(st.sampled_from(WORDS), max_size=2),
        ),
        st.tuples(st.just("remove"), st.integers(0, 5)),
        st.tuples(st.just("embed")),
        st.tuples(st.just("compact")),
        st.tuples(st.just("look")),
    ),
    max_size=14,
)


@settings(max_examples=12, deadline=None)
@given(CHANGES)
def test_base_and_delta_rank_as_the_database_does(changes):
    with tempfile.TemporaryDirectory() as folder, closing(Store(folder)) as store:
        ids = {}
        for name, *rest in changes:
            if name == "save":
                key, texts, headings = rest
                ids[key] = store.save(
                    f"/{key}.md",
                    *(" ".join(words) for words in texts),
                    headings=headings,
                    document_id=ids.get(key),
                )
            elif name == "remove" and rest[0] in ids:
                store.remove(ids.pop(rest[0]))
            elif name == "embed":
                store.embed()
            elif name == "compact":
                store.index.compact(force=True)
            elif name == "look":
                store.index.view()
        texts, published = store.texts(), store.published()
        for query in QUERIES:
            expected = brute_words(texts, query)
            # Until the next snapshot, removed rows still count in the frequencies of words and new ones not
            # in the mean length, so scores may differ a little; what is found may not.
            assert {chunk_id for chunk_id, _ in store.words(query)} == set(expected)
            vector = EMBEDDER.embed([query])[0]
            near = {chunk_id: float(row @ vector) for chunk_id, row in published.items()}
            assert_same_ranking(store.nearest(query), near)
        store.index.compact(force=True)
        for query in QUERIES:
            assert_same_ranking(store.words(query), brute_words(texts, query))
            vector = EMBEDDER.embed([query])[0]
            near = {chunk_id: float(row @ vector) for chunk_id, row in published.items()}
            assert_same_ranking(store.nearest(query), near)
        fresh = SearchIndex(store.database, RECIPE)
        assert fresh.view().chunk_ids.tolist() == store.index.view().chunk_ids.tolist()


@settings(max_examples=12, deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), min_size=1, max_size=12))
def test_without_a_snapshot_the_scores_are_bm25s_own(texts):
    with tempfile.TemporaryDirectory() as folder, closing(Store(folder)) as store:
        store.save("/a.md", *(" ".join(words) for words in texts))
        for query in QUERIES:
            assert_same_ranking(store.words(query), brute_words(store.texts(), query))


def test_a_row_covers_the_words_that_it_has_in_base_and_delta(store):
    store.save("/a.md", "apple pear", "plum")
    store.index.compact(force=True)
    store.save("/b.md", "pear fig")
    view, groups = store.index.view(), query_terms("apple pear quince", ("en",))
    _, idfs, _ = rank_words(view, groups, view.current)
    texts = store.texts()
    covered = coverage(view, groups, idfs, np.arange(view.rows))
    share = {"apple": idfs[0], "pear": idfs[1], "quince": idfs[2]}
    for chunk_id, found in zip(view.chunk_ids.tolist(), covered, strict=True):
        has = set(texts[chunk_id][0].split())
        assert found == pytest.approx(sum(share[word] for word in has & set(share)) / idfs.sum(), abs=1e-6)


def test_removed_chunks_never_appear(store):
    first = store.save("/a.md", "apple pear", "apple plum")
    store.save("/b.md", "apple fig")
    store.embed()
    store.index.compact(force=True)
    store.remove(first)
    (left,) = store.texts()
    assert [chunk_id for chunk_id, _ in store.words("apple")] == [left]
    assert [chunk_id for chunk_id, _ in store.nearest("apple")] == [left]
    store.index.compact(force=True)
    assert store.index.view().chunk_ids.tolist() == [left]


def test_dropping_the_index_leaves_nothing_to_be_found(store):
    store.save("/a.md", "apple pear", "apple plum")
    store.embed()
    store.index.compact(force=True)
    Maintain(store.database, LocalDisks()).drop_index()
    assert store.words("apple") == [] and store.nearest("apple") == []
    assert not store.index.view().alive.any()
    new = store.save("/a.md", "apple pear")
    store.embed()
    (left,) = store.texts()
    assert new and [chunk_id for chunk_id, _ in store.nearest("apple")] == [left]


def test_filters_hold_in_base_and_delta(store):
    wanted = [store.save("/a.md", "apple pear", project="one")]
    store.save("/b.md", "apple plum", project="two")
    store.embed()
    store.index.compact(force=True)
    wanted.append(store.save("/c.md", "apple fig", project="one"))
    store.save("/d.md", "apple kiwi", project="two")
    store.embed()
    with store.database.read() as connection:
        allowed = documents_matching(connection, Filters(projects=("one",)))
    assert sorted(allowed) == sorted(wanted)
    texts = store.texts()
    for found in (store.words("apple", allowed), store.nearest("apple", 10, allowed)):
        assert {texts[chunk_id][0] for chunk_id, _ in found} == {"apple pear", "apple fig"}
    assert store.words("apple", []) == [] and store.nearest("apple", 10, []) == []


def test_a_limit_keeps_the_best_of_base_and_delta(store):
    store.save("/a.md", *("apple " + " ".join(WORDS[1 : 1 + at % 6]) for at in range(12)))
    store.embed()
    store.index.compact(force=True)
    store.save("/b.md", *("apple " + " ".join(WORDS[at % 6 : 7]) for at in range(12)))
    store.embed()
    everything = store.nearest("apple pear")
    assert store.nearest("apple pear", 5) == everything[:5]


def test_many_vectors_that_came_after_the_snapshot(store, monkeypatch):
    """Words are snapshot first and vectors follow, so a search may meet any number of late ones."""
    monkeypatch.setattr(ranking, "SCAN_ALL_BELOW", 10)
    store.save("/a.md", *(f"{WORDS[at % 8]} {WORDS[at // 8]}" for at in range(64)))
    store.index.compact(force=True)
    store.embed()
    published = store.published()
    vector = EMBEDDER.embed(["apple pear"])[0]
    near = {chunk_id: float(row @ vector) for chunk_id, row in published.items()}
    assert_same_ranking(store.nearest("apple pear"), near)
    best = sorted(near, key=near.get, reverse=True)[:5]
    assert {chunk_id for chunk_id, _ in store.nearest("apple pear", 5)} == set(best)


def test_the_view_stays_until_something_is_committed(store):
    store.save("/a.md", "apple")
    view = store.index.view()
    assert store.index.view() is view
    store.save("/b.md", "apple", org="other")
    assert store.index.view() is view
    store.embed()
    assert store.index.view() is not view


def test_another_process_snapshot_is_noticed(store):
    store.save("/a.md", "apple")
    before = store.index.view()
    SearchIndex(store.database, RECIPE).compact(force=True)
    after = store.index.view()
    assert before.base is None and after.base is not None
    assert store.words("apple") != []


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe("terms-3", EMBEDDER.model_id, 64, BM25),
        Recipe("terms-1", "hashing@2", 32, BM25),
        Recipe("terms-1", EMBEDDER.model_id, 64, Bm25(1.5, 0.4, 1.0)),
    ],
)
def test_a_snapshot_of_other_settings_is_not_used(store, recipe):
    store.save("/a.md", "apple pear", "apple")
    store.embed()
    store.index.compact(force=True)
    other = SearchIndex(store.database, recipe)
    assert other.view().base is None and other.view().rows == 2
    other.compact(force=True)
    assert other.view().base is not None
    assert store.index.view().base is None and [each for each, _ in store.words("pear")] == [1]


def test_a_change_of_model_never_mixes_vectors(store):
    store.save("/a.md", "apple pear")
    store.embed()
    with store.database.write() as connection:
        vectors.adopt_model(connection, EMBEDDER.model_id)
    store.index.compact(force=True)
    second = HashingEmbedder("hashing@2", 32)
    with store.database.write() as connection:
        vectors.adopt_model(connection, second.model_id)
    other = SearchIndex(store.database, Recipe("terms-1", second.model_id, 32, BM25))
    assert not other.view().has_vectors
    store.embed(second)
    view = other.view()
    rows, found = rank_vectors(view, second.embed(["apple pear"])[0], 5, view.alive)
    assert len(rows) == 1 and found[0] == pytest.approx(1.0, abs=1e-2)


@pytest.mark.parametrize(
    ("harm", "content"),
    [
        *(
            (name, content)
            for name in ("manifest.json", "vectors.npy", "rows.npy")
            for content in (b"{}", b"")
        ),
        ("manifest.json", b"[]"),
        ("folder", b""),
        ("current", b""),
    ],
)
def test_a_damaged_snapshot_is_made_anew(store, harm, content, caplog):
    store.save("/a.md", "apple pear")
    store.embed()
    store.index.compact(force=True)
    folder = Path(str(store.database.path) + ".snapshot") / ORG
    made = folder / (folder / "current").read_text()
    if harm == "folder":
        made.rename(folder / "elsewhere")
    elif harm == "current":
        (folder / "current").write_text("no such snapshot")
    else:
        (made / harm).write_bytes(content)
    store.index = SearchIndex(store.database, RECIPE)
    assert [chunk_id for chunk_id, _ in store.words("pear")] == [1]
    assert store.index.compact(force=True) and store.index.view().base is not None
    assert [chunk_id for chunk_id, _ in store.nearest("pear")] == [1]


def test_only_one_snapshot_is_kept(store):
    for at in range(3):
        store.save(f"/{at}.md", "apple")
        store.index.compact(force=True)
    folder = Path(str(store.database.path) + ".snapshot") / ORG
    assert sorted(each.name for each in folder.iterdir()) == sorted(
        ["current", (folder / "current").read_text()]
    )


def test_a_growing_delta_becomes_a_snapshot(store, monkeypatch):
    monkeypatch.setattr(search_index, "REBUILD_AFTER", 5)
    store.save("/a.md", *(f"apple {at}" for at in range(5)))
    assert not store.index.compact()
    store.save("/b.md", "pear")
    assert store.index.compact()
    assert not store.index.compact()
