"""A database that is read-only, full, locked or away: one clear line, no traceback, nothing lost; over HTTP a
503, and everything works again afterwards."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager

import forked_bob
import httpx
import psycopg
import pytest
from every_command import COMMANDS, prepare_folder
from postgres_server import start_server
from served_memory import GARDEN, index, served
from signed_tokens import AUDIENCE, ISSUER, SECRET, by_secret, claims
from small_memory import bob_in, engine_over

import bob.storage.database
import bob.storage.postgres

AUTH = {"jwt_secret": SECRET, "audience": AUDIENCE, "issuer": ISSUER, "requests_per_minute": 100_000}

WITHOUT_OVERRIDE = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Modes of files bind root too, when it may not override them."""

WRITING = [
    ["index", "notes"],
    ["chat", "--project", "notes", "When is the hedge cut?"],
    ["remember", "--lines", "lines.txt"],
    ["smart-context", "on"],
    ["memories", "pin", "1"],
    ["chats", "delete", "1", "--yes"],
    ["keys", "create", "laptop", "--user", "ana"],
    ["work", "add", "Login fails"],
    ["work", "import", "work/tasks.csv", "--from", "csv"],
    ["rebuild", "--yes"],
]
READING = [
    ["ask", "When is the hedge cut?"],
    ["search", "hedge"],
    ["status"],
    ["context", "--project", "notes", "When is the hedge cut?"],
    ["chats", "list"],
    ["chats", "show", "1"],
    ["memories", "show", "1"],
    ["decisions", "list"],
    ["work", "list"],
    ["db", "check"],
]


def bound_by_modes():
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv") or subprocess.run([*WITHOUT_OVERRIDE, "true"], check=False).returncode:
        pytest.skip("root cannot give up its right to override modes here")
    return WITHOUT_OVERRIDE


@pytest.fixture(scope="module")
def runs():
    """Runs commands in forks of a process that modes of files bind."""
    watcher = bound_by_modes()
    server, path = forked_bob.start(lambda command: [*watcher, *command])

    def run(filled, *words):
        return forked_bob.run([*words], filled.folder, filled.environment, path=path)

    yield run
    server.kill()
    server.wait()
    server.stdout.close()


@pytest.fixture(scope="module")
def filled_once(tmp_path_factory):
    """A memory with something of everything in it."""
    place = tmp_path_factory.mktemp("filled")
    made = bob_in(place / "home")
    made.folder = prepare_folder(place / "files")
    for words in (["index", "notes"], *WRITING[1:3], ["work", "add", "Login fails"]):
        done = made(*words, cwd=made.folder)
        assert done.returncode == 0, (words, done.stderr)
    return made


@pytest.fixture
def filled(filled_once, tmp_path):
    """A copy of that memory."""
    shutil.copytree(filled_once.home, tmp_path / "home")
    shutil.copytree(filled_once.folder, tmp_path / "files")
    made = bob_in(tmp_path / "home")
    made.folder = tmp_path / "files"
    yield made
    made.home.chmod(0o700)


def one_line(done, words, path):
    assert done.returncode == 4, (words, done.returncode, done.stdout, done.stderr)
    lines = done.stderr.splitlines()
    assert lines and all(line.startswith("bob: ") for line in lines), (words, done.stderr)
    assert str(path) in lines[-1] and "Traceback" not in done.stderr, (words, done.stderr)


@contextmanager
def mode(path, value):
    before = path.stat().st_mode
    path.chmod(value)
    try:
        yield
    finally:
        path.chmod(before)


def rows(path):
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def test_a_read_only_file_is_read_and_not_written(filled, runs):
    before = filled.database.read_bytes()
    with mode(filled.database, 0o400):
        for words in READING:
            done = runs(filled, *words)
            assert done.returncode == 0 and "Traceback" not in done.stderr, (words, done.stderr)
        for words in WRITING[1:]:
            one_line(runs(filled, *words), words, filled.database)
        assert filled.database.stat().st_mode & 0o777 == 0o400
    assert filled.database.read_bytes() == before
    assert runs(filled, "work", "add", "It works again").returncode == 0


@pytest.mark.parametrize("kind", ["folder", "both", "unreadable"])
def test_a_folder_that_cannot_be_written_is_one_line(filled, runs, kind):
    before = filled.database.read_bytes()
    modes = {"folder": (0o600, 0o500), "both": (0o400, 0o500), "unreadable": (0o000, 0o500)}[kind]
    with mode(filled.database, modes[0]), mode(filled.home, modes[1]):
        for words in (*READING, *WRITING):
            done = runs(filled, *words)
            one_line(done, words, filled.database)
            assert "check that the file and its folder are writable" in done.stderr
    assert filled.database.read_bytes() == before
    for words in READING:
        assert runs(filled, *words).returncode == 0


