from __future__ import annotations

import pytest

from agentgym.errors import ConfigError
from agentgym.rollout import RolloutSettings


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"max_concurrent": 0}, r"max_concurrent must be at least 1, got 0"),
        ({"env_threads": -1}, r"env_threads must be at least 1, got -1"),
        ({"retries": -1}, r"retries must be at least 0, got -1"),
        ({"max_fault_share": 1.5}, r"max_fault_share must be from 0 to 1, got 1\.5"),
        ({"history": "last:x"}, "last:"),
        ({"cut_messages": "drop"}, "'invalid' or 'play': got 'drop'"),
    ],
)
def test_values_that_cannot_be_are_refused(values, message):
    with pytest.raises(ConfigError, match=message):
        RolloutSettings(**values)


@pytest.mark.parametrize("history", ["full", "last:3", "tokens:100"])
def test_histories_that_exist_are_taken(history):
    assert RolloutSettings(history=history).history == history
