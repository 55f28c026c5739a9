from __future__ import annotations

import pytest

from agentgym.errors import ConfigError
from agentgym.policy import Sampling


def test_sampling_is_greedy_at_temperature_zero():
    assert Sampling(temperature=0).is_greedy
    assert not Sampling().is_greedy


@pytest.mark.parametrize("fields", [{"temperature": -0.1}, {"max_tokens": 0}, {"top_p": 0.0}, {"top_p": 1.1}])
def test_sampling_refuses_impossible_settings(fields):
    with pytest.raises(ConfigError, match=r"temperature >= 0, max_tokens >= 1 and 0 < top_p <= 1"):
        Sampling(**fields)
