from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.errors import ContractError
from agentgym_rl.replay.sum_tree import SumTree

WEIGHTS = st.lists(st.sampled_from([0.0, 0.25, 1.0, 3.0]), min_size=1, max_size=40).filter(any)


@given(WEIGHTS, st.lists(st.floats(0, 1, exclude_max=True), min_size=1))
def test_masses_find_the_entries_that_running_sums_find(weights, shares):
    tree = SumTree(np.array(weights))
    masses = np.array(shares) * tree.total
    expected = np.searchsorted(np.cumsum(weights), masses, side="right")
    np.testing.assert_array_equal(tree.find(masses), expected)


@given(WEIGHTS, st.data())
def test_an_updated_tree_is_the_tree_of_the_new_weights(weights, data):
    tree = SumTree(np.array(weights))
    entries = np.array(data.draw(st.lists(st.integers(0, len(weights) - 1), min_size=1, unique=True)))
    new = np.array(data.draw(st.lists(st.floats(0, 9), min_size=len(entries), max_size=len(entries))))
    tree.update(entries, new)
    changed = np.array(weights)
    changed[entries] = new
    np.testing.assert_array_equal(tree._nodes, SumTree(changed)._nodes)
    np.testing.assert_array_equal(tree.weights(entries), new)


def test_rounding_never_finds_an_entry_of_weight_zero():
    tree = SumTree(np.array([0.1] * 7 + [0.0]))
    assert tree.find(np.array([tree.total, tree.total * 2]))[0] == 6


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_weights_that_are_none_are_refused(bad):
    with pytest.raises(ContractError, match="1 of 2 weights"):
        SumTree(np.array([1.0, bad]))
    with pytest.raises(ContractError, match="all weights are 0"):
        SumTree(np.zeros(2)).find(np.zeros(1))
