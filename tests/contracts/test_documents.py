"""What the store promises about documents: whole or not at all, and nothing made twice."""

import threading
from itertools import count

import numpy as np
import pytest
from small_memory import HashingEmbedder, indexed, open_database, record, rows_in

from bob.core.errors import StoreError
from bob.core.search import Filters
from bob.documents import failure_rows, source_rows
from bob.documents import rows as document_rows
from bob.documents.embed_pending import EmbedPending
from bob.documents.failure_rows import Failure
from bob.search import vector_rows as vectors
from bob.search.index import found_chunks
from bob.search.query import documents_matching

ORG, MODEL = "local", "hashing@1"


def save(database, path, *texts, document_id=None, org=ORG, **values):
    with database.for_organization(org).write() as connection:
        return document_rows.save(connection, record(path, document_id, **values), indexed(*texts), MODEL)


def rows(database, document_id, org=ORG):
    with database.for_organization(org).read() as connection:
        found = rows_in(connection, "chunks", document_id=document_id)
    return sorted(found, key=lambda each: each.ordinal)


def stored(database, table, org=ORG):
    with database.for_organization(org).read() as connection:
        return rows_in(connection, table)


def embed(database, embedder=None, org=ORG):
    return EmbedPending(database.for_organization(org), embedder or HashingEmbedder()).embed_chunks()


def test_a_saved_document_reads_back(database):
    saved = save(database, "/n/a.md", "one fish", "two fish", tags=("red",), extra={"k": "v"})
    found = rows(database, saved.document_id)
    assert [(row.ordinal, row.text) for row in found] == [(0, "one fish"), (1, "two fish")]
    with database.read() as connection:
        (chunk,) = found_chunks(connection, [found[1].chunk_id]).values()
    with database.read() as connection:
        known = document_rows.known_files(connection, "/n")
    assert (chunk.text, chunk.path, chunk.title, chunk.locator.start_line) == ("two fish", "/n/a.md", "a", 2)
    assert known["/n/a.md"].document_id == saved.document_id


def test_replacing_keeps_the_ids_of_unchanged_text(database):
    first = save(database, "/n/a.md", "one", "two", "three")
    before = {row.text: row.chunk_id for row in rows(database, first.document_id)}
    second = save(database, "/n/a.md", "zero", "three", "one", document_id=first.document_id)
    after = {row.text: row.chunk_id for row in rows(database, first.document_id)}
    assert (second.chunks_added, second.chunks_kept, second.chunks_removed) == (1, 2, 1)
    assert after["one"] == before["one"] and after["three"] == before["three"]
    assert after["zero"] not in before.values()
    assert [row.text for row in rows(database, first.document_id)] == ["zero", "three", "one"]
    assert [row.locator["start_line"] for row in rows(database, first.document_id)] == [1, 2, 3]
    assert [row.chunk_id for row in stored(database, "removed_chunks")] == [before["two"]]


def test_the_same_text_twice_in_a_document_is_two_chunks(database):
    first = save(database, "/n/a.md", "same", "same", "other")
    second = save(database, "/n/a.md", "same", "other", document_id=first.document_id)
    assert (second.chunks_kept, second.chunks_removed) == (2, 1)


def test_moving_a_document_keeps_everything_but_its_path(database):
    saved = save(database, "/n/a.md", "one", "two")
    embed(database)
    before = rows(database, saved.document_id)
    moved = save(database, "/m/b.md", "one", "two", document_id=saved.document_id)
    assert (moved.document_id, moved.chunks_added, moved.pending_vectors) == (saved.document_id, 0, 0)
    assert rows(database, saved.document_id) == before
    with database.read() as connection:
        assert set(document_rows.known_files(connection, "/")) == {"/m/b.md"}
    assert not stored(database, "jobs")


def test_removing_a_document_leaves_nothing_behind(database):
    saved = save(database, "/n/a.md", "one", "two")
    kept = save(database, "/n/b.md", "three")
    embed(database)
    with database.write() as connection:
        document_rows.remove(connection, [saved.document_id])
    (left,) = rows(database, kept.document_id)
    assert not rows(database, saved.document_id)
    for table in ("chunks", "chunk_postings", "vectors"):
        assert [row.chunk_id for row in stored(database, table)] == [left.chunk_id]
    with database.read() as connection:
        assert set(document_rows.known_files(connection, "/n")) == {"/n/b.md"}


def test_removing_also_drops_the_job(database):
    saved = save(database, "/n/a.md", "one")
    assert len(stored(database, "jobs")) == 1
    with database.write() as connection:
        document_rows.remove(connection, [saved.document_id])
    assert not stored(database, "jobs")


def test_text_that_the_index_knows_is_not_embedded_again(database):
    save(database, "/n/a.md", "one", "two")
    embedder = HashingEmbedder()
    embed(database, embedder)
    assert embedder.texts == 2
    second = save(database, "/n/b.md", "two", "one", "two")
    assert second.pending_vectors == 0 and not stored(database, "jobs")
    embed(database, embedder)
    assert embedder.texts == 2
    by_text = {}
    for row in stored(database, "chunks"):
        (vector,) = [v.vector for v in stored(database, "vectors") if v.chunk_id == row.chunk_id]
        by_text.setdefault(row.text, set()).add(vector)
    assert {text: len(found) for text, found in by_text.items()} == {"one": 1, "two": 1}


