"""How far one call walks through the code: modules, functions, depth, and moves from module to module.

    python bench/walks.py [--list]

A module is a file of the package. The second call counts, when all is warm; a move is each change of file
on a call or a return. For comparison, `httpx` in the same run.
"""

from __future__ import annotations

import http.server
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
import measure

import bob
from bob import Bob

NOTES = {
    "shop/payments.md": "# Payments\n\nThe shop takes cards and bank transfers. Refunds take five days.\n",
    "shop/orders.md": "# Orders\n\nOrders live in PostgreSQL since March 2021. Each order has a number.\n",
    "team/meeting.md": "# Meeting\n\nThe importer is written in Rust. Ana writes the plan.\n",
}
DECISION = "# Meeting\n\nWe decided to use Rust for the importer. Ana writes the plan.\n"
"""Found by the same question, so that the answer has to know how decisions stand."""


@dataclass
class Walk:
    """The frames of one package that a call goes through."""

    package: Path
    modules: Counter[str] = field(default_factory=Counter)
    functions: set[tuple[str, int]] = field(default_factory=set)
    deepest: int = 0
    moves: int = 0
    _depth: int = 0
    _stack: list[str] = field(default_factory=list)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """What the profiler calls on each call and return."""
        if event not in ("call", "return"):
            return
        path = frame.f_code.co_filename
        if not path.startswith(str(self.package) + os.sep):
            return
        if event == "call":
            self.modules[path] += 1
            self.functions.add((path, frame.f_code.co_firstlineno))
            self.moves += bool(self._stack) and self._stack[-1] != path
            self._stack.append(path)
            self.deepest = max(self.deepest, len(self._stack))
        elif self._stack:
            self._stack.pop()
            self.moves += bool(self._stack) and self._stack[-1] != path


def walk(package: Path, call: Callable[[], object]) -> Walk:
    """The walk of the second call."""
    call()
    noted = Walk(package)
    threading.setprofile(noted.note)
    sys.setprofile(noted.note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return noted


class _Reply(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """An empty object."""
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Nothing."""


def main() -> None:
    """Walk, and print."""
    parser = measure.options(__doc__)
    parser.add_argument("--list", action="store_true", help="name the modules of each walk, and their calls")
    given = parser.parse_args()
    home = Path(bob.__file__).parent
    walks: dict[str, Walk] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in NOTES.items():
            path = Path(folder) / "notes" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        with Bob(Path(folder) / "bob.db") as memory:
            memory.index(Path(folder) / "notes")
            walks["search"] = walk(home, lambda: memory.search("refunds of the shop"))
            walks["ask"] = walk(home, lambda: memory.ask("How long do refunds take?"))
            (Path(folder) / "notes" / "team/meeting.md").write_text(DECISION)
            memory.index(Path(folder) / "notes")
            walks["ask, decisions found"] = walk(home, lambda: memory.ask("How long do refunds take?"))
            walks["chat"] = walk(home, lambda: memory.chat("How long do refunds take?"))
            messages = iter(
                ("I prefer tea to coffee in the morning.", "My sister Ana lives in Porto since 2019.")
            )
            funnel, scope = memory._engine.conversations.remember, memory._engine.conversations.own_scope
            walks["one pass of the funnel"] = walk(home, lambda: funnel.tell(scope, next(messages)))
    server = http.server.HTTPServer(("127.0.0.1", 0), _Reply)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with httpx.Client() as client:
        address = f"http://127.0.0.1:{server.server_port}/"
        walks["httpx get"] = walk(Path(httpx.__file__).parent, lambda: client.get(address).json())
    server.shutdown()
    head = ["walk", "modules", "functions", "deepest", "moves"]
    rows = [
        [name, len(each.modules), len(each.functions), each.deepest, each.moves]
        for name, each in walks.items()
    ]
    measure.show("One warm call", head, rows, as_json=given.json)
    if given.list:
        for name, noted in walks.items():
            print(f"\n{name}")
            for path, calls in noted.modules.most_common():
                print(f"{calls:6} {Path(path).relative_to(noted.package)}")


if __name__ == "__main__":
    main()
