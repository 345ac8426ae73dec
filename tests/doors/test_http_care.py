"""The care for what is known over HTTP: decisions, health, notes and lint."""

import httpx
import pytest
from served_memory import served
from small_memory import engine_over, write_files
from small_shop import shop_in


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    engine = engine_over(folder / "bob.db")
    engine.index_files.index_folder(shop_in(folder), "shop")
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        yield client
    engine.close()


NOTES = {
    "gate.md": "---\ndate: 2026-01-05\n---\n# Gate\n\nThe gate is locked at sunset. See [[fence]].\n",
    "fence.md": "---\ndate: 2026-01-06\n---\n# Fence\n\nIt is painted. See [the gate](old/gate.md).\n",
    "pond.md": "The pond is two metres deep. See [[gate]].\n",
}

MESSY = "---\ndate: 4 March 2025\n---\n# Messy\n"


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    """A memory with a broken link, a note without title and date, and a question without an answer."""
    folder = tmp_path_factory.mktemp("notes")
    engine = engine_over(folder / "bob.db", notes={"folders": [str(folder / "notes")]})
    engine.index_files.index_folder(write_files(folder / "notes", NOTES), "garden")
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        client.post("/ask", json={"question": "Who sells sea shells?"})
        client.folder, client.engine = folder / "notes", engine
        yield client
    engine.close()


def names(answer):
    assert answer.status_code == 200, answer.text
    return [each["name"] for each in answer.json()["decisions"]]


def test_decisions_come_in_pages_the_newest_first(shop):
    whole = ["ADR 9", "ADR 7", "ADR 3", "ADR 2"]
    found, cursor = [], None
    while True:
        page = shop.get("/decisions", params={"limit": 1} | ({"cursor": cursor} if cursor else {}))
        found += names(page)
        cursor = page.json()["next"]
        if cursor is None:
            break
    assert found == whole == names(shop.get("/decisions"))
    assert names(shop.get("/decisions", params={"status": ["superseded", "proposed"]})) == ["ADR 9", "ADR 2"]
    assert names(shop.get("/decisions", params={"query": "receipts relay", "project": "Shop"})) == ["ADR 3"]
    assert names(shop.get("/decisions", params={"after": "2019-06", "before": "2022"})) == ["ADR 7", "ADR 3"]
    assert names(shop.get("/decisions", params={"older_than": "1y"})) == whole
    assert names(shop.get("/decisions", params={"project": "other"})) == []
    (old,) = shop.get("/decisions", params={"status": "superseded"}).json()["decisions"]
    assert old["superseded_by"] == [shop.get("/decisions/ADR-7").json()["id"]]


def test_a_decision_is_shown_with_its_links_and_its_history(shop):
    shown = shop.get("/decisions/ADR-2").json()
    assert [each["name"] for each in shown["links"]] == ["ADR 7"]
    assert shop.get(f"/decisions/id-{shown['id']}").json() == shown
    tree = shop.get("/decisions/ADR-7/history").json()
    assert [each["name"] for each in tree["earlier"]] == ["ADR 2"] and tree["later"] == []


def test_what_is_said_of_a_decision_counts_until_it_is_undone(shop):
    asked = {"by": "ADR-9", "dry_run": True}
    told = shop.post("/decisions/ADR-3/supersede", json=asked).json()
    assert not told["done"] and told["changed"][0]["after"]["status"] == "superseded"
    assert shop.get("/decisions/ADR-3").json()["status"] == "active"
    assert shop.post("/decisions/ADR-3/supersede", json={"by": "ADR-9"}).json()["done"]
    assert shop.get("/decisions/ADR-3").json()["status"] == "superseded"
    assert shop.post("/decisions/ADR-3/undo").json()["changed"][0]["after"]["status"] == "active"
    assert shop.post("/decisions/ADR-3/reject").json()["changed"][0]["after"]["status"] == "rejected"
    assert shop.post("/decisions/ADR-3/undo", json={}).json()["done"]
    edit = {"title": "Sales  reports", "date": "2022-02"}
    (changed,) = shop.patch("/decisions/ADR-9", json=edit).json()["changed"]
    assert (changed["after"]["title"], changed["after"]["date"]) == ("Sales reports", "2022-02-01")
    shop.post("/decisions/ADR-9/undo")


