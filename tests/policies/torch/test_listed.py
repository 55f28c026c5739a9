"""A policy that picks among listed actions: its scores, its draws, what it refuses, and how it loads again."""

import json

import numpy as np
import pytest
import torch

from agentgym.errors import ContextOverflowError, ContractError
from agentgym.policies.torch.listed import PICKS_LEGAL_ACTIONS, ListedPolicy, load_policy
from agentgym.policies.torch.policy import SEEN_FILE, TorchLimits, TorchPolicy
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.policy import Request, Sampling
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.tiny import build_tokenizer
from agentgym.task import Task

WORDS = ("go north", "go south", "take the lamp", "open", "wait")


def ask(prompt, actions=WORDS, *, seed=0, temperature=1.0):
    return Request("e", 0, Task("t", 0), [], [], prompt, seed, Sampling(temperature), legal_actions=actions)


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer([" ".join(WORDS), "a room with a door"])


@pytest.fixture
def policy(tokenizer):
    return ListedPolicy(build_tiny_model(tokenizer, "0.25M", 3), tokenizer)


def prompt_of(tokenizer, text):
    return ChatRenderer(tokenizer).render([{"role": "user", "content": text}])


def alone(policy, prompt, ids):
    """The log-probability of ids behind a prompt, in a pass of their own."""
    with torch.no_grad():
        logits = policy.model(input_ids=torch.tensor([[*prompt, *ids]])).logits[0, len(prompt) - 1 : -1]
    return float(logits.log_softmax(-1).gather(1, torch.tensor(ids).long()[:, None]).sum())


def test_actions_are_scored_as_if_each_were_alone(policy, tokenizer):
    """Traps D-19 and D-20: in one pass, beside longer prompts and lists, with every token and the end of turn."""
    asked = [
        ask(prompt_of(tokenizer, "a room")),
        ask(prompt_of(tokenizer, "a room with a door with a door"), WORDS[:2]),
        ask(prompt_of(tokenizer, "door"), WORDS[1:]),
    ]
    for request, scores in zip(asked, policy.score(asked), strict=True):
        ids = [policy._ids(text).tolist() for text in request.legal_actions]
        assert all(each[-1] in policy.stop_ids for each in ids)
        expected = [alone(policy, request.prompt_ids, each) for each in ids]
        np.testing.assert_allclose(scores, expected, atol=1e-4)


def test_small_passes_give_the_scores_of_large_ones(policy, tokenizer):
    asked = [ask(prompt_of(tokenizer, "a room" + " with a door" * count)) for count in range(6)]
    together = policy.score(asked)
    policy.limits = TorchLimits(prefill_tokens=1)
    for one, other in zip(together, policy.score(asked), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_actions_are_drawn_by_the_softmax_of_their_scores_over_the_list(policy, tokenizer, temperature):
    prompt = prompt_of(tokenizer, "a room")
    [scores] = policy.score([ask(prompt)])
    expected = np.exp(scores / temperature) / np.exp(scores / temperature).sum()
    replies = policy.generate([ask(prompt, seed=seed, temperature=temperature) for seed in range(2000)])
    shares = np.array([sum(reply.text == word for reply in replies) for word in WORDS]) / 2000
    assert np.abs(shares - expected).max() < 0.04
    assert all(reply.text in WORDS for reply in replies)
    again = policy.generate([ask(prompt, seed=seed, temperature=temperature) for seed in range(20)])
    assert [reply.text for reply in again] == [reply.text for reply in replies[:20]]


def test_greedy_picks_the_likeliest_and_says_nothing_of_log_probabilities(policy, tokenizer):
    request = ask(prompt_of(tokenizer, "a room"), temperature=0.0)
    [scores], [reply] = policy.score([request]), policy.generate([request])
    assert reply.text == WORDS[int(scores.argmax())]
    assert reply.ids.tolist() == policy._ids(reply.text).tolist()
    assert reply.logprobs is None
    assert not reply.was_cut


def test_what_cannot_be_picked_among_is_refused(policy, tokenizer):
    prompt = prompt_of(tokenizer, "a room")
    with pytest.raises(ContractError, match="no legal actions to pick among"):
        policy.generate([ask(prompt, None)])
    with pytest.raises(ContextOverflowError, match="prompt and longest action"):
        policy.generate([ask(prompt * 600)])
    with torch.no_grad():
        next(policy.model.parameters()).add_(1.0)
    with pytest.raises(ContractError, match="load_weights"):
        policy.generate([ask(prompt)])


def test_an_exported_policy_loads_as_it_was_trained(policy, tokenizer, tmp_path):
    policy.model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    assert type(load_policy(tmp_path)) is TorchPolicy
    for is_listed in (True, False):
        (tmp_path / SEEN_FILE).write_text(json.dumps({"seen_hashes": [], PICKS_LEGAL_ACTIONS: is_listed}))
        assert type(load_policy(tmp_path)) is (ListedPolicy if is_listed else TorchPolicy)