def test_equal_texts_in_one_run_are_embedded_once(database):
    for name in "abc":
        save(database, f"/n/{name}.md", "the same words", f"own {name}")
    embedder = HashingEmbedder()
    assert embed(database, embedder).chunks == 6
    assert embedder.texts == 4


def test_only_changed_chunks_are_embedded_again(database):
    saved = save(database, "/n/a.md", "one", "two", "three")
    embedder = HashingEmbedder()
    embed(database, embedder)
    changed = save(database, "/n/a.md", "one", "2", "three", document_id=saved.document_id)
    assert changed.pending_vectors == 1
    embed(database, embedder)
    assert embedder.texts == 4 and not stored(database, "jobs")


def test_a_transaction_that_fails_leaves_no_trace(database):
    before = save(database, "/n/a.md", "one")
    with pytest.raises(RuntimeError), database.write() as connection:
        document_rows.save(connection, record("/n/b.md"), indexed("two"), MODEL)
        document_rows.remove(connection, [before.document_id])
        raise RuntimeError
    assert [row.text for row in stored(database, "chunks")] == ["one"]


def test_a_path_that_another_process_has_saved_meanwhile_is_replaced(database):
    first = save(database, "/n/a.md", "one", "two")
    second = save(database, "/n/a.md", "one", "three")
    assert second.document_id == first.document_id
    assert [row.text for row in rows(database, first.document_id)] == ["one", "three"]


def test_a_document_that_another_process_has_removed_meanwhile_is_saved_whole(database):
    first = save(database, "/n/a.md", "one")
    with database.write() as connection:
        document_rows.remove(connection, [first.document_id])
    saved = save(database, "/n/a.md", "one", "two", document_id=first.document_id)
    with database.read() as connection:
        assert document_rows.known_files(connection, "/n")["/n/a.md"].document_id == saved.document_id
    assert [row.text for row in rows(database, saved.document_id)] == ["one", "two"]


def test_a_move_onto_a_path_that_another_process_has_saved_meanwhile(database):
    first = save(database, "/n/a.md", "one")
    taken = save(database, "/n/b.md", "one")
    moved = save(database, "/n/b.md", "one", document_id=first.document_id)
    assert moved.document_id == taken.document_id
    assert [row.text for row in rows(database, taken.document_id)] == ["one"]


def test_vectors_show_once_the_whole_document_has_them(database):
    saved = save(database, "/n/a.md", "one", "two")
    with database.write() as connection:
        first, second = vectors.pending(connection, MODEL, [saved.document_id])
        vectors.stage(connection, MODEL, [(first, b"\0" * 128)])
        assert not vectors.publish(connection, MODEL, saved.document_id)
    assert [row.sequence for row in stored(database, "vectors")] == [None]
    with database.write() as connection:
        vectors.stage(connection, MODEL, [(second, b"\0" * 128)])
        assert vectors.publish(connection, MODEL, saved.document_id)
    sequences = {row.sequence for row in stored(database, "vectors")}
    assert len(sequences) == 1 and None not in sequences


def test_a_vector_for_text_that_changed_meanwhile_is_dropped(database):
    saved = save(database, "/n/a.md", "one")
    with database.read() as connection:
        (old,) = vectors.pending(connection, MODEL, [saved.document_id])
    save(database, "/n/a.md", "new words", document_id=saved.document_id)
    with database.write() as connection:
        vectors.stage(connection, MODEL, [(old, b"\0" * 128)])
        assert not vectors.publish(connection, MODEL, saved.document_id)
    assert not stored(database, "vectors")
    embed(database)
    assert len(stored(database, "vectors")) == 1


def test_the_vector_is_that_of_the_text_under_its_headings(database):
    with database.write() as connection:
        document_rows.save(
            connection, record("/n/a.md"), indexed("body text", headings=("Top", "Sub")), MODEL
        )
    embed(database)
    (row,) = stored(database, "vectors")
    expected = HashingEmbedder().embed(["Top > Sub\nbody text"])[0]
    assert np.allclose(np.frombuffer(row.vector, "<f2").astype(np.float32), expected, atol=1e-3)


def test_another_model_drops_all_vectors_and_queues_all_documents(database):
    for name in "ab":
        save(database, f"/n/{name}.md", f"text {name}")
    with database.write() as connection:
        vectors.adopt_model(connection, MODEL)
    embed(database)
    with database.write() as connection:
        assert vectors.adopt_model(connection, "hashing@2")
        assert not vectors.adopt_model(connection, "hashing@2")
        assert vectors.pending_count(connection, "hashing@2") == 2
    assert not stored(database, "vectors") and len(stored(database, "jobs")) == 2
    embed(database, HashingEmbedder("hashing@2"))
    assert {row.model for row in stored(database, "vectors")} == {"hashing@2"}


