"""Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon): momentum whose singular values are made alike.

On a CPU it computes in float32. PyTorch's own Muon computes in bfloat16 everywhere, which takes a CPU without bfloat16
arithmetic about twenty times as long. The directions differ by its rounding alone.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_NUM_STEPS = 5
_LEAST_NORM = 1e-7
_RMS_OF_ADAMW = 0.2
_MOMENTUM = 0.95
# Matrices that are computed together are copied first.
_ELEMENTS_AT_ONCE = 2**22


class Muon(torch.optim.Optimizer):
    """Updates of matrices by W <- W - lr 0.2 sqrt(max(n, m)) O(g + b (M - g)), with M the running mean of gradients g.

    b = 0.95 is the share of the old mean, and O is `orthogonalised`. The factor gives an update the root mean square of
    one by AdamW (Liu et al. 2025, arXiv:2502.16982).

    Args:
        matrices: float[n, m] each.
        lr: Learning rate.

    Raises:
        ValueError: A weight is no matrix.
    """

    def __init__(self, matrices: Iterable[nn.Parameter], lr: float) -> None:
        super().__init__(matrices, {"lr": lr})
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.ndim != 2:
                    raise ValueError(f"Muon updates matrices, got a weight of shape {tuple(weight.shape)}")

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Move the matrices that have a gradient; `closure` is not supported."""
        assert closure is None
        for group in self.param_groups:
            alike: dict[tuple[torch.Size, torch.dtype, torch.device], list[nn.Parameter]] = defaultdict(list)
            for weight in (each for each in group["params"] if each.grad is not None):
                alike[weight.shape, weight.dtype, weight.device].append(weight)
            for weights in alike.values():
                size = max(1, _ELEMENTS_AT_ONCE // weights[0].numel())
                for start in range(0, len(weights), size):
                    self._move(weights[start : start + size], group["lr"])

    def _move(self, weights: list[nn.Parameter], rate: float) -> None:
        """One step of matrices of one shape."""
        updates = orthogonalised(torch.stack([self._direction(each) for each in weights]))
        for weight, update in zip(weights, updates, strict=True):
            weight.add_(update, alpha=-rate * _RMS_OF_ADAMW * math.sqrt(max(weight.shape)))

    def _direction(self, weight: nn.Parameter) -> Tensor:
        """The gradient mixed with its running mean, which it moves; float[n, m]."""
        assert weight.grad is not None
        state = self.state[weight]
        if not state:
            state["mean"] = torch.zeros_like(weight.grad)
        state["mean"].lerp_(weight.grad, 1 - _MOMENTUM)
        return weight.grad.lerp(state["mean"], _MOMENTUM)


def orthogonalised(matrices: Float[Tensor, "*B N M"]) -> Float[Tensor, "*B N M"]:
    """U S' V of each matrix U S V, with all singular values S' about 1, by five Newton-Schulz steps of degree five.

    Singular values far below the norm of the matrix come out smaller. Matrices of one shape are computed at once.

    Returns:
        float32[..., N, M] on a CPU, else bfloat16[..., N, M].
    """
    a, b, c = _COEFFICIENTS
    is_tall = matrices.shape[-2] > matrices.shape[-1]
    dtype = torch.float32 if matrices.device.type == "cpu" else torch.bfloat16
    lying = matrices.mT if is_tall else matrices
    wide = lying.reshape(-1, *lying.shape[-2:]).to(dtype)
    wide = wide / wide.norm(dim=(-2, -1), keepdim=True).clamp(min=_LEAST_NORM)
    for _ in range(_NUM_STEPS):
        gram = wide @ wide.mT
        wide = torch.baddbmm(wide, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), wide, beta=a)
    made = wide.view(lying.shape)
    return made.mT if is_tall else made
