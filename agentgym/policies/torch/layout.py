"""What a model keeps of each token and which tokens its layers see, found out before anything is decoded.

Models whose layers keep anything but keys and values are refused here.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import Cache, PreTrainedModel

from agentgym.errors import ConfigError
from agentgym.policies.torch.cache import Layout
from agentgym.policies.torch.decoder import Attention, Masks

_MASKED_ATTENTION = ("sdpa", "eager")


class _Probe(Cache):
    """Records what a model hands to its cache."""

    def __init__(self) -> None:
        super().__init__(layers=[])
        self.shapes: list[tuple[torch.Size, torch.Size]] = []
        self.dtype = torch.float32

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        self.shapes.append((key_states.shape, value_states.shape))
        self.dtype = key_states.dtype
        return key_states, value_states

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return 0


def layout_of(model: PreTrainedModel) -> Layout:
    """The shape of a model's keys and values, found by passing one token through it.

    Raises:
        ConfigError: The model cannot be decoded with a cache and masks of ours.
    """
    used = model.config._attn_implementation
    if used not in _MASKED_ATTENTION:
        raise ConfigError(
            f"attention implementation {used!r} takes no mask of ours; load the model with attn_implementation='sdpa'"
        )
    probe, device = _Probe(), next(model.parameters()).device
    token = torch.zeros((1, 1), dtype=torch.int64, device=device)
    try:
        model(input_ids=token, position_ids=token, past_key_values=probe, use_cache=True)
    except (AttributeError, TypeError, IndexError, NotImplementedError) as error:
        raise ConfigError(f"{type(model).__name__} does not decode with a cache of keys and values: {error}") from error
    shapes = {shape for pair in probe.shapes for shape in pair}
    if len(shapes) != 1:
        raise ConfigError(
            f"{type(model).__name__} keeps tensors of shapes {sorted(map(tuple, shapes))} in its cache; expected keys "
            "and values of one shape in every layer"
        )
    _, heads, _, head_dim = shapes.pop()
    return Layout(len(probe.shapes), heads, head_dim, probe.dtype, device)


def attention_of(model: PreTrainedModel, max_context: int) -> Attention:
    """Which tokens a model's layers see.

    Raises:
        ConfigError: Some of its layers are no attention.
    """
    config: Any = model.config.get_text_config()
    kinds = set(getattr(config, "layer_types", None) or ())
    unknown = kinds - {"full_attention", "sliding_attention"}
    if unknown:
        raise ConfigError(
            f"{type(model).__name__} has layers of kind {sorted(unknown)}; expected full or sliding attention"
        )
    width = getattr(config, "sliding_window", None)
    if width is None or width >= max_context or not getattr(config, "use_sliding_window", True):
        # Without a window that matters one mask serves all layers; models with kinds of layers take it for each.
        return Attention(max_context if "sliding_attention" in kinds else None, "sliding_attention" in kinds)
    return Attention(width, is_mixed=bool(kinds))


def masks_by_position(is_seen: Tensor, positions: Tensor, attention: Attention, dtype: torch.dtype) -> Masks:
    """Additive masks: 0 where a layer attends, the lowest number elsewhere.

    Args:
        is_seen: bool[B, 1, S, S], True: may attend where no window hides it; no row is empty.
        positions: int64[B, S]. A window counts positions, not columns, as what a token sees need not lie beside it.
        attention: What the layers see.
        dtype: What the model computes in.
    """
    zero = torch.zeros((), dtype=dtype, device=is_seen.device)
    lowest = torch.full_like(zero, torch.finfo(dtype).min)
    full = torch.where(is_seen, zero, lowest)
    if attention.window is None:
        return full
    is_near = positions[:, None, None, :] > positions[:, None, :, None] - attention.window
    sliding = torch.where(is_seen & is_near, zero, lowest)
    return {"full_attention": full, "sliding_attention": sliding} if attention.is_mixed else sliding


def masks_for(model: PreTrainedModel, is_seen: Tensor | None, positions: Tensor) -> Masks | None:
    """What a model takes for tokens that see these: SDPA and eager attention read a bool mask differently.

    Args:
        model: The model, or its transformer alone.
        is_seen: As for `masks_by_position`; None: plain causal attention, for which the model makes its own masks.
        positions: As for `masks_by_position`.

    Raises:
        ConfigError: Some of its layers are no attention.
    """
    if is_seen is None:
        return None
    kind = is_seen.device.type
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else model.dtype
    return masks_by_position(is_seen, positions, attention_of(model, is_seen.shape[-1]), dtype)
