import pytest
import torch
from torch.nn import functional

from agentgym.errors import ConfigError
from agentgym.policies.torch.llama import LlamaForward
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import SIZES, build_tokenizer

NUM_TOKENS, NUM_WORDS = 60, 300


@pytest.fixture(scope="module")
def words():
    return build_tokenizer([], numbers=range(100))


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


def test_unknown_first_weights_are_refused(tokenizer):
    with pytest.raises(ConfigError, match="must be one of random, copying: got 'zero'"):
        build_tiny_model(tokenizer, first_weights="zero")


@pytest.mark.parametrize("size", SIZES)
def test_weights_that_copy_look_at_the_token_before_and_at_what_followed_an_equal_one(words, size):
    model = build_tiny_model(words, size, 1, "copying")
    model.set_attn_implementation("eager")
    with torch.no_grad():
        first, second, *_ = model(repeated(0), output_attentions=True).attentions
    before = first.diagonal(-1, 2, 3).mean(-1).mean(0)
    assert (before[:2] > 0.8).all()
    assert (before[2:] < 0.1).all()
    followed = second.diagonal(-(NUM_TOKENS - 1), 2, 3)[..., 1:].mean(-1).mean(0)
    assert (followed > 0.08).all(), "twelve times as much as without looking"
    assert LlamaForward.fits(model)


def test_from_weights_that_copy_copying_is_learned_within_seconds(words):
    assert copying_loss(build_tiny_model(words, "0.25M", 1, "copying")) < 1.0
    assert copying_loss(build_tiny_model(words, "0.25M", 1)) > 4.0


def copying_loss(model):
    """Nats a token on the second half of sequences that say something random twice, after 60 updates."""
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3)
    for step in range(61):
        tokens = repeated(step)
        logits = model(tokens).logits[:, NUM_TOKENS:-1]
        loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, NUM_TOKENS + 1 :].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return loss.item()


def repeated(seed):
    half = torch.randint(0, NUM_WORDS, (8, NUM_TOKENS), generator=torch.Generator().manual_seed(seed))
    return torch.cat([half, half], dim=1)
