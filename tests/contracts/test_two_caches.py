"""Two machines over one database, each with snapshots of its own: both see the last commit.

A database file has two folders of snapshots when it is opened under two names.
"""

import os
import random
from collections import Counter

import pytest
from small_memory import HashingEmbedder, indexed, open_database, record, rows_in

from bob.documents import rows as document_rows
from bob.documents.disks import LocalDisks
from bob.documents.embed_pending import EmbedPending, Maintain
from bob.search import index as search_index
from bob.search.index import SearchIndex, mask_of, rank_vectors, rank_words
from bob.search.ranking import Bm25, best
from bob.search.snapshot import Recipe
from bob.storage import removals
from bob.text.words import query_terms

ORG = "local"
EMBEDDER = HashingEmbedder(dimension=16)
RECIPE = Recipe("terms-1", EMBEDDER.model_id, EMBEDDER.dimension, Bm25(0.9, 0.4, 1.0))
WORDS = ("apple", "pear", "plum", "fig", "kiwi", "lime", "quince", "date")
SEED = 11
OPERATIONS = int(os.environ.get("TWO_CACHES_OPERATIONS") or 250)
"""TWO_CACHES_OPERATIONS=1000 in the environment is a run of minutes by hand."""

DAY = 86_400


class Machine:
    """A server's side: its own cache folder, its own index."""

    def __init__(self, address, folder):
        self._address, self._folder = address, folder
        self.database = self.index = None
        self.start()

    def start(self):
        if self.database is not None:
            self.database.close()
        self.database = open_database(self._address, ORG, cache_folder=self._folder)
        self.index = SearchIndex(self.database, RECIPE)

    def save(self, path, *texts):
        with self.database.write() as connection:
            return document_rows.save(connection, record(path), indexed(*texts), RECIPE.model).document_id

    def remove(self, *document_ids):
        with self.database.write() as connection:
            document_rows.remove(connection, document_ids)

    def embed(self):
        EmbedPending(self.database, EMBEDDER).embed_chunks()

    def alive(self):
        view = self.index.view()
        return set(view.chunk_ids[view.alive].tolist())

    def words(self, query):
        view = self.index.view()
        scores, *_ = rank_words(view, query_terms(query, view.languages), mask_of(view, None))
        return {int(view.chunk_ids[row]) for row in best(scores, 10_000)}

    def nearest(self, query):
        view = self.index.view()
        rows, _ = rank_vectors(view, EMBEDDER.embed([query])[0], 10_000, mask_of(view, None))
        return {int(view.chunk_ids[row]) for row in rows}

    def texts(self):
        with self.database.read() as connection:
            return {row.chunk_id: row.text for row in rows_in(connection, "chunks")}

    def rows(self, table):
        with self.database.read() as connection:
            return rows_in(connection, table)

    def snapshot(self):
        return self.index.view().base


@pytest.fixture
def machines(tmp_path, database_address):
    made = []
    for name in ("a", "b"):
        folder, address = tmp_path / name, database_address
        folder.mkdir()
        if "://" not in address:
            open_database(address).close()
            address = str(folder / "bob.db")
            os.symlink(database_address, address)  # noqa: PTH211 - as a user would
        made.append(Machine(address, folder / "cache"))
    yield made
    for each in made:
        each.database.close()


def filled(machine, count):
    return [machine.save(f"/{at}.md", f"{WORDS[at % 8]} note{at}") for at in range(count)]


def test_what_one_machine_forgets_stays_hidden_on_the_other(machines):
    here, there = machines
    ids = filled(here, 40)
    here.embed()
    for each in machines:
        each.index.compact(force=True)
    here.remove(*ids[8:])
    here.index.compact(force=True)
    assert here.snapshot().name != there.snapshot().name
    assert here.alive() == there.alive() == set(here.texts())
    assert len(there.alive()) == 8
    assert there.words("apple") == here.words("apple") and len(there.words("apple")) == 1
    assert there.nearest("apple") == here.nearest("apple") and len(there.nearest("apple")) == 8
    there.start()
    assert len(there.alive()) == 8
    there.index.compact(force=True)
    assert len(there.alive()) == 8 and there.rows("removed_chunks") == []


def test_removals_are_forgotten_when_every_snapshot_is_younger(machines):
    here, there = machines
    first, second, _ = filled(here, 3)
    for each in machines:
        each.index.compact(force=True)
    here.remove(first)
    here.index.compact(force=True)
    assert len(here.rows("removed_chunks")) == 1, "the other machine's snapshot still has it"
    there.remove(second)
    there.index.compact(force=True)
    assert len(here.rows("removed_chunks")) == 1, "that of the first machine has the second one"
    here.index.compact(force=True)
    assert here.rows("removed_chunks") == [] and len(here.rows("snapshots")) == 2
    assert len(here.alive()) == len(there.alive()) == 1


