"""Imports into notes: what is new is added, nothing twice, and what a person changed stays."""

import json
import shutil
from datetime import date
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from markdown_it import MarkdownIt
from marked_pdf import annotated, boxes, highlight

from bob.core.errors import UsageError
from bob.documents.formats.markdown import parse_markdown
from bob.notes.import_notes import ImportNotes, ImportTarget, PdfLimits
from bob.notes.import_plan import import_id_in
from bob.notes.lint import RULES
from bob.notes.lint_notes import LintNotes
from bob.notes.surroundings import ScanOptions
from bob.notes.writer import NoteWriter

FILES = Path(__file__).parents[1] / "data" / "imports"
PDF = FILES.parent / "parts" / "rules.pdf"
TODAY = date(2026, 1, 31)
TARGET = ImportTarget(None, ("web",), "press", TODAY)
LIMITS = PdfLimits(10**7, 60, 2**31)


class Importing:
    """The service over a folder of notes, and which files it had indexed."""

    def __init__(self, database, notes):
        self.database, self.notes, self.indexed = database, notes, []
        notes.mkdir(exist_ok=True)
        self.service = self.anew(database)

    def anew(self, database):
        return ImportNotes(
            database, lambda: NoteWriter([self.notes]), (self.notes,), self.indexed.extend, LIMITS
        )

    def bookmarks(self, file, form=None, target=TARGET):
        plan = self.service.bookmarks(file, form, target)
        self.service.apply(plan)
        return plan

    def texts(self):
        return {
            str(each.relative_to(self.notes)): each.read_text("utf-8") for each in self.notes.rglob("*.md")
        }


@pytest.fixture
def importing(database, tmp_path):
    return Importing(database, tmp_path / "notes")


@pytest.fixture
def local(engine, tmp_path):
    return Importing(engine.database, tmp_path / "notes")


def test_a_folder_of_bookmarks_becomes_a_note(importing):
    plan = importing.bookmarks(FILES / "chrome.html")
    assert plan.entries == 4 and plan.known == 0
    assert sorted(plan.withheld.values()) == [1, 1, 1]
    texts = importing.texts()
    assert sorted(texts) == [
        "bookmarks/bookmarks-bar-paper.md",
        "bookmarks/bookmarks-bar.md",
        "bookmarks/bookmarks.md",
    ]
    assert texts["bookmarks/bookmarks-bar.md"] == (
        "---\ntitle: 'Bookmarks: Bookmarks bar'\ndate: 2024-07-01\nproject: press\nsource: chrome.html\n"
        "kind: bookmarks\ntags: [bookmark, web]\nimport_id: e4f927ddc6328846-1\n---\n\n"
        "# Bookmarks: Bookmarks bar\n\nBookmarks of the folder Bookmarks bar.\n\n"
        r"- [Oiling & greasing \[guide\]](https://press.example/oil?unit=1&view=all) (added 2024-05-01)"
        "\n- Press manual: `file:///C:/Shelf/Press%20manual.pdf` (added 2024-07-01)\n"
    )
    assert len(importing.indexed) == 3
    again = importing.bookmarks(FILES / "chrome.html")
    assert (again.entries, again.known, importing.texts()) == (0, 4, texts)


def test_the_same_bookmarks_from_elsewhere_are_known(local):
    local.bookmarks(FILES / "chrome.html")
    for other in ("chrome.json", "firefox.json", "firefox.html"):
        assert local.bookmarks(FILES / other).entries == 0


def test_a_dry_run_changes_nothing(local):
    plan = local.service.bookmarks(FILES / "chrome.html", None, TARGET)
    assert plan.entries == 4 and local.texts() == {} and local.indexed == []
    assert local.service.bookmarks(FILES / "chrome.html", None, TARGET).entries == 4


def test_what_a_person_changed_stays_and_new_entries_follow_it(local, tmp_path):
    local.bookmarks(FILES / "chrome.html")
    bar = local.notes / "bookmarks" / "bookmarks-bar.md"
    moved = local.notes / "press" / "links.md"
    moved.parent.mkdir()
    mine = bar.read_text("utf-8").replace("- [Oiling", "My own line.\n\n- [Better title")
    mine = (
        mine.replace("- Press manual", "- Press book").replace("title: 'Bookmarks", "title: 'Links")
        + "\nEnd.\n"
    )
    moved.write_bytes(mine.replace("\n", "\r\n").encode())
    bar.unlink()
    (local.notes / "bookmarks" / "bookmarks-bar-paper.md").write_text(
        "---\nimport_id: x\n---\nAll deleted.\n"
    )
    newer = (
        (FILES / "chrome.html")
        .read_text("utf-8")
        .replace(
            '        <DT><A HREF="file:',
            '        <DT><A HREF="https://new.example/">New *one*</A>\n        <DT><A HREF="file:',
        )
    )
    (tmp_path / "newer.html").write_text(newer, "utf-8")
    plan = local.bookmarks(tmp_path / "newer.html")
    assert (plan.entries, plan.known) == (1, 4)
    after = moved.read_bytes().decode()
    assert after == mine.replace("\n", "\r\n") + "\r\n- [New \\*one\\*](https://new.example/)\r\n"
    assert not bar.exists() and local.bookmarks(tmp_path / "newer.html").entries == 0


