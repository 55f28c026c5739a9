import numpy as np
import pytest
import torch

from agentgym.policies.torch.sampling import TokenDraws, nucleus, uniforms
from agentgym.policy import Sampling

CPU = torch.device("cpu")


def test_uniforms_are_those_of_the_seed_whatever_their_number():
    assert uniforms(7, 3).tolist() == uniforms(7, 50)[:3].tolist()
    assert uniforms(7, 3).tolist() != uniforms(8, 3).tolist()
    assert (uniforms(-1, 1000) < 1).all()
    assert uniforms(2**63 - 1, 2000).mean() == pytest.approx(0.5, abs=0.05)


def test_a_token_is_drawn_where_the_cumulative_sum_first_exceeds_the_uniform():
    sampler = TokenDraws([Sampling()] * 5, [0] * 5, 1, CPU)
    sampler._uniforms = torch.tensor([0.0, 0.0999, 0.1001, 0.5, 1 - 1e-12], dtype=torch.float64)[None, :, None]
    probabilities = torch.tensor([0.0, 0.1, 0.0, 0.6, 0.3, 0.0])
    tokens, logprobs = sampler.draw(probabilities.log().expand(5, 6), 0)
    assert tokens.tolist() == [1, 1, 3, 3, 4]  # 0.1, 0.7, 1.0 are the sums; tokens without probability are never drawn
    torch.testing.assert_close(logprobs, probabilities[tokens].log())


def test_greedy_rows_among_drawn_ones_take_the_likeliest():
    logits = torch.randn(200, 9, generator=torch.Generator().manual_seed(0))
    samplings = [Sampling(temperature=0.0 if i % 2 else 1.0) for i in range(200)]
    tokens, _ = TokenDraws(samplings, range(200), 1, CPU).draw(logits, 0)
    likeliest = logits.argmax(-1)
    assert (tokens[1::2] == likeliest[1::2]).all()
    assert (tokens[::2] != likeliest[::2]).any()


def test_logprobs_are_of_the_distribution_at_the_temperature():
    logits = torch.tensor([[1.0, 2.0, 4.0]])
    tokens, logprobs = TokenDraws([Sampling(temperature=2.0)], [3], 1, CPU).draw(logits, 0)
    assert logprobs.item() == pytest.approx(torch.log_softmax(logits / 2, -1)[0, tokens.item()].item())


def test_half_precision_logits_are_drawn_in_single_precision():
    logits = torch.zeros(1, 1000, dtype=torch.bfloat16)
    _, logprobs = TokenDraws([Sampling()], [0], 1, CPU).draw(logits, 0)
    assert logprobs.dtype == torch.float32
    assert logprobs.item() == pytest.approx(np.log(1 / 1000), abs=1e-6)


def test_kept_rows_go_on_with_their_own_draws():
    logits = torch.zeros(4, 50)
    whole, part = (TokenDraws([Sampling()] * 4, [1, 2, 3, 4], 3, CPU) for _ in range(2))
    part.keep_rows(torch.tensor([3, 1]))
    for step in range(3):
        assert part.draw(logits[:2], step)[0].tolist() == whole.draw(logits, step)[0][[3, 1]].tolist()


def test_nucleus_is_the_smallest_set_that_holds_the_mass():
    probabilities = torch.tensor([[0.1, 0.5, 0.15, 0.25]] * 4)
    kept = nucleus(probabilities, torch.tensor([[0.49], [0.6], [0.76], [1.0]])) > 0
    assert kept.tolist() == [
        [False, True, False, False],
        [False, True, False, True],
        [False, True, True, True],
        [True, True, True, True],
    ]
