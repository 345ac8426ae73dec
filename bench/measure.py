"""What every bench needs: times, medians, memory, tables. Knows nothing of Bob."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

Row = Sequence[object]

DEFAULT_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bob" / "bench"


def options(description: str | None) -> argparse.ArgumentParser:
    """The options that all benches share."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


@contextmanager
def timed(into: list[float]) -> Iterator[None]:
    """Append the seconds that the block took."""
    began = time.perf_counter()
    yield
    into.append(time.perf_counter() - began)


def seconds(work: Callable[[], object], repeat: int = 5) -> list[float]:
    """How long each of `repeat` calls took."""
    taken: list[float] = []
    for _ in range(repeat):
        with timed(taken):
            work()
    return taken


def share(values: Sequence[float], part: float) -> float:
    """The value that `part` of the values do not exceed (0.95: p95)."""
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median and p95, in milliseconds."""
    return {"median_ms": 1000 * median(values), "p95_ms": 1000 * share(values, 0.95)}


def peak_megabytes(*, children: bool = False) -> float:
    """The most memory that this process has held, or the largest of its children that have ended."""
    who = resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF
    peak = resource.getrusage(who).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def run(command: Sequence[str]) -> float:
    """Seconds of a whole process, from its start to its end."""
    return run_timed(command)[0]


def run_timed(command: Sequence[str]) -> tuple[float, float]:
    """Seconds of a whole process, by the wall clock and of CPU (its children's too, where it waited)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    taken = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # 1 and 3 are answers too: nothing found, some files could not be read.
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()}")
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bob_command() -> list[str]:
    """The `bob` of this Python, as a whole process."""
    script = Path(sys.executable).with_name("bob")
    return [str(script)] if script.exists() else [sys.executable, "-m", "bob.cli.main"]


def tree_bytes(folder: Path) -> int:
    """The bytes that all files below a folder take on disk: holes that were never written take none."""
    found = [path.stat() for path in folder.rglob("*") if path.is_file()]
    return sum(512 * each.st_blocks if hasattr(each, "st_blocks") else each.st_size for each in found)


def load() -> str:
    """How busy the machine was, to be printed with every result."""
    if not hasattr(os, "getloadavg"):
        return ""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def show(title: str, head: Sequence[str], rows: Sequence[Row], *, as_json: bool, **facts: Any) -> None:
    """Print a table, or the same as JSON, one object a line."""
    if as_json:
        found = [dict(zip(head, row, strict=True)) for row in rows]
        print(json.dumps({"bench": title, "rows": found, **facts, "load": load()}))
        return
    cells = [list(head), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(head))]
    print(f"\n{title}  ({load()})")
    for at, row in enumerate(cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if at == 0:
            print("  ".join("-" * width for width in widths))
    for name, value in facts.items():
        print(f"{name}: {_cell(value)}")
    sys.stdout.flush()


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
