from __future__ import annotations

import pytest
import torch
from transformers import LogitsProcessorList

from agentgym.errors import ConfigError
from agentgym_rl.offline.ilql import conservative_loss, ilql_loss, monte_carlo_loss, steered_logits, steering, taken
from agentgym_rl.offline.options import IlqlConfig
from tests.trainers.rl.planted import trap
from tests.trainers.rl.tiny import VOCABULARY, tiny_llama

TOKENS = torch.tensor([0, 1, 1])
WEIGHTS = torch.full((3,), 1 / 3)


def test_ilql_follows_a_worked_example() -> None:
    q = torch.tensor([[[1.0, 9.0], [9.0, 2.0]], [[0.0, 9.0], [9.0, 2.0]]])
    tokens, weights = torch.tensor([0, 1]), torch.tensor([0.5, 0.5])
    values, targets, copy = torch.tensor([0.0, 3.0]), torch.tensor([1.0, 2.0]), torch.tensor([[2.0, 2.0], [1.0, 5.0]])
    # L_Q: head 2 errs by 1 at the first token. L_V: u = 1 - 0 and 2 - 3, so 0.8 * 1 and 0.2 * 1.
    loss = ilql_loss(q, values, tokens, targets, copy, weights, config=IlqlConfig(0.8, 0.0))
    assert loss.item() == pytest.approx(0.5 * 0.5 * (1.0 + 0.8 + 0.2))


def test_the_conservative_term_is_the_cross_entropy_of_both_heads() -> None:
    q = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    expected = sum(torch.nn.functional.cross_entropy(head, TOKENS) for head in q)
    torch.testing.assert_close(conservative_loss(q, TOKENS, WEIGHTS), torch.as_tensor(expected))


def no_conservatism(q, values, tokens, targets, copy, weights, *, config):
    """Q of what the data lacks is left where it began."""
    return ilql_loss(q, values, tokens, targets, copy, weights, config=IlqlConfig(config.expectile, 0.0))


def conservatism_of_all(q, values, tokens, targets, copy, weights, *, config):
    """Q of the data's tokens is pushed down as well."""
    pushed = config.cql_weight * (weights * q.logsumexp(-1)).sum()
    return no_conservatism(q, values, tokens, targets, copy, weights, config=config) + 5 * pushed


def steered_policy(loss) -> torch.Tensor:
    """Tokens 0 and 1 were seen, worth 0 and 1; token 2 never was, and its Q begins high."""
    q = torch.tensor([[[0.0, 0.0, 2.0]], [[0.0, 0.0, 2.0]]], requires_grad=True)
    optimiser = torch.optim.Adam([q], lr=0.05)
    tokens, returns = torch.tensor([0, 1]), torch.tensor([0.0, 1.0])
    for _ in range(300):
        optimiser.zero_grad()
        seen = q.expand(2, 2, 3)
        loss(
            seen,
            torch.zeros(2),
            tokens,
            returns,
            torch.zeros(2, 2),
            torch.tensor([0.5, 0.5]),
            config=IlqlConfig(0.8, 0.05),
        ).backward()
        optimiser.step()
    values = q.detach()[:, 0]
    assert values[:, 1].mean() == pytest.approx(1.0, abs=0.25)
    return steered_logits(torch.zeros(1, 3), values[:, None], 8.0).softmax(-1)[0]


@trap(ilql_loss, no_conservatism, conservatism_of_all)
def test_steering_prefers_good_tokens_that_the_data_holds(loss) -> None:
    assert steered_policy(loss)[1] > 0.9


def test_monte_carlo_values_are_the_returns_that_followed() -> None:
    q = torch.zeros(2, 1, 2, requires_grad=True)
    optimiser = torch.optim.Adam([q], lr=0.05)
    for _ in range(300):
        optimiser.zero_grad()
        rows, tokens = q.expand(2, 3, 2), torch.tensor([0, 1, 1])
        monte_carlo_loss(rows, tokens, torch.tensor([0.3, 1.0, 0.0]), WEIGHTS, cql_weight=0.0).backward()
        optimiser.step()
    torch.testing.assert_close(q.detach()[:, 0], torch.tensor([[0.3, 0.5], [0.3, 0.5]]), atol=0.02, rtol=0)


def test_taken_reads_each_head_at_the_sampled_tokens() -> None:
    q = torch.arange(12.0).reshape(2, 3, 2)
    assert taken(q, TOKENS).tolist() == [[0.0, 3.0, 5.0], [6.0, 9.0, 11.0]]


def optimistic(logits, q, strength):
    """The greater of the two heads."""
    return logits + strength * q.max(dim=0).values


def without_the_policy(logits, q, strength):
    """Q alone."""
    return strength * q.min(dim=0).values


@trap(steered_logits, optimistic, without_the_policy)
def test_steering_adds_the_lesser_q_to_the_policy(steer) -> None:
    got = steer(torch.tensor([[1.0, 2.0]]), torch.tensor([[[1.0, 5.0]], [[3.0, 0.0]]]), 2.0)
    assert got.tolist() == [[3.0, 2.0]]


def test_generate_takes_the_steering_as_a_processor() -> None:
    model, prompt = tiny_llama(), torch.tensor([[3, 4, 5]])
    wanted = torch.zeros(2, 1, VOCABULARY, dtype=torch.float64)
    wanted[:, :, 7] = 1.0
    lengths: list[int] = []

    def q_of(ids: torch.Tensor) -> torch.Tensor:
        lengths.append(ids.shape[1])
        return wanted

    options = {"max_new_tokens": 3, "do_sample": False, "pad_token_id": 0, "eos_token_id": None}
    processors = LogitsProcessorList([steering(q_of, 1e3)])
    steered = model.generate(prompt, attention_mask=torch.ones_like(prompt), logits_processor=processors, **options)
    assert steered[0, 3:].tolist() == [7, 7, 7]
    assert lengths == [3, 4, 5]
    plain = model.generate(prompt, attention_mask=torch.ones_like(prompt), **options)
    calm = LogitsProcessorList([steering(q_of, 0.0)])
    assert torch.equal(
        plain, model.generate(prompt, attention_mask=torch.ones_like(prompt), logits_processor=calm, **options)
    )


@pytest.mark.parametrize("options", [{"expectile": 1.0}, {"cql_weight": -0.1}])
def test_settings_out_of_range_are_refused(options) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        IlqlConfig(**options)
