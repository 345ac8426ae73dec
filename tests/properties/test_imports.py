"""Imports over any records: nothing twice, nothing of a person's lost, and text that stays text."""

import os
import tempfile
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as some
from markdown_it import MarkdownIt
from small_memory import open_database

from bob.notes.import_notes import ImportNotes, ImportTarget, PdfLimits
from bob.notes.imported import Bookmark, Highlight, Work
from bob.notes.imported_notes import bookmark_notes, highlight_notes, marks_in
from bob.notes.writer import NoteWriter

EXAMPLES = int(os.environ.get("BOB_PROPERTY_EXAMPLES", "12"))
TARGET = ImportTarget(None, (), None, date(2026, 1, 31))
WORDS = some.text(alphabet="aé😀 []()<>*_`#-+|&;:!~\\\n\r\t\u2028\x00\u202e.1", max_size=20)
DAYS = some.none() | some.dates(date(1990, 1, 1), date(2099, 12, 31))
SCHEMES = some.sampled_from(
    [
        "https://x.example/",
        "HTTP://y.example/",
        "javascript:",
        "data:text/html,",
        "file:///",
        "place:",
        "",
        "mailto:",
    ]
)
BOOKMARKS = some.lists(
    some.builds(
        Bookmark,
        some.tuples(SCHEMES, WORDS).map("".join).map(str.strip),
        WORDS.map(lambda text: " ".join(text.split())),
        some.lists(some.sampled_from(["Recipes", "recipes", "a/b", "..", "💡"]), max_size=2).map(tuple),
        DAYS,
        some.lists(WORDS, max_size=2).map(tuple),
        WORDS,
    ),
    max_size=12,
)
HIGHLIGHTS = some.lists(
    some.builds(
        Highlight,
        some.builds(
            Work, some.sampled_from(["The Year", "the year", "Outro"]), some.sampled_from(["", "Ana"])
        ),
        WORDS.map(lambda text: f"w{text}"),
        WORDS.map(str.strip),
        some.sampled_from(["", "page 1", "page 2"]),
        DAYS,
    ),
    max_size=12,
)


@contextmanager
def importing():
    with tempfile.TemporaryDirectory() as made:
        notes = Path(made, "notes")
        notes.mkdir()
        database = open_database(Path(made, "bob.db"))
        limits = PdfLimits(10**6, 10, 2**30)
        service = ImportNotes(database, lambda: NoteWriter([notes]), (notes,), lambda _: None, limits)
        yield service, notes
        database.close()


def carry_out(service, notes):
    plan = service._plan(notes, TARGET, "imported", {}, [])
    service.apply(plan)
    return plan


def texts(notes):
    return {path: path.read_bytes() for path in notes.rglob("*.md")}


@settings(max_examples=EXAMPLES, deadline=None)
@given(BOOKMARKS, BOOKMARKS)
def test_bookmarks_are_added_once_and_what_was_there_stays(first, second):
    with importing() as (service, notes):
        plan = carry_out(service, bookmark_notes(first, "a.html", {}))
        before = texts(notes)
        assert carry_out(service, bookmark_notes(first, "a.html", {})).entries == 0
        assert texts(notes) == before
        more = carry_out(service, bookmark_notes([*second, *first], "b.html", {}))
        after = texts(notes)
        assert all(after[path].startswith(text) for path, text in before.items())
        entries = [each for note in bookmark_notes([*first, *second], "", {}) for each in note.entries]
        kept = {each.marks for each in entries}
        assert plan.entries + more.entries == len(kept)
        assert carry_out(service, bookmark_notes([*first, *second], "c.html", {})).entries == 0


@settings(max_examples=EXAMPLES, deadline=None)
@given(HIGHLIGHTS, HIGHLIGHTS)
def test_highlights_are_added_once_and_what_was_there_stays(first, second):
    with importing() as (service, notes):
        carry_out(service, highlight_notes(first, "a.csv"))
        before = texts(notes)
        carry_out(service, highlight_notes([*first, *second], "b.csv"))
        after = texts(notes)
        assert all(after[path].startswith(text) for path, text in before.items())
        assert carry_out(service, highlight_notes([*second, *first], "c.csv")).entries == 0
        assert texts(notes) == after


@settings(max_examples=EXAMPLES * 4, deadline=None)
@given(BOOKMARKS, HIGHLIGHTS)
def test_what_is_taken_over_is_shown_as_text(bookmarks, highlights):
    for note in [*bookmark_notes(bookmarks, "a", {}), *highlight_notes(highlights, "b")]:
        text = note.text(note.entries, note.title, f"{note.note_id}-1", (), None, TARGET.day)
        for entry in note.entries:
            assert marks_in(text).issuperset(entry.marks)
        tokens = MarkdownIt("commonmark").parse(text.split("---\n\n", 1)[1])
        kinds = [each.type for each in tokens]
        assert kinds.count("heading_open") == 1 and kinds[0] == "heading_open"
        assert not {"html_block", "fence", "code_block", "hr", "ordered_list_open"} & set(kinds)
        inline = [child for each in tokens for child in each.children or ()]
        assert not {"html_inline", "image", "em_open", "strong_open"} & {child.type for child in inline}
        links = [child.attrs["href"] for child in inline if child.type == "link_open"]
        assert all(each.lower().startswith(("http://", "https://")) for each in links)
        if note.is_list:
            assert kinds.count("list_item_open") == len(note.entries)
