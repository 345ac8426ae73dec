"""Every memory of work items does the same: Bob's own, and another Bob's behind the wire protocol."""

import pytest
from served_hippocampus import serving
from small_memory import engine_over

from bob.core.protocols import OrganizationMemory
from bob.work.hippocampus_client import RemoteMemory
from bob.work.local_memory import LocalMemory

FLOOR = 0.1
ITEMS = {
    "workItem:1": ("Customer says app is slow on mobile", "The dashboard takes five seconds to load."),
    "workItem:2": ("Login fails on iOS 17", "Users cannot sign in after the update."),
    "workItem:3": ("Payment gateway timeouts", "Calls at checkout time out during peak hours."),
    "workItem:4": ("Order new office chairs", "Ten chairs for the second floor."),
}


@pytest.fixture(scope="module")
def model():
    from bob.models.networks import OnnxEmbedder

    return OnnxEmbedder(threads=1)


@pytest.fixture
def engine(database_address, tmp_path, model):
    made = engine_over(database_address, cache=str(tmp_path / "cache"))
    made.shipped_model = model
    yield made
    made.close()


@pytest.fixture(params=["local", "remote"])
def memory(request, engine):
    if request.param == "local":
        yield LocalMemory(lambda org_id: engine.for_organization(org_id).team.hippocampus, FLOOR)
        return
    with serving(engine) as (address, keys):
        memories = _ByOrganization(address, keys)
        yield memories
        memories.close()


class _ByOrganization:
    """A service gives each organization its own key."""

    def __init__(self, address, keys):
        self._memories = {
            org_id: RemoteMemory(address, keys[org_id], 30, FLOOR, pause=lambda _: None)
            for org_id in ("local", "other")
        }

    def close(self):
        for each in self._memories.values():
            each.close()

    def __getattr__(self, name):
        return lambda org_id, *values: getattr(self._memories[org_id], name)(org_id, *values)


def document(title, description, status="OPEN"):
    return f"Work Item: {title}\n\nDescription:\n{description}\n\nStatus:\n{status}\n"


@pytest.fixture
def filled(memory):
    for name, (title, description) in ITEMS.items():
        memory.add_resource("local", name, title, document(title, description))
    return memory


def found(memory, text, limit=5, org_id="local"):
    return [name for name, _ in memory.query(org_id, text, limit)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Have we seen similar performance issues before?", "workItem:1"),
        ("Have we seen payment gateway timeouts before?", "workItem:3"),
        ("users can't authenticate", "workItem:2"),
        ("dashboard loads slowly", "workItem:1"),
    ],
)
def test_what_fits_is_found_by_what_it_means(filled, query, first):
    assert found(filled, query)[:1] == [first]


@pytest.mark.parametrize("query", ["banana bread recipe", "Who won the world cup?", "zxqj", "?!"])
def test_what_does_not_fit_is_not_found(filled, query):
    assert found(filled, query) == []


def test_scores_are_probabilities_in_order_and_the_limit_holds(filled):
    scores = [score for _, score in filled.query("local", "mobile app login", 5)]
    assert len(scores) >= 2 and scores == sorted(scores, reverse=True)
    assert all(FLOOR <= score <= 1 for score in scores)
    assert len(filled.query("local", "mobile app login", 1)) == 1
    assert filled.query("local", "mobile app login", 0) == []


def test_a_status_is_not_searched(filled):
    filled.add_resource(
        "local", "workItem:9", "Tide tables", document("Tide tables", "Print.", "QUARANTINED")
    )
    assert "workItem:9" not in found(filled, "closed")


def test_a_collection_may_be_made_twice_and_is_made_when_needed(memory):
    memory.create_collection("local")
    memory.create_collection("local")
    memory.add_resource("local", "workItem:1", *ITEMS["workItem:1"])
    memory.create_collection("local")
    assert found(memory, "slow mobile app") == ["workItem:1"]


def test_an_empty_memory_finds_nothing(memory):
    assert memory.query("local", "anything", 5) == []
    memory.create_collection("local")
    assert memory.query("local", "anything", 5) == []


def test_adding_again_replaces(filled):
    filled.add_resource("local", "workItem:4", "Invoice shows wrong tax", "Nineteen percent, not sixteen.")
    assert found(filled, "office chairs") == []
    assert found(filled, "tax on the invoice") == ["workItem:4"]


def test_an_update_replaces_and_an_unknown_id_is_added(filled):
    filled.update_resource("local", "workItem:4", "Invoice shows wrong tax", "Nineteen percent.")
    filled.update_resource("local", "workItem:5", "Printer jams", "Paper stuck in tray two.")
    assert found(filled, "office chairs") == []
    assert found(filled, "wrong tax on invoice") == ["workItem:4"]
    assert found(filled, "paper jam in the printer") == ["workItem:5"]


def test_a_deleted_text_is_gone_and_may_be_deleted_again(filled):
    filled.delete_resource("local", "workItem:3")
    filled.delete_resource("local", "workItem:3")
    filled.delete_resource("local", "workItem:77")
    assert found(filled, "payment gateway timeout") == []
    filled.add_resource("local", "workItem:3", *ITEMS["workItem:3"])
    assert found(filled, "payment gateway timeout") == ["workItem:3"]


def test_nothing_can_be_deleted_where_nothing_was_ever_added(memory):
    memory.delete_resource("local", "workItem:1")


def test_organizations_do_not_meet(filled):
    filled.add_resource("other", "workItem:1", "Payment gateway of the others", "It times out too.")
    assert found(filled, "payment gateway timeout") == ["workItem:3"]
    assert found(filled, "payment gateway timeout", org_id="other") == ["workItem:1"]
    filled.delete_resource("other", "workItem:1")
    assert found(filled, "slow mobile app") == ["workItem:1"]
    filled.update_resource("other", "workItem:2", "Chairs", "Of the others.")
    assert found(filled, "login on iOS") == ["workItem:2"]


def test_any_text_can_be_kept(memory):
    memory.add_resource("local", "workItem:1", "", "")
    memory.add_resource("local", "workItem:2", "half \ud83d a pair", "lone \udc00 surrogate")
    memory.add_resource("local", "workItem:3", "日本語の題名", "モバイルアプリが遅い " * 300)
    assert found(memory, "half a pair") == ["workItem:2"]
    assert "workItem:3" in found(memory, "モバイルアプリが遅い")


def test_they_are_memories():
    memories: list[type[OrganizationMemory]] = [LocalMemory, RemoteMemory]
    for each in memories:
        assert {"create_collection", "add_resource", "update_resource", "delete_resource", "query"} <= set(
            dir(each)
        )
