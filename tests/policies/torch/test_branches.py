"""Messages in the middle of episodes are those that separate prompts would give, and episodes are computed once."""

import numpy as np
import pytest
import torch

from agentgym.errors import ContextOverflowError, ContractError
from agentgym.policies.sampler import Fork
from agentgym.policies.torch.policy import TorchLimits, TorchPolicy
from agentgym.policy import Request, Sampling
from agentgym.task import Task

TASK = Task("t", 0)
FAMILIES = ["llama", "llama-grouped", "qwen3", "gpt2"]


@pytest.fixture
def policy_of(make_model, tokenizer):
    def make(family="llama", **limits):
        options = {"stop_ids": range(100, 130), "limits": TorchLimits(**limits)}
        return TorchPolicy(make_model(family), tokenizer, **options)

    return make


def some_episodes(count=6, seed=0):
    rng = np.random.default_rng(seed)
    episodes = [rng.integers(0, 250, rng.integers(8, 60)).astype(np.int32) for _ in range(count)]
    forks = []
    for number, tokens in enumerate(episodes):
        starts = sorted(rng.choice(np.arange(1, len(tokens) + 1), 1 + number % 4, replace=False).tolist())
        forks.append([Fork(start, 3 + number, 100 * number + start) for start in starts])
    forks[-1] = [*forks[-1], Fork(forks[-1][0].start, 9, 7)]  # two messages in one place
    return episodes, forks


def by_request(policy, tokens, fork, sampling):
    settings = Sampling(temperature=sampling.temperature, max_tokens=min(fork.budget, sampling.max_tokens))
    return policy.generate([Request("e", 0, TASK, [], [], tokens[: fork.start], fork.seed, settings)])[0]


@pytest.mark.parametrize("limits", [{}, {"batch_tokens": 480, "prefill_tokens": 70}])
@pytest.mark.parametrize("family", FAMILIES)
def test_messages_are_those_of_separate_prompts(policy_of, family, limits):
    episodes, forks = some_episodes()
    sampling = Sampling(temperature=0.8, max_tokens=8)
    found = policy_of(family, **limits).branches.sample(episodes, forks, sampling)
    apart = policy_of(family, cache_tokens=0)
    lengths = set()
    for tokens, mine, messages in zip(episodes, forks, found, strict=True):
        for fork, message in zip(mine, messages, strict=True):
            expected = by_request(apart, tokens, fork, sampling)
            assert message.ids.tolist() == expected.ids.tolist()
            np.testing.assert_allclose(message.logprobs, expected.logprobs, atol=1e-4)
            lengths.add(len(message.ids))
    assert min(lengths) < 3 < max(lengths), "some end early, and others are cut"


def test_an_episode_passes_through_the_model_once(policy_of, monkeypatch):
    policy = policy_of()
    seen = []
    forward = policy.branches.decoder.forward
    monkeypatch.setattr(
        policy.branches.decoder, "forward", lambda ids, *rest: seen.append(tuple(ids.shape)) or forward(ids, *rest)
    )
    tokens = np.arange(50, dtype=np.int32)
    policy.branches.sample([tokens], [[Fork(start, 1, start) for start in (10, 20, 40)]], Sampling(max_tokens=4))
    assert seen == [(1, 40), (1, 3)], "up to the last message, and then a token of each of the three"
    assert policy.cached_tokens == 0


def test_models_that_forget_do_not_branch(policy_of):
    assert policy_of("mistral").branches is None
    assert policy_of("llama").branches is not None


def test_messages_end_with_the_context(policy_of):
    policy = policy_of(max_context=30)
    tokens = np.arange(40, dtype=np.int32)
    [[message]] = policy.branches.sample([tokens], [[Fork(28, 8, 0)]], Sampling(max_tokens=8))
    assert len(message.ids) <= 2
    with pytest.raises(ContextOverflowError, match="30 tokens, expected 1 to 29"):
        policy.branches.sample([tokens], [[Fork(30, 8, 0)]], Sampling(max_tokens=8))


def test_diverged_and_unannounced_weights_are_refused(policy_of):
    policy = policy_of()
    with torch.no_grad():
        next(policy.model.parameters()).fill_(float("nan"))
    arguments = ([np.arange(9, dtype=np.int32)], [[Fork(5, 4, 0)]], Sampling(max_tokens=4))
    with pytest.raises(ContractError, match="load_weights"):
        policy.branches.sample(*arguments)
    policy.load_weights(policy.model, 1)
    with pytest.raises(ContractError, match="not finite"):
        policy.branches.sample(*arguments)
