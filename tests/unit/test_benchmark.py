"""`bob eval benchmark beir` on a tiny set."""

import json

from bob.app import Engine
from bob.app.settings import Settings

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
