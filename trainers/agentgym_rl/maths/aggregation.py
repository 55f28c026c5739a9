"""From the losses of single tokens to one number: a weight per token, so that the loss is sum(weight * loss).

Not here: the loss of a token (losses.py). Weights use totals of the whole update, so that micro-batches and ranks
add up exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import torch
import torch.distributed
from jaxtyping import Float, Int
from torch import Tensor

from agentgym.errors import ConfigError, ContractError
from agentgym_rl.maths.options import AggregationMode


@dataclass(frozen=True)
class Totals:
    """Token counts of one update, over all micro-batches and ranks, counted before anything is rejected.

    A sequence is an episode of one role, even if its tokens are in several segments, rows or ranks.
    """

    tokens_per_sequence: Int[Tensor, " S"]
    """Sampled, trained tokens of each sequence of the update, by sequence index; 0: not trained on."""

    @property
    def num_tokens(self) -> int:
        """Trained tokens of the update."""
        return int(self.tokens_per_sequence.sum())

    @property
    def num_sequences(self) -> int:
        """Sequences with at least one trained token."""
        return int((self.tokens_per_sequence > 0).sum())


def count_totals(sequence_index: Int[Tensor, " T"], num_sequences: int, *, across_ranks: bool = False) -> Totals:
    """Count, once per update, the numbers that `token_weights` divides by.

    Args:
        sequence_index: Sequence of every trained token of this rank, all micro-batches together, in
            [0, num_sequences); the numbering is the same on all ranks.
        num_sequences: Sequences of the update over all ranks, trained or not.
        across_ranks: Add up the counts of all ranks of the default process group, whose backend must know the device
            of `sequence_index`.
    """
    counts = torch.bincount(sequence_index.long(), minlength=num_sequences)
    if len(counts) > num_sequences:
        raise ContractError(f"sequence index {len(counts) - 1} is beyond the {num_sequences} sequences of the update")
    if across_ranks:
        torch.distributed.all_reduce(counts)
    return Totals(counts)


def token_weights(
    mode: AggregationMode,
    sequence_index: Int[Tensor, " T"],
    totals: Totals,
    *,
    max_tokens: int | None = None,
) -> Float[Tensor, " T"]:
    """Weight of every trained token, so that the loss is the sum of weight * token loss over the update.

    With N trained tokens, S trained sequences and n_s tokens in the token's own sequence:

    - token_mean: 1/N. DAPO, Yu et al. 2025, arXiv 2503.14476.
    - seq_mean_token_mean: 1/(S n_s), which favours short successes and long failures. GRPO, Shao et al. 2024,
      arXiv 2402.03300.
    - seq_mean_token_sum: 1/S, the plain episodic policy gradient.
    - dr_grpo: 1/(S max_tokens), a constant. Dr.GRPO, Liu et al. 2025, arXiv 2503.20783.
    - local_token_mean: 1/(tokens of this call): the result depends on the size of a micro-batch. Only for comparison
      with trainers that use it.

    Ranks whose gradients are averaged rather than added multiply the loss by the number of ranks.

    Args:
        mode: One of the above.
        sequence_index: Sequence of each trained token of this micro-batch.
        totals: Totals of the whole update.
        max_tokens: The most tokens a sequence may have, for dr_grpo alone.

    Returns:
        float32[T], without gradient; empty for a micro-batch without trained tokens.
    """
    if mode not in get_args(AggregationMode):
        raise ConfigError(f"aggregation is {mode!r}; expected one of {', '.join(get_args(AggregationMode))}")
    if (mode == "dr_grpo") != (max_tokens is not None):
        raise ConfigError(f"max_tokens is {max_tokens} with aggregation {mode!r}; dr_grpo needs it, no other takes it")
    num_local = len(sequence_index)
    device = sequence_index.device
    if num_local == 0:
        return torch.zeros(0, dtype=torch.float32, device=device)
    if mode == "token_mean":
        weight = 1.0 / totals.num_tokens
    elif mode == "local_token_mean":
        weight = 1.0 / num_local
    elif mode == "seq_mean_token_sum":
        weight = 1.0 / totals.num_sequences
    elif mode == "dr_grpo" and max_tokens is not None:
        weight = 1.0 / (totals.num_sequences * max_tokens)
    else:
        lengths = totals.tokens_per_sequence.to(device)[sequence_index]
        return (1.0 / (totals.num_sequences * lengths.double())).float()
    return torch.full((num_local,), weight, dtype=torch.float32, device=device)
