"""One update of a critic: its own gradients alone are cleared, clipped and applied, then its copy follows.

Not here: the loss (losses.py).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from agentgym_rl.core import distributed
from agentgym_rl.hierarchical.critic.network import TurnCritic
from agentgym_rl.hierarchical.options import CriticStepConfig


def critic_optimiser(critic: TurnCritic, config: CriticStepConfig) -> torch.optim.Optimizer:
    """AdamW with a group for each module of the critic; the policy has another optimiser."""
    groups = [{"params": params, "name": name} for name, params in critic.trainable_groups().items()]
    return torch.optim.AdamW(groups, lr=config.learning_rate, weight_decay=0.0, fused=True)


def critic_step(
    critic: TurnCritic, optimiser: torch.optim.Optimizer, losses: Iterable[Tensor], config: CriticStepConfig
) -> dict[str, float]:
    """Step down the sum of losses.

    The norm is that of the critic's own gradients, group by group. One norm over policy and critic would let what an
    update of the policy left behind shrink the critic's step. A step with a norm that is no finite number is left out,
    and the copy stays.

    Args:
        critic: Updated in place.
        optimiser: From `critic_optimiser`.
        losses: One per micro-batch; each is asked for when the one before has left its gradient.
        config: The clip.

    Returns:
        Norm of the gradient before clipping, by group.
    """
    optimiser.zero_grad(set_to_none=True)
    for loss in losses:
        torch.autograd.backward(loss * distributed.world_size())
    norms = distributed.clip_groups(optimiser, config.max_grad_norm)
    if all(np.isfinite(norm) for norm in norms):
        optimiser.step()
        critic.update_target()
    return {str(group["name"]): norm for group, norm in zip(optimiser.param_groups, norms, strict=True)}
