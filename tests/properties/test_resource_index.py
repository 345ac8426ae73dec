"""Whatever happened to a collection, its index in memory is the one that would be made anew."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_memory import HashingEmbedder

from bob.work.resource_index import ResourceIndex
from bob.work.resource_rows import Resource
from bob.work.semantic_memory import BM25, Hippocampus

WORDS = ["harbour", "lantern", "tide", "key", "box", "blue", "night", "rope"]
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
changes = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "replace", "delete", "look"]),
        st.integers(1, 7).map(lambda number: f"workItem:{number}"),
        texts,
        texts,
        st.sampled_from(["org:a", "org:b"]),
    ),
    max_size=25,
)


@pytest.fixture
def hippocampus(database):
    return Hippocampus(database, HashingEmbedder())


def fresh(hippocampus, collection):
    embedder = HashingEmbedder()
    return Hippocampus(hippocampus._database, embedder), ResourceIndex(
        hippocampus._database, collection, embedder.model_id, embedder.dimension
    )


def apply(hippocampus, collection, change):
    kind, name, title, content, owner = change
    match kind:
        case "put":
            hippocampus.put([Resource(collection, name, title, content, owner)])
        case "replace":
            hippocampus.replace(name, title, content, collection)
        case "delete":
            hippocampus.delete(name, collection)


def state(view):
    """Each living row by its id: its owner, its vectors, and what a query finds in its words."""
    words = view.words([(term,) for term in terms(view)], view.alive, BM25)
    rows = np.flatnonzero(view.alive)
    return {
        view.ids[row]: (
            view.owners[view.owner_numbers[row]],
            view.contents[row].tobytes(),
            view.titles[row].tobytes(),
            float(words[0][row]),
            float(words[1][row]),
        )
        for row in rows
    }


def terms(view):
    every = np.concatenate([np.empty(0, np.uint64), *(part.block.terms for part in view.parts)])
    alive = {int(term) for part in view.parts for term in part.block.terms if any(living(view, part, term))}
    return sorted(alive & set(every.tolist()))


def living(view, part, term):
    return view.alive[part.block.rows[part.span(int(term))]]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes)
def test_an_index_that_followed_every_change_is_one_made_anew(hippocampus, made):
    collection = hippocampus.collection("org:a")[0].collection_id
    index = ResourceIndex(hippocampus._database, collection, "hashing@1", 64)
    for change in made:
        if change[0] == "look":
            index.view()
        apply(hippocampus, collection, change)
    _, anew = fresh(hippocampus, collection)
    assert state(index.view()) == state(anew.view())
    for owner in ("org:a", "org:b"):
        mine = {view.ids[row] for view in (index.view(),) for row in np.flatnonzero(view.of_owner(owner))}
        assert mine == {name for name, row in state(anew.view()).items() if row[0] == owner}
    for number in range(1, 8):
        hippocampus.delete(f"workItem:{number}", collection)
    assert state(index.view()) == {}


def test_a_view_stays_as_it_was_while_others_write(hippocampus):
    collection = hippocampus.collection("org:a")[0].collection_id
    hippocampus.put([Resource(collection, f"workItem:{n}", "tide", "blue", "org:a") for n in range(5)])
    index = ResourceIndex(hippocampus._database, collection, "hashing@1", 64)
    before = index.view()
    seen = state(before)
    assert index.view() is before
    for n in range(200):
        apply(hippocampus, collection, ("put", f"workItem:{n}", "rope", "night key", "org:a"))
        if n % 20 == 0:
            index.view()
    hippocampus.delete("workItem:3", collection)
    assert state(before) == seen
    assert "workItem:3" not in state(index.view()) and len(state(index.view())) == 199


def test_rows_that_were_replaced_over_and_over_do_not_stay_for_ever(database, monkeypatch):
    from bob.work import resource_index

    monkeypatch.setattr(resource_index, "_MOST_MASKED", 10)
    hippocampus = Hippocampus(database, HashingEmbedder())
    collection = hippocampus.collection("org:a")[0].collection_id
    index = ResourceIndex(database, collection, "hashing@1", 64)
    for n in range(60):
        hippocampus.put([Resource(collection, f"workItem:{n % 3}", "tide", f"blue {n}", "org:a")])
        index.view()
    assert len(index.view().ids) <= 15
    assert state(index.view()) == state(fresh(hippocampus, collection)[1].view())


def test_vectors_of_another_model_are_not_compared_and_can_be_made_anew(database):
    old = Hippocampus(database, HashingEmbedder("old@1", 32))
    collection = old.collection("org:a")[0].collection_id
    old.put([Resource(collection, "workItem:1", "lantern key", "in the blue box", "org:a")])
    new = Hippocampus(database, HashingEmbedder("new@1", 64))
    (found,) = new.search("lantern", collection, "org:a", 5)
    assert np.isnan(found.cosine) and found.words > 0
    assert new.renew() == 1 and new.renew() == 0
    (found,) = new.search("lantern", collection, "org:a", 5)
    assert found.cosine > 0