def test_no_command_has_a_traceback_where_nothing_can_be_written(filled, runs):
    with mode(filled.database, 0o400), mode(filled.home, 0o500):
        for name, arguments in COMMANDS.items():
            done = runs(filled, *name.split(), *arguments)
            assert done.returncode in (0, 1, 2, 4) and "Traceback" not in done.stderr, (name, done.stderr)
            assert done.returncode != 4 or done.stderr.count("\n") == 1, (name, done.stderr)


def test_a_full_disk_loses_nothing(filled):
    """A limit on the size of files stands for a disk that is full."""
    before = rows(filled.database)
    most = 40_000
    assert filled.database.stat().st_size > most
    big = filled.folder / "big"
    big.mkdir()
    for n in range(3):
        text = "\n".join(f"Line {m} of {n} is about {n * m} and nothing else." for m in range(60))
        (big / f"{n}.md").write_text(text, "utf-8")

    def limited(*words):
        return subprocess.run(
            filled.command(*words),
            cwd=filled.folder,
            env=filled.environment,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        )

    words = ["index", "big"]
    done = limited(*words)
    assert "Traceback" not in done.stderr and done.returncode in (3, 4), (done.returncode, done.stderr)
    assert str(filled.database) in done.stderr
    after = rows(filled.database)
    assert all(after[name] >= before[name] for name in ("documents", "chunks", "memories", "chats")), after
    again = filled(*words, cwd=filled.folder)
    assert again.returncode == 0, again.stderr
    assert rows(filled.database)["documents"] == before["documents"] + 3


PATIENT_FOR_A_SECOND = """
import sys, bob.storage.database as database
database.BUSY_SECONDS = 1
from bob.cli.main import main
main()
"""


