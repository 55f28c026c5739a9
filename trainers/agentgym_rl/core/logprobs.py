"""Log-probabilities of sampled tokens from hidden states, in chunks that never hold all logits at once.

Not here: the model's forward pass, any sampling. The convention, stated once: the log-probability (and the value) of
token k belongs to the state before it, so it is computed from hidden state k - 1 of the same segment.
"""

from __future__ import annotations

from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from agentgym.errors import ConfigError, ContractError

CHUNK_ELEMENTS = 2**24
"""Logits computed at once by default: 64 MiB in float32."""
Entropy = Literal["none", "value", "gradient"]
"""Whether entropies are computed beside log-probabilities, and whether gradients flow through them."""


def states_before(hidden: Float[Tensor, "R L D"], completion_mask: Bool[Tensor, "R L"]) -> Float[Tensor, "T D"]:
    """Hidden state k - 1 of every token k with completion_mask True, row by row: what predicted the token."""
    _check_first_column(completion_mask)
    return hidden[:, :-1][completion_mask[:, 1:]]


def token_logprobs(
    hidden: Float[Tensor, "R L D"],
    head_weight: Float[Tensor, "V D"],
    tokens: Int[Tensor, "R L"],
    completion_mask: Bool[Tensor, "R L"],
    *,
    temperature: float = 1.0,
    chunk_tokens: int | None = None,
    entropy: Entropy = "value",
) -> tuple[Float[Tensor, " T"], Float[Tensor, " E"]]:
    """Log-probability of each sampled token and the entropy of the distribution it was drawn from.

    logp_k = log_softmax(W h_{k-1} / temperature)[token_k], in float32 at least, also for bfloat16 hidden states. Only
    positions whose next token was sampled cost anything. With more than one chunk, logits are computed again in the
    backward pass instead of kept; gradients are those of the naive version.

    Args:
        hidden: Last hidden states, after the final norm.
        head_weight: Weight W of the output layer, without bias.
        tokens: Token ids, same rows.
        completion_mask: True: sampled by the policy. The first token of a row or segment cannot be.
        temperature: The temperature that sampling used, folded into the logits.
        chunk_tokens: Sampled tokens at once; None: as many as 2^24 logits allow.
        entropy: "none" leaves it out, which saves time and memory; "gradient" lets gradients flow through it, for an
            entropy bonus.

    Returns:
        (logprobs, entropy), nats, one entry per True of the mask in row-major order; empty, but with a gradient of
        zero, for an empty mask. E is T, or 0 where entropies are left out.

    Raises:
        ConfigError: The temperature is not positive.
        ContractError: The first token of a row is marked as sampled.
    """
    if temperature <= 0:
        raise ConfigError(f"temperature is {temperature}; expected more than 0: greedy samples have no log-probability")
    states = states_before(hidden, completion_mask)
    targets = tokens[:, 1:][completion_mask[:, 1:]].long()
    size = chunk_tokens or max(1, CHUNK_ELEMENTS // head_weight.shape[0])
    if len(targets) <= size:
        return _chunk(states, head_weight, targets, temperature, entropy)
    is_differentiable = torch.is_grad_enabled() and (states.requires_grad or head_weight.requires_grad)
    pieces = []
    for start in range(0, len(targets), size):
        rows = slice(start, start + size)
        chunk = (states[rows], head_weight, targets[rows], temperature, entropy)
        pieces.append(checkpoint(_chunk, *chunk, use_reentrant=False) if is_differentiable else _chunk(*chunk))
    return torch.cat([logprobs for logprobs, _ in pieces]), torch.cat([entropies for _, entropies in pieces])


def _chunk(
    states: Float[Tensor, "T D"],
    head_weight: Float[Tensor, "V D"],
    targets: Int[Tensor, " T"],
    temperature: float,
    entropy: Entropy,
) -> tuple[Float[Tensor, " T"], Float[Tensor, " E"]]:
    logits = states @ head_weight.T
    if logits.dtype in (torch.float16, torch.bfloat16):
        logits = logits.float()
    if temperature != 1.0:
        logits = logits / temperature
    logprobs = torch.log_softmax(logits, dim=-1)
    entropies = logprobs.new_zeros(0)
    if entropy != "none":
        with torch.set_grad_enabled(entropy == "gradient" and torch.is_grad_enabled()):
            entropies = -(logprobs.exp() * logprobs).sum(-1)
    return logprobs.gather(-1, targets[:, None]).squeeze(-1), entropies


def _check_first_column(completion_mask: Bool[Tensor, "R L"]) -> None:
    if bool(completion_mask[:, 0].any()):
        raise ContractError(
            "the first token of a row is marked as sampled, but nothing precedes it that could have predicted it; "
            "a segment starts with its prompt"
        )
