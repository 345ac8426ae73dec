"""A repository is indexed alike on either engine, and what is known of it belongs to one organization."""

from contextlib import closing
from datetime import date

import pytest
from small_memory import engine_over
from small_repository import SmallRepository

from bob.core.search import Filters
from bob.search.query import parse_query


@pytest.fixture
def engine(database_address, tmp_path):
    made = engine_over(database_address, cache=str(tmp_path / "cache"))
    yield made
    made.close()


def texts(engine, **filters):
    hits = engine.search.search_chunks(parse_query("tank", Filters(**filters)), 10).hits
    return sorted(hit.chunk.text.splitlines()[-1] for hit in hits)


def test_a_history_grows(engine, tmp_path):
    other = engine.for_organization("other")
    with closing(SmallRepository(tmp_path / "garden")) as garden:
        garden.commit({"a.md": "# Tank\n\nThe tank is small.\n", "b.md": "# Pump\n\nNear the tank.\n"})
        run = engine.index_git.index_ref
        assert run(garden.path, history=True).added == 2
        garden.commit({"a.md": "# Tank\n\nThe tank is large.\n"})
        report = run(garden.path)
        # b.md has become a past version; its row and its vectors are the same.
        assert (report.added, report.changed, report.moved, report.removed) == (1, 1, 1, 0)
        assert run(garden.path).unchanged == 3
        assert texts(engine) == ["The tank is large."]
        assert texts(engine, as_of=date(2020, 1, 2)) == ["Near the tank.", "The tank is small."]
        assert texts(engine, as_of=date(2020, 1, 1)) == []
        (found,) = engine.index_git.roots().values()
        assert found.options["history"] is True and found.commit_id == garden.repo.head().decode()
        assert other.index_git.roots() == {} and texts(other) == []
        assert other.index_git.remove(garden.path) == 0
        assert engine.index_git.remove(garden.path) == 3 and texts(engine) == []


def test_what_an_older_reading_made_of_a_commit_is_read_again(engine, tmp_path):
    with closing(SmallRepository(tmp_path / "garden")) as garden:
        garden.commit({"a.md": "# Tank\n\nThe tank is small.\n", "b.md": "# Pump\n\nNear the tank.\n"})
        garden.commit({"a.md": "# Tank\n\nThe tank is large.\n"})
        run = engine.index_git.index_ref
        run(garden.path, history=True)
        with engine.database.write() as transaction:
            transaction.execute(
                "UPDATE documents SET reading = 0 WHERE org_id = :org AND path LIKE :path", {"path": "%a.md"}
            )
        report = run(garden.path)
        assert (report.read_again, report.unchanged, report.added, report.removed) == (1, 2, 0, 0)
        assert run(garden.path).unchanged == 3
        assert texts(engine) == ["The tank is large."]
        assert texts(engine, as_of=date(2020, 1, 2)) == ["Near the tank.", "The tank is small."]
