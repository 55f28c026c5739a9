import numpy as np
import pytest
import torch

from agentgym_rl.maths.histograms import AGES, WEIGHTS, band_names, histogram_metrics
from agentgym_rl.maths.loss_metrics import LossMetrics, Surrogate, measure_surrogate


def test_bands_are_named_by_what_they_hold() -> None:
    assert band_names(AGES) == ["0", "1", "2-3", "4-7", "8-15", "16-31", "32+"]
    assert band_names(WEIGHTS) == ["<0.25", "0.25-0.5", "0.5-0.9", "0.9-1.1", "1.1-2", "2-4", "4+"]


def test_shares_add_up_to_one_and_a_band_holds_its_lower_edge() -> None:
    found = histogram_metrics("replay/age", [0, 1, 2, 3, 4, 31, 32, 99, np.nan], AGES)
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["replay/age/histogram/2_2-3"] == 0.25
    assert found["replay/age/histogram/5_16-31"] == 0.125
    assert found["replay/age/histogram/6_32+"] == 0.25
    assert histogram_metrics("x", [], AGES) == {}


def measured(weights: list[float]) -> LossMetrics:
    zeros = torch.zeros(len(weights))
    none = zeros.bool()
    surrogate = Surrogate(zeros, zeros, none, none, none)
    return measure_surrogate(surrogate, zeros, torch.tensor(weights), kl=None, entropy=None)


def test_weights_of_tokens_are_counted_over_micro_batches() -> None:
    summary = (measured([0.1, 1.0]) + measured([1.0, 4.0])).summarise()
    shares = {name: value for name, value in summary.items() if "histogram" in name}
    assert shares["importance/histogram/3_0.9-1.1"] == 0.5
    assert shares["importance/histogram/0_<0.25"] == shares["importance/histogram/6_4+"] == 0.25
    assert sum(shares.values()) == 1.0


def test_weights_that_are_all_one_have_no_histogram() -> None:
    assert not [name for name in measured([1.0, 1.0]).summarise() if "histogram" in name]
