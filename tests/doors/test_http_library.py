"""The library over HTTP: pages of documents, places in their files, runs of the index, and files that are
sent."""

import io
import json
import shutil
import struct
import time
import zlib
from pathlib import Path

import httpx
import pytest
from drawn_pdf import SCAN, drawn_pdf, paragraph
from served_memory import GARDEN, KITCHEN, index, served
from small_memory import engine_over, write_files

RULES = Path(__file__).parents[1] / "data" / "parts" / "rules.pdf"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    command = ["touch", str(folder / "opened {line}"), "{path}.seen"]
    uploads = {"uploads": str(folder / "uploads")}
    engine = engine_over(folder / "bob.db", server=uploads, open={"command": command})
    dated = {"old.md": "---\ndate: 2019-05-01\ntags: [plan]\n---\n# Old\n\nThe old plan.\n"}
    index(engine, folder, garden=GARDEN | dated, kitchen=KITCHEN)
    shutil.copy(RULES, folder / "kitchen" / "rules.pdf")
    engine.index_files.index_folder(folder / "kitchen")
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        client.folder = folder
        client.engine = engine
        yield client
    engine.close()


def documents(home, **asked):
    """All documents, page by page."""
    found, cursor = [], None
    while True:
        page = home.get("/documents", params=asked | {"limit": 2} | ({"cursor": cursor} if cursor else {}))
        found += page.json()["documents"]
        cursor = page.json()["next"]
        if cursor is None:
            return found


def names(found):
    return [Path(each["path"]).name for each in found]


def test_documents_come_in_pages_in_any_order(home):
    whole = ["hedge.md", "old.md", "shed.md", "rules.pdf", "soup.md"]
    assert names(documents(home)) == whole
    assert names(documents(home, order="title")) == ["rules.pdf", "hedge.md", "old.md", "shed.md", "soup.md"]
    newest, oldest = (names(documents(home, order=each)) for each in ("newest", "oldest"))
    assert newest[-1] == "old.md" == oldest[0] and sorted(newest) == sorted(oldest) == sorted(whole)
    assert names(documents(home, projects="kitchen")) == ["rules.pdf", "soup.md"]
    assert names(documents(home, tags="plan")) == ["old.md"] == names(documents(home, before="2020"))
    assert names(documents(home, types="pdf")) == ["rules.pdf"]


@pytest.mark.parametrize("cursor", ["x", "!!", "bnVsbA", "W10", "é", "A" * 99])
def test_a_cursor_that_is_none_is_refused(home, cursor):
    for path in ("/documents", "/answers", "/chats", "/memories"):
        told = home.get(path, params={"cursor": cursor})
        assert (told.status_code, told.json()["field"]) == (400, "cursor"), path


def test_a_cursor_of_another_order_is_refused(home):
    following = home.get("/documents", params={"limit": 1, "order": "newest"}).json()["next"]
    assert home.get("/documents", params={"cursor": following, "order": "path"}).status_code == 400


def test_projects_have_counts_and_folders(home):
    (garden,) = [each for each in home.get("/projects").json()["projects"] if each["project"] == "garden"]
    assert (garden["documents"], garden["folders"]) == (3, [str(home.folder / "garden")])


def test_a_document_shows_its_chunks_in_windows_and_is_not_sent_twice(home):
    rules = names(documents(home)).index("rules.pdf")
    number = documents(home)[rules]["document_id"]
    whole = home.get(f"/documents/{number}").json()
    assert [each["ordinal"] for each in whole["content"]] == list(range(whole["chunks"])) and whole[
        "chunks"
    ] > 1
    first = home.get(f"/documents/{number}", params={"limit": 1}).json()
    second = home.get(f"/documents/{number}", params={"limit": 1, "first": first["next"]}).json()
    assert [first["content"][0], second["content"][0]] == whole["content"][:2] and whole["next"] is None
    tag = home.get(f"/documents/{number}").headers["etag"]
    assert home.get(f"/documents/{number}", headers={"If-None-Match": tag}).status_code == 304
    for path in ("/documents/999", "/documents/999/source", "/documents/999/pages/1"):
        assert home.get(path).status_code == 404


