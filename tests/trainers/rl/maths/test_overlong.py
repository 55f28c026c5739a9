from __future__ import annotations

import pytest

from agentgym.errors import ConfigError
from agentgym_rl.maths.overlong import overlong_penalty


@pytest.mark.parametrize(("num_tokens", "penalty"), [(0, 0.0), (80, 0.0), (85, -0.25), (100, -1.0), (130, -1.0)])
def test_overlong_penalty_ramps_over_the_buffer(num_tokens: int, penalty: float) -> None:
    assert overlong_penalty(num_tokens, max_tokens=100, buffer_tokens=20) == pytest.approx(penalty)


def test_overlong_penalty_refuses_a_buffer_wider_than_the_limit() -> None:
    with pytest.raises(ConfigError, match="buffer is 101"):
        overlong_penalty(1, max_tokens=100, buffer_tokens=101)
