"""Estimators of the KL divergence from the reference policy, one sampled token at a time.

Not here: the weight beta and the place of the penalty (losses.py for the loss, reinforce_pp.py for the reward).
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from agentgym.errors import ConfigError
from agentgym_rl.maths.options import KlEstimator

MAX_LOG_RATIO = 20.0


def kl_estimate(
    policy_logprobs: Float[Tensor, " T"], reference_logprobs: Float[Tensor, " T"], estimator: KlEstimator
) -> Float[Tensor, " T"]:
    """Estimate KL(policy || reference) at tokens sampled from the policy.

    With d = logp_reference - logp_policy: k1 = -d; k2 = d^2 / 2; k3 = e^d - d - 1 (Schulman 2020, "Approximating KL
    divergence"). k3+ has the value of k3 and the gradient of k2.

    Minimised as a loss on samples of the policy, k2 and k3+ have the gradient of the reverse KL of each token's own
    distribution, without a token's effect on later states. The gradient of k1 is zero in the mean, and that of k3 is a
    different one (Tang and Munos 2025, arXiv 2506.09477). k1 is right in the reward.

    Args:
        policy_logprobs: With gradient.
        reference_logprobs: Of the frozen policy; gradients stop here.
        estimator: Which of the four.

    Returns:
        One value per token; d is clamped to [-20, 20] before the exponential.
    """
    difference = reference_logprobs.detach() - policy_logprobs
    if estimator == "k1":
        return -difference
    if estimator == "k2":
        return 0.5 * difference.square()
    clamped = difference.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
    k3 = torch.expm1(clamped) - clamped
    if estimator == "k3":
        return k3
    if estimator == "k3+":
        k2 = 0.5 * difference.square()
        return k3.detach() + k2 - k2.detach()
    raise ConfigError(f"kl_estimator is {estimator!r}; expected k1, k2, k3 or k3+")
