"""Tiny Llama models from a configuration: weights are drawn, nothing is downloaded.

Their tokenizer and configuration are made in `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from transformers import LlamaForCausalLM

from agentgym.prompting.tiny import tiny_llama_config

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def build_tiny_model(tokenizer: PreTrainedTokenizerFast, size: str = "0.25M", seed: int = 0) -> LlamaForCausalLM:
    """A float32 Llama with random weights, in evaluation mode on the CPU.

    Args:
        tokenizer: As made by `build_tokenizer`.
        size: One of 0.25M, 0.35M, 1M, 4M, 11M.
        seed: Seed of the weights; the global generator of torch is left as it was.

    Raises:
        ConfigError: No such size.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: LlamaForCausalLM = LlamaForCausalLM(tiny_llama_config(tokenizer, size))
    model.train(False)
    return model
