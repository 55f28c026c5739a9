"""Keeping entropy during imitation: some of the tokens that would sharpen the policy most are left out of the loss.

This is Clip-Cov of Cui et al. 2025, arXiv 2505.22617, section 4.2, as SPEAR uses it on replayed tokens. `imitation`
chooses the episodes.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from agentgym_rl.maths.options import CovarianceConfig


def covariance_mask(
    advantages: Float[Tensor, " T"],
    policy_logprobs: Float[Tensor, " T"],
    is_unclipped: Bool[Tensor, " T"],
    config: CovarianceConfig,
    generator: torch.Generator,
) -> Bool[Tensor, " T"]:
    """True on tokens that are trained on; the mask carries no gradient.

    cov_k = (A_k - mean A)(logp_k - mean logp) over all T tokens; of the unclipped ones with low < cov_k < high,
    min(floor(share T), how many there are) are drawn at random and left out.

    Args:
        advantages: Advantage of each trained token.
        policy_logprobs: Log-probabilities under the weights being trained.
        is_unclipped: True if the surrogate of the token is not already clipped.
        config: Band and share.
        generator: Draws the choice; on the CPU.
    """
    keeps = torch.ones_like(is_unclipped)
    if not len(keeps):
        return keeps
    advantages, logprobs = advantages.detach().double(), policy_logprobs.detach().double()
    covariance = (advantages - advantages.mean()) * (logprobs - logprobs.mean())
    candidates = torch.nonzero(is_unclipped & (covariance > config.low) & (covariance < config.high)).flatten()
    count = min(int(config.share * len(keeps)), len(candidates))
    chosen = torch.randperm(len(candidates), generator=generator)[:count]
    keeps[candidates[chosen.to(candidates.device)]] = False
    return keeps
