"""A shorter way through small Llama models, whose steps cost more in calls than in arithmetic.

Same function as transformers' LlamaForCausalLM but for rounding; other models take transformers' own code.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional
from transformers import LlamaForCausalLM, PreTrainedModel

from agentgym.policies.torch.cache import Window
from agentgym.policies.torch.decoder import Masks

_MAX_PARAMETERS = 50_000_000
"""Above, the packed copies of the weights cost more than the calls that they spare."""


class _Layer(NamedTuple):
    """Weights of one layer, transposed: [in, out].

    Attributes:
        attend: Projects to queries, keys, both again with their halves rotated, and values.
        join: Projects the heads' outputs back.
        gate: Projects to the gate and to what it gates.
        down: Projects back.
    """

    attend: Tensor
    join: Tensor
    gate: Tensor
    down: Tensor


class LlamaForward:
    """One pass through a Llama model, with packed copies of its weights.

    The gains of the norms are multiplied into the projections after them. The rotation of halves in rotary position
    embeddings (Su et al. 2021, arXiv 2104.09864) is linear, so the projection yields rotated heads as well.

    Args:
        model: A model that `fits`; make a new object when its weights change.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        config: Any = model.config
        llama: Any = model.model
        self._heads, self._key_heads = config.num_attention_heads, config.num_key_value_heads
        self._head_dim = llama.layers[0].self_attn.head_dim
        self._eps = config.rms_norm_eps
        self._hidden = (config.hidden_size,)
        with torch.no_grad():
            self._embedding = llama.embed_tokens.weight.detach()
            self._layers = [self._packed(layer) for layer in llama.layers]
            self._head = (model.lm_head.weight * llama.norm.weight).detach().T
            positions = torch.arange(config.max_position_embeddings, device=self._embedding.device)[None]
            cos, sin = llama.rotary_emb(self._embedding, positions)
        self._cos, self._sin = cos[0], sin[0]

    @staticmethod
    def fits(model: PreTrainedModel) -> bool:
        """Whether a model is a small float32 Llama without biases, adapters or variants of its parts."""
        config: Any = model.config
        return (
            type(model) is LlamaForCausalLM
            and next(model.parameters()).dtype == torch.float32
            and sum(parameter.numel() for parameter in model.parameters()) <= _MAX_PARAMETERS
            and not any(name.endswith("bias") or "lora" in name for name, _ in model.named_parameters())
            and config.hidden_act == "silu"
            and config.rope_parameters["rope_type"] == "default"
        )

    def __call__(self, ids: Tensor, positions: Tensor, masks: Masks, window: Window) -> Tensor:
        """Logits [B, V] of the last column; arguments as `agentgym.policies.torch.decoder.Forward`."""
        return self.last(ids, positions, masks, window, 1)[:, 0]

    def last(self, ids: Tensor, positions: Tensor, masks: Masks | None, window: Window, count: int) -> Tensor:
        """Logits [B, count, V] of the last columns; arguments as `agentgym.policies.torch.branches.Pass`.

        Without any, nothing is read of the last layer but its keys and values.
        """
        assert not isinstance(masks, dict)
        rows, width = ids.shape
        hidden = functional.embedding(ids.flatten(), self._embedding)
        turns = self._cos[positions][:, :, None], self._sin[positions][:, :, None]
        num_turned = self._heads + self._key_heads
        sizes = [num_turned, num_turned, self._key_heads]
        is_grouped = self._heads != self._key_heads
        for index, layer in enumerate(self._layers):
            heads = self._norm(hidden) @ layer.attend
            plain, rotated, values = heads.view(rows, width, -1, self._head_dim).split_with_sizes(sizes, 2)
            turned = torch.addcmul(plain * turns[0], rotated, turns[1]).transpose(1, 2)
            queries, keys = turned.split_with_sizes([self._heads, self._key_heads], 1)
            keys, values = window.update(keys, values.transpose(1, 2), index)
            if count == 0 and index == len(self._layers) - 1:
                return hidden.new_empty(rows, 0, self._head.shape[1])
            seen = functional.scaled_dot_product_attention(
                queries, keys, values, masks, is_causal=masks is None, enable_gqa=is_grouped
            )
            hidden = torch.addmm(hidden, seen.transpose(1, 2).reshape(rows * width, -1), layer.join)
            gate, gated = (self._norm(hidden) @ layer.gate).chunk(2, dim=-1)
            hidden = torch.addmm(hidden, functional.silu(gate) * gated, layer.down)
        last: Tensor = self._norm(hidden.view(rows, width, -1)[:, -count:])
        logits: Tensor = last @ self._head
        return logits

    def _norm(self, hidden: Tensor) -> Tensor:
        return functional.rms_norm(hidden, self._hidden, None, self._eps)

    def _packed(self, layer: Any) -> _Layer:
        attention, mlp = layer.self_attn, layer.mlp
        before, after = layer.input_layernorm.weight, layer.post_attention_layernorm.weight
        turned = torch.cat([attention.q_proj.weight, attention.k_proj.weight])
        lower, upper = turned.view(-1, 2, self._head_dim // 2, turned.shape[1]).unbind(1)
        rotated = torch.stack([-upper, lower], dim=1).view_as(turned)
        return _Layer(
            (torch.cat([turned, rotated, attention.v_proj.weight]) * before).T.contiguous(),
            attention.o_proj.weight.detach().T.contiguous(),
            (torch.cat([mlp.gate_proj.weight, mlp.up_proj.weight]) * after).T.contiguous(),
            mlp.down_proj.weight.detach().T.contiguous(),
        )
