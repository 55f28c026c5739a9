from __future__ import annotations

import pytest
import torch

from agentgym_rl.hierarchical.critic.losses import critic_loss
from agentgym_rl.hierarchical.critic.network import TurnCritic, TurnStates
from agentgym_rl.hierarchical.critic.step import critic_optimiser, critic_step
from agentgym_rl.hierarchical.options import CriticConfig, CriticStepConfig
from tests.trainers.rl.planted import trap

CONFIG = CriticStepConfig(learning_rate=0.1, max_grad_norm=0.5)


def one_norm_over_all(critic, optimiser, losses, config, actor=()) -> None:
    """D-27: what is left of the actor's gradients counts in the norm that the critic is clipped by."""
    optimiser.zero_grad()
    sum(losses).backward()
    everything = [*critic.online.parameters(), *actor]
    torch.nn.utils.clip_grad_norm_(everything, config.max_grad_norm)
    optimiser.step()
    critic.update_target()


def one_step_apart(critic, optimiser, losses, config, actor=()) -> None:
    critic_step(critic, optimiser, losses, config)


def moved_by(step, actor_gradient: float) -> tuple[torch.Tensor, torch.Tensor | None]:
    """How far a plain step moves the critic, and what it leaves of the actor's gradient."""
    torch.manual_seed(0)
    critic = TurnCritic(4, CriticConfig(width=8))
    actor = torch.nn.Parameter(torch.zeros(3))
    actor.grad = torch.full((3,), actor_gradient)
    optimiser = torch.optim.SGD(critic_optimiser(critic, CONFIG).param_groups, lr=0.1)
    states = TurnStates(torch.randn(6, 4), torch.randn(6, 4))
    before = torch.cat([p.detach().flatten() for p in critic.online.parameters()])
    outputs = critic.online(states)
    loss = critic_loss(outputs.q, torch.ones(2, 6), torch.ones(6)) + critic_loss(
        outputs.v, torch.ones(2, 6), torch.ones(6)
    )
    step(critic, optimiser, [loss], CONFIG, [actor])
    return torch.cat([p.detach().flatten() for p in critic.online.parameters()]) - before, actor.grad


@trap(one_step_apart, one_norm_over_all)
def test_the_step_of_the_critic_does_not_depend_on_gradients_of_the_actor(step) -> None:
    """Trap D-27."""
    calm, _ = moved_by(step, 0.0)
    stormy, left = moved_by(step, 1e4)
    torch.testing.assert_close(calm, stormy, rtol=0, atol=0)
    assert left is not None
    assert left.tolist() == [1e4] * 3


def test_each_module_is_clipped_apart() -> None:
    torch.manual_seed(0)
    critic = TurnCritic(4, CriticConfig(width=8))
    optimiser = critic_optimiser(critic, CONFIG)
    outputs = critic.online(TurnStates(torch.randn(6, 4), torch.randn(6, 4)))
    loss = 1e3 * outputs.q.sum() + 1e-3 * outputs.v.sum()
    norms = critic_step(critic, optimiser, [loss], CONFIG)
    clipped = {
        g["name"]: float(torch.cat([p.grad.flatten() for p in g["params"]]).norm()) for g in optimiser.param_groups
    }
    assert norms["q"] > 100
    assert clipped["q"] == pytest.approx(0.5, rel=1e-4)
    assert clipped["v"] == pytest.approx(norms["v"]) != 0.0


def test_a_step_without_a_finite_gradient_changes_nothing() -> None:
    critic = TurnCritic(4, CriticConfig(width=8))
    before = {name: tensor.clone() for name, tensor in critic.state_dict().items()}
    outputs = critic.online(TurnStates(torch.randn(6, 4), torch.randn(6, 4)))
    critic_step(critic, critic_optimiser(critic, CONFIG), [outputs.q.sum() * torch.inf], CONFIG)
    assert all(torch.equal(before[name], tensor) for name, tensor in critic.state_dict().items())


def test_losses_of_micro_batches_add_up() -> None:
    moved = []
    for parts in (1, 3):
        torch.manual_seed(0)
        critic = TurnCritic(4, CriticConfig(width=8))
        optimiser = critic_optimiser(critic, CONFIG)
        states, wanted = torch.randn(6, 4), torch.randn(2, 6)
        losses = []
        for rows in torch.arange(6).chunk(parts):
            outputs = critic.online(TurnStates(states[rows], states[rows]))
            losses.append(critic_loss(outputs.q, wanted[:, rows], torch.full((len(rows),), 1 / 6)))
        critic_step(critic, optimiser, losses, CONFIG)
        moved.append(torch.cat([p.detach().flatten() for p in critic.online.q_heads.parameters()]))
    torch.testing.assert_close(moved[0], moved[1])
