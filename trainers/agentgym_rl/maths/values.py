"""The regression loss of the value head.

Not here: the head itself, and the targets (gae.py).
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def value_loss(
    values: Float[Tensor, " T"],
    targets: Float[Tensor, " T"],
    weights: Float[Tensor, " T"],
    *,
    old_values: Float[Tensor, " T"] | None = None,
    clip: float | None = None,
) -> Float[Tensor, ""]:
    """sum_k weight_k (V_k - target_k)^2 / 2, optionally with the change of V clipped.

    Clipped: max((V - target)^2, (V_old + clip(V - V_old, -clip, clip) - target)^2) / 2, PPO's reference
    implementation (Schulman et al. 2017, arXiv 1707.06347, has it in code only).

    Args:
        values: V of the state before each token, with gradient.
        targets: Constants; advantage + old value.
        weights: As from `token_weights`; 0 at tokens where the head is not trained.
        old_values: V at the start of the update; needed with `clip`.
        clip: Largest change that counts; None: no clip.

    Returns:
        A scalar; without tokens it is 0 with a gradient of 0.
    """
    error = (values - targets.detach().to(values.dtype)).square()
    if clip is not None and old_values is not None:
        anchor = old_values.detach().to(values.dtype)
        held = anchor + (values - anchor).clamp(-clip, clip)
        error = torch.maximum(error, (held - targets.detach().to(values.dtype)).square())
    return 0.5 * (weights.to(values.dtype) * error).sum()