def test_what_was_deleted_comes_again_when_that_is_asked_for(local):
    local.bookmarks(FILES / "chrome.html")
    note = local.notes / "bookmarks" / "bookmarks.md"
    before = note.read_text("utf-8")
    note.write_text(before.split("- [")[0], "utf-8")
    assert local.bookmarks(FILES / "chrome.html").entries == 0
    plan = local.bookmarks(FILES / "chrome.html", target=ImportTarget(None, (), None, TODAY, again=True))
    assert plan.entries == 1 and note.read_text("utf-8").strip() == before.strip()
    assert plan.entries + plan.known == 4


def test_a_new_database_knows_what_stands_in_the_notes(local, tmp_path):
    from bob.storage.database import SqliteDatabase
    from bob.storage.organizations import ensure_organization

    local.bookmarks(FILES / "chrome.html")
    local.service.apply(local.service.highlights(FILES / "readwise.csv", TARGET))
    texts = local.texts()
    other = SqliteDatabase(tmp_path / "other.db", "local")
    ensure_organization(other)
    local.service = local.anew(other)
    assert local.bookmarks(FILES / "chrome.html").entries == 0
    plan = local.service.highlights(FILES / "readwise.csv", TARGET)
    local.service.apply(plan)
    assert plan.entries == 0 and local.texts() == texts
    # From then on the database knows, even when they are deleted.
    (local.notes / "bookmarks" / "bookmarks.md").unlink()
    assert local.bookmarks(FILES / "chrome.html").entries == 0
    other.close()


def test_names_that_are_taken_are_left_to_whoever_has_them(local, tmp_path):
    (local.notes / "bookmarks").mkdir()
    own = local.notes / "bookmarks" / "recipes.md"
    own.write_text("Mine.\n", "utf-8")
    html = "".join(
        f'<dt><h3>{name}</h3><dl><dt><a href="https://x.example/{at}">x</a></dl>'
        for at, name in enumerate(["Recipes", "recipes!", "RECIPES", "../../etc", "con", "", "a" * 300, "😀"])
    )
    (tmp_path / "b.html").write_text(f"<dl>{html}</dl>", "utf-8")
    plan = local.bookmarks(tmp_path / "b.html")
    names = [each.planned.path.name for each in plan.changes]
    assert names[:5] == ["recipes-2.md", "recipes-3.md", "recipes-4.md", "etc.md", "con-note.md"]
    assert len(set(names)) == len(names) == 8 and own.read_text("utf-8") == "Mine.\n"
    assert all(each.planned.path.parent == local.notes / "bookmarks" for each in plan.changes)


def test_a_large_folder_is_spread_over_notes_that_are_filled_up(local, tmp_path):
    def export(count):
        links = "".join(f'<dt><a href="https://x.example/{at}">Title {at}</a>\n' for at in range(count))
        (tmp_path / "b.html").write_text(f"<dl><dt><h3>Many</h3><dl>{links}</dl></dl>", "utf-8")
        return tmp_path / "b.html"

    plan = local.bookmarks(export(1100))
    assert [each.entries for each in plan.changes] == [500, 500, 100]
    assert [each.planned.path.name for each in plan.changes] == ["many.md", "many-2.md", "many-3.md"]
    plan = local.bookmarks(export(1600))
    assert [(each.planned.path.name, each.entries) for each in plan.changes] == [
        ("many-3.md", 400),
        ("many-4.md", 100),
    ]
    assert local.bookmarks(export(1600)).entries == 0


def test_highlights_of_a_work_become_a_note(local):
    plan = local.service.highlights(FILES / "My Clippings.txt", TARGET)
    local.service.apply(plan)
    texts = local.texts()
    assert texts["highlights/the-printing-year-ana-prado.md"].partition("---\n\n")[2] == (
        "# Highlights: The Printing Year\n\nWhat was marked in The Printing Year by Ana Prado.\n\n"
        "> A press that rests for a week needs a morning to wake up.\n\nTrue of ours as well!\n\n"
        "(Page 12, location 145-147; added 2024-05-14)\n"
    )
    parsed = parse_markdown(texts["highlights/the-printing-year-ana-prado.md"])
    assert (parsed.title, parsed.project, parsed.tags) == (
        "Highlights: The Printing Year",
        "press",
        ("highlight", "web"),
    )
    assert parsed.source_date.value == date(2024, 5, 14)


