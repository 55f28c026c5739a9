"""Steps of decoding that are recorded once and repeated: on a CPU by a stand-in, on a GPU as CUDA graphs."""

import numpy as np
import pytest
import torch

from tests.policies.torch.asking import FAMILIES, ask, ragged_prompts, recompute


@pytest.mark.parametrize("family", FAMILIES)
def test_a_step_that_is_recorded_once_decodes_the_same(policy_of, monkeypatch, family):
    monkeypatch.setattr("agentgym.policies.torch.decoder._RECORDED_COLUMNS", 10)
    prompts = ragged_prompts(12)
    plain, repeated = policy_of(family), policy_of(family)
    recorded = []
    repeated._decoder.record = lambda step: recorded.append(step) or step
    for turn in range(2):
        requests = [ask(p, episode=str(i), seed=i, turn=turn, max_tokens=40) for i, p in enumerate(prompts)]
        expected, replies = plain.generate(requests), repeated.generate(requests)
        for prompt, reply in zip(prompts, replies, strict=True):
            np.testing.assert_allclose(reply.logprobs, recompute(repeated.model, prompt, reply.ids), atol=1e-4)
        same = [one.ids.tolist() == other.ids.tolist() for one, other in zip(replies, expected, strict=True)]
        assert sum(same) >= len(same) - 1, "a draw in a thousand lies where rounding decides between two tokens"
        prompts = [[*p, *r.ids.tolist(), 5, 6] for p, r in zip(prompts, replies, strict=True)]
    assert len(recorded) > 4, "ten columns each, and anew where rows have ended"


def test_a_model_whose_steps_cannot_be_recorded_decodes_without(policy_of):
    policy = policy_of()
    policy._decoder.record = lambda step: None
    request = ask(ragged_prompts(1)[0], max_tokens=30)
    assert policy.generate([request])[0].ids.tolist() == policy_of().generate([request])[0].ids.tolist()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("family", FAMILIES)
def test_cuda_graphs_decode_what_the_model_says(policy_of, make_model, monkeypatch, family):
    monkeypatch.setattr("agentgym.policies.torch.decoder._RECORDED_COLUMNS", 10)
    policy = policy_of(model=make_model(family).to("cuda"))
    record, recorded = policy._decoder.record, []
    policy._decoder.record = lambda step: recorded.append(record(step)) or recorded[-1]
    prompts = ragged_prompts(12)
    for turn in range(2):
        requests = [ask(p, episode=str(i), seed=i, turn=turn, max_tokens=40) for i, p in enumerate(prompts)]
        replies = policy.generate(requests)
        for prompt, reply in zip(prompts, replies, strict=True):
            expected = recompute(policy.model, prompt, reply.ids)
            np.testing.assert_allclose(reply.logprobs, expected, atol=1e-2)
        prompts = [[*p, *r.ids.tolist(), 5, 6] for p, r in zip(prompts, replies, strict=True)]
    assert len(recorded) > 4
    assert None not in recorded


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_step_that_waits_for_the_gpu_is_decoded_without_graphs(policy_of, make_model):
    policy = policy_of(model=make_model("llama").to("cuda"))
    forward = policy._decoder.forward
    policy._decoder.forward = lambda ids, *rest: forward(ids + int(ids.sum().item()) * 0, *rest)
    prompt = ragged_prompts(1)[0]
    reply = policy.generate([ask(prompt, max_tokens=30)])[0]
    np.testing.assert_allclose(reply.logprobs, recompute(policy.model, prompt, reply.ids), atol=1e-2)