def test_a_snapshot_that_nobody_waited_for_is_made_anew(machines):
    here, there = machines
    ids = filled(here, 6)
    for each in machines:
        each.index.compact(force=True)
    old = there.snapshot()
    here.remove(*ids[:4])
    here.index.compact(force=True)
    late = {each.cache_id: each.made_at for each in here.rows("snapshots")}
    (mine,) = [each for each in here.rows("snapshots") if each.last_removal]
    with here.database.write(5) as connection:
        removals.register(connection, mine.cache_id, mine.last_removal, max(late.values()) + 31 * DAY)
    assert here.rows("removed_chunks") == [] and len(here.rows("snapshots")) == 1
    assert there.alive() == here.alive() == set(here.texts())
    there.start()
    assert there.alive() == set(here.texts())
    there.index.compact(force=True)
    assert there.snapshot().name != old.name and len(here.rows("snapshots")) == 2


def test_a_machine_that_only_reads_rebuilds_for_removals_alone(machines, monkeypatch):
    monkeypatch.setattr(search_index, "REBUILD_AFTER", 5)
    here, there = machines
    ids = filled(here, 20)
    for each in machines:
        each.index.compact(force=True)
    here.remove(*ids[:10])
    here.index.compact()
    assert there.index.compact(), "ten removals are more than an eighth of twenty chunks"
    assert there.rows("removed_chunks") == [] and len(there.alive()) == 10


def put_back(machine, path, content):
    """The database file as it was, under the snapshots that were made since."""
    machine.database.close()
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    path.write_bytes(content)
    machine.start()


def test_a_database_put_back_from_a_backup_is_not_searched_by_a_later_snapshot(tmp_path):
    path = tmp_path / "bob.db"
    machine = Machine(str(path), tmp_path)
    filled(machine, 4)
    machine.database.truncate_log()
    backup = path.read_bytes()
    machine.remove(*filled(machine, 8)[:2])
    machine.index.compact(force=True)
    put_back(machine, path, backup)
    assert machine.alive() == set(machine.texts()) and len(machine.texts()) == 4


def test_a_later_snapshot_is_not_used_either_once_the_ids_have_grown_past_it(tmp_path):
    path = tmp_path / "bob.db"
    machine = Machine(str(path), tmp_path)
    filled(machine, 4)
    machine.index.compact(force=True)
    machine.database.truncate_log()
    backup = path.read_bytes()
    for at in range(4):
        machine.save(f"/later{at}.md", "quince later")
    machine.index.compact(force=True)
    put_back(machine, path, backup)
    for at in range(6):
        machine.save(f"/other{at}.md", "date other")
    assert machine.words("quince later") == set()
    assert machine.words("other") == {each for each, text in machine.texts().items() if "other" in text}
    machine.index.compact(force=True)
    assert machine.snapshot() is not None and len(machine.words("other")) == 6


def test_random_operations_leave_both_machines_with_equal_hits(machines, monkeypatch):
    monkeypatch.setattr(search_index, "REBUILD_AFTER", 12)
    chance = random.Random(SEED)
    ids, did = {}, Counter()
    weights = {"save": 40, "remove": 20, "remove many": 3, "embed": 10, "compact": 12, "look": 20}
    weights |= {"restart": 8, "expire": 2, "drop the index": 1}
    for _ in range(OPERATIONS):
        machine = chance.choice(machines)
        kind = chance.choices(list(weights), list(weights.values()))[0]
        did[kind] += 1
        if kind == "save":
            path = f"/{chance.randrange(30)}.md"
            texts = [" ".join(chance.choices(WORDS, k=4)) for _ in range(chance.randint(1, 3))]
            ids[path] = machine.save(path, *texts)
        elif kind.startswith("remove") and ids:
            count = 1 if kind == "remove" else len(ids) // 2
            machine.remove(*(ids.pop(chance.choice(sorted(ids))) for _ in range(count)))
        elif kind == "embed":
            machine.embed()
        elif kind == "compact":
            machine.index.compact(force=chance.random() < 0.5)
        elif kind == "look":
            assert machine.alive() == set(machine.texts())
        elif kind == "restart":
            machine.start()
        elif kind == "expire" and (known := machine.rows("snapshots")):
            one = chance.choice(known)
            with machine.database.write(5) as connection:
                removals.register(connection, one.cache_id, one.last_removal, one.made_at + 31 * DAY)
        elif kind == "drop the index":
            Maintain(machine.database, LocalDisks()).drop_index()
            ids.clear()
        query = " ".join(chance.choices(WORDS, k=2))
        if chance.random() < 0.3:
            assert_equal_hits(machines, query)
    for query in WORDS:
        assert_equal_hits(machines, query)
    assert len(did) == len(weights) or OPERATIONS < 200, did


def assert_equal_hits(machines, query):
    here, there = machines
    texts = here.texts()
    assert here.alive() == there.alive() == set(texts)
    wanted = {chunk_id for chunk_id, text in texts.items() if set(query.split()) & set(text.split())}
    assert here.words(query) == there.words(query) == wanted
    assert here.nearest(query) == there.nearest(query)
