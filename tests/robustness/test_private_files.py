"""What Bob writes is for its owner alone, whatever the umask is; what was open is corrected and told."""

import json
import os
import shutil
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import forked_bob
import pytest
from small_memory import open_database, write_files

from bob.core.private_files import correct_mode, make_private_file, make_private_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows keeps who may read elsewhere")

UMASKS = ("000", "022", "077")

# In processes of their own, because a umask is the whole process's; forks, which import nothing again.
FIRST_USES = """
    import io, json, os, sys, urllib.request
    from datetime import datetime
    from pathlib import Path

    folder, tests, *umasks = sys.argv[1:]
    sys.path[:0] = [tests]
    from served_memory import served
    from small_memory import HashingEmbedder
    from bob.app import Engine
    from bob.app.settings import load_settings
    from bob.storage.agent_log import AgentLog

    def use_bob(home):
        engine = Engine(load_settings(folder=home / "notes").settings)
        engine.embedder = HashingEmbedder()
        engine.index_files.index_folder(home / "notes", "garden")
        engine.index.compact(force=True)
        engine.sources.keep_uploads.save_file("garden", "letter.md", io.BytesIO(b"A letter."))
        AgentLog(engine.database.path).append({"organization": "local", "user": "me", "tool": "recall"})
        with served(engine) as made:
            body = json.dumps({"text": "The press costs 5 euros a day."}).encode()
            headers = {"Content-Type": "application/json"}
            asked = urllib.request.Request(f"{made.address}/memories", body, headers)
            assert urllib.request.urlopen(asked).status == 201
        scope = engine.conversations.scope("garden")
        chat = engine.conversations.chats.start(scope, datetime.now().astimezone())
        list(engine.conversations.turn.send_message(chat, "When is the hedge cut?", smart=True))
        engine.conversations.remember.process_messages()
        modes = {str(each): oct(os.stat(each).st_mode) for each in home.rglob("*")}
        print(json.dumps(modes), flush=True)  # While the database is open: its log is there.
        engine.close()

    for umask in umasks:
        if process := os.fork():
            assert os.waitpid(process, 0)[1] == 0, umask
            continue
        os.umask(int(umask, 8))
        os.environ["HOME"] = f"{folder}/{umask}"
        use_bob(Path(os.environ["HOME"]))
        break
"""


