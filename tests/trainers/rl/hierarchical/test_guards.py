"""Bounds on how far a policy moves in an iteration, how sure it grows, and how fast it starts."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
import torch

from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.packing import pack
from agentgym_rl.core.positions import turn_positions
from agentgym_rl.hierarchical.guards import Movement, entropy_bonus, warmup_factor
from agentgym_rl.hierarchical.options import ResampledActor
from tests.trainers.rl.hierarchical.toy_runs import actor_critic
from tests.trainers.rl.tiny import random_segments, tiny_llama


def test_movement_is_zero_until_the_policy_moves_and_is_that_of_messages() -> None:
    policy = PolicyModel(copy.deepcopy(tiny_llama()))
    batches = pack(random_segments(5), PackingConfig(row_length=64, micro_batch_tokens=64))

    def of_messages() -> list[torch.Tensor]:
        with torch.no_grad():
            return [turn_positions(each).sum_of_tokens(policy.score(each)[0]) for each in batches]

    before = of_messages()
    movement = Movement(policy, batches, before, 1.0)
    assert movement.kl() == pytest.approx(0.0, abs=1e-12)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(0.02 * torch.randn(parameter.shape, dtype=parameter.dtype))
    change = torch.cat(of_messages()) - torch.cat(before)
    assert change.abs().max() > 0.01
    assert movement.kl() == pytest.approx(float((change.exp() - 1 - change).mean()))


def test_entropy_is_rewarded_below_its_bound_alone() -> None:
    options, advantages = ResampledActor(min_entropy=0.5), torch.tensor([1.0, -1.0])
    sure = torch.tensor([0.1, 0.2], requires_grad=True)
    bonus = entropy_bonus(sure, advantages, torch.tensor([0.5, 0.5]), options)
    bonus.backward()
    assert float(bonus.detach()) == pytest.approx(0.15)
    torch.testing.assert_close(sure.grad, torch.tensor([0.5, 0.5]))
    unsure = torch.tensor([0.9, 0.4])
    assert float(entropy_bonus(unsure, advantages, torch.tensor([0.5, 0.5]), options)) == 0
    assert float(entropy_bonus(sure.detach(), advantages, torch.tensor([0.5, 0.5]), ResampledActor())) == 0


def test_the_rate_of_the_policy_rises_over_its_first_updates() -> None:
    assert [warmup_factor(number, 3) for number in range(5)] == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert warmup_factor(0, 0) == 1.0


@pytest.mark.parametrize(("max_kl", "updates"), [(None, 6), (1e-6, 1), (1e6, 6)])
def test_no_update_follows_one_that_moved_the_policy_too_far(tmp_path: Path, max_kl, updates: int) -> None:
    actor = {"updates": 6, "batch": 8} | ({} if max_kl is None else {"max_kl": max_kl})
    critic = {"updates": 2, "batch": 8, "warmup": 0}
    run = actor_critic(
        tmp_path,
        "bandit",
        run={"iterations": 1},
        group={"tasks": 2, "size": 4},
        optimiser={"learning_rate": 1e-2},
        algorithm={"preset": "archer", "critic": critic, "actor": actor},
    )
    run.run()
    [row] = run.journal.rows
    assert row["updates"] == updates
    assert ("actor/kl" in row) == (max_kl is not None)
    if max_kl is not None:
        assert np.isfinite(row["actor/kl"])
        assert row["actor/kl"] > 1e-6
