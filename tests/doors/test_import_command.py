"""`bob import` as a person calls it."""

import shutil
from pathlib import Path

FILES = Path(__file__).parents[1] / "data" / "imports"


def test_bookmarks_are_taken_over_found_and_not_taken_twice(bob):
    (bob.home / "notes").mkdir()
    (bob.home / "bob.yaml").write_text("notes: {folders: [notes]}\n")
    assert bob("trust", "--yes").returncode == 0
    shutil.copy(FILES / "firefox.html", bob.home / "bookmarks.html")
    assert bob("index", "notes").returncode == 0
    planned = bob("import", "bookmarks", "bookmarks.html", "--dry-run")
    assert (
        planned.returncode == 0
        and "3 entries would be added to 3 notes, 0 already imported" in planned.stdout
    )
    assert list((bob.home / "notes").iterdir()) == []
    done = bob.json("import", "bookmarks", "bookmarks.html", "--tag", "web")
    assert (done["done"], done["entries"], done["known"], len(done["notes"])) == (True, 3, 0, 3)
    assert done["withheld"] == {"left out: a page of the browser itself": 1}
    again = bob("import", "bookmarks", "bookmarks.html", "--from", "netscape")
    assert again.stdout.splitlines()[-1] == "0 entries added to 0 notes, 3 already imported"
    found = bob.json("search", "where does the soy ink come from", "--tag", "web")
    assert "bookmarks" in found["hits"][0]["path"]


def test_what_cannot_be_taken_over_is_told(bob):
    unset = bob("import", "highlights", FILES / "readwise.csv")
    assert unset.returncode == 2 and "notes.folders" in unset.stderr
    (bob.home / "notes").mkdir()
    (bob.home / "bob.yaml").write_text("notes: {folders: [notes]}\n")
    assert bob("trust", "--yes").returncode == 0
    partly = bob("import", "highlights", FILES / "readwise.csv", "--no-index")
    assert partly.returncode == 3 and "line 5: has neither a text nor a note" in partly.stderr
    assert "3 entries added to 2 notes" in partly.stdout
    wrong = bob("import", "bookmarks", FILES / "readwise.csv")
    assert wrong.returncode == 2 and "unknown bookmark format" in wrong.stderr
    damaged = bob.json("import", "pdf-annotations", FILES / "readwise.csv", expect=3)
    assert damaged["entries"] == 0 and "not a PDF" in damaged["problems"][0]