@pytest.mark.parametrize("begin", ["BEGIN EXCLUSIVE", "whole"])
def test_a_database_that_another_program_holds(filled, begin):
    """In write-ahead mode others can read beside a writer; one that takes the whole file keeps all out."""

    def run(*words):
        return subprocess.run(
            [sys.executable, "-c", PATIENT_FOR_A_SECOND, *words],
            cwd=filled.folder,
            env=filled.environment,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )

    before = rows(filled.database)
    with closing(sqlite3.connect(filled.database, isolation_level=None)) as holder:
        if begin == "whole":
            holder.execute("PRAGMA locking_mode=EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        holder.execute("INSERT INTO app_config VALUES ('local', 'of another program', 'v')")
        for words in (["work", "add", "Login fails"], ["chat", "When is the hedge cut?"]):
            done = run(*words)
            one_line(done, words, filled.database)
            assert "the database is locked by another program" in done.stderr
        reading = run("work", "list")
        if begin == "whole":
            one_line(reading, ["work", "list"], filled.database)
        else:
            assert reading.returncode == 0 and "Login fails" in reading.stdout
        holder.execute("ROLLBACK")
    assert rows(filled.database) == before
    assert filled("work", "add", "It works again").returncode == 0


# Over HTTP


@contextmanager
def http(engine):
    token = by_secret(claims(sub="ana", org_id="local", role="admin"))
    headers = {"Authorization": f"Bearer {token}"} if "://" in str(engine.settings.database) else {}
    with served(engine) as made, httpx.Client(base_url=made.address, headers=headers, timeout=60) as client:
        yield client


def is_a_problem(answer):
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == 503 and "database" in problem["detail"] and "/" not in problem["detail"]


def ask_everything(client):
    return {
        "search": client.post("/search", json={"query": "hedge"}),
        "status": client.get("/status"),
        "chats": client.get("/chats"),
    }


def begin_chat(client):
    return client.post("/chats", json={"project": "garden"})


def test_the_server_answers_503_while_another_program_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(bob.storage.database, "BUSY_SECONDS", 1)
    engine = engine_over(tmp_path / "bob.db")
    index(engine, tmp_path, garden=GARDEN)
    with http(engine) as client:
        assert begin_chat(client).status_code in (200, 201)
        with closing(sqlite3.connect(tmp_path / "bob.db", isolation_level=None)) as holder:
            holder.execute("BEGIN EXCLUSIVE")
            is_a_problem(begin_chat(client))
            answers = ask_everything(client)
            assert {each.status_code for each in answers.values()} == {200}
            assert client.get("/health").status_code == 200
            holder.execute("ROLLBACK")
        assert begin_chat(client).status_code in (200, 201)
        assert len(client.get("/chats").json()["chats"]) == 2
    engine.close()


@pytest.fixture
def team_database(postgres_server, tmp_path, monkeypatch):
    monkeypatch.setattr(bob.storage.postgres, "BUSY_SECONDS", 1)
    monkeypatch.setattr(bob.storage.postgres, "_STATEMENT_SECONDS", 1)
    address = postgres_server.new_database(tmp_path / "cache")
    yield address
    postgres_server.drop(address)


def test_the_server_answers_503_while_a_table_is_locked(team_database, tmp_path):
    engine = engine_over(team_database, cache=str(tmp_path / "cache"), auth=AUTH)
    index(engine, tmp_path, garden=GARDEN)
    with http(engine) as client:
        assert begin_chat(client).status_code in (200, 201)
        with psycopg.connect(team_database) as holder:
            holder.execute("LOCK TABLE chats IN ACCESS EXCLUSIVE MODE")
            is_a_problem(begin_chat(client))
            is_a_problem(client.get("/chats"))
            assert client.post("/search", json={"query": "hedge"}).status_code == 200
            holder.rollback()
        assert begin_chat(client).status_code in (200, 201)
        assert len(client.get("/chats").json()["chats"]) == 2
    engine.close()


def test_a_server_that_only_lets_read_is_read(team_database, tmp_path, postgres_server, bob):
    engine = engine_over(team_database, cache=str(tmp_path / "cache"), auth=AUTH)
    index(engine, tmp_path, garden=GARDEN)
    name = team_database.rpartition("/")[2]
    postgres_server.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    engine.close()
    with http(engine) as client:
        is_a_problem(begin_chat(client))
        assert {each.status_code for each in ask_everything(client).values()} == {200}
    environment = {"BOB_DATABASE": team_database, "BOB_CACHE": str(tmp_path / "cache"), "BOB_DISK": "tests"}
    done = bob("work", "add", "Login fails", **environment)
    assert done.returncode == 4 and "read-only transaction" in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    assert bob("search", "hedge", **environment).returncode == 0
    postgres_server.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
    engine.close()
    with http(engine) as client:
        assert begin_chat(client).status_code in (200, 201)
    engine.close()


@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="another's server is not restarted")
def test_a_server_that_is_restarted_is_found_again(tmp_path):
    server = start_server()
    started = []
    try:
        address = server.new_database(tmp_path / "cache")
        engine = engine_over(address, cache=str(tmp_path / "cache"), auth=AUTH)
        index(engine, tmp_path, garden=GARDEN)
        with http(engine) as client:
            assert begin_chat(client).status_code in (200, 201)
            options = (server.folder / "data" / "postmaster.opts").read_text("utf-8")
            end(server)
            is_a_problem(begin_chat(client))
            is_a_problem(client.get("/chats"))
            assert client.get("/health").status_code == 200
            started.append(restart(server, options))
            assert len(client.get("/chats").json()["chats"]) == 1
            assert begin_chat(client).status_code in (200, 201)
            # Once more, while requests are under way: each is answered, and none hangs.
            answers = []
            threads = [threading.Thread(target=lambda: answers.append(begin_chat(client))) for _ in range(8)]
            for thread in threads:
                thread.start()
            end(server)
            for thread in threads:
                thread.join(60)
            assert {each.status_code for each in answers} <= {200, 201, 503} and len(answers) == 8
            started.append(restart(server, options))
            made = sum(each.status_code in (200, 201) for each in answers)
            assert len(client.get("/chats").json()["chats"]) >= 2 + made
        engine.close()
    finally:
        for process in started:
            process.send_signal(signal.SIGINT)
            process.wait(30)
        server.stop()


def end(server):
    """End the server as an administrator does who does not wait."""
    pid = int((server.folder / "data" / "postmaster.pid").read_text("utf-8").split()[0])
    os.kill(pid, signal.SIGINT)
    deadline = time.monotonic() + 30
    while (server.folder / "data" / "postmaster.pid").exists():
        assert time.monotonic() < deadline, "the server does not end"
        time.sleep(0.05)


def restart(server, options):
    command = [part.strip('"') for part in options.strip().split('" "')]
    program, _, first = command[0].partition(" ")
    process = subprocess.Popen(
        [program, *filter(None, [first.strip('"')]), *command[1:]],
        user="nobody" if os.geteuid() == 0 else None,
        cwd=server.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(server.url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.1)
        else:
            return process
