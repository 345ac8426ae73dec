"""Whether a text fits a query at all, as a probability: the score that a semantic memory ranks and cuts by.

A logistic function of four numbers that mean the same for every query: the cosines with the title and with
the whole text, BM25 as a share of what the query could reach, and the share of the query's words that occur,
weighted by rarity. Nothing is normalized by the best result, so that the best of what does not fit is not
taken for a fit. `bench/relevance.py` fits the constants and prints what a floor keeps and lets through;
docs/adr/0019-semantic-memory.md has the figures.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

TITLE_COSINE, COSINE, WORDS, COVERAGE, BIAS = 4.3, 8.5, 8.5, 4.3, -7.0
"""The first four weigh as one to two to two to one: a plateau, on which single queries change places."""


def relevance(title_cosines: Floats, cosines: Floats, words: Floats, coverage: Floats) -> Floats:
    """The probability that each text fits, all of one shape; `words` and `coverage` from 0 to 1.

    A cosine that is NaN, where a vector is still to come, is left to the words: they speak for both.
    """
    known = ~np.isnan(cosines)
    meant = np.where(known, np.nan_to_num(cosines), words)
    titled = np.where(known, np.nan_to_num(title_cosines), words)
    evidence = TITLE_COSINE * titled + COSINE * meant + WORDS * words + COVERAGE * coverage + BIAS
    probability: Floats = (1 / (1 + np.exp(-evidence))).astype(np.float32)
    return probability
