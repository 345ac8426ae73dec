"""How much memory a server takes under load, and whether it gives it back: rounds of expensive requests.

    python bench/server_memory.py [--documents 300] [--rounds 3] [--requests 200] [--clients 32]

Starts `bob serve` over generated documents and prints the resident memory before, at the peak of each round
and after it. Linux alone: the figures come from /proc.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

WORDS = [
    "hedge",
    "press",
    "tank",
    "orchard",
    "meeting",
    "budget",
    "ladder",
    "harvest",
    "contract",
    "invoice",
    "server",
    "database",
    "release",
    "owner",
    "window",
    "garden",
    "kitchen",
    "recipe",
    "travel",
    "ticket",
    "hotel",
    "review",
    "decision",
    "deadline",
    "customer",
    "report",
]


def paragraph(chance: random.Random, sentences: int = 6) -> str:
    made = [" ".join(chance.choices(WORDS, k=12)).capitalize() + "." for _ in range(sentences)]
    return " ".join(made)


def write_documents(folder: Path, count: int) -> None:
    chance = random.Random(1)
    for number in range(count):
        parts = [f"## Part {n}\n\n{paragraph(chance)}\n" for n in range(4)]
        (folder / f"document-{number}.md").write_text(f"# Document {number}\n\n" + "\n".join(parts), "utf-8")


def memory(process: int) -> float:
    """Resident megabytes."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text("utf-8"))
    return int(found[1]) / 1024 if found else 0.0


def request(client: httpx.Client, number: int) -> int:
    chance = random.Random(number)
    kind = number % 4
    if kind == 0:
        texts = [paragraph(chance, 20) for _ in range(32)]
        return client.post("/v1/embeddings", json={"model": "bob", "input": texts}).status_code
    if kind == 1:
        return client.post("/verify", json={"text": paragraph(chance, 40)}).status_code
    if kind == 2:
        return client.post("/ask", json={"question": f"What about {paragraph(chance, 1)}?"}).status_code
    query = paragraph(chance, 1)
    return client.post("/search", json={"query": query, "limit": 100}).status_code


def one_round(address: str, process: int, requests: int, clients: int) -> tuple[float, Counter[int], float]:
    peak, over = [memory(process)], threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            peak[0] = max(peak[0], memory(process))

    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.perf_counter()
    limits = httpx.Limits(max_connections=clients)
    with (
        httpx.Client(base_url=address, timeout=600, limits=limits) as client,
        ThreadPoolExecutor(clients) as threads,
    ):
        statuses = Counter(threads.map(lambda n: request(client, n), range(requests)))
    over.set()
    watcher.join()
    return peak[0], statuses, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, usual in (("documents", 300), ("rounds", 3), ("requests", 200), ("clients", 32)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "documents")
        folder.mkdir()
        write_documents(folder, given.documents)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("BOB_", "XDG_"))}
        environment = kept | {"HOME": home, "BOB_DATABASE": f"{home}/bob.db"}
        bob = [sys.executable, "-m", "bob.cli.main"]
        subprocess.run([*bob, "index", str(folder)], env=environment, check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen(
            [*bob, "serve", "--port", "0"], env=environment, stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            address = ""
            while not address:
                found = re.search(r"http://[\d.]+:\d+", server.stdout.readline())
                address = found[0] if found else ""
            for number in range(4):
                with httpx.Client(base_url=address, timeout=60) as client:
                    request(client, number)
            print(f"before          {memory(server.pid):7.0f} MB", flush=True)
            for number in range(1, given.rounds + 1):
                peak, statuses, seconds = one_round(address, server.pid, given.requests, given.clients)
                time.sleep(1)
                told = ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items()))
                after = memory(server.pid)
                print(
                    f"round {number}: peak {peak:5.0f} MB, after {after:5.0f} MB; {told}; {seconds:.0f} s",
                    flush=True,
                )
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main()
