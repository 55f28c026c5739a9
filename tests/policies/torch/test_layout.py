import pytest
import torch
from transformers import MambaConfig, MambaForCausalLM

from agentgym.errors import ConfigError
from agentgym.policies.torch.decoder import Attention
from agentgym.policies.torch.layout import attention_of, layout_of


def test_layout_is_found_by_a_probe(make_model):
    with torch.no_grad():
        layout = layout_of(make_model("qwen3"))
    assert (layout.num_layers, layout.num_heads, layout.head_dim, layout.dtype) == (2, 2, 16, torch.float32)


@pytest.mark.parametrize(
    ("family", "max_context", "expected"),
    [
        ("llama", 64, Attention()),
        ("qwen3", 64, Attention()),
        ("mistral", 64, Attention(8, is_mixed=False)),
        ("mistral", 8, Attention()),
        ("gemma3", 64, Attention(8, is_mixed=True)),
        ("gemma3", 8, Attention(8, is_mixed=True)),
    ],
)
def test_attention_is_read_from_the_configuration(make_model, family, max_context, expected):
    assert attention_of(make_model(family), max_context) == expected


def test_models_that_cannot_be_decoded_so_are_refused(make_model):
    model = make_model("llama")
    model.config._attn_implementation = "flash_attention_2"
    with pytest.raises(ConfigError, match="sdpa"):
        layout_of(model)
    recurrent = MambaForCausalLM(MambaConfig(vocab_size=9, hidden_size=8, state_size=4, num_hidden_layers=1))
    with pytest.raises(ConfigError, match="MambaForCausalLM"):
        layout_of(recurrent)
