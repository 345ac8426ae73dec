"""What the registry of decisions promises on either engine: it follows the files, and keeps what was said."""

from datetime import UTC, date, datetime

import pytest
from small_memory import add_rows, engine_over, rows_in
from small_shop import RECORDS, by_name, record, shop_in

from bob.core.errors import NotFoundError, UsageError
from bob.decisions import status as decision_status
from bob.decisions.service import DecisionQuery

NOW = datetime(2024, 6, 1, tzinfo=UTC)


@pytest.fixture
def engine(database_address, tmp_path):
    made = engine_over(database_address, cache=str(tmp_path / "cache"))
    yield made
    made.close()


@pytest.fixture
def folder(engine, tmp_path):
    made = shop_in(tmp_path)
    engine.index_files.index_folder(made)
    return made


def statuses(engine):
    return {name: each.status for name, each in by_name(engine).items()}


def ids(engine):
    return {name: each.decision_id for name, each in by_name(engine).items()}


def links(engine):
    names = {number: name for name, number in ids(engine).items()}
    with engine.database.read() as connection:
        found = decision_status.links_of(connection, names)
    return {(names[each.later], each.kind, names[each.earlier], each.origin) for each in found}


def test_records_are_registered_linked_and_dated(engine, folder):
    assert statuses(engine) == {
        "ADR 2": "superseded",
        "ADR 3": "active",
        "ADR 7": "active",
        "ADR 9": "proposed",
    }
    assert links(engine) == {("ADR 7", "supersedes", "ADR 2", "text")}
    old = by_name(engine)["ADR 2"]
    assert (old.found.status, old.date, old.date_kind) == ("active", date(2019, 5, 2), "front_matter")
    assert [each.text for each in old.found.rejected] == ["MongoDB"]


def test_ids_and_links_stay_while_the_text_changes(engine, folder):
    before = ids(engine)
    path = folder / "adr" / "0003-mail-by-relay.md"
    path.write_text(path.read_text("utf-8") + "\nThe relay is paid by the month.\n", "utf-8")
    engine.index_files.index_folder(folder)
    assert ids(engine) == before and links(engine) == {("ADR 7", "supersedes", "ADR 2", "text")}
    assert engine.extract_decisions.extract_decisions(rebuild=True).documents == len(RECORDS)
    assert ids(engine) == before and statuses(engine)["ADR 2"] == "superseded"


def test_nothing_is_read_twice(engine, folder):
    assert engine.extract_decisions.extract_decisions().documents == 0
    assert engine.extract_decisions.extract_decisions().projects == ()


def test_what_a_removed_record_superseded_holds_again(engine, folder):
    (folder / "adr" / "0007-orders-in-postgresql.md").unlink()
    engine.index_files.index_folder(folder)
    assert statuses(engine) == {"ADR 2": "active", "ADR 3": "active", "ADR 9": "proposed"}
    assert links(engine) == set()
    engine.index_files.remove(folder)
    assert by_name(engine) == {}
    with engine.database.read() as connection:
        assert rows_in(connection, "decisions") == rows_in(connection, "extracted_documents") == []


def test_decisions_follow_their_files_to_another_project(engine, folder):
    before = ids(engine)
    engine.index_files.index_folder(folder, "market")
    assert ids(engine) == before and {each.project for each in by_name(engine).values()} == {"market"}
    assert statuses(engine)["ADR 2"] == "superseded"


def test_a_past_version_of_a_document_decides_nothing(engine, folder):
    successor = by_name(engine)["ADR 7"]
    with engine.database.write() as connection:
        row = {"document_id": successor.document_id, "valid_until": "2023-01-01"}
        add_rows(connection, "past_documents", row)
    engine.extract_decisions.extract_decisions()
    assert statuses(engine) == {"ADR 2": "active", "ADR 3": "active", "ADR 9": "proposed"}


def test_what_the_user_said_outlives_a_new_index_the_file_and_its_return(engine, folder):
    registry = engine.knowledge.decisions
    registry.edit("ADR-9", NOW, status="active", title="Sales reports", date=date(2022, 2, 1))
    registry.supersede("ADR-3", "ADR-9", NOW)

    def said():
        nine = by_name(engine)["ADR 9"]
        return nine.status, nine.found.title, nine.date, nine.date_kind, statuses(engine)["ADR 3"]

    expected = ("active", "Sales reports", date(2022, 2, 1), "user", "superseded")
    assert said() == expected
    engine.extract_decisions.extract_decisions(rebuild=True)
    assert said() == expected
    engine.maintain.drop_index()
    engine.index_files.index_folder(folder)
    assert said() == expected
    path = folder / "adr" / "0009-nightly-reports.md"
    text = path.read_text("utf-8")
    path.unlink()
    engine.index_files.index_folder(folder)
    assert statuses(engine)["ADR 3"] == "active"
    assert [each.about for each in registry.matching(DecisionQuery()).lost] == ["ADR 9 Nightly reports"]
    path.write_text(text, "utf-8")
    engine.index_files.index_folder(folder)
    assert said() == expected
    assert registry.matching(DecisionQuery()).lost == []


def test_undo_lets_the_text_count_again(engine, folder):
    registry = engine.knowledge.decisions
    before = by_name(engine)
    registry.edit("ADR-2", NOW, status="rejected", title="Never mind")
    assert by_name(engine)["ADR 2"].status == "rejected" and by_name(engine)["ADR 2"].corrected
    registry.undo("ADR-2", NOW)
    assert by_name(engine) == before
    with pytest.raises(UsageError, match="there is no correction of ADR 2"):
        registry.undo("ADR-2", NOW)


