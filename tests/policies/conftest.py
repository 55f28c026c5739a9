import pytest
import torch
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from agentgym.prompting.tiny import build_tokenizer

SHAPE = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
IDS = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}


@pytest.fixture(scope="session")
def tokenizer():
    return build_tokenizer(["guess the hidden number", "too high, too low, correct"], numbers=range(30))


@pytest.fixture(scope="session")
def make_model(tokenizer):
    """Makes a tiny model of a family whose next token is far from uniform."""
    size = len(tokenizer)
    grouped = {**SHAPE, **IDS, "vocab_size": size, "num_key_value_heads": 2, "initializer_range": 0.3}
    sliding = {**grouped, "sliding_window": 8, "head_dim": 8}

    def make(family):
        torch.manual_seed(3)
        if family == "llama":
            model = LlamaForCausalLM(LlamaConfig(**{**grouped, "num_key_value_heads": 4}, tie_word_embeddings=True))
        elif family == "llama-grouped":
            model = LlamaForCausalLM(LlamaConfig(**grouped))
        elif family == "qwen3":
            model = Qwen3ForCausalLM(Qwen3Config(**grouped, head_dim=16))
        elif family == "mistral":
            model = MistralForCausalLM(MistralConfig(**sliding))
        elif family == "gemma3":
            kinds = ["sliding_attention", "full_attention"]
            model = Gemma3ForCausalLM(Gemma3TextConfig(**sliding, layer_types=kinds, max_position_embeddings=512))
        else:
            config = GPT2Config(
                vocab_size=size, n_embd=32, n_layer=2, n_head=4, n_positions=512, initializer_range=0.3, **IDS
            )
            model = GPT2LMHeadModel(config)
        model.generation_config.eos_token_id = model.generation_config.bos_token_id = None
        # Norms with gains, so that a path that forgets them is seen.
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.data.uniform_(0.5, 1.5)
        return model.eval()

    return make
