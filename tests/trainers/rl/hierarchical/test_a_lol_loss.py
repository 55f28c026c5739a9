from __future__ import annotations

import pytest
import torch

from agentgym.errors import ConfigError, ContractError
from agentgym_rl.hierarchical.actor_losses import a_lol_loss, a_lol_priorities
from agentgym_rl.maths.options import AlolConfig
from tests.trainers.rl.hierarchical.tables import numbered_turns
from tests.trainers.rl.planted import trap

TURNS = numbered_turns([0, 0, 1])
ADVANTAGES, ONES = torch.tensor([2.0, -1.0]), torch.ones(2)


def coefficients(loss, config: AlolConfig) -> list[float]:
    """-d loss / d logp of each token, where the policy has moved by log 1.2 at the first two."""
    reference = torch.full((3,), -1.0)
    logprobs = (reference + torch.tensor([1.2, 1.2, 1.0]).log()).requires_grad_()
    loss(logprobs, reference, ADVANTAGES, TURNS, ONES, config).backward()
    assert logprobs.grad is not None
    return (-logprobs.grad).tolist()


def all_advantages(logprobs, reference, advantages, turns, weights, config):
    """Answers below the reference's value are unlearnt."""
    gain = (advantages * weights)[turns.turn_of_token]
    kept = a_lol_loss(logprobs, reference, advantages, turns, weights, config)
    return kept - (gain.clamp(max=0) * logprobs).sum()


def ratio_with_gradient(logprobs, reference, advantages, turns, weights, config):
    """The ratio is no constant."""
    return (
        a_lol_loss(logprobs, reference, advantages, turns, weights, config) * (logprobs - logprobs.detach() + 1).prod()
    )


def unclipped(logprobs, reference, advantages, turns, weights, config):
    """The ratio grows without limit."""
    return a_lol_loss(logprobs, reference, advantages, turns, weights, AlolConfig(config.ratio, 1.0))


@trap(a_lol_loss, all_advantages, ratio_with_gradient, unclipped)
def test_good_answers_weigh_by_their_clipped_ratio_and_others_nothing(loss) -> None:
    assert coefficients(loss, AlolConfig("turn", 0.3)) == pytest.approx([2.6, 2.6, 0.0])
    assert coefficients(loss, AlolConfig("turn", 0.9)) == pytest.approx([2 * 1.44, 2 * 1.44, 0.0])
    assert coefficients(loss, AlolConfig("token", 0.9)) == pytest.approx([2.4, 2.4, 0.0])
    assert coefficients(loss, AlolConfig("none", 0.9)) == pytest.approx([2.0, 2.0, 0.0])


def test_turns_are_drawn_in_proportion_to_positive_advantages() -> None:
    assert a_lol_priorities(torch.tensor([3.0, -2.0, 1.0])).tolist() == [0.75, 0.0, 0.25]
    with pytest.raises(ContractError, match="none of 2 turns is better"):
        a_lol_priorities(torch.tensor([-1.0, 0.0]))


def test_data_that_the_reference_did_not_score_is_refused() -> None:
    with pytest.raises(ContractError, match="3 of 3 tokens have no log-probability under the reference"):
        a_lol_loss(torch.zeros(3), torch.full((3,), torch.nan), ADVANTAGES, TURNS, ONES, AlolConfig())
    with pytest.raises(ConfigError, match="clip must be from 0 to 1"):
        AlolConfig(clip=1.5)


def test_the_better_arm_of_the_data_is_learnt() -> None:
    preferences = torch.zeros(2, requires_grad=True)
    reference = torch.full((4,), 0.5).log()
    arms, rewards = torch.tensor([0, 0, 1, 1]), torch.tensor([0.2, 0.4, 0.9, 0.7])
    optimiser = torch.optim.Adam([preferences], lr=0.1)
    for _ in range(60):
        optimiser.zero_grad()
        logprobs = preferences.log_softmax(0)[arms]
        a_lol_loss(
            logprobs, reference, rewards - 0.55, numbered_turns([0, 1, 2, 3]), torch.full((4,), 0.25), AlolConfig()
        ).backward()
        optimiser.step()
    assert preferences.detach().softmax(0)[1] > 0.9
