"""The benches run: each with a tiny size, so that they do not rot. What they measure is not looked at."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
WORDS = ["open", "file", "close", "read", "write", "line", "path", "name", "value", "list", "error"]
TINY = ["--passages", "30"]

RUNS = {
    "indexing": ["--chunks", "8"],
    "reindex": ["--repeat", "1"],
    "query": [*TINY, "--sizes", "50", "--queries", "4"],
    "cold_start": [*TINY, "--size", "50", "--repeat", "1"],
    "dense": [*TINY, "--sizes", "500", "--queries", "4"],
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree")
    sentences = [
        f"The {WORDS[i % 11]} of every {WORDS[7 * i % 11]} has number {i} and a {WORDS[(3 * i + 2) % 11]}."
        for i in range(120)
    ]
    for at in range(4):
        paragraphs = ["\n".join(sentences[each : each + 5]) for each in range(30 * at, 30 * at + 30, 5)]
        (folder / f"part{at}.md").write_text(f"# Part {at}\n\n" + "\n\n".join(paragraphs))
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("name", sorted(RUNS))
def test_a_bench_runs(name, tree, cache):
    cached = [] if name in ("indexing", "reindex") else ["--cache", str(cache)]
    command = [sys.executable, str(BENCH / f"{name}.py"), str(tree), *RUNS[name], *cached, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    tables = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(table["rows"] for table in tables)
