"""Bad input costs one file, never the run, and its owner is told why (SPEC B5, B6)."""

import gzip
import io
import os
import random
import shutil
import zipfile
from pathlib import Path

import pytest
from small_memory import engine_over, write_files

from bob.documents import index_files
from bob.documents.rows import all_paths

PARTS = Path(__file__).parents[1] / "data" / "parts"
GOOD = "# Harbour\n\nThe harbour master keeps the lantern key in the blue box.\n"


def zip_bomb():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b"\0" * 60_000_000)
    return held.getvalue()


@pytest.fixture(scope="module")
def bad(tmp_path_factory):
    """A folder with one good file and one of every bad kind; by name, the code that is expected."""
    folder = tmp_path_factory.mktemp("bad") / "files"
    noise = random.Random(1).randbytes(5_000)
    write_files(
        folder,
        {
            "good.md": GOOD,
            "latin.txt": "Der Schlüssel der Laterne liegt in der blauen Kiste.\n".encode("latin-1"),
            "binary.md": noise,
            "binary.txt": b"\x7fELF\x02\x01\x01" + b"\0" * 200,
            "broken.pdf": b"%PDF-1.7\n" + noise,
            "cut.docx": (PARTS / "move.docx").read_bytes()[:900],
            "no-pdf.pdf": "just words, no PDF at all\n",
            "bomb.docx": zip_bomb(),
            "bomb.md.gz": gzip.compress(b"a " * 3_000_000),
            "large.txt": "word " * 500_000,
            "empty.md": "",
            "blank.md": " \n\n",
            "old.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + noise,
            "utf16.txt": "\ufeffThe compass points north, as it did before.\n".encode("utf-16-le"),
            "line\nbreak.md": "# Odd\n\nA name with a line break is a name like any other.\n",
            "quote'\"#?%[x].md": "# Odder\n\nMarks in a name are marks in a name.\n",
            "photo.jpg": b"\xff\xd8\xff",
        },
    )
    for name in ("locked.pdf", "locked.epub", "scanned.pdf"):
        shutil.copyfile(PARTS / name, folder / name)
    (folder / "self").symlink_to(folder)
    (folder / "up").symlink_to(folder.parent)
    outside = write_files(folder.parent / "outside", {"secret.md": "# Secret\n\nNobody asked for this.\n"})
    (folder / "out").symlink_to(outside)
    (folder / "secret.md").symlink_to(outside / "secret.md")
    (folder / "dangling.md").symlink_to(folder / "nowhere.md")
    os.mkfifo(folder / "pipe.md")
    Path(os.fsdecode(os.fsencode(folder) + b"/odd\xff.md")).write_text(GOOD, encoding="utf-8")
    return folder


FAILING = {
    "binary.md": "binary",
    "binary.txt": "binary",
    "broken.pdf": "damaged",
    "cut.docx": "damaged",
    "no-pdf.pdf": "damaged",
    "bomb.docx": "zip-bomb",
    "bomb.md.gz": "too-large",
    "large.txt": "too-large",
    "empty.md": "empty",
    "blank.md": "no-text",
    "old.doc": "unsupported",
    "locked.pdf": "encrypted",
    "locked.epub": "encrypted",
    "scanned.pdf": None,
    "odd?.md": "unreadable",
}


@pytest.mark.skipif(os.name != "posix", reason="links, pipes and names of bytes")
def test_every_bad_file_is_reported_and_the_rest_is_read(bad, bob):
    limit = {"BOB_INGEST__MAX_FILE_MB": "2"}
    done = bob("index", bad, **limit)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stdout + done.stderr and "not read" in done.stdout
    status = bob.json("status")
    failed = {Path(each["path"]).name: each for each in status["failures"]}
    assert set(failed) == set(FAILING)
    for name, code in FAILING.items():
        assert code is None or failed[name]["code"] == code, failed[name]
        reason = failed[name]["reason"]
        assert reason and "Traceback" not in reason and "bug of the parser" not in reason, reason
    assert status["documents"] == 5 and status["vectors"]["pending"] == 0
    hits = bob.json("search", "lantern key blue box secret compass name marks")["hits"]
    names = {Path(hit["path"]).name for hit in hits}
    assert names == {"good.md", "latin.txt", "utf16.txt", "line\nbreak.md", "quote'\"#?%[x].md"}
    texts = " ".join(hit["text"] for hit in hits)
    assert "Schlüssel" in texts and "Nobody asked" not in texts
    again = bob.json("index", bad, expect=3, **limit)
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, 5)
    assert {Path(each["path"]).name for each in again["failures"]} == set(FAILING)