def test_findings_are_listed_in_pages_fixed_and_dismissed(notes):
    whole = notes.get("/knowledge-health").json()
    found = {each["rule"]: each["id"] for each in whole["findings"]}
    assert found.keys() == {"broken-link", "no-date", "no-title", "unanswered-question"}
    assert whole["total"] == 4 and whole["next"] is None
    paged, cursor = [], None
    while True:
        asked = {"limit": 3, "taken_at": whole["taken_at"]} | ({"cursor": cursor} if cursor else {})
        page = notes.get("/knowledge-health", params=asked).json()
        paged += page["findings"]
        cursor = page["next"]
        if cursor is None:
            break
    assert paged == whole["findings"]
    narrow = {"rule": "no-date", "project": "garden"}
    (one,) = notes.get("/knowledge-health", params=narrow).json()["findings"]
    assert one == notes.get(f"/knowledge-health/findings/{found['no-date']}").json()

    part = {"after": 1, "limit": 1, "taken_at": whole["taken_at"]}
    rest = notes.get(f"/knowledge-health/findings/{found['unanswered-question']}", params=part).json()
    assert (rest["evidence"], rest["more_evidence"]) == ([], 0)

    said = {each["id"]: each["did"] for each in fixed(notes, all=True, dry_run=True)}
    assert said.keys() == {found["unanswered-question"], found["broken-link"]}
    assert "old/gate.md" in (notes.folder / "fence.md").read_text()
    assert all(each["done"] for each in fixed(notes, ids=[found["broken-link"]]))
    assert "See [the gate](gate.md)." in (notes.folder / "fence.md").read_text()
    assert fixed(notes, ids=[found["unanswered-question"]], into=str(notes.folder / "gaps"))[0]["done"]
    assert "Who sells sea shells?" in next((notes.folder / "gaps").glob("*.md")).read_text()

    away = f"/knowledge-health/findings/{found['no-date']}"
    assert notes.post(f"{away}/dismiss").json() == {"id": found["no-date"], "dismissed": True}
    left = notes.get("/knowledge-health").json()
    assert [each["rule"] for each in left["findings"]] == ["no-title"]
    # What has changed since is not in a look that is read on, and is in a new one.
    (notes.folder / "late.md").write_text("# Late\n\nSee [the tide](tide.md).\n")
    notes.engine.index_files.index_folder(notes.folder, "garden")
    again = {"taken_at": left["taken_at"]}
    assert notes.get("/knowledge-health", params=again).json()["findings"] == left["findings"]
    later = {"taken_at": "2025-03-03T08:59:00+00:00"}
    assert "broken-link" in {
        each["rule"] for each in notes.get("/knowledge-health", params=later).json()["findings"]
    }
    (notes.folder / "late.md").unlink()
    notes.engine.index_files.index_folder(notes.folder, "garden")
    left = notes.get("/knowledge-health").json()
    assert left["dismissed"] == [found["no-date"]]
    assert not notes.post(f"{away}/restore").json()["dismissed"]
    assert notes.post(f"{away}/restore").status_code == 404
    runs = notes.get("/knowledge-health/history").json()["runs"]
    scores = [{each["project"]: each["score"] for each in run["projects"]} for run in runs]
    for each in left["projects"]:
        assert [run[each["project"]] for run in scores] == each["history"]
    for wrong in ({}, {"ids": [found["no-date"]], "all": True}):
        assert notes.post("/knowledge-health/fix", json=wrong).status_code == 400
    for gone in ({"ids": ["stale-1"]}, {"all": True, "into": "notes"}):
        assert notes.post("/knowledge-health/fix", json=gone).status_code in (400, 404)