def test_a_dry_run_tells_and_does_nothing(engine, folder):
    before = by_name(engine)
    registry = engine.knowledge.decisions
    for told in (
        registry.supersede("ADR-3", "ADR-9", NOW, dry_run=True),
        registry.edit("ADR-3", NOW, status="superseded", dry_run=True),
    ):
        assert [(was.status, now.status) for was, now in told.changed] == [("active", "superseded")]
        assert not told.done and by_name(engine) == before


def test_a_correction_of_one_tells_what_it_does_to_others(engine, folder):
    told = engine.knowledge.decisions.edit("ADR-7", NOW, status="rejected")
    assert [(each.name, was.status, each.status) for was, each in told.changed] == [
        ("ADR 2", "superseded", "active"),
        ("ADR 7", "active", "rejected"),
    ]


def test_a_decision_supersedes_neither_itself_nor_what_superseded_it(engine, folder):
    registry = engine.knowledge.decisions
    with pytest.raises(UsageError, match="itself"):
        registry.supersede("ADR-2", "ADR-2", NOW)
    registry.supersede("ADR-3", "ADR-9", NOW)
    with pytest.raises(UsageError, match="circle"):
        registry.supersede("ADR-9", "ADR-3", NOW)
    assert statuses(engine)["ADR 9"] == "proposed" and not by_name(engine)["ADR 9"].corrected


def test_names_are_ids_or_numbers_and_never_guessed(engine, folder, tmp_path):
    registry = engine.knowledge.decisions
    known = ids(engine)
    assert registry.by_name("ADR-0007").decision_id == registry.by_name("adr 7").decision_id == known["ADR 7"]
    assert registry.by_name(f"id-{known['ADR 9']}").name == "ADR 9"
    for name in ("ADR-12", "id-99", "99"):
        with pytest.raises(NotFoundError):
            registry.by_name(name)
    with pytest.raises(UsageError, match="is not a decision"):
        registry.by_name("the last one")
    with pytest.raises(NotFoundError):
        registry.by_name("ADR-0")
    other = tmp_path / "depot" / "adr"
    other.mkdir(parents=True)
    (other / "0000-records.md").write_text(
        record(0, "Records", "2019-01-01", "Accepted", "Why?", "We will write down what we decide."),
        "utf-8",
    )
    (other / "0007-forklifts.md").write_text(
        record(7, "Forklifts", "2020-01-01", "Accepted", "Boxes are heavy.", "We will buy two forklifts."),
        "utf-8",
    )
    engine.index_files.index_folder(tmp_path / "depot")
    assert registry.by_name("ADR-0").name == registry.by_name("ADR-0000").name == "ADR 0"
    with pytest.raises(
        UsageError, match=r"could mean several: id-\d+ \(ADR 7, shop\), id-\d+ \(ADR 7, depot\)"
    ):
        registry.by_name("ADR-7")
    with pytest.raises(UsageError, match="only decisions of one project"):
        registry.supersede(f"id-{known['ADR 7']}", f"id-{max(_every(engine))}", NOW)


def test_a_record_of_another_series_is_not_that_of_the_same_number(engine, tmp_path):
    folder = tmp_path / "mill"
    for path, title, status in (
        ("adr/0003-stones.md", "Stones", "Accepted"),
        ("rfcs/0003-wheels.md", "Wheels", "Accepted"),
        ("adr/0005-rollers.md", "Rollers", "Accepted\n\nSupersedes RFC-3"),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        text = record(
            int(path.split("/")[1][:4]), title, "2020-01-01", status, "It grinds.", f"{title} it is."
        )
        (folder / path).write_text(text, "utf-8")
    engine.index_files.index_folder(folder)
    with engine.database.read() as connection:
        by_title = {each.found.title: each.status for each in decision_status.every(connection)}
    assert (by_title["Stones"], by_title["Wheels"]) == ("active", "superseded")


def _every(engine):
    with engine.database.read() as connection:
        return [each.decision_id for each in decision_status.every(connection)]


def test_a_chain_is_walked_both_ways(engine, folder):
    registry = engine.knowledge.decisions
    registry.supersede("ADR-7", "ADR-9", NOW)

    def flat(branches):
        return [(each.decision.name, flat(each.onward)) for each in branches]

    history = registry.history(registry.by_name("ADR-7"))
    assert (flat(history.later), flat(history.earlier)) == ([("ADR 9", [])], [("ADR 2", [])])
    assert flat(registry.history(registry.by_name("ADR-2")).later) == [("ADR 7", [("ADR 9", [])])]
    assert flat(registry.history(registry.by_name("ADR-9")).earlier) == [("ADR 7", [("ADR 2", [])])]


LISTS = [
    (DecisionQuery(), ["ADR 9", "ADR 7", "ADR 3", "ADR 2"]),
    (DecisionQuery(statuses=("active", "proposed")), ["ADR 9", "ADR 7", "ADR 3"]),
    (DecisionQuery(after=date(2021, 3, 4)), ["ADR 9", "ADR 7"]),
    (DecisionQuery(before=date(2021, 3, 4)), ["ADR 3", "ADR 2"]),
    (DecisionQuery(about="keeping orders"), ["ADR 7", "ADR 2"]),
    (DecisionQuery(about="mongodb"), ["ADR 2"]),
    (DecisionQuery(projects=("SHOP",), about="relay"), ["ADR 3"]),
    (DecisionQuery(projects=("garden",)), []),
]


def test_a_list_keeps_to_its_conditions(engine, folder):
    for query, names in LISTS:
        found = engine.knowledge.decisions.matching(query).decisions
        assert [each.name for each in found] == names, query


def test_organizations_do_not_see_each_others_decisions(engine, folder):
    other = engine.for_organization("other")
    assert other.knowledge.decisions.matching(DecisionQuery()).decisions == []
    with pytest.raises(NotFoundError):
        other.knowledge.decisions.by_name("ADR-7")
