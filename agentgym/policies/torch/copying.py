"""First weights with which a tiny Llama copies from its context before it has learned anything.

Transformers copy with two kinds of heads (Olsson et al. 2022, arXiv 2209.11895). One notes beside each token which
token stands before it. The other looks from a token to what followed an equal one, and says that. Random weights have
neither, and a tiny model finds neither in its first thousand updates. Here weights are drawn in the shape that training
would give them, as in mimetic initialisation (Trockman & Kolter 2023, arXiv 2305.09828). Training may change them all.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from transformers import LlamaForCausalLM

ROPE_THETA = 1e6
"""Base of the rotary frequencies: with the usual 10,000 too few of them are slow enough to compare tokens far apart."""
_NUM_BEFORE = 2
"""Heads of the first layer that look at the token before; each notes a part of it."""
_FAST = 0.03
"""Frequencies above it, in radians a token, tell the token before from its neighbours and from those farther back."""
_REACH = 200
"""Distance in tokens over which slow frequencies turn by at most one radian, so that equal tokens still match."""
_CONSTANT = 4.0
"""Size of the part that all embeddings share, in standard deviations of the others; heads find positions by it."""
_NOTED = 1.5
"""Length of what a head writes, in lengths of an embedding."""
_LENGTH = math.sqrt(1 + _NUM_BEFORE * _NOTED**2)
"""Length of an embedding with what the first layer notes beside it."""
_OTHERS = 0.1
"""What is left of the outputs of all other parts, which else drown the notes."""
_SHARPNESS_BEFORE, _SHARPNESS_EQUAL = 6.0, 10.0
"""Advantage in logits of the token before over its neighbours, and of equal tokens over others."""


@torch.no_grad()
def prepare_to_copy(model: LlamaForCausalLM, generator: torch.Generator) -> None:
    """Change random weights to such that copy.

    Args:
        model: Has random weights, at least two layers, as many keys as queries, and `ROPE_THETA`.
        generator: Draws the directions by which heads read and write.
    """
    llama: Any = model.model
    for layer in llama.layers:
        layer.self_attn.o_proj.weight *= _OTHERS
        layer.mlp.down_proj.weight *= _OTHERS
    heads = _Heads(model, generator)
    directions = [heads.note_the_token_before(llama.layers[0].self_attn, head) for head in range(_NUM_BEFORE)]
    size = model.config.hidden_size
    said = _directions(size, size, generator)
    said[:, 0] = 0.0
    for head in range(model.config.num_attention_heads):
        heads.look_up(llama.layers[1].self_attn, head, directions[head % _NUM_BEFORE], said)


class _Heads:
    """Writes the heads of one model; makes the embeddings share a part."""

    def __init__(self, model: LlamaForCausalLM, generator: torch.Generator) -> None:
        llama: Any = model.model
        self._generator = generator
        self._size = model.config.hidden_size
        self._width = self._size // model.config.num_attention_heads
        self._theta: Tensor = llama.rotary_emb.inv_freq.float().cpu()
        spread = model.config.initializer_range
        llama.embed_tokens.weight[:, 0] = _CONSTANT * spread
        self._constant = _CONSTANT / math.sqrt((self._size - 1 + _CONSTANT**2) / self._size)
        self._embedding = spread * math.sqrt(self._size)

    def note_the_token_before(self, attention: Any, head: int) -> tuple[Tensor, Tensor]:
        """Make a head attend to the token before and note a part of it; returns what it reads and where it writes.

        Queries and keys are the same for all tokens, so that scores depend on distances alone: each frequency gives
        cos(theta * (distance - 1)).
        """
        rows = self._rows(head)
        theta = self._theta[self._theta > _FAST]
        fall = float((1 - torch.cos(theta)).sum())
        strength = math.sqrt(_SHARPNESS_BEFORE * math.sqrt(self._width) / fall) / self._constant
        for weight in (attention.q_proj.weight, attention.k_proj.weight):
            weight[rows] *= _OTHERS
        first, last, half = rows.start, rows.start + len(theta), self._width // 2
        attention.q_proj.weight[first:last, 0] = strength
        attention.k_proj.weight[first:last, 0] = strength * torch.cos(theta)
        attention.k_proj.weight[first + half : last + half, 0] = strength * torch.sin(theta)
        read = _directions(self._width, self._size, self._generator)
        read[:, 0] = 0.0
        write = _directions(self._width, self._size, self._generator)
        attention.v_proj.weight[rows] = read
        attention.o_proj.weight[:, rows] = write.T * (_NOTED * self._embedding / math.sqrt(self._width))
        return read, write

    def look_up(self, attention: Any, head: int, noted: tuple[Tensor, Tensor], said: Tensor) -> None:
        """Make a head attend to where the note says the present token, and say the token there."""
        read, write = noted
        rows = self._rows(head)
        slow = torch.nonzero(self._theta * _REACH < 1.0).flatten()
        parts = torch.cat([slow, slow + self._width // 2])
        query = math.sqrt(len(parts)) / _LENGTH
        key = _NOTED * math.sqrt(self._size * len(parts) / self._width) / _LENGTH
        strength = math.sqrt(_SHARPNESS_EQUAL * math.sqrt(self._width) / (query * key))
        for weight, direction in ((attention.q_proj.weight, read), (attention.k_proj.weight, write)):
            weight[rows] *= _OTHERS
            weight[rows.start + parts] = strength * direction[: len(parts)]
        attention.v_proj.weight[rows] = said[rows]
        attention.o_proj.weight[:, rows] = said[rows].T * (_NOTED * self._embedding * _LENGTH / math.sqrt(self._size))

    def _rows(self, head: int) -> slice:
        return slice(head * self._width, (head + 1) * self._width)


def _directions(number: int, size: int, generator: torch.Generator) -> Tensor:
    """Random orthonormal rows [number, size]."""
    columns: Tensor = torch.linalg.qr(torch.randn(size, number, generator=generator))[0]
    return columns.T.contiguous()
