"""What only PostgreSQL does: it shows each organization its own rows, searches vectors for SQL clients, and
may go away and come back."""

import threading

import numpy as np
import psycopg
import pytest
from psycopg.rows import namedtuple_row
from small_memory import HashingEmbedder, indexed, record

from bob.core.errors import StoreError
from bob.documents import rows as document_rows
from bob.documents.embed_pending import EmbedPending
from bob.storage.database import EVERY_ORGANIZATION, SCHEMA_HEAD
from bob.storage.organizations import ensure_organization
from bob.storage.postgres import PostgresDatabase

EMBEDDER = HashingEmbedder("hashing@1", 384)


@pytest.fixture
def address(postgres_server, tmp_path):
    return postgres_server.new_database(tmp_path / "cache")


@pytest.fixture
def acme(address, tmp_path):
    return opened(address, tmp_path, "acme")


def opened(address, tmp_path, org_id):
    database = PostgresDatabase(address, org_id, tmp_path / "cache")
    ensure_organization(database)
    return database


def save(database, path, *texts, project="notes"):
    with database.write() as connection:
        kept = record(path, project=project)
        document_rows.save(connection, kept, indexed(*texts), EMBEDDER.model_id)
    EmbedPending(database, EMBEDDER).embed_chunks()


def ask(database, statement, *values):
    with psycopg.connect(database._url, row_factory=namedtuple_row) as connection:
        connection.execute("SELECT set_config('bob.org_id', %s, true)", (database.org_id,))
        return connection.execute(statement, values).fetchall()


def vector(text):
    return "[" + ",".join(f"{each:.6f}" for each in EMBEDDER.embed([text])[0]) + "]"


def test_a_statement_that_forgets_its_organization_sees_its_own_rows_only(acme, tmp_path, address):
    save(acme, "/a.md", "of acme")
    globex = opened(address, tmp_path, "globex")
    save(globex, "/g.md", "of globex")
    with acme.read() as connection:
        tables = connection.tables().keys() - {"organizations"}
    assert len(tables) > 40
    for table in tables:
        for database, own in ((acme, "acme"), (globex, "globex")):
            assert {org for (org,) in ask(database, f"SELECT org_id FROM {table}")} <= {own}
    assert ask(acme, "SELECT text FROM chunks") == [("of acme",)]


def test_a_row_of_another_organization_can_be_neither_written_nor_taken(acme, tmp_path, address):
    globex = opened(address, tmp_path, "globex")
    save(globex, "/g.md", "of globex")
    with pytest.raises(StoreError, match="row-level security"), acme.write() as connection:
        connection.execute("INSERT INTO sources SELECT 'globex', '/x', :org")
    assert ask(acme, "DELETE FROM chunks RETURNING chunk_id") == []
    assert ask(acme, "UPDATE documents SET org_id = 'acme' RETURNING document_id") == []
    assert ask(globex, "SELECT text FROM chunks") == [("of globex",)]


def test_without_an_organization_nothing_is_seen_and_every_organization_shows_only_jobs(acme, address):
    with acme.write() as connection:
        document_rows.save(connection, record("/a.md"), indexed("a"), EMBEDDER.model_id)
    with psycopg.connect(address) as bare:
        assert bare.execute("SELECT count(*) FROM chunks").fetchone() == (0,)
        assert bare.execute("SELECT count(*) FROM jobs").fetchone() == (0,)
    every = acme.for_organization(EVERY_ORGANIZATION)
    assert ask(every, "SELECT org_id, kind FROM jobs") == [("acme", "embed")]
    assert ask(every, "SELECT count(*) FROM chunks") == [(0,)]
    assert ask(every, "DELETE FROM jobs RETURNING job_id") == []


def test_every_table_with_rows_of_organizations_is_protected(acme, address, postgres_server):
    assert acme.check() == []
    postgres_server.execute("ALTER TABLE chunks NO FORCE ROW LEVEL SECURITY", url=address)
    assert acme.check() == ["the table chunks shows its rows to every organization"]


def seed_search(database, name, text, *numbers, project="garden", threshold=0.1):
    marks = ", ".join(["%s"] * len(numbers))
    statement = f"SELECT content, source_type, similarity FROM {name}(%s::vector, %s, {marks}, %s)"
    return ask(database, statement, vector(text), threshold, *numbers, project)


@pytest.fixture
def two_projects(acme, tmp_path, address):
    save(acme, "/g.md", *(f"watering the bed {n}" for n in range(8)), project="garden")
    save(acme, "/s.md", "watering schedule of the office", "invoices", project="shop")
    globex = opened(address, tmp_path, "globex")
    save(globex, "/x.md", "watering secrets", project="garden")
    return acme


def test_hybrid_search_is_seed_000s_with_its_columns(two_projects):
    found = ask(
        two_projects,
        "SELECT * FROM hybrid_search(%s::vector, 0.1, 20, 'garden')",
        vector("watering"),
    )
    assert found[0]._fields == ("id", "content", "similarity", "source_type")
    assert [row.source_type for row in found] == ["project"] * 8 + ["global"]
    assert found[-1].content == "watering schedule of the office"
    project = [row.similarity for row in found[:8]]
    assert project == sorted(project, reverse=True)
    expected = EMBEDDER.embed(["watering"])[0] @ EMBEDDER.embed([found[0].content])[0]
    assert found[0].similarity == pytest.approx(float(expected), abs=0.002)


