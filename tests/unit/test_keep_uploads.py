"""Files that are sent: their names, and that none takes the place of another."""

import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.core.errors import UsageError
from bob.documents.uploads import SaveUploads, safe_name

NAMES = st.text(max_size=300) | st.text("./\\~$ :\x00\u202eé", max_size=40)


@given(NAMES)
def test_a_safe_name_is_one_plain_file(name):
    try:
        found = safe_name(name)
    except UsageError:
        return
    assert found == os.path.basename(found) and "\\" not in found  # noqa: PTH119 - of what another system wrote
    assert found.isprintable() and found[0] not in ".~- " and found[-1] not in ". "
    assert 0 < len(found.encode()) <= 160
    assert safe_name(found) == found


def test_names_keep_what_a_person_reads():
    assert safe_name("Plano é bom (2).md") == "Plano é bom (2).md"
    assert safe_name("日本語.txt") == "日本語.txt"
    assert safe_name("a" * 300 + ".md").endswith(".md")


def test_the_same_content_is_kept_once_and_nothing_is_overwritten(tmp_path):
    keep = SaveUploads(tmp_path)
    kept = [keep.save_file("p", "a.md", io.BytesIO(each)) for each in (b"one", b"two", b"one", b"two")]
    assert [(each.name, each.new) for each in kept] == [
        ("a.md", True),
        ("a-2.md", True),
        ("a.md", False),
        ("a-2.md", False),
    ]
    assert sorted(each.name for each in (tmp_path / "p").iterdir()) == ["a-2.md", "a.md"]
    (tmp_path / "p" / "b.md").symlink_to(tmp_path / "p" / "a.md")
    assert keep.save_file("p", "b.md", io.BytesIO(b"one")).name == "b-2.md"


def test_projects_of_like_names_have_folders_of_their_own(tmp_path):
    keep = SaveUploads(tmp_path)
    folders = [keep.folder_of(name) for name in ("garden", "client/garden", "R&D", "R_D", ".garden")]
    assert len(set(folders)) == 5 and {folder.parent for folder in folders} == {tmp_path}


class Interrupted(io.BytesIO):
    """A file during whose reading another of the same name is sent."""

    def __init__(self, content, keep, other):
        super().__init__(content)
        self.deed = lambda: keep.save_file("p", "a.md", io.BytesIO(other))

    def read(self, size=-1):
        deed, self.deed = self.deed, lambda: None
        deed()
        return super().read(size)


def test_two_files_of_one_name_that_come_at_the_same_time_are_both_kept(tmp_path):
    keep = SaveUploads(tmp_path)
    kept = keep.save_file("p", "a.md", Interrupted(b"one", keep, b"two"))
    assert (kept.name, kept.new, kept.path.read_bytes()) == ("a-2.md", True, b"one")
    assert {path.name: path.read_bytes() for path in (tmp_path / "p").iterdir()} == {
        "a.md": b"two",
        "a-2.md": b"one",
    }
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "p").iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="cannot be saved"):
        SaveUploads(tmp_path / "x").save_file("p", "a.md", io.BytesIO(b"one"))
    tmp_path.chmod(0o700)
