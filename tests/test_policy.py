from __future__ import annotations

import pytest

from agentgym.errors import ConfigError
from agentgym.policy import Sampling


def test_sampling_is_greedy_at_temperature_zero():
    assert Sampling(temperature=0).is_greedy
    assert not Sampling().is_greedy


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"temperature": -0.1}, "temperature must be at least 0, got -0.1"),
        ({"max_tokens": 0}, "max_tokens must be at least 1, got 0"),
        ({"top_p": 0.0}, "top_p must be above 0 and at most 1, got 0.0"),
        ({"top_p": 1.1}, "top_p must be above 0 and at most 1, got 1.1"),
    ],
)
def test_sampling_refuses_impossible_settings(fields, message):
    with pytest.raises(ConfigError, match=f"^{message}$"):
        Sampling(**fields)
