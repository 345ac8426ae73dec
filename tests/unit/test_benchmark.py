"""`bob eval benchmark beir` on a tiny set."""

import gzip
import json

import pytest

from bob.app import Engine
from bob.app.settings import Settings
from bob.core.errors import UsageError
from bob.evaluation.beir import judged
from bob.evaluation.claim_sets import read_claims
from bob.evaluation.conversation_sets import read_longmemeval

DOCUMENTS = {
    "bees": ("Bees", "Honey bees gather nectar from flowers and store it as honey in the hive."),
    "rain": ("Rain", "Rain barrels collect water from the roof for dry weeks in summer."),
    "only": ("Compost needs air and moisture", ""),
}


def test_a_benchmark_ranks_documents_and_writes_a_run(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "garden"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": k, "title": t, "text": x}) + "\n" for k, (t, x) in DOCUMENTS.items())
    )
    (folder / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "where do bees keep their honey"}\n'
        '{"_id": "q2", "text": "compost air"}\n{"_id": "rain", "text": "rain"}\n'
    )
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\tbees\t1\nq2\tonly\t1\nrain\tbees\t1\n"
    )
    run = tmp_path / "run.trec"
    result = Engine(Settings()).evaluation.beir(folder).measure_ranking("test", "hybrid", run)
    assert (result.queries, result.documents) == (3, 3)
    lines = [line.split() for line in run.read_text().splitlines()]
    assert next(line[2] for line in lines if line[0] == "q1") == "bees"
    assert next(line[2] for line in lines if line[0] == "q2") == "only"
    # A query that is itself a document of the corpus is not its own answer.
    assert "rain" not in [line[2] for line in lines if line[0] == "rain"]
    assert result.recall_at_100 == 1.0
    again = Engine(Settings()).evaluation.beir(folder).measure_ranking("test", "words", None)
    assert again.documents == 3


@pytest.mark.parametrize(
    ("qrels", "queries", "said"),
    [
        (b"", b"", "test.tsv: no query is judged"),
        (b"query-id\tcorpus-id\tscore\n\n", b"", "test.tsv: no query is judged"),
        (b"q1\tbees\t1\n", b"", "queries.jsonl: no query q1, which"),
        (b"\nq1\tbees\n", b"", "test.tsv:2: not query, document and grade"),
        (b"q\xff\tbees\t1\n", b"", "test.tsv:1: not UTF-8 text"),
        (b"q1\tbees\t1\n", b'\n{"_id": "q1", "text": "\xff"}\n', "queries.jsonl:2: not UTF-8 text"),
        (b"q1\tbees\t1\n", b'{"_id": "q1"}\n', "queries.jsonl:1: not a record"),
    ],
)
def test_a_damaged_set_is_told_with_its_file_and_line(tmp_path, qrels, queries, said):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_bytes(qrels)
    (tmp_path / "queries.jsonl").write_bytes(queries)
    with pytest.raises(UsageError) as caught:
        judged(tmp_path, "test")
    assert said in str(caught.value)


def test_a_damaged_compressed_set_is_told(tmp_path):
    packed = gzip.compress(b"[" + b'{"a": 1},' * 1_000)
    file = tmp_path / "set.json.gz"
    file.write_bytes(packed[:20] + b"\xff" * 20 + packed[40:])
    with pytest.raises(UsageError, match=r"set\.json\.gz: cannot be read"):
        read_longmemeval(file)


def test_a_claim_may_have_a_line_separator_in_it(tmp_path):
    file = tmp_path / "claims.jsonl"
    file.write_text('{"claim": "a\u2028b", "evidence": "c", "label": "SUPPORTED"}\n', encoding="utf-8")
    assert [record.claim for record in read_claims(file)] == ["a\u2028b"]