def test_a_comment_that_is_made_later_is_added_alone(local, tmp_path):
    file = tmp_path / "h.csv"
    file.write_text(
        "text,source\nA press that rests for a week needs a whole long morning to wake up again.,Year\n"
    )
    local.service.apply(local.service.highlights(file, TARGET))
    file.write_text(
        file.read_text().replace("text,source", "text,source,note").replace(",Year", ",Year,So true")
    )
    plan = local.service.highlights(file, TARGET)
    local.service.apply(plan)
    assert plan.entries == 1
    (text,) = local.texts().values()
    assert text.count("> A press") == 1
    assert text.endswith(
        "\n\nOn «A press that rests for a week needs a whole long morning to wake up again.»:\n\nSo true\n"
    )
    assert local.service.highlights(file, TARGET).entries == 0


def test_what_is_imported_shows_as_it_was_and_does_no_more(local, tmp_path):
    evil = (
        "<script>alert(1)</script> [[wiki]] ![x](javascript:1) `code` # no heading\n---\n"
        "- [ ] task\n1. one\n<!-- bob"
    )
    content = [{"text": evil, "source": "A: *b*", "note": "# x"}]
    (tmp_path / "h.json").write_text(json.dumps(content))
    local.service.apply(local.service.highlights(tmp_path / "h.json", TARGET))
    (text,) = local.texts().values()
    html = MarkdownIt("commonmark").render(text.partition("---\n\n")[2])
    assert "<script" not in html and "<img" not in html and "<a " not in html and "<li>" not in html
    assert html.count("<h1>") == 1 and "<h2>" not in html and "<!--" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; [[wiki]] ![x](javascript:1) `code`" in html


def test_passwords_in_addresses_stay_behind(local, tmp_path):
    (tmp_path / "b.html").write_text('<dl><dt><a href="https://ana:geheim@x.example/a@b">x</a></dl>')
    plan = local.bookmarks(tmp_path / "b.html")
    (text,) = local.texts().values()
    assert "geheim" not in text and "(https://x.example/a@b)" in text
    assert plan.withheld == {"without the user's name and password in the address": 1}


def test_imported_notes_break_no_rule(local):
    local.bookmarks(FILES / "firefox.html")
    for name in ("My Clippings.txt", "readwise.csv", "highlights.json"):
        local.service.apply(local.service.highlights(FILES / name, TARGET))
    linter = LintNotes(lambda: NoteWriter([local.notes]), ScanOptions(False, (), 10**7), ())
    report = linter.lint_notes([local.notes], RULES, TODAY)
    found = [(path, each.rule.rule_id, each.message) for path, each in report.findings]
    assert [each for each in found if each[1] != "BOB021"] == [] and len(report.files) > 4


def test_annotations_of_pdfs_are_read_apart(local, tmp_path):
    text = pdfium.PdfDocument(PDF)[0].get_textpage().get_text_range()
    line = text.replace("\r", "").split("\n")[1].strip()
    made = annotated(PDF, tmp_path / "made.pdf", [highlight(boxes(PDF, [line]), Contents="Ask Rui")])
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    plan = local.service.annotations([made, tmp_path / "bad.pdf", tmp_path / "gone.pdf"], TARGET)
    assert [each.rpartition(": ")[2] for each in sorted(plan.problems)] == [
        "damaged, or not a PDF",
        "the file is no longer there",
    ]
    local.service.apply(plan)
    (text,) = local.texts().values()
    assert f"> {line}\n\nAsk Rui\n\n(Page 1)\n" in text and f"source: {made}\n" in text
    assert local.service.annotations([made], TARGET).entries == 0


def test_nothing_is_written_where_it_is_not_allowed(local, tmp_path):
    elsewhere = ImportTarget(tmp_path / "elsewhere", (), None, TODAY)
    with pytest.raises(UsageError, match="notes must be below"):
        local.service.bookmarks(FILES / "chrome.html", None, elsewhere)
    with pytest.raises(UsageError, match=r"chrome\.gone: the file is no longer there"):
        local.service.bookmarks(FILES / "chrome.gone", None, TARGET)
    plan = local.service.bookmarks(FILES / "chrome.html", None, TARGET)
    shutil.rmtree(local.notes)
    (tmp_path / "elsewhere").mkdir()
    local.notes.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "bookmarks").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="through a link"):
        local.service.apply(plan)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\nimport_id: 0123456789abcdef-1\n---\n", "0123456789abcdef-1"),
        ("\ufeff---\r\nimport_id: '0123456789abcdef-12'\r\n---\r\n", "0123456789abcdef-12"),
        ("---\ntitle: x\n---\nimport_id: 0123456789abcdef-1\n", None),
        ("import_id: 0123456789abcdef-1\n", None),
    ],
)
def test_a_note_is_told_by_its_front_matter(text, expected):
    assert import_id_in(text) == expected
