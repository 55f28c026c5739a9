"""Token advantages of REINFORCE++: KL in the token reward, return to go, whitened over the whole batch.

Not here: group baselines (advantages.py). REINFORCE++-baseline is `mean_centred` there, followed by `whiten` here.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64

from agentgym.attribution.steps import returns_to_go


def token_returns_to_go(
    outcome: float,
    kl: Float64[np.ndarray, " T"] | None,
    num_tokens: int,
    *,
    beta: float = 0.0,
    gamma: float = 1.0,
) -> Float64[np.ndarray, " T"]:
    """Return to go of every sampled token of one rollout.

    Token reward r_k = -beta kl_k, plus the outcome at the last sampled token; G_k = r_k + gamma G_{k+1}. Discounting
    counts sampled tokens only, so text of the environment between two turns adds no discount.
    REINFORCE++, Hu et al. 2025, arXiv 2501.03262.

    Args:
        outcome: The rollout's return R.
        kl: k1 estimate logp_policy - logp_reference per sampled token, without gradient; None with beta = 0.
        num_tokens: Sampled tokens T of the rollout, over all of its segments.
        beta: Weight of the KL penalty in the reward.
        gamma: Discount per sampled token.

    Returns:
        float64[T]; empty for a rollout without sampled tokens.
    """
    rewards = np.zeros(num_tokens, dtype=np.float64)
    if kl is not None:
        rewards -= beta * kl
    if num_tokens:
        rewards[-1] += outcome
    return returns_to_go(rewards, np.array([0, num_tokens]), gamma)


def whiten(
    advantages: Float64[np.ndarray, " T"],
    counts: Float64[np.ndarray, " T"] | None = None,
    eps: float = 1e-8,
) -> Float64[np.ndarray, " T"]:
    """Shift and scale to mean 0 and variance 1 over all given values, which should be the whole batch.

    A' = (A - mean) / sqrt(var + eps), population variance. REINFORCE++, Hu et al. 2025, arXiv 2501.03262.

    Args:
        advantages: One value per token, or per rollout with `counts`.
        counts: Number of tokens that each value represents; None: one each.
        eps: Added to the variance. Equal values give exactly 0.

    Returns:
        float64, the shape of `advantages`; zeros if the variance comes only from rounding.
    """
    weights = np.ones_like(advantages) if counts is None else counts
    total = weights.sum()
    if total == 0:
        return np.zeros_like(advantages)
    centred = advantages - (weights * advantages).sum() / total
    variance = float((weights * centred**2).sum() / total)
    scale = max(1.0, float(np.abs(advantages).max()))
    if variance <= (1e-6 * scale) ** 2:
        return np.zeros_like(advantages)
    whitened: Float64[np.ndarray, " T"] = centred / np.sqrt(variance + eps)
    return whitened
