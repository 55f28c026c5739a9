"""The soft penalty on overlong rollouts that DAPO adds to the reward.

Not here: the treatment of truncated rollouts in baselines and loss (advantages.py).
"""

from __future__ import annotations

from agentgym.errors import ConfigError


def overlong_penalty(num_tokens: int, *, max_tokens: int, buffer_tokens: int) -> float:
    """Penalty in [-1, 0] that grows linearly over the last `buffer_tokens` before the limit.

    p(l) = 0 for l <= L - c; ((L - c) - l) / c for L - c < l <= L; -1 beyond (L limit, c buffer).
    DAPO, Yu et al. 2025, arXiv 2503.14476.

    Args:
        num_tokens: Sampled tokens of the rollout, l.
        max_tokens: The limit L.
        buffer_tokens: Width c of the ramp, from 1 to `max_tokens`.

    Raises:
        ConfigError: The ramp is empty or wider than the limit.
    """
    if not 1 <= buffer_tokens <= max_tokens:
        raise ConfigError(f"overlong buffer is {buffer_tokens} tokens; expected 1 to the limit of {max_tokens}")
    threshold = max_tokens - buffer_tokens
    return -min(max(num_tokens - threshold, 0) / buffer_tokens, 1.0)