def test_filters(database):
    save(database, "/n/a.md", "x", project="Alpha", tags=("Red",), language="en")
    save(database, "/n/sub/b.docx", "x", project="beta", source_type="word", language="pt")
    save(database, "/n/subway/c.md", "x", project="beta", tags=("blue", "red"))
    with database.read() as connection:
        every = {v.document_id: p for p, v in document_rows.known_files(connection, "/").items()}
    with database.read() as connection:

        def matching(**conditions):
            found = documents_matching(connection, Filters(**conditions))
            return {every[each] for each in found}

        assert matching(projects=("alpha",)) == {"/n/a.md"}
        assert matching(projects=("alpha", "beta")) == set(every.values())
        assert matching(source_types=("docx",)) == matching(source_types=("word",)) == {"/n/sub/b.docx"}
        assert matching(tags=("RED",)) == {"/n/a.md", "/n/subway/c.md"}
        assert matching(languages=("pt",)) == {"/n/sub/b.docx"}
        assert matching(path_prefixes=("/n/sub",)) == matching(path_prefixes=("sub/",)) == {"/n/sub/b.docx"}
        assert matching(path_prefixes=("/n/a.md",)) == matching(path_prefixes=("a.md",)) == {"/n/a.md"}
        assert matching(path_prefixes=("/",)) == set(every.values())
        assert matching(path_prefixes=("/n/s%",)) == matching(path_prefixes=("%",)) == set()
        assert matching(projects=("alpha",), languages=("pt",)) == set()


def test_failures_are_noted_found_below_a_folder_and_forgotten(database):
    with database.write() as connection:
        for path in ("/n/a.pdf", "/n/sub/b.pdf", "/nn/c.pdf"):
            failure_rows.record(connection, Failure(path, "encrypted", "needs a password"), 5, 7)
        failure_rows.record(connection, Failure("/n/a.pdf", "damaged", "is broken"), 6, 8)
    with database.write() as connection:
        assert failure_rows.known(connection, "/n") == {"/n/a.pdf": (6, 8), "/n/sub/b.pdf": (5, 7)}
        assert [each.path for each in failure_rows.every(connection)] == [
            "/n/a.pdf",
            "/n/sub/b.pdf",
            "/nn/c.pdf",
        ]
        assert failure_rows.of_paths(connection, ["/n/a.pdf"]) == [
            Failure("/n/a.pdf", "damaged", "is broken")
        ]
        assert failure_rows.mark_for_retry(connection) == 3
        assert all(mtime == -1 for _, mtime in failure_rows.known(connection, "/").values())
        failure_rows.forget(connection, ["/n/a.pdf", "/nn/c.pdf"])
        assert set(failure_rows.known(connection, "/")) == {"/n/sub/b.pdf"}


def test_a_document_that_can_be_read_again_is_no_failure_any_more(database):
    with database.write() as connection:
        failure_rows.record(connection, Failure("/n/a.md", "permission", "no permission"), 1, 1)
    save(database, "/n/a.md", "one")
    with database.read() as connection:
        assert failure_rows.every(connection) == []


def test_failures_and_folders_are_of_one_organization(database):
    with database.write() as connection:
        failure_rows.record(connection, Failure("/n/a.pdf", "encrypted", "needs a password"), 5, 7)
        source_rows.remember(connection, "/n", "notes")
    with database.for_organization("other").read() as connection:
        assert failure_rows.every(connection) == [] and source_rows.project_of(connection, "/n") is None


def test_the_nearest_folder_names_the_project(database):
    with database.write() as connection:
        source_rows.remember(connection, "/n", "notes")
        source_rows.remember(connection, "/n/deep", "own")
        source_rows.remember(connection, "/n", "renamed")
        assert source_rows.every(connection) == [("/n", "renamed"), ("/n/deep", "own")]
        expected = {"/n": "renamed", "/n/x": "renamed", "/n/deep/x": "own", "/n/deeper": "renamed", "/": None}
        assert {path: source_rows.project_of(connection, path) for path in expected} == expected
        source_rows.forget(connection, "/n/deep")
        assert source_rows.project_of(connection, "/n/deep/x") == "renamed"


def test_two_databases_write_to_one_file_at_the_same_time(tmp_path):
    first, second = (open_database(tmp_path / "bob.db") for _ in range(2))
    problems = []

    def work(database, name):
        try:
            for at in range(20):
                save(database, f"/{name}/{at}.md", f"{name} {at}", "shared words")
        except StoreError as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=pair) for pair in ((first, "a"), (second, "b"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    ids = [row.chunk_id for row in stored(first, "chunks")]
    assert sorted(ids) == list(range(1, 81))
    assert sorted({row.document_id for row in stored(first, "chunks")}) == list(range(1, 41))
    first.close()
    second.close()


def test_large_documents_exceed_no_limit_of_parameters(database):
    texts = [f"text {at}" for at, _ in zip(count(), range(1_300), strict=False)]
    saved = save(database, "/n/a.md", *texts)
    assert save(database, "/n/a.md", "text 5", document_id=saved.document_id).chunks_removed == 1_299
    assert len(stored(database, "removed_chunks")) == 1_299
