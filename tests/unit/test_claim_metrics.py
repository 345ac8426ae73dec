"""The measures of verdicts agree with scikit-learn's definitions, worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bob.evaluation.claim_sets import auroc, balanced_accuracy, f1

PAIRS = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.2, 0.5, 0.9])), min_size=1, max_size=30)


@given(PAIRS)
def test_auroc_is_the_share_of_pairs_in_order(pairs):
    labels, scores = zip(*pairs, strict=True)
    above = [s for y, s in pairs if y]
    below = [s for y, s in pairs if not y]
    found = auroc(labels, scores)
    if not above or not below:
        assert found is None
        return
    wins = sum((a > b) + 0.5 * (a == b) for a in above for b in below)
    assert found == pytest.approx(wins / (len(above) * len(below)))


@given(PAIRS)
def test_balanced_accuracy_and_f1(pairs):
    labels = [y for y, _ in pairs]
    verdicts = [s >= 0.5 for _, s in pairs]
    both = sum(y and v for y, v in zip(labels, verdicts, strict=True))
    if all(labels) or not any(labels):
        assert balanced_accuracy(labels, verdicts) is None
    else:
        right = sum(not y and not v for y, v in zip(labels, verdicts, strict=True))
        share = both / sum(labels) + right / (len(labels) - sum(labels))
        assert balanced_accuracy(labels, verdicts) == pytest.approx(share / 2)
    if both:
        precision, recall = both / sum(verdicts), both / sum(labels)
        assert f1(labels, verdicts) == pytest.approx(2 * precision * recall / (precision + recall))
    else:
        assert f1(labels, verdicts) == 0
