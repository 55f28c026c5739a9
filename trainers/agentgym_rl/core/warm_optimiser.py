"""What updates the weights in a warm start: AdamW for all, or Muon for the matrices of layers and AdamW for the rest.

Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon) makes each step of a matrix orthogonal, so that no
direction of it learns last. The steps are scaled to the size that AdamW's have (Liu et al. 2025, arXiv:2502.16982).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, cast

import torch
from torch import nn

from agentgym_rl.core.config.tables import WarmStartConfig
from agentgym_rl.core.distributed import HasGroups
from agentgym_rl.core.models import PolicyModel, trainable_groups

_BETAS = (0.9, 0.98)


class Optimiser(HasGroups, Protocol):
    """What `clone_step` asks of an optimiser, such as one of `torch.optim`."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients."""

    def step(self) -> Any:
        """Move the weights."""


class Several:
    """Several optimisers as one, each with weights of its own."""

    def __init__(self, *optimisers: torch.optim.Optimizer) -> None:
        self._optimisers = optimisers

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Those of all."""
        return [group for each in self._optimisers for group in each.param_groups]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients."""
        for each in self._optimisers:
            each.zero_grad(set_to_none)

    def step(self) -> None:
        """Move the weights."""
        for each in self._optimisers:
            each.step()


def warm_optimiser(model: PolicyModel, config: WarmStartConfig) -> Optimiser:
    """The optimiser of a warm start, at its peak learning rate.

    Args:
        model: Whose policy is trained.
        config: Names the optimiser and the learning rate.
    """
    weights, rate = trainable_groups(model)["policy"], config.learning_rate
    if config.optimiser == "adamw":
        return _adamw(weights, rate)
    outside = _embeddings(model)
    matrices = [each for each in weights if each.ndim == 2 and id(each) not in outside]
    others = [each for each in weights if each.ndim != 2 or id(each) in outside]
    muon = torch.optim.Muon(matrices, lr=rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")
    return Several(muon, _adamw(others, rate)) if others else muon


def _embeddings(model: PolicyModel) -> set[int]:
    """Ids of weights that hold a row for each token or place."""
    tables: list[nn.Module] = [each for each in model.causal_lm.modules() if isinstance(each, nn.Embedding)]
    tables.append(cast(Any, model.causal_lm).get_output_embeddings())
    return {id(weight) for table in tables for weight in table.parameters()}


def _adamw(weights: Iterable[nn.Parameter], rate: float) -> torch.optim.AdamW:
    return torch.optim.AdamW(weights, lr=rate, betas=_BETAS, weight_decay=0.0)
