"""The index follows its folder: what changed is done again, what did not is not; all without a network."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from drawn_pdf import SCAN, drawn_pdf, paragraph
from small_memory import write_files

FILES = {
    "backup.md": (
        "# Backups\n\nWe rotate the backup keys every ninety days.\n\n"
        "# Restore\n\nRestoring takes two hours.\n"
    ),
    "boat.txt": "The red boat was sold to Maria in May. It had a new engine.\n",
}
WITHOUT_NETWORK = """
import socket, sys

def refuse(*arguments, **more):
    raise OSError("the network was asked for: %r" % (arguments,))

class Socket(socket.socket):
    def connect(self, address):
        refuse(address)
    connect_ex = connect

socket.socket = Socket
socket.create_connection = socket.getaddrinfo = socket.gethostbyname = refuse
from bob.cli.main import main
sys.argv[:] = ["bob", *sys.argv[1:]]
main()
"""


@pytest.fixture
def notes(bob):
    return write_files(bob.home / "notes", FILES)


def hits(bob, query):
    return {
        hit["path"].rpartition("/")[2]: hit for hit in bob.json("search", query, "--mode", "words")["hits"]
    }


def test_only_what_changed_is_done_again(bob, notes):
    first = bob.json("index", notes)
    assert (first["added"], first["chunks_embedded"], first["vectors_pending"]) == (2, 3, 0)
    before = hits(bob, "boat Maria")["boat.txt"]
    again = bob.json("index", notes)
    assert (again["unchanged"], again["chunks_added"], again["chunks_embedded"]) == (2, 0, 0)
    (notes / "backup.md").write_text(FILES["backup.md"].replace("two hours", "three hours"), encoding="utf-8")
    (notes / "boat.txt").rename(notes / "vessel.txt")
    third = bob.json("index", notes)
    assert (third["changed"], third["moved"], third["added"], third["removed"]) == (1, 1, 0, 0)
    assert (third["chunks_added"], third["chunks_kept"], third["chunks_embedded"]) == (2, 1, 1)
    after = hits(bob, "boat Maria")["vessel.txt"]
    assert after["document_id"] == before["document_id"]
    assert hits(bob, "vessel").keys() == {"vessel.txt"}
    (notes / "vessel.txt").unlink()
    assert bob.json("index", notes)["removed"] == 1
    assert bob.json("status")["documents"] == 1
    assert bob.json("search", "boat", "--mode", "words", expect=1)["hits"] == []
    removed = bob("index", notes, "--remove")
    assert removed.returncode == 0 and "1 document removed" in removed.stdout
    assert bob.json("status")["documents"] == 0 and (notes / "backup.md").exists()


def test_failures_are_tried_again_and_the_index_can_be_made_anew(bob, notes):
    (notes / "bad.md").write_bytes(b"\0\1\2" * 99)
    assert bob.json("index", notes, expect=3)["failures"][0]["code"] == "binary"
    assert bob("retry").returncode == 3
    status = (notes / "bad.md").stat()
    (notes / "bad.md").write_text("x" * 10 + " mended words\n" + "y" * (99 * 3 - 24), encoding="utf-8")
    os.utime(notes / "bad.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert bob("retry").returncode == 0
    assert set(hits(bob, "mended")) == {"bad.md"}
    assert "Nothing has failed" in bob("retry").stdout
    assert bob("rebuild", input="n\n").returncode != 0 and bob.json("status")["documents"] == 3
    assert bob("rebuild", "--yes").returncode == 0
    after = bob.json("status")
    assert (after["documents"], after["vectors"]["pending"], after["jobs"]["queued"]) == (3, 0, 0)
    assert set(hits(bob, "mended")) == {"bad.md"}


def test_what_is_left_out_of_files_is_told(bob, notes):
    text = paragraph("The pier is painted in spring.")
    drawn_pdf(notes / "plan.pdf", text, SCAN, text, SCAN, SCAN)
    done = bob("index", notes)
    sentence = "pages 2, 4 and 5 have no text (scanned?)"
    assert done.returncode == 0 and f"read in part  notes/plan.pdf: {sentence}\n" in done.stdout
    assert f"1 file was read in part. Left out:\n  notes/plan.pdf: {sentence}\n" in (bob("status").stdout)
    for number in range(12):
        drawn_pdf(notes / f"{number}.pdf", text, SCAN)
    done = bob("index", notes)
    assert done.stdout.count("read in part  ") == 10
    assert "2 more files were read in part: see bob status\n" in done.stdout
    assert len(bob.json("status")["read_in_part"]) == 13
    (notes / "12.pdf").write_bytes((notes / "plan.pdf").read_bytes())
    (partial,) = bob.json("index", notes)["read_in_part"]
    assert partial == {"path": str(notes / "12.pdf"), "left_out": [sentence]}


def check(done):
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["found"] and "ninety days" in answer["answer"]


def test_the_main_job_needs_no_network(bob, notes):
    question = ["ask", "--in", str(notes), "How often do we rotate the backup keys?", "--json"]
    check(
        subprocess.run(
            [sys.executable, "-c", WITHOUT_NETWORK, *question],
            env=bob.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    )
    unshare = shutil.which("unshare")
    alone = [unshare or "", "-r", "-n"]
    if unshare and subprocess.run([*alone, "true"], capture_output=True, check=False).returncode == 0:
        (bob.home / "bob.db").unlink()
        check(
            subprocess.run(
                [*alone, *bob.command(*question)],
                env=bob.environment,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
        )


def test_watching_picks_up_what_is_new(bob, notes):
    process = bob.start("index", notes, "--watch")
    for line in process.stdout:
        if line.startswith("Watching"):
            break
    write_files(notes, {"new.md": "# Lantern\n\nThe lantern hangs above the door.\n"})
    process.stdout.readline()  # says that a document is new
    (notes / "bad.md").write_bytes(b"\0\1\2" * 99)
    while not (line := process.stdout.readline()).startswith("not read"):
        assert line, "a file that cannot be read is told"
    process.send_signal(2)
    out, err = process.communicate(timeout=120)
    assert (err, process.returncode) == ("", 0), (out, err)
    assert set(hits(bob, "lantern door")) == {"new.md"}


def test_what_changes_before_watching_begins_is_found(bob, notes, tmp_path):
    """The first run can take long; a note written meanwhile must not wait for the next one."""
    process = bob.start("index", notes, "--watch")
    while not bob.database.exists() and process.poll() is None:
        time.sleep(0.01)
    for line in process.stdout:
        if "new)" in line:
            break
    write_files(notes, {"new.md": "# Lantern\n\nThe lantern hangs above the door.\n"})
    for line in process.stdout:
        if "1 new" in line:
            break
    process.send_signal(2)
    process.communicate(timeout=120)
    assert set(hits(bob, "lantern door")) == {"new.md"}
