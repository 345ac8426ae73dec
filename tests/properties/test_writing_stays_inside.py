"""Nothing is written outside the allowed folders, and nothing is overwritten.

A machine plans, writes and edits with names and folders of any text, while folders are replaced by links that
lead out; after each step all files of the surroundings are compared with what they were.
WRITING_RUNS=2000 in the environment is a run of some minutes by hand.
"""

import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from small_memory import engine_over, write_files

from bob.core.errors import UsageError
from bob.notes.capture import NoteRequest
from bob.notes.file_names import check_name, slug
from bob.notes.writer import NoteWriter

RUNS = int(os.environ.get("WRITING_RUNS") or 40)

ANY_TEXT = st.text(st.characters(), max_size=12)
"""Surrogates, control characters and slashes included."""

KNOWN = st.sampled_from(
    ["sub", "new", "far", "up", "out", "out.md", "a.md", "..", ".", ".git", "CON", "what?"]
)
SEGMENTS = st.one_of(KNOWN, KNOWN, KNOWN, ANY_TEXT)
USUAL = st.sampled_from(["a.md", "b.md", "new.md", "secret.md", "out.md"])
ODD = st.sampled_from(["con.md", "../secret.md", ".env", ".md"])
NAMES = st.one_of(USUAL, USUAL, USUAL, ODD, ANY_TEXT, ANY_TEXT.map(lambda text: f"{text}.md"))
VALUES = st.one_of(USUAL, ODD, ANY_TEXT, st.just("../../outside/a"))
TEXTS = st.one_of(st.just("before"), st.text(max_size=20))
OPENED = ("sub", "far", "new")
"""Folders that are replaced by links in between."""


def listing(folder):
    """Everything below a folder, links as such: path to bytes or to where the link leads."""
    found = {}
    for place, folders, files in os.walk(folder):
        for path in (Path(place) / name for name in folders + files):
            link, is_file = path.is_symlink(), path.name in files
            found[str(path)] = f"-> {path.readlink()}" if link else path.read_bytes() if is_file else "folder"
    return found


class Writing(RuleBasedStateMachine):
    """The allowed folder lies three folders deep, so that a few ".." stay where they are seen."""

    def __init__(self):
        super().__init__()
        self.top = Path(tempfile.mkdtemp())
        self.base = self.top / "one" / "two"
        self.allowed = self.base / "allowed"
        for name in ("allowed/a.md", "allowed/sub/b.md", "allowed/far/c/d.md", "allowed/.git/config.md"):
            self.put(name)
        for name in ("outside/secret.md", "outside/b.md", "outside/c/d.md", "beside.md"):
            self.put(name)
        (self.allowed / "out").symlink_to(self.base / "outside")
        (self.allowed / "out.md").symlink_to(self.base / "outside" / "secret.md")
        (self.allowed / "up").symlink_to("..")
        (self.base / "door").symlink_to("allowed")
        self.writers = [NoteWriter([self.allowed]), NoteWriter([self.base / "door"])]
        self.planned = []
        self.known = listing(self.top)

    def put(self, name):
        path = self.base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"before")

    def teardown(self):
        shutil.rmtree(self.top)

    @invariant()
    def nothing_changed_unseen(self):
        assert listing(self.top) == self.known

    def folder(self, start, segments):
        found = {"": Path(), "base": self.base, "allowed": self.allowed, "door": self.base / "door"}[start]
        with suppress(ValueError):
            found = found.joinpath(*segments)
        return found if start or not found.is_absolute() else Path()

    @rule(
        start=st.sampled_from(["", "base", "allowed", "door"]),
        segments=st.lists(SEGMENTS, max_size=2),
        name=NAMES,
        text=TEXTS,
        writer=st.integers(0, 1),
        free=st.booleans(),
    )
    def plan(self, start, segments, name, text, writer, free):
        chosen = self.writers[writer]
        with suppress(UsageError):
            plan = chosen.plan_free if free else chosen.plan
            self.planned.append((chosen, plan(self.folder(start, segments), name, text)))

    @precondition(lambda self: self.planned)
    @rule(times=st.integers(1, 2))
    def write(self, times):
        writer, planned = self.planned.pop()
        for _ in range(times):  # the second time the file is there
            with suppress(UsageError):
                self.expect_new(writer.write(planned), planned.text)

    def expect_new(self, path, text):
        real = Path(os.path.realpath(path.parent)) / path.name
        assert real.is_relative_to(self.allowed) and str(real) not in self.known
        found = listing(self.top)
        made = {each for each in found if each not in self.known}
        for each in made - {str(real)}:
            assert found[each] == "folder" and real.is_relative_to(each)
        assert found[str(real)] == text.encode()
        self.known |= {each: found[each] for each in made}

    @rule(segments=st.lists(SEGMENTS, min_size=1, max_size=3), known=st.booleans(), after=TEXTS)
    def edit(self, segments, known, after):
        path = self.folder("allowed", segments)
        try:
            before = self.writers[0].read(path) if known else "before"
            self.writers[0].edit(path, before, after)
        except UsageError:
            return
        real = os.path.normpath(path)
        assert Path(real).is_relative_to(self.allowed) and self.known[real] == before.encode()
        self.known[real] = after.encode()

    @rule(name=st.sampled_from(OPENED), to=st.sampled_from(["outside", "outside/c", "allowed/far"]))
    def swap_a_folder_for_a_link(self, name, to):
        place = self.allowed / name
        if place.is_symlink():
            place.unlink()
            place.mkdir()
        else:
            shutil.rmtree(place, ignore_errors=True)
            place.symlink_to(self.base / to)
        self.known = listing(self.top)


