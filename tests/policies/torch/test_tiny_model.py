import pytest
import torch

from agentgym.errors import ConfigError
from agentgym.policies.torch.tiny_model import build_tiny_model


def test_weights_depend_on_the_seed_alone(tokenizer):
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first = build_tiny_model(tokenizer, seed=1)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(6)
    again, other = build_tiny_model(tokenizer, seed=1), build_tiny_model(tokenizer, seed=2)
    weights = [model.model.layers[0].mlp.up_proj.weight for model in (first, again, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    assert not first.training


def test_unknown_sizes_are_refused(tokenizer):
    with pytest.raises(ConfigError, match="expected one of"):
        build_tiny_model(tokenizer, "7B")