def test_what_is_mended_is_no_failure_any_more(tmp_path, engine):
    folder = write_files(tmp_path / "files", {"a.md": b"\0\1\2" * 90, "b.md": GOOD})
    assert [each.code for each in engine.index_files.index_folder(folder).failures] == ["binary"]
    (folder / "a.md").write_text("# Mended\n\nNow it can be read.\n", encoding="utf-8")
    report = engine.index_files.index_folder(folder)
    assert (report.added, report.failures) == (1, []) and engine.status.report()["failures"] == []
    (folder / "a.md").write_bytes(b"\0\1\2" * 99)
    assert engine.index_files.index_folder(folder).failures and engine.status.documents() == 1
    (folder / "a.md").unlink()
    assert engine.index_files.index_folder(folder).failures == [] and engine.status.report()["failures"] == []


def test_a_file_that_vanishes_between_look_and_read(tmp_path, engine, monkeypatch):
    folder = write_files(tmp_path / "files", {"a.md": GOOD, "b.md": GOOD.upper()})
    listed = index_files.scan

    def vanishing(root, **more):
        found = listed(root, **more)
        (folder / "a.md").unlink()
        return found

    monkeypatch.setattr(index_files, "scan", vanishing)
    report = engine.index_files.index_folder(folder)
    assert (report.added, report.failures) == (1, [])


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read all")
def test_no_permission(tmp_path, engine):
    folder = write_files(tmp_path / "files", {"a.md": GOOD, "sub/b.md": GOOD, "c.md": GOOD.upper()})
    engine.index_files.index_folder(folder)
    (folder / "a.md").write_text(GOOD + "more\n", encoding="utf-8")
    (folder / "a.md").chmod(0)
    (folder / "sub").chmod(0)
    try:
        report = engine.index_files.index_folder(folder)
        assert {Path(each.path).name for each in report.failures} == {"a.md", "sub"}
        assert engine.status.documents() == 3  # what was read before stays
    finally:
        (folder / "a.md").chmod(0o600)
        (folder / "sub").chmod(0o700)
    assert engine.index_files.index_folder(folder).failures == []


FILES = {
    "keep.md": GOOD,
    "draft.md": GOOD,
    "important.draft.md": GOOD,
    ".hidden.md": GOOD,
    ".obsidian/plugin.md": GOOD,
    ".github/CONTRIBUTING.md": GOOD,
    "node_modules/lib.md": GOOD,
    "build/out.md": GOOD,
    "build/keep.md": GOOD,
    "sub/draft.md": GOOD,
    "sub/local.md": GOOD,
    "sub/deep/local.md": GOOD,
    "sub/deep/private.md": GOOD,
    "logs/a.log.md": GOOD,
    ".gitignore": "draft.md\n*.draft.md\n!important.draft.md\n/build/*\n!/build/keep.md\n",
    ".bobignore": "logs/\n",
    "sub/.gitignore": "local.md\n!draft.md\n",
    "sub/deep/.bobignore": "!local.md\nprivate.md\n",
}


def indexed(engine, folder):
    with engine.database.read() as connection:
        found = all_paths(connection)
    return {str(Path(each).relative_to(folder)) for each in found}


def test_ignore_files_with_negation_and_nesting(tmp_path, engine):
    folder = write_files(tmp_path / "files", FILES)
    engine.index_files.index_folder(folder)
    kept = {"keep.md", "important.draft.md", "build/keep.md", "sub/draft.md", "sub/deep/local.md"}
    kept |= {".github/CONTRIBUTING.md"}
    assert indexed(engine, folder) == kept
    (folder / ".bobignore").write_text("keep.md\n", encoding="utf-8")
    report = engine.index_files.index_folder(folder)
    assert indexed(engine, folder) == kept - {"keep.md", "build/keep.md"} | {"logs/a.log.md"}
    assert report.removed + report.moved == 2


def test_a_folder_below_a_repository_keeps_its_rules(tmp_path, engine):
    folder = write_files(tmp_path / "files", FILES)
    (folder / ".git").mkdir()
    engine.index_files.index_folder(folder / "sub")
    assert indexed(engine, folder) == {"sub/draft.md", "sub/deep/local.md"}


def test_hidden_files_are_read_when_asked_for(tmp_path):
    folder = write_files(tmp_path / "files", FILES)
    engine = engine_over(tmp_path / "bob.db", ingest={"hidden": True, "ignore": ["sub/"]})
    engine.index_files.index_folder(folder)
    found = indexed(engine, folder)
    assert {".hidden.md", ".obsidian/plugin.md"} <= found
    assert not any(each.startswith(("sub/", "node_modules/")) for each in found)
    engine.close()
