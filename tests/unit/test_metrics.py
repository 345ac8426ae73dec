"""Our metrics are trec_eval's."""

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from bob.core.errors import UsageError
from bob.evaluation import beir
from bob.evaluation.metrics import ndcg, precision, recall, reciprocal_rank

names = st.sampled_from([f"d{n}" for n in range(30)])


@given(
    st.dictionaries(names, st.integers(0, 3), min_size=1),
    st.lists(names, unique=True, min_size=1, max_size=30),
)
def test_metrics_agree_with_pytrec_eval(relevance, ranking):
    run = {"q": {name: float(len(ranking) - at) for at, name in enumerate(ranking)}}
    theirs = pytrec_eval.RelevanceEvaluator(
        {"q": relevance}, {"ndcg_cut.10", "recall.5", "recip_rank", "P.7"}
    )
    expected = theirs.evaluate(run)["q"]
    assert ndcg(ranking, relevance, 10) == pytest.approx(expected["ndcg_cut_10"])
    assert recall(ranking, relevance, 5) == pytest.approx(expected["recall_5"])
    assert precision(ranking, relevance, 7) == pytest.approx(expected["P_7"])
    assert reciprocal_rank(ranking, relevance, 30) == pytest.approx(expected["recip_rank"])


def test_a_set_is_read_and_its_mistakes_are_named(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": 1, "title": "T", "text": "a"}\n\n{"_id": "2"}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "what"}\n')
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\t1\t2\n")
    assert beir.qrels(tmp_path, "test") == {"q": {"1": 2}}
    assert beir.queries(tmp_path) == {"q": "what"}
    with pytest.raises(UsageError, match=r"corpus\.jsonl:3"):
        list(beir.corpus(tmp_path))
    with pytest.raises(UsageError, match="use one of test"):
        beir.qrels(tmp_path, "train")
