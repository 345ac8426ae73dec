"""The two array operations agree with NumPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bob.search.ranking import distinct, kth_largest


@given(arrays.arrays(np.int64, st.integers(0, 200), elements=st.integers(-20, 20)))
def test_distinct_is_unique(values):
    assert np.array_equal(distinct(values), np.unique(values))


@given(
    st.integers(1, 30),
    st.integers(0, 12_000),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 5, 1_000_000]),
)
def test_the_kth_largest_is_that_of_a_sorted_array(k, more, seed, kinds):
    values = np.random.default_rng(seed).integers(0, kinds, k + more).astype(np.float32)
    assert kth_largest(values, k) == np.sort(values)[-k]
