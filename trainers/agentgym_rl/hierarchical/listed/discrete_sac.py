"""Soft actor-critic over a finite list of actions, each a text that the model scores (SAC-GLAM).

Not here: which actions a state has, scoring them, hindsight. Gaven et al. 2024, arXiv 2410.12481; discrete SAC:
Christodoulou 2019, arXiv 1910.07207. A state may have fewer than A actions: `is_available` says which places count.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from agentgym.errors import ConfigError, ContractError


def action_logprobs(
    scores: Float[Tensor, "N A"], is_available: Bool[Tensor, "N A"], temperature: float = 1.0
) -> Float[Tensor, "N A"]:
    """Log pi(a|s) = log_softmax_a(score / temperature) over the available actions, -inf for the others.

    Args:
        scores: log p(a | s) of the model: sums over the tokens of each action, with gradient.
        is_available: True: an action of this state; at least one each.
        temperature: tau of the softmax; above 1 evens out texts of unequal length.
    """
    if temperature <= 0:
        raise ConfigError(f"temperature is {temperature}; expected more than 0")
    if not bool(is_available.any(-1).all()):
        raise ContractError("a state has no available action; leave terminal states out")
    return torch.log_softmax((scores / temperature).masked_fill(~is_available, -torch.inf), dim=-1)


def soft_values(
    logprobs: Float[Tensor, "N A"], q: Float[Tensor, "2 N A"], alpha: float | Float[Tensor, ""]
) -> Float[Tensor, " N"]:
    """sum_a pi(a|s) (min(Q_1, Q_2)(s, a) - alpha log pi(a|s)); actions that are not available count nothing."""
    return _expectation(logprobs, q.min(dim=0).values - alpha * _finite(logprobs))


def soft_targets(
    rewards: Float[Tensor, " N"],
    next_soft_values: Float[Tensor, " N"],
    is_terminal: Bool[Tensor, " N"],
    discount: float,
) -> Float[Tensor, " N"]:
    """Targets y = r + gamma V(s'), V of `soft_values` with the target network; V(s') is not read after a termination.

    Args:
        rewards: r.
        next_soft_values: Of the next state; of the final observation where a limit cut; anything after a termination.
        is_terminal: True: the episode ended here. A time limit is no end.
        discount: gamma.

    Returns:
        Constants.
    """
    following = torch.where(is_terminal, torch.zeros_like(next_soft_values), next_soft_values)
    return (rewards + discount * following).detach()


def soft_policy_loss(
    logprobs: Float[Tensor, "N A"],
    q: Float[Tensor, "2 N A"],
    alpha: float | Float[Tensor, ""],
    weights: Float[Tensor, " N"],
) -> Float[Tensor, ""]:
    """sum_n weight_n sum_a pi(a|s) (alpha log pi(a|s) - min(Q_1, Q_2)(s, a)): the exact expectation, nothing sampled.

    Args:
        logprobs: Of `action_logprobs`, with gradient.
        q: Of the online network; gradients stop here.
        alpha: Worth of a nat of entropy; gradients stop here.
        weights: Of each state.
    """
    fixed = alpha.detach() if isinstance(alpha, Tensor) else alpha
    return -(weights.to(logprobs.dtype) * soft_values(logprobs, q.detach(), fixed)).sum()


def temperature_loss(
    log_alpha: Float[Tensor, ""],
    logprobs: Float[Tensor, "N A"],
    target_entropy: float | Float[Tensor, " N"],
    weights: Float[Tensor, " N"],
) -> Float[Tensor, ""]:
    """sum_n weight_n alpha (H_n - target): alpha grows while the policy's entropy H lies below the target.

    Lists differ in length, so a target may be a state's own.
    """
    entropy = -_expectation(logprobs, _finite(logprobs)).detach()
    return log_alpha.exp() * (weights * (entropy - target_entropy)).sum()


def _finite(logprobs: Float[Tensor, "N A"]) -> Float[Tensor, "N A"]:
    return logprobs.masked_fill(logprobs == -torch.inf, 0.0)


def _expectation(logprobs: Float[Tensor, "N A"], of: Float[Tensor, "N A"]) -> Float[Tensor, " N"]:
    """sum_a pi(a|s) f(s, a); f may be anything, NaN included, where pi is 0."""
    is_absent = logprobs == -torch.inf
    return (_finite(logprobs).exp() * of).masked_fill(is_absent, 0.0).sum(-1)