def test_a_place_is_shown_in_the_file_itself(home):
    hit = home.get("/search", params={"query": "week of August"}).json()["hits"][0]
    path = f"/documents/{hit['document_id']}/source"
    shown = home.get(path, params={"locator": json.dumps(hit["locator"]), "window": 0}).json()
    assert "\n".join(shown["lines"]) == hit["text"] and not shown["changed"]
    assert home.get(path, params={"chunk_id": hit["chunk_id"], "window": 0}).json() == shown
    third = json.dumps({"kind": "lines", "start_line": 3, "end_line": 3})
    around = home.get(path, params={"locator": third, "window": 1}).json()
    assert (around["first_line"], len(around["lines"]), around["total_lines"]) == (2, 3, 4)
    file = Path(hit["path"])
    before = file.read_text()
    file.write_text(before + "\nMore.\n")
    assert home.get(path).json()["changed"]
    file.write_text(before)
    beyond = json.dumps({"kind": "lines", "start_line": 900, "end_line": 901})
    assert home.get(path, params={"locator": beyond}).status_code == 404
    for wrong in ("x", "[]", '{"kind": "nothing"}', '{"kind": "lines"}', '{"kind": "part", "part": -1}'):
        assert home.get(path, params={"locator": wrong}).json()["field"] == "locator"


def test_a_page_of_a_pdf_is_a_picture_with_boxes_where_the_quote_stands(home):
    (number,) = [each["document_id"] for each in documents(home, types="pdf")]
    (chunk, *_) = home.get(f"/documents/{number}").json()["content"]
    quote = chunk["text"].split("\n\n")[1]
    asked = {"chunk_id": chunk["chunk_id"], "quote": quote}
    shown = home.get(f"/documents/{number}/source", params=asked).json()
    assert quote in shown["text"] and shown["parts"] == 3
    assert shown["boxes"] and all(0 <= a < c <= 1 and 0 <= b < d <= 1 for a, b, c, d in shown["boxes"])
    image = home.get(shown["image"], params={"width": 300})
    assert image.headers["content-type"] == "image/png"
    width, height, dark = pixels(image.content, shown["boxes"])
    assert width == 300 and height > width
    assert dark, "there is ink in the boxes"
    without = {"chunk_id": chunk["chunk_id"], "quote": "not on the page"}
    assert home.get(f"/documents/{number}/source", params=without).json()["boxes"] == []
    assert home.get(f"/documents/{number}/pages/4").status_code == 404
    assert home.get("/documents/1/pages/1").status_code == 400