def test_hybrid_search_starves_the_global_side_and_quotas_do_not(two_projects):
    starved = seed_search(two_projects, "hybrid_search", "watering", 5)
    assert [kind for _, kind, _ in starved] == ["project"] * 5
    shared = seed_search(two_projects, "hybrid_search_with_quota", "watering", 4, 2)
    assert [kind for _, kind, _ in shared] == ["project"] * 5 + ["global"]
    one_side = seed_search(two_projects, "hybrid_search_with_quota", "watering", 4, 2, project="empty")
    assert [kind for _, kind, _ in one_side] == ["global"] * 6
    assert seed_search(two_projects, "hybrid_search", "watering", 5, threshold=0.999) == []


def test_messages_are_searched_beside_documents(two_projects):
    with two_projects.write() as connection:
        for statement in (
            "INSERT INTO chats VALUES (:org, 1, 'me', 'shop', NULL, 't', 0, 0)",
            "INSERT INTO messages (org_id, message_id, chat_id, role, content, sent_at)"
            " VALUES (:org, 1, 1, 'user', 'watering is done on Mondays', 0)",
        ):
            connection.execute(statement)
        connection.execute(
            "INSERT INTO message_features (org_id, message_id, model, terms, vector, word_vectors)"
            " VALUES (:org, 1, 'm', '', CAST(:vector AS halfvec), '')",
            {"vector": vector("watering is done on Mondays")},
        )
    found = seed_search(two_projects, "hybrid_search", "watering is done on Mondays", 20)
    assert ("watering is done on Mondays", "global") in {(text, kind) for text, kind, _ in found}


def test_nearest_chunks_are_exact_for_few_and_nearly_so_through_the_index(acme, address, tmp_path):
    words = np.random.default_rng(7).choice(list("abcdefghijklmnopqrst"), (300, 4))
    texts = [" ".join(row) for row in words]
    save(acme, "/a.md", *dict.fromkeys(texts))
    globex = opened(address, tmp_path, "globex")
    save(globex, "/g.md", *(f"{text} z" for text in dict.fromkeys(texts)))
    exact, through_index = (
        [row.chunk_id for row in ask(acme, NEAREST, vector("a b c d"), 10, below)] for below in (20_000, 0)
    )
    stored = dict(ask(acme, "SELECT chunk_id, text FROM chunks"))
    query = EMBEDDER.embed(["a b c d"])[0]
    cosines = sorted((float(EMBEDDER.embed([text])[0] @ query) for text in stored.values()), reverse=True)
    found = [float(EMBEDDER.embed([stored[each]])[0] @ query) for each in exact]
    assert found == pytest.approx(cosines[:10], abs=0.002)
    assert len(through_index) == 10 and set(through_index) <= stored.keys()
    assert len(set(exact) & set(through_index)) >= 8


NEAREST = "SELECT chunk_id FROM nearest_chunks(%s::halfvec, %s, %s)"


def test_two_processes_may_migrate_an_empty_database_at_once(postgres_server, tmp_path):
    address = postgres_server.empty_database()
    failed = []

    def migrate():
        try:
            PostgresDatabase(address, "acme", tmp_path / "cache")
        except StoreError as error:
            failed.append(error)

    threads = [threading.Thread(target=migrate) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failed == []
    assert postgres_server.execute("SELECT version_num FROM alembic_version", url=address) == [(SCHEMA_HEAD,)]


def test_a_lost_connection_fails_its_transaction_alone(acme, address, postgres_server):
    with pytest.raises(StoreError, match="connection"), acme.write() as connection:
        connection.execute("INSERT INTO sources VALUES (:org, '/lost', 'x')")
        number, _ = connection.execute("SELECT pg_backend_pid(), :org").fetchone()
        postgres_server.execute("SELECT pg_terminate_backend(%s)", number)
        connection.execute("SELECT :org")
    with acme.write() as connection:
        connection.execute("INSERT INTO sources VALUES (:org, '/kept', 'x')")
    postgres_server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
        address.rpartition("/")[2],
    )
    assert ask(acme, "SELECT path FROM sources") == [("/kept",)]


def test_a_writer_waits_for_its_turn_and_others_organizations_do_not(acme, address, tmp_path):
    globex = opened(address, tmp_path, "globex")
    with acme.write():
        with pytest.raises(StoreError, match="the database is busy"), acme.write(1):
            pass
        with globex.write(1) as connection:
            connection.execute("INSERT INTO sources VALUES (:org, '/g', 'g')")


def test_a_newer_bobs_database_is_left_alone(address, tmp_path, postgres_server):
    postgres_server.execute("UPDATE alembic_version SET version_num = '9999'", url=address)
    with pytest.raises(StoreError, match="created by a newer Bob"):
        PostgresDatabase(address, "acme", tmp_path / "cache")


def test_a_database_without_pgvector_says_what_to_do(postgres_server, tmp_path):
    bare = postgres_server.empty_database(template="template0")
    with pytest.raises(StoreError, match="administrator must run CREATE EXTENSION vector"):
        PostgresDatabase(bare, "acme", tmp_path / "cache")


def test_no_server_is_an_error_that_hides_the_password(tmp_path):
    with pytest.raises(StoreError, match="no connection") as told:
        PostgresDatabase("postgresql://bob:sesame@127.0.0.1:1/bob", "acme", tmp_path / "cache")
    assert "sesame" not in str(told.value) and "bob@127.0.0.1:1/bob" in str(told.value)
