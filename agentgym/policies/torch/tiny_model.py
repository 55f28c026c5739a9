"""Tiny Llama models from a configuration: weights are drawn, nothing is downloaded.

Their tokenizer and configuration are made in `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import torch
from transformers import LlamaForCausalLM

from agentgym.errors import ConfigError
from agentgym.policies.torch.copying import ROPE_THETA, prepare_to_copy
from agentgym.prompting.tiny import FirstWeights, tiny_llama_config

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def build_tiny_model(
    tokenizer: PreTrainedTokenizerFast, size: str = "0.25M", seed: int = 0, first_weights: FirstWeights = "random"
) -> LlamaForCausalLM:
    """A float32 Llama that has learned nothing yet, in evaluation mode on the CPU.

    Args:
        tokenizer: As made by `build_tokenizer`.
        size: One of 0.25M, 0.35M, 1M, 4M, 11M.
        seed: Seed of the weights; the global generator of torch is left as it was.
        first_weights: random, or copying, with which the model copies from its context from the start.

    Raises:
        ConfigError: No such size or weights.
    """
    if first_weights not in get_args(FirstWeights):
        raise ConfigError(f"first_weights must be one of {', '.join(get_args(FirstWeights))}: got {first_weights!r}")
    config = tiny_llama_config(tokenizer, size, rope_theta=ROPE_THETA if first_weights == "copying" else 10_000.0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: LlamaForCausalLM = LlamaForCausalLM(config)
    if first_weights == "copying":
        prepare_to_copy(model, torch.Generator().manual_seed(seed))
    model.train(False)
    return model
