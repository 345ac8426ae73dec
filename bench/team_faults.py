"""What a memory that is away costs whoever writes work items: nothing, since nobody waits for it (SPEC K3).

    python bench/team_faults.py [--rounds 6] [--mutations 100]

In each round work items are created and changed first without any worker, then beside a real `bob worker`
whose memory, a Hippocampus service, refuses connections, answers after 30 seconds, or answers 500. Rounds of
all kinds alternate, since the machine may be shared; the ratio is of the p95 of all rounds together.
"""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import measure
import postgres

from bob.engine import Engine
from bob.settings import Settings
from bob.store import jobs

SLOW_SECONDS = 30.0
_PATIENCE_SECONDS = 60
_STARTED_SECONDS = 2

Times = dict[str, list[float]]


@contextmanager
def failing(pause: float) -> Iterator[str]:
    """A service that answers 500 after a pause; its address."""
    over = threading.Event()

    class Failing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            over.wait(pause)
            self.send_response(500)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        over.set()
        server.shutdown()
        thread.join()


@contextmanager
def refusing() -> Iterator[str]:
    """An address at which nobody listens: the port is held and not opened."""
    with closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


@contextmanager
def worker(engine: Engine, folder: Path, url: str) -> Iterator[None]:
    """A `bob worker` that has begun with jobs of this memory, killed in the end."""
    environment = os.environ | {
        "BOB_DATABASE": engine.settings.database,
        "BOB_CACHE": str(engine.settings.cache),
        "BOB_HIPPOCAMPUS__URL": url,
        "HOME": str(folder),
    }
    silent = subprocess.DEVNULL
    command = [*measure.bob_command(), "worker"]
    process = subprocess.Popen(command, env=environment, stdout=silent, stderr=silent)
    try:
        ends = time.monotonic() + _PATIENCE_SECONDS
        while not _held(engine):
            if process.poll() is not None or time.monotonic() > ends:
                raise SystemExit("the worker does not work")
            time.sleep(0.1)
        yield
    finally:
        process.kill()
        process.wait()


def _held(engine: Engine) -> int:
    with engine.database.read() as connection:
        return jobs.counts(connection, engine.settings.organization)["running"]


def mutate(engine: Engine, count: int, created: list[float], changed: list[float]) -> None:
    """Create items, and change the one before each time."""
    items = engine.team.work_items
    for number in range(count // 2):
        now = datetime.now(UTC)
        with measure.timed(created):
            made = items.create("ana", {"title": f"App is slow, report {number}", "priority": "HIGH"}, now)
        with measure.timed(changed):
            items.update("ana", made.work_item_id, {"description": f"Since update {number}."}, now)


def measured(address: str, folder: Path, rounds: int, mutations: int) -> list[measure.Row]:
    """The table's rows of one engine."""
    engine = Engine(Settings(database=address, cache=folder / "cache"))
    names = ("no worker", "down", "slow", "erroring")
    created: Times = {name: [] for name in names}
    changed: Times = {name: [] for name in names}
    mutate(engine, 50, [], [])
    with ExitStack() as stack:
        faults = {
            "down": stack.enter_context(refusing()),
            "slow": stack.enter_context(failing(SLOW_SECONDS)),
            "erroring": stack.enter_context(failing(0)),
        }
        for _ in range(rounds):
            for name, url in faults.items():
                mutate(engine, mutations // len(faults), created["no worker"], changed["no worker"])
                with worker(engine, folder, url):
                    # What a process that starts takes is not what is asked here.
                    time.sleep(_STARTED_SECONDS)
                    mutate(engine, mutations, created[name], changed[name])
    kind = engine.database.engine.partition(",")[0]
    engine.close()
    return [
        (kind, what, name, len(times[name]), *_row(times[name], times["no worker"]))
        for what, times in (("create", created), ("update", changed))
        for name in names
    ]


def _row(times: Sequence[float], baseline: Sequence[float]) -> tuple[float, float, float]:
    found = measure.spread(times)
    return found["median_ms"], found["p95_ms"], found["p95_ms"] / measure.spread(baseline)["p95_ms"]


def main() -> None:
    """Measure both engines."""
    parser = measure.options(__doc__)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--mutations", type=int, default=100, help="of each round and fault")
    chosen = parser.parse_args()
    rows: list[measure.Row] = []
    with tempfile.TemporaryDirectory() as name, postgres.server() as server:
        folder = Path(name)
        for address in (str(folder / "bob.db"), server.new_database(folder / "cache")):
            rows += measured(address, folder, chosen.rounds, chosen.mutations)
    measure.show(
        "Mutations beside a memory that fails",
        ("engine", "what", "memory", "times", "median ms", "p95 ms", "p95 to no worker"),
        rows,
        as_json=chosen.json,
    )


if __name__ == "__main__":
    main()
