"""The benches run: each with a tiny size, so that they do not rot. What they measure is not looked at."""

import json
import os
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
WORDS = ["open", "file", "close", "read", "write", "line", "path", "name", "value", "list", "error"]
TINY = ["--passages", "30"]

RUNS = {
    "indexing": ["--chunks", "8"],
    "query": [*TINY, "--sizes", "50", "--queries", "4"],
    "dense": [*TINY, "--sizes", "500", "--queries", "4"],
    "verdicts": ["--claims", "5"],
}
if os.environ.get("ALL_BENCHES"):
    # These start commands and browsers, which takes as long as all others together.
    RUNS |= {
        "reindex": ["--repeat", "1"],
        "cold_start": [*TINY, "--size", "50", "--repeat", "1"],
        "pages": [*TINY, "--sizes", "50", "--queries", "2", "--repeat", "1", "--pages", "ask"],
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


def test_the_bench_of_reranking_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "set"
    (folder / "qrels").mkdir(parents=True)
    texts = [f"The {first} of a {second}." for first, second in pairwise(WORDS)]
    for name, rows in (("corpus", texts), ("queries", texts[:3])):
        lines = (
            json.dumps({"_id": f"{name}{at}", "title": "", "text": each}) for at, each in enumerate(rows)
        )
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    judged = "".join(f"queries{at}\tcorpus{at}\t1\n" for at in range(3))
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}")
    command = [sys.executable, str(BENCH / "rerank.py"), str(folder), "--queries", "2", "--weights", "0,1"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    quality, cost = (json.loads(line) for line in done.stdout.splitlines())
    assert [row["weight"] for row in quality["rows"]] == [0, 1] and len(cost["rows"]) == 1
    assert quality["rows"][0]["change"] == 0


def test_the_bench_of_git_runs():
    command = [sys.executable, str(BENCH / "git_ingest.py"), "--commits", "3", "--documents", "4", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)
    assert len(table["rows"]) == 6 and table["passages_opened"] and table["differ"] == 0


@pytest.mark.parametrize("name", sorted(RUNS))
def test_a_bench_runs(name, tree, cache):
    if name == "pages" and not (shutil.which("chromium") or shutil.which("google-chrome")):
        pytest.skip("there is no Chromium")
    cached = [] if name in ("indexing", "reindex", "verdicts") else ["--cache", str(cache)]
    command = [sys.executable, str(BENCH / f"{name}.py"), str(tree), *RUNS[name], *cached, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    tables = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(table["rows"] for table in tables)
