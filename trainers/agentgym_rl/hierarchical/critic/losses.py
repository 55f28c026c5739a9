"""The regression losses of critics: squares or cross-entropy, and the expectile that is offline learning's maximum.

Not here: targets (targets.py), critics over the vocabulary (ilql.py). Sums under given weights, so that micro-batches
add up; `weights` are 1 / (turns of the update) for a mean.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from agentgym.errors import ConfigError, ContractError
from agentgym_rl.hierarchical.critic.network import as_values


def critic_loss(
    outputs: Float[Tensor, "K N"],
    targets: Float[Tensor, "K N"],
    weights: Float[Tensor, " N"],
    value_range: tuple[float, float] | None = None,
) -> Float[Tensor, ""]:
    """sum_j sum_n weight_n l(output_jn, target_jn), head j towards target j.

    l is (output - target)^2, and with a range of values the binary cross-entropy between sigmoid(output) and the
    target's place in the range (as for returns of success and failure: Bai et al. 2024, DigiRL, arXiv 2406.11896).
    For Q: y_j of `one_step_targets`. For V: Q_j of the target network at an action that the policy samples now.
    ArCHer, Zhou et al. 2024, arXiv 2402.19446.

    Args:
        outputs: Of the heads, with gradient.
        targets: Constants. With a range, what lies outside is moved to its edge: r + gamma V may, returns cannot.
        weights: Of each turn.
        value_range: As of the critic's configuration.

    Returns:
        A scalar; 0 with a gradient of 0 for no turns.

    Raises:
        ContractError: A target is no finite number.
    """
    errors = _errors(outputs, targets, value_range)
    return (weights.to(outputs.dtype) * errors).sum()


def expectile_loss(
    outputs: Float[Tensor, "K N"],
    target_q: Float[Tensor, "J N"],
    weights: Float[Tensor, " N"],
    expectile: float = 0.9,
    value_range: tuple[float, float] | None = None,
) -> Float[Tensor, ""]:
    """sum_j sum_n weight_n |expectile - 1[u < 0]| l(V_jn, Q_n), u = Q_n - V_jn, Q = min(Q_1, Q_2) of the copy.

    V becomes an expectile of Q over the actions in the data: 0.5 their mean, towards 1 their maximum. Implicit
    Q-learning, Kostrikov et al. 2021, arXiv 2110.06169, eq. 5. Actions are those of the data: nothing is sampled.

    Args:
        outputs: Of the V heads, with gradient.
        target_q: Values (not outputs) of the target network at the data's actions.
        weights: Of each turn.
        expectile: In (0, 1).
        value_range: As for `critic_loss`, and l likewise.
    """
    if not 0 < expectile < 1:
        raise ConfigError(f"expectile is {expectile}; expected a number between 0 and 1, both excluded")
    target = target_q.min(dim=0).values.expand_as(outputs)
    is_above = as_values(outputs.detach(), value_range) > target
    share = torch.where(is_above, 1 - expectile, expectile).to(outputs.dtype)
    return (weights.to(outputs.dtype) * share * _errors(outputs, target, value_range)).sum()


def _errors(
    outputs: Float[Tensor, "K N"], targets: Float[Tensor, "K N"], value_range: tuple[float, float] | None
) -> Float[Tensor, "K N"]:
    constants = targets.detach().to(outputs.dtype)
    if not bool(constants.isfinite().all()):
        raise ContractError(
            f"{int((~constants.isfinite()).sum())} of {constants.numel()} targets of the critic are no finite numbers; "
            "leave out episodes with broken rewards, and value the final observation of each truncated one"
        )
    if value_range is None:
        return (outputs - constants).square()
    low, high = value_range
    place = ((constants - low) / (high - low)).clamp(0, 1)
    return functional.binary_cross_entropy_with_logits(outputs, place, reduction="none")
