"""What a memory that is away costs whoever writes work items: nothing, since nobody waits for it (SPEC K3).

    python bench/team_faults.py [--mutations 1000]

For each fault there are two databases: one that no worker looks at, and one with a real `bob worker` whose
memory, a Hippocampus service, refuses connections, answers after 30 seconds, or answers 500. Items are
created and changed in both in turn, one by one: what else the machine does meets both alike, and so does the
worker's share of the processors, which is told beside.
"""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import measure
import postgres

from bob.app import Engine
from bob.app.settings import Settings
from bob.storage import jobs

SLOW_SECONDS = 30.0
_PATIENCE_SECONDS = 60
_STARTED_SECONDS = 2
_BEFORE = 50
"""Items that are there, and jobs that wait, before anything is measured."""


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
def worker(engine: Engine, folder: Path, url: str, share: list[float]) -> Iterator[None]:
    """A `bob worker` that has begun with jobs of this memory, killed in the end. `share` gets what part of a
    processor it took in the block."""
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
        # What a process that starts takes is not what is asked here.
        time.sleep(_STARTED_SECONDS)
        before, began = _processor_seconds(process.pid), time.monotonic()
        yield
        share.append((_processor_seconds(process.pid) - before) / (time.monotonic() - began))
    finally:
        process.kill()
        process.wait()


def _processor_seconds(process: int) -> float:
    """What a running process has taken so far (Linux)."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return float("nan")
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _held(engine: Engine) -> int:
    with engine.database.read() as connection:
        return jobs.counts(connection)["running"]


def mutate(engine: Engine, number: int, created: list[float], changed: list[float]) -> None:
    """Create an item and change it."""
    items, now = engine.team.work_items, datetime.now(UTC)
    with measure.timed(created):
        made = items.create("ana", {"title": f"App is slow, report {number}", "priority": "HIGH"}, now)
    with measure.timed(changed):
        items.update("ana", made.work_item_id, {"description": f"Since update {number}."}, now)


def measured(
    addresses: Callable[[], str], folder: Path, name: str, url: str, mutations: int
) -> list[measure.Row]:
    """The table's rows of one engine and fault."""
    settings = [Settings(database=addresses(), cache=folder / "cache") for _ in range(2)]
    alone, beside = engines = [Engine(each) for each in settings]
    created: dict[Engine, list[float]] = {each: [] for each in engines}
    changed: dict[Engine, list[float]] = {each: [] for each in engines}
    for each in engines:
        for number in range(_BEFORE):
            mutate(each, number, [], [])
    share: list[float] = []
    with worker(beside, folder, url, share):
        for number in range(mutations // 2):
            for each in engines if number % 2 else reversed(engines):
                mutate(each, number, created[each], changed[each])
    kind = alone.database.engine.partition(",")[0]
    for each in engines:
        each.close()
    return [
        (kind, name, what, len(times[beside]), *_row(times[alone], times[beside]), share[0])
        for what, times in (("create", created), ("update", changed))
    ]


def _row(alone: list[float], beside: list[float]) -> tuple[float, ...]:
    one, other = measure.spread(alone), measure.spread(beside)
    both = [found[name] for name in one for found in (one, other)]
    return (*both, other["p95_ms"] / one["p95_ms"])


def main() -> None:
    """Measure both engines."""
    parser = measure.options(__doc__)
    parser.add_argument("--mutations", type=int, default=1_000, help="of each engine, fault and database")
    chosen = parser.parse_args()
    rows: list[measure.Row] = []
    with tempfile.TemporaryDirectory() as name, postgres.server() as server, ExitStack() as stack:
        folder, numbers = Path(name), itertools.count()
        faults = {
            "down": stack.enter_context(refusing()),
            "slow": stack.enter_context(failing(SLOW_SECONDS)),
            "erroring": stack.enter_context(failing(0)),
        }

        def files() -> str:
            return str(folder / f"bob-{next(numbers)}.db")

        servers = partial(server.new_database, folder / "cache")
        for addresses in (files, servers):
            for fault, url in faults.items():
                rows += measured(addresses, folder, fault, url, chosen.mutations)
    head = ("engine", "memory", "what", "times", "median ms alone", "beside", "p95 ms alone", "beside ")
    measure.show(
        "Mutations beside a memory that fails",
        (*head, "p95 to alone", "worker's processor"),
        rows,
        as_json=chosen.json,
    )


if __name__ == "__main__":
    main()
