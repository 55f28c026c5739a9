from __future__ import annotations

import pytest
import torch

from agentgym.errors import ConfigError
from agentgym_rl.maths.covariance import covariance_mask
from agentgym_rl.maths.options import CovarianceConfig

ADVANTAGES = torch.tensor([1.0, 1.0, -1.0, -1.0], dtype=torch.float64)
LOGPROBS = torch.tensor([-1.0, -3.0, -4.0, -8.0], dtype=torch.float64)  # covariances 3, 1, 0, 4


def kept(share, low=0.5, high=60.0, unclipped=(True, True, True, True), seed=0):
    config = CovarianceConfig(share, low, high)
    generator = torch.Generator().manual_seed(seed)
    return covariance_mask(ADVANTAGES, LOGPROBS, torch.tensor(unclipped), config, generator).tolist()


def test_tokens_in_the_band_are_left_out():
    assert kept(1.0) == [False, False, True, False]
    assert kept(1.0, low=2.0) == [False, True, True, False]
    assert kept(1.0, low=2.0, high=3.5) == [False, True, True, True]


def test_clipped_tokens_are_no_candidates():
    assert kept(1.0, unclipped=(False, True, True, True)) == [True, False, True, False]


def test_no_more_than_the_share_is_left_out_at_random():
    found = {tuple(kept(0.25, seed=seed)) for seed in range(30)}
    assert {row.count(False) for row in found} == {1}
    assert len(found) == 3
    assert kept(0.2) == [True] * 4


def test_nothing_is_masked_in_an_empty_batch():
    empty = torch.zeros(0)
    mask = covariance_mask(empty, empty, torch.zeros(0, dtype=torch.bool), CovarianceConfig(), torch.Generator())
    assert mask.shape == (0,)


def test_a_band_that_holds_nothing_is_refused():
    with pytest.raises(ConfigError, match="must be below high"):
        CovarianceConfig(low=3.0, high=2.0)
