"""`bob worker`: does what waits, in a process of its own."""

from __future__ import annotations

import logging
import signal
import threading
from typing import Annotated

import typer

from bob.cli import options
from bob.cli.output import counted, print_line


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("worker", help=_HELP)(worker)


_HELP = """Run pending jobs: vectors of documents, memories of chats, and the index of work items.

`bob serve` has a worker inside. More can run at once, on any number of machines, over a PostgreSQL database;
if a worker is killed, another takes over its jobs. Ctrl-C ends it after the current job.

Examples:

    bob worker

    bob worker --once

    BOB_DATABASE=postgresql://bob@db.example/bob bob worker
"""


def worker(
    once: Annotated[bool, typer.Option("--once", help="End when no jobs are pending.")] = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Work."""
    engine = options.engine(config, database, service=True)
    # What goes to the memory is told line by line, for who runs the worker as a service.
    logging.getLogger("bob").setLevel(logging.INFO)
    stopped = threading.Event()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, lambda *_: stopped.set())
    done = 0
    if once:
        while not stopped.is_set() and (turn := engine.worker.run_once(stopped.is_set)):
            done += turn
    else:
        print_line(f"Working on {engine.database}. Ctrl-C ends; with --once it ends by itself.")
        done = engine.worker.run_until(stopped)
    print_line(f"{counted(done, 'job')} done.")
    engine.close()
