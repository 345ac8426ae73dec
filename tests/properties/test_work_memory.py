"""Whatever happens to work items, and however the memory fails meanwhile: in the end it has what is true."""

import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from small_memory import open_database
from small_work import NOW, Team

from bob.storage import jobs
from bob.text.secrets import redacted
from bob.work.item_text import build_document
from bob.work.items import ARCHIVED, WorkFilter

TITLES = ["Roof leaks", "Roof is dry", "Token ghp_" + "a1B2c3D4e5" * 4]
NUMBERS = st.integers(1, 3)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "title": st.sampled_from(TITLES),
        "description": st.sampled_from([None, "one\r\ntwo", "\x00 "]),
        "category": st.sampled_from([None, 1, 2]),
        "status": st.sampled_from(["OPEN", "DONE", ARCHIVED]),
        "priority": st.sampled_from([None, "LOW"]),
        "fields": st.fixed_dictionaries(
            {},
            optional={
                "text": st.sampled_from(["", "iOS", "4711"]),
                "boolean": st.booleans(),
                "number": st.integers(0, 2),
            },
        ),
    },
)
STEPS = st.one_of(
    st.tuples(st.just("create"), CHANGES),
    st.tuples(st.just("update"), NUMBERS, CHANGES),
    st.tuples(st.just("category"), st.integers(1, 2), st.sampled_from(["A", "B", "C", "D"])),
    st.tuples(st.just("index"), st.integers(1, 3), st.none() | NUMBERS),
    st.tuples(st.just("index while"), NUMBERS, CHANGES),
)
STALE = re.compile(r"\n\n(?:Status|Priority):\n\w+")
"""What the memory may have as it was: it is not indexed again for these."""


def take(team, step):
    kind, *values = step
    known = len(team.items.page(WorkFilter()).items)
    if kind == "create" and known < 3:
        team.create(**({"title": "New"} | values[0]))
    elif kind == "update" and values[0] <= known:
        team.update(values[0], **values[1])
    elif kind == "category":
        names = [each.name for each in team.items.categories()]
        if values[1] not in names:
            team.items.rename_category("ana", values[0], values[1], NOW)
    elif kind == "index":
        team.memory.fail = {f"workItem:{values[1]}"} if values[1] else set()
        team.worker.index_items(values[0])
        team.memory.fail = set()
    elif kind == "index while" and values[0] <= known:
        changes = [values[1]]
        team.memory.before = lambda _: team.update(values[0], **changes.pop()) if changes else None
        team.worker.index_items()
        team.memory.before = lambda _: None


def true_texts(team):
    types = {each.name: each.field_type for each in team.items.fields()}
    return {
        f"workItem:{each.work_item_id}": STALE.sub(
            "", build_document(each, types, lambda piece: redacted(piece).text)
        )
        for each in team.items.page(WorkFilter(archived=False)).items
    }


@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, min_size=3, max_size=25))
def test_the_memory_comes_to_what_is_true(steps):
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(Path(folder) / "bob.db")
        try:
            team = Team(database)
            for name in ("A", "B"):
                team.items.add_category(name, NOW)
            for name in ("text", "boolean", "number"):
                team.items.define_field(name, name)
            for step in steps:
                take(team, step)
            with database.write() as connection:
                jobs.retry_failed(connection)
            team.seconds += 10_000
            while team.worker.index_items().done:
                pass
            texts = {name: STALE.sub("", text) for (_, name), (_, text) in team.memory.texts.items()}
            assert texts == true_texts(team)
        finally:
            database.close()