def test_a_first_use_leaves_nothing_that_others_can_read(tmp_path):
    for umask in UMASKS:
        home = tmp_path / umask
        write_files(home / "notes", {"hedge.md": "# Hedge\n\nThe hedge is cut in August.\n"})
        (home / "notes").chmod(0o755)
        home.chmod(0o755)
    tests = Path(__file__).parents[1]
    command = [sys.executable, "-c", textwrap.dedent(FIRST_USES), tmp_path, tests, *UMASKS]
    kept = {key: each for key, each in os.environ.items() if not key.startswith(("BOB_", "XDG_"))}
    done = subprocess.run(command, env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for umask, line in zip(UMASKS, done.stdout.splitlines(), strict=True):
        home, while_open = tmp_path / umask, json.loads(line)
        assert {"bob.db", "bob.db-wal", "bob.db-shm"} <= {Path(each).name for each in while_open}
        own = [each for each in while_open if "/notes" not in each.removeprefix(str(home))]
        assert len(own) > 15, own
        wrong = {each: while_open[each] for each in own if int(while_open[each], 8) & 0o077}
        assert not wrong, (umask, wrong)
        assert stat.S_IMODE((home / "notes").stat().st_mode) == 0o755


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_commands_write_private_files_under_an_open_umask(bob):
    write_files(bob.home / "notes", {"hedge.md": "# Hedge\n\nThe hedge is cut in August.\n"})
    before = set(bob.home.rglob("*"))
    server, path = forked_bob.start(lambda command: ["sh", "-c", 'umask 000; exec "$@"', "sh", *command])
    places = bob.environment | {"BOB_DATABASE": str(bob.home / "deep" / "er" / "bob.db")}
    for line in (
        ("index", "notes"),
        ("remember", "The press costs 5 euros a day."),
        ("ask", "When is the hedge cut?"),
        ("chat", "Hello there"),
        ("memories", "export", "--output", "memories.jsonl"),
        ("db", "copy", "--from", places["BOB_DATABASE"], "--to", "copy.db"),
        ("doctor",),
    ):
        done = forked_bob.run(list(line), bob.home, places, path=path)
        assert done.returncode in (0, 1 if line[0] in ("ask", "doctor") else 0), (line, done.stderr)
    server.kill()
    server.communicate()
    made = set(bob.home.rglob("*")) - before
    names = {each.name for each in made}
    assert {"bob.db", "copy.db", "memories.jsonl", "deep", "er"} <= names, names
    assert not {str(each): oct(mode_of(each)) for each in made if mode_of(each) & 0o077}
    assert "costs 5 euros" in (bob.home / "memories.jsonl").read_text()


def test_what_was_open_is_corrected_and_the_doctor_tells(bob):
    home = bob.home / ".local" / "share" / "bob"
    environment = {"BOB_DATABASE": str(home / "bob.db")}
    assert bob("status", **environment).returncode == 0
    upload = home / "uploads" / "local" / "garden" / "letter.md"
    write_files(upload.parent, {upload.name: "A letter."})
    write_files(home, {"bob.db-agents.jsonl": "{}\n"})
    shutil.copy(home / "bob.db", home / "bob.db.before-0005")
    for each in (home, *home.rglob("*")):
        each.chmod(0o777 if each.is_dir() else 0o666)
    (check,) = [
        each for each in bob.json("doctor", **environment)["checks"] if each["name"] == "private files"
    ]
    assert check["passed"] and "corrected, others could read" in check["detail"]
    assert f"{home} (mode 0777)" in check["detail"] and f"{home / 'bob.db'} (mode 0666)" in check["detail"]
    assert not [each for each in (home, *home.rglob("*")) if mode_of(each) & 0o077]
    (check,) = [
        each for each in bob.json("doctor", **environment)["checks"] if each["name"] == "private files"
    ]
    assert check["detail"] == "Bob's files are readable only by you"


def test_a_folder_of_the_users_and_what_is_in_it_stay_as_they_are(bob):
    notes = write_files(
        bob.home / "notes",
        {"hedge.md": "# Hedge\n", "bob.md": "mine", "bob.db.md": "mine", "bob.dbs/a.md": "mine"},
    )
    notes.chmod(0o755)
    for each in notes.rglob("*"):
        each.chmod(0o755 if each.is_dir() else 0o644)
    environment = {"BOB_DATABASE": str(notes / "bob.db")}
    assert bob("status", **environment).returncode == 0
    (notes / "bob.db").chmod(0o644)
    assert bob("doctor", **environment).returncode == 0
    assert mode_of(notes) == 0o755 and mode_of(notes / "bob.db") == 0o600
    theirs = [each for each in notes.rglob("*") if each.suffix == ".md"]
    assert len(theirs) == 4 and all(mode_of(each) == 0o644 for each in theirs)
    # Also where the folder was named in place of the file.
    assert bob("status", BOB_DATABASE=str(notes)).returncode == 4
    assert mode_of(notes) == 0o755 and all(mode_of(each) == 0o644 for each in theirs)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give a file away")
def test_what_belongs_to_somebody_else_is_reported_and_left(bob):
    assert bob("status").returncode == 0
    theirs = bob.home / "bob.db-agents.jsonl"
    theirs.write_text("{}\n")
    theirs.chmod(0o644)
    os.chown(theirs, 65534, 65534)
    found = bob.json("doctor", expect=1)
    (check,) = [each for each in found["checks"] if each["name"] == "private files"]
    assert not check["passed"] and "the file belongs to the account 65534" in check["detail"]
    assert mode_of(theirs) == 0o644


def test_a_link_is_not_followed(tmp_path):
    target = tmp_path / "theirs"
    target.write_text("x")
    target.chmod(0o644)
    (tmp_path / "link").symlink_to(target)
    assert correct_mode(tmp_path / "link") is None and mode_of(target) == 0o644
    assert correct_mode(tmp_path / "nowhere") is None


def test_folders_that_are_there_keep_their_mode_and_new_ones_are_private(tmp_path):
    before = os.umask(0)
    try:
        (tmp_path / "there").mkdir(mode=0o755)
        make_private_folder(tmp_path / "there" / "a" / "b")
        make_private_file(tmp_path / "there" / "a" / "file")
        make_private_file(tmp_path / "there" / "a" / "file")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "there") == 0o755
    assert [mode_of(tmp_path / "there" / each) for each in ("a", "a/b", "a/file")] == [0o700, 0o700, 0o600]
    with pytest.raises(OSError):
        make_private_folder(tmp_path / "there" / "a" / "file")


def test_opening_a_database_changes_no_umask(tmp_path):
    before = os.umask(0o022)
    try:
        open_database(tmp_path / "bob.db").close()
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
