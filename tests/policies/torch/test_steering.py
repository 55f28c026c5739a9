"""A steered output layer: what it adds, and that a folder gives it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from agentgym.errors import ConfigError
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policies.torch.steering import STEERING_FILE, SteeredHead, save_model, steer
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.policy import Request, Sampling
from agentgym.prompting.tiny import build_tokenizer
from agentgym.task import Task

TOKENIZER = build_tokenizer(["one two three four five six seven eight"])
IDS = torch.tensor([[3, 5, 7, 9]])


def steered(strength: float = 2.0) -> tuple[Any, SteeredHead]:
    model: Any = build_tiny_model(TOKENIZER, "0.25M", 0).eval()
    head = steer(model, 16, strength)
    torch.manual_seed(1)
    for q in head.q_heads:
        torch.nn.init.normal_(q[2].weight)
    return model, head


def logits(model: Any) -> torch.Tensor:
    with torch.no_grad():
        return model(input_ids=IDS).logits[0, -1]


def test_a_fresh_critic_steers_nowhere() -> None:
    model = build_tiny_model(TOKENIZER, "0.25M", 0).eval()
    before = logits(model)
    steer(model, 16, 8.0)
    assert torch.equal(logits(model), before)


def test_logits_are_tilted_by_the_lesser_q() -> None:
    model, head = steered()
    with torch.no_grad():
        hidden = model.base_model(input_ids=IDS).last_hidden_state[0, -1]
        expected = head.base(hidden) + 2.0 * torch.minimum(*head.q(hidden))
    assert torch.allclose(logits(model), expected, atol=1e-5)


def test_a_folder_gives_the_steered_policy_back_and_the_plain_model_to_others(tmp_path: Path) -> None:
    model, head = steered()
    save_model(model, tmp_path)
    TOKENIZER.save_pretrained(tmp_path)
    assert model.get_output_embeddings() is head
    policy = TorchPolicy.load(tmp_path)
    assert torch.allclose(logits(policy.model), logits(model), atol=1e-5)
    plain: Any = AutoModelForCausalLM.from_pretrained(tmp_path, local_files_only=True)
    model.set_output_embeddings(head.base)
    assert torch.allclose(logits(plain.eval()), logits(model), atol=1e-5)
    assert not torch.allclose(logits(plain), logits(policy.model), atol=1e-2)


def test_sampled_messages_have_the_probabilities_of_the_steered_policy(tmp_path: Path) -> None:
    model, _ = steered()
    policy = TorchPolicy(model, TOKENIZER)
    request = Request("e", 0, Task("t", 0), (), (), IDS[0].tolist(), 0, Sampling(max_tokens=1))
    [reply] = policy.generate([request])
    assert reply.ids is not None
    assert reply.logprobs is not None
    expected = torch.log_softmax(logits(model), -1)[int(reply.ids[0])]
    assert float(reply.logprobs[0]) == pytest.approx(float(expected), abs=1e-4)


def test_a_damaged_critic_is_refused(tmp_path: Path) -> None:
    model, _ = steered()
    save_model(model, tmp_path)
    TOKENIZER.save_pretrained(tmp_path)
    whole = (tmp_path / STEERING_FILE).read_bytes()
    (tmp_path / STEERING_FILE).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match=r"holds no critic for this model: .*export the model again"):
        TorchPolicy.load(tmp_path)