def fixed(notes, **asked):
    answer = notes.post("/knowledge-health/fix", json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()["outcomes"]


TRIP = {
    "kind": "trip",
    "title": "Faro by train",
    "tags": ["sea"],
    "fields": {"to": "2025-07-09"},
    "date": "2025-07-01",
}


def test_a_note_is_shown_written_and_found(notes):
    kinds = {each["kind"]: each for each in notes.get("/templates").json()["templates"]}
    assert kinds["highlight"]["needs"] == ["title", "quote"] and "to" in kinds["trip"]["fields"]
    assert "{{title}}" in notes.get("/templates/trip").json()["body"]
    shown = notes.post("/notes", json=TRIP | {"dry_run": True}).json()
    path = notes.folder / "trips" / "2025-07-01-faro-by-train.md"
    assert shown["path"] == str(path) and not path.exists() and not shown["written"]
    made = notes.post("/notes", json=TRIP).json()
    assert path.read_text("utf-8") == shown["text"] == made["text"] and made["indexed"]
    again = notes.post("/notes", json=TRIP | {"index": False, "into": str(notes.folder)}).json()
    assert again["path"] == str(notes.folder / path.name) and not again["indexed"]
    (hit, *_) = notes.get("/search", params={"query": "faro tag:sea", "mode": "words"}).json()["hits"]
    assert hit["title"] == "Faro by train"


def test_a_note_is_read_and_saved_but_never_over_another_text(notes):
    path = notes.folder / "gate.md"
    read = notes.get("/notes", params={"path": str(path)}).json()
    assert read == {"path": str(path), "text": path.read_text("utf-8")}
    edit = {"path": str(path), "text": read["text"].replace("sunset", "ten"), "before": read["text"]}
    assert not notes.put("/notes", json=edit | {"dry_run": True}).json()["written"]
    assert path.read_text("utf-8") == read["text"]
    for wrong in ({"before": None}, {"before": "# Other"}, {"path": "/etc/gate.md", "before": None}):
        assert notes.put("/notes", json=edit | wrong).status_code == 400
    assert notes.put("/notes", json=edit).json()["indexed"] and path.read_text("utf-8") == edit["text"]
    assert notes.put("/notes", json=edit).status_code == 400
    new = {"path": str(notes.folder / "new" / "pump.md"), "text": "# Pump\n\nThe pump is loud.\n"}
    assert notes.put("/notes", json=new).json() == new | {"written": True, "indexed": True}
    for path in ("/etc/passwd", str(notes.folder.parent / "bob.db"), "gate.md", "/etc/gate.md"):
        assert notes.get("/notes", params={"path": path}).status_code == 400


PLAN = "# Plan\n\nSee [the gate](gate.md).   \n"


def test_a_text_is_checked_and_mended_while_it_is_written(notes):
    told = notes.post("/lint", json={"text": PLAN}).json()
    found = {each["name"]: each for each in told["findings"]}
    assert (
        told["files"] == 1
        and found["missing-date"]["line"] >= 1
        and found["missing-date"]["path"] == "note.md"
    )
    dated = notes.post("/lint", json={"text": PLAN, "name": "2025-07-01-plan.md"}).json()
    assert "missing-date" not in {each["name"] for each in dated["findings"]}
    one = notes.post("/lint", json={"text": PLAN, "select": ["missing-date"]}).json()
    assert [each["name"] for each in one["findings"]] == ["missing-date"]
    mended = notes.post("/lint/fix", json={"text": MESSY}).json()
    assert mended["text"] != MESSY and mended["repairs"][0]["diff"] and not mended["done"]
    assert notes.post("/lint/fix", json={"text": mended["text"]}).json()["repairs"] == []


def test_notes_on_the_disk_are_checked_and_mended(notes):
    path = notes.folder / "messy.md"
    path.write_text(MESSY, "utf-8")
    told = notes.post("/lint", json={"path": str(path)}).json()
    assert {each["path"] for each in told["findings"]} == {str(path)}
    asked = {"path": str(path), "dry_run": True}
    shown = notes.post("/lint/fix", json=asked).json()
    assert not shown["done"] and path.read_text("utf-8") == MESSY
    assert notes.post("/lint/fix", json={"path": str(path)}).json() == shown | {"done": True}
    assert path.read_text("utf-8") != MESSY
    for wrong in ({}, {"path": str(path), "text": "x"}, {"path": "notes"}, {"text": "", "select": ["no"]}):
        assert notes.post("/lint", json=wrong).status_code == 400


MISTAKES = [
    ("GET", "/decisions/ADR-99", None, 404),
    ("GET", "/decisions/what", None, 400),
    ("GET", "/decisions?after=soon", None, 400),
    ("GET", "/decisions?older_than=long", None, 400),
    ("GET", "/decisions?status=fine", None, 400),
    ("GET", "/decisions?cursor=W251bGwsICIxIl0", None, 400),
    ("PATCH", "/decisions/ADR-9", {"title": " "}, 400),
    ("PATCH", "/decisions/ADR-9", {"date": "soon"}, 400),
    ("POST", "/decisions/ADR-9/undo", None, 400),
    ("POST", "/decisions/ADR-9/supersede", {"by": "ADR-9"}, 400),
    ("POST", "/decisions/ADR-9/supersede", {"by": "ADR-99"}, 404),
    ("GET", "/templates/nap", None, 404),
    ("POST", "/notes", {"kind": "nap"}, 404),
    ("POST", "/notes", {"kind": "meeting"}, 400),
    ("POST", "/notes", {"kind": "daily", "date": "31/1/2025"}, 400),
    ("POST", "/notes", {"kind": "daily", "fields": {"tags": "x"}}, 400),
    ("POST", "/notes", {"kind": "daily", "into": ".."}, 400),
]


@pytest.mark.parametrize(("method", "path", "body", "status"), MISTAKES)
def test_mistakes_are_told(shop, method, path, body, status):
    told = shop.request(method, path, json=body)
    assert told.status_code == status and told.json()["detail"], told.text