def pixels(png, boxes):
    """Width and height of the picture, and whether something dark is in every box."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, _, kind = struct.unpack(">IIBB", png[16:26])
    channels = {0: 1, 2: 3, 6: 4}[kind]
    at = png.index(b"IDAT") + 4
    (length,) = struct.unpack(">I", png[at - 8 : at - 4])
    rows, stride = zlib.decompress(png[at : at + length]), width * channels + 1
    dark = []
    for left, top, right, bottom in boxes:
        lines = range(int(top * height), int(bottom * height) + 1)
        columns = range(int(left * width), int(right * width))
        dark.append(any(rows[y * stride + 1 + x * channels] < 128 for y in lines for x in columns))
    return width, height, all(dark)


def test_a_file_that_left_its_folder_by_a_link_is_not_read(home):
    file, secret = home.folder / "kitchen" / "soup.md", home.folder / "secret.txt"
    secret.write_text("not indexed")
    (number,) = [each["document_id"] for each in documents(home) if each["path"] == str(file)]
    before = file.read_text()
    file.unlink()
    for place in (secret, Path("/etc/passwd")):
        file.symlink_to(place)
        assert home.get(f"/documents/{number}/source").status_code == 404
        assert home.post("/open", json={"document_id": number}).status_code == 404
        file.unlink()
    assert home.get(f"/documents/{number}/source").status_code == 404
    file.write_text(before)
    assert home.get(f"/documents/{number}/source").status_code == 200


def test_a_source_is_opened_at_its_place_by_words_and_no_shell(home):
    name = "a b; touch $(x) {line}.md"
    write_files(home.folder / "garden", {name: "# Odd\n\nAn odd name.\n"})
    home.engine.index_files.index_folder(home.folder / "garden")
    (number,) = [each["document_id"] for each in documents(home) if each["path"].endswith(name)]
    place = {"kind": "lines", "start_line": 3, "end_line": 3}
    asked = {"document_id": number, "locator": place}
    planned = home.post("/open", json=asked | {"dry_run": True}).json()
    seen = home.folder / "garden" / f"{name}.seen"
    assert planned == {
        "command": ["touch", str(home.folder / "opened 3"), str(seen)],
        "done": False,
    }
    assert not seen.exists()
    assert home.post("/open", json=asked).json()["done"]
    until = time.monotonic() + 20
    while not seen.exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert seen.exists() and (home.folder / "opened 3").exists()
    assert home.post("/open", json={"document_id": number, "path": "/etc/passwd"}).status_code == 400
    (home.folder / "garden" / name).unlink()
    assert home.post("/open", json=asked).status_code == 404


def ended(home, location):
    """The run when it has ended, and the events that it told."""
    events = home.get(f"{location}/events").text
    return home.get(location).json(), events


def test_a_run_of_the_index_is_watched_to_its_end(home):
    write_files(home.folder / "attic", {"box.md": "# Box\n\nA box of letters.\n", "locked.docx": b"PK no"})
    begun = home.post("/index", json={"path": str(home.folder / "attic"), "project": "attic"})
    assert begun.status_code == 202
    run, events = ended(home, begun.headers["location"])
    assert (run["state"], run["reports"][0]["added"]) == ("done", 1)
    assert "event: progress" in events and events.rstrip().rpartition("event: ")[2].startswith("done")
    later = home.get(f"{begun.headers['location']}/events", headers={"Last-Event-ID": "1"}).text
    assert later == events[events.index("id: 2") :]
    assert run in home.get("/index/runs").json()["runs"]
    (failure,) = home.get("/failures").json()["failures"]
    assert failure["path"].endswith("locked.docx") and failure["reason"] and failure["advice"]
    (home.folder / "attic" / "locked.docx").unlink()
    run, _ = ended(home, home.post("/failures/retry").headers["location"])
    assert run["state"] == "done" and home.get("/failures").json()["failures"] == []
    drawn_pdf(home.folder / "attic" / "plan.pdf", paragraph("The attic is dry."), SCAN)
    again, _ = ended(home, home.post("/index", json={"project": "attic"}).headers["location"])
    (plan,) = again["reports"][0]["read_in_part"]
    assert all(home.get(path).json()["read_in_part"] == [plan] for path in ("/failures", "/status"))
    assert plan["path"].endswith("plan.pdf") and plan["left_out"] == ["page 2 has no text (scanned?)"]
    listed = {Path(each["path"]).name: each["left_out"] for each in documents(home, projects="attic")}
    assert listed == {"box.md": [], "plan.pdf": plan["left_out"]}
    assert again["folders"] == [str(home.folder / "attic")]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"path": "garden"}, 400),
        ({"path": "/no/such/folder"}, 400),
        ({"path": "/x\x00y"}, 400),
        ({"path": "~nobody/x"}, 400),
        ({"project": "nothing"}, 404),
    ],
)
def test_what_cannot_be_indexed_is_told_at_once(home, body, status):
    assert home.post("/index", json=body).status_code == status


def test_a_run_that_is_stopped_keeps_what_it_has(home):
    files = {f"{n}.md": f"# Note {n}\n\nWords about {n}.\n" for n in range(200)}
    write_files(home.folder / "many", files)
    first = home.post("/index", json={"path": str(home.folder / "garden")})
    waiting = home.post("/index", json={"path": str(home.folder / "many")})
    path = waiting.headers["location"]
    assert home.delete(path).status_code == 202
    run, events = ended(home, path)
    assert events.rstrip().rpartition("event: ")[2].startswith("stopped")
    assert run["state"] == "stopped"
    assert ended(home, first.headers["location"])[0]["state"] == "done"
    assert home.get("/index/runs/unknown").status_code == 404


def test_files_that_are_sent_are_kept_under_safe_names_and_indexed(home):
    sent = [
        ("files", ("../../outside.md", b"# Outside\n\nA heron in the uploaded pond.\n")),
        ("files", ("..\\..\\windows.md", b"# Windows\n\nThe heron again.\n")),
        ("files", (".hidden.md", b"# Hidden\n\nHidden words.\n")),
        ("files", ("outside.md", b"# Another\n\nOf the same name.\n")),
    ]
    told = home.post("/files", files=sent, data={"project": "pond/../x"})
    assert told.status_code == 202, told.text
    kept = told.json()["files"]
    assert [each["name"] for each in kept] == ["outside.md", "windows.md", "hidden.md", "outside-2.md"]
    (folder,) = (each for each in (home.folder / "uploads" / "local").iterdir() if each.name[:2] == "x-")
    assert sorted(each.name for each in folder.iterdir()) == sorted(each["name"] for each in kept)
    assert not (home.folder / "outside.md").exists()
    run, _ = ended(home, told.headers["location"])
    assert run["state"] == "done" and run["reports"][0]["added"] == 4
    hits = home.get("/search", params={"query": "heron", "projects": "pond/../x"}).json()["hits"]
    assert {Path(each["path"]).name for each in hits[:2]} == {"outside.md", "windows.md"}
    assert {Path(each["path"]).parent for each in hits} == {folder}
    again = home.post("/files", files=sent[:1], data={"project": "pond/../x"}).json()["files"]
    assert again[0]["new"] is False
    ended(home, f"/index/runs/{home.get('/index/runs').json()['runs'][0]['run']}")
    for wrong in ("...", "/", "..", "x" * 2000):
        told = home.post("/files", files=[("files", (wrong, io.BytesIO(b"x")))])
        assert told.status_code == 400, wrong
    assert home.post("/files", data={"project": "x"}).status_code == 415
