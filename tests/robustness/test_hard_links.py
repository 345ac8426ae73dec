"""A hard link is a file like any other: read by each of its names, and never written through."""

from pathlib import Path

import pytest
from served_memory import GARDEN
from small_memory import engine_over, write_files

from bob.app.folder_settings import UserRecords
from bob.core.errors import UsageError
from bob.core.private_files import write_private_file
from bob.core.search import Query
from bob.documents.scan import scan
from bob.documents.uploads import SaveUploads
from bob.evaluation.golden import write_golden
from bob.notes.writer import NoteWriter, PlannedNote

OUTSIDE = "# Outside\n\nThe ladder hangs behind the barn.\n"


@pytest.fixture
def linked(tmp_path):
    """A folder with a file that has another name outside, and one that has two names inside."""
    write_files(tmp_path, {"outside.md": OUTSIDE})
    folder = write_files(tmp_path / "notes", {"hedge.md": GARDEN["hedge.md"]})
    try:
        (folder / "ladder.md").hardlink_to(tmp_path / "outside.md")
    except OSError:
        pytest.skip("the file system has no hard links")
    (folder / "hedge again.md").hardlink_to(folder / "hedge.md")
    return folder


def test_each_name_is_a_document(linked, tmp_path):
    names = [Path(each.path).name for each in scan(linked).files]
    assert names == ["hedge again.md", "hedge.md", "ladder.md"]
    engine = engine_over(tmp_path / "bob.db")
    engine.index_files.index_folder(linked, "notes")
    found = engine.search.search_chunks(Query("the ladder behind the barn"), 1)
    assert found.hits[0].chunk.path == str(linked / "ladder.md")
    # One of two names goes: the other one stays, with what it says.
    (linked / "hedge.md").unlink()
    (tmp_path / "outside.md").unlink()
    engine.index_files.index_folder(linked, "notes")
    paths = {
        each.chunk.path for each in engine.search.search_chunks(Query("hedge August ladder barn"), 10).hits
    }
    assert paths == {str(linked / "hedge again.md"), str(linked / "ladder.md")}
    engine.close()


def test_a_symbolic_link_to_the_same_file_is_passed_over(linked, tmp_path):
    (linked / "link.md").symlink_to(tmp_path / "outside.md")
    assert "link.md" not in [Path(each.path).name for each in scan(linked).files]


def test_a_note_that_is_edited_leaves_its_other_name_alone(linked, tmp_path):
    writer = NoteWriter([linked])
    writer.write(PlannedNote(linked / "ladder.md", "# New\n", True), replace=OUTSIDE)
    assert (linked / "ladder.md").read_text("utf-8") == "# New\n"
    assert (tmp_path / "outside.md").read_text("utf-8") == OUTSIDE
    with pytest.raises(UsageError):
        writer.write(writer.plan(linked, "hedge.md", "# Mine\n"))
    assert (linked / "hedge again.md").read_text("utf-8") == GARDEN["hedge.md"]


def test_an_upload_never_writes_into_a_file_that_is_there(linked, tmp_path):
    keep = SaveUploads(tmp_path / "uploads")
    folder = keep.folder_of("garden")
    folder.mkdir(parents=True)
    (folder / "ladder.md").hardlink_to(tmp_path / "outside.md")
    with (linked / "hedge.md").open("rb") as content:
        kept = keep.save_file("garden", "ladder.md", content)
    assert kept.path.name == "ladder-2.md"
    assert (tmp_path / "outside.md").read_text("utf-8") == OUTSIDE


@pytest.mark.parametrize("write", ["golden", "private", "records"])
def test_a_file_that_is_replaced_leaves_its_other_name_alone(linked, tmp_path, write):
    if write == "golden":
        path = linked / "ladder.md"
        write_golden(path, [{"id": "a"}], replace=True)
    elif write == "private":
        path = linked / "ladder.md"
        write_private_file(path, "new")
    else:
        records = UserRecords(tmp_path / "records")
        records.write("one", {"a": 1})
        (path,) = (tmp_path / "records").iterdir()
        path.unlink()
        path.hardlink_to(tmp_path / "outside.md")
        records.write("one", {"a": 2})
    assert path.read_text("utf-8") != OUTSIDE
    assert (tmp_path / "outside.md").read_text("utf-8") == OUTSIDE