Writing.TestCase.settings = settings(
    max_examples=RUNS,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestWriting = Writing.TestCase


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    """Surroundings with a link that leads out of the notes, and what writes into the notes."""
    top = tmp_path_factory.mktemp("captured")
    write_files(top, {"notes/a.md": "before", "outside/a.md": "before", "beside.md": "before"})
    (top / "notes" / "out").symlink_to(top / "outside")
    folder = tmp_path_factory.mktemp("database")
    engine = engine_over(folder / "bob.db", notes={"folders": [str(top / "notes")]})
    engine.index_files.index_folder(top / "notes")
    yield top, engine.knowledge.capture
    engine.close()


@settings(max_examples=2 * RUNS, deadline=None)
@given(
    kind=st.sampled_from(["daily", "meeting", "decision", "recipe"]),
    title=VALUES,
    project=VALUES,
    into=st.none() | st.lists(SEGMENTS, max_size=2),
)
def test_a_captured_note_is_inside_whatever_it_is_called(captured, kind, title, project, into):
    top, capture = captured
    before = listing(top)
    try:
        place = None if into is None else (top / "notes").joinpath(*into)
        values = {"title": title, "project": project}
        made = capture.write_note(NoteRequest(kind, date(2025, 1, 31), values, into=place), index=False)
    except UsageError:
        assert listing(top) == before
        return
    new = {path: found for path, found in listing(top).items() if before.get(path) != found}
    assert new.pop(str(made.path)) == made.text.encode() and set(new.values()) <= {"folder"}
    assert all(Path(os.path.realpath(path)).is_relative_to(top / "notes") for path in [*new, made.path])


def test_a_link_swapped_in_while_notes_are_written_leads_nowhere(tmp_path):
    allowed, outside = tmp_path / "allowed", tmp_path / "outside"
    allowed.mkdir()
    outside.mkdir()
    place = allowed / "sub"
    done = threading.Event()

    def swap():
        for number in itertools.count():
            if done.is_set():
                return
            with suppress(OSError):  # the writer makes the folder in between
                place.rename(allowed / f"kept{number}")
            with suppress(OSError):
                place.symlink_to(outside)
            time.sleep(0.0001)  # gives the writer its turn
            with suppress(OSError):
                place.unlink()

    writer, written = NoteWriter([allowed]), 0
    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for number in range(400):
            with suppress(UsageError):
                writer.write(writer.plan(Path("sub"), f"{number}.md", "x"))
                written += 1
    finally:
        done.set()
        swapper.join()
    assert list(outside.iterdir()) == []
    assert written == len(list(allowed.rglob("*.md")))
    assert writer.write(writer.plan(Path("sub"), "last.md", "x")).is_file()


@settings(max_examples=10 * RUNS, deadline=None)
@given(st.text(st.characters(), max_size=300))
def test_any_text_makes_a_name_that_every_system_takes(text):
    name = slug(text)
    check_name(name)
    check_name(f"2025-01-31-{name}-999.md")
    assert slug(name) == name, "a name stays as it is"


@pytest.mark.parametrize(
    "name",
    [
        "con.md",
        "LPT1.md",
        "nul.x.md",
        "a/b.md",
        "a\\b.md",
        "a\0.md",
        ".hidden.md",
        "x.md.",
        "x.txt",
        " .md",
        "",
    ],
)
def test_names_that_no_note_may_have(tmp_path, name):
    with pytest.raises(UsageError):
        NoteWriter([tmp_path]).plan(Path(), name, "")


@pytest.mark.parametrize("name", ["e\u0301.md", "a\u202eb.md", "x" * 250 + ".md", "\ud800.md"])
def test_letters_that_no_note_may_be_named_with(tmp_path, name):
    with pytest.raises(UsageError):
        NoteWriter([tmp_path]).plan(Path(), name, "")


def test_errors_name_the_path_and_the_setting(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    writer = NoteWriter([inside])
    with pytest.raises(UsageError, match=rf"{outside}/x\.md: .* below {inside}; .* notes\.folders"):
        writer.plan(outside, "x.md", "")
    with pytest.raises(UsageError, match=r"link/x\.md: cannot write through a link .* notes\.folders"):
        writer.write(writer.plan(Path("link"), "x.md", ""))
    with pytest.raises(UsageError, match=r"gone: no such folder; .* notes\.folders"):
        missing = NoteWriter([tmp_path / "gone"])
        missing.write(missing.plan(Path(), "x.md", ""))
    with pytest.raises(UsageError, match=r"no folder for notes; set notes\.folders"):
        NoteWriter([]).plan(inside, "x.md", "")


def test_an_edit_keeps_permissions_and_other_names_of_the_file(tmp_path):
    note, other = tmp_path / "what?.md", tmp_path / "other"
    note.write_bytes(b"\xef\xbb\xbfone\r\n")
    note.chmod(0o640)
    other.hardlink_to(note)
    writer = NoteWriter([tmp_path])
    before = writer.read(note)
    writer.edit(note, before, before.replace("one", "two"))
    assert note.read_bytes() == b"\xef\xbb\xbftwo\r\n" and note.stat().st_mode & 0o777 == 0o640
    assert other.read_bytes() == b"\xef\xbb\xbfone\r\n"
    with pytest.raises(UsageError, match="has changed since it was read"):
        writer.edit(note, before, "three")
    note.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        writer.read(note)


KILLED = """
import os, pathlib, signal, sys
from bob.notes.writer import NoteWriter
die = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
setattr(os, sys.argv[1], die)
writer = NoteWriter([pathlib.Path(sys.argv[2])])
if sys.argv[3] == "edit":
    writer.edit(pathlib.Path(sys.argv[2], "old.md"), "old", "new" * 9999)
writer.write(writer.plan(pathlib.Path(), "new.md", "new" * 9999))
"""


MOMENTS = [("fsync", "write"), ("link", "write"), ("fsync", "edit"), ("replace", "edit")]


@pytest.mark.parametrize(("at", "what"), MOMENTS)
def test_a_kill_leaves_no_half_note(tmp_path, at, what):
    (tmp_path / "old.md").write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, at, tmp_path, what], check=False, capture_output=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert [path.name for path in tmp_path.glob("*.md")] == ["old.md"]
    assert (tmp_path / "old.md").read_text() == "old"
    writer = NoteWriter([tmp_path])
    assert writer.write(writer.plan(Path(), "new.md", "whole")).read_text() == "whole"


def test_a_disk_without_links_loses_no_note_either(tmp_path, monkeypatch):
    def no_links(*_, **__):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    writer = NoteWriter([tmp_path])
    planned = writer.plan(Path(), "x.md", "first")
    assert writer.write(planned).read_text() == "first"
    with pytest.raises(UsageError, match="a file with that name already exists"):
        writer.write(planned)
    assert [path.name for path in tmp_path.iterdir()] == ["x.md"] and planned.path.read_text() == "first"


def test_a_system_that_cannot_keep_inside_is_not_written_on(tmp_path, monkeypatch):
    writer = NoteWriter([tmp_path])
    planned = writer.plan(Path(), "x.md", "first")
    monkeypatch.setattr(os, "supports_dir_fd", set())
    with pytest.raises(UsageError, match="this system is not supported"):
        writer.write(planned)
    assert list(tmp_path.iterdir()) == []


def test_many_writers_take_different_names(tmp_path):
    def work(_):
        writer = NoteWriter([tmp_path])
        while True:
            with suppress(UsageError):  # the other was first
                return writer.write(writer.plan_free(Path("sub"), "x.md", "whole"))

    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(work, range(40)))
    assert len(set(paths)) == 40 and {path.read_text() for path in paths} == {"whole"}
    assert sorted((tmp_path / "sub").iterdir()) == sorted(paths)
