"""The example on the page of ArCHer is run as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from agentgym_rl.core import positions
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.packing import pack
from agentgym_rl.hierarchical import options, transitions
from agentgym_rl.hierarchical.critic import losses as critic_losses
from agentgym_rl.hierarchical.critic import network as critic
from agentgym_rl.hierarchical.critic import step as critic_step
from agentgym_rl.hierarchical.critic import targets, valuation
from tests.trainers.rl.hierarchical.tables import chain
from tests.trainers.rl.tiny import tiny_llama

PAGE = Path(__file__).resolve().parents[4] / "docs/algorithms/archer.md"


@pytest.mark.parametrize("is_packed", [True, False])
def test_the_example_updates_a_critic_on_the_hidden_states_of_a_policy(is_packed: bool) -> None:
    [example] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    names: dict[str, object] = {"torch": torch, "pack": pack}
    for module in (critic, critic_losses, critic_step, options, positions, targets, transitions, valuation):
        names |= vars(module)
    policy = PolicyModel(tiny_llama())
    packing = PackingConfig(row_length=16, micro_batch_tokens=64, is_packed=is_packed)
    names |= {"batch": chain().batch(20, 3, [0, 1, 2, 3, 4]), "policy": policy, "packing": packing}
    torch.manual_seed(0)
    exec(example, names)
    made, turns = names["critic"], names["turns"]
    assert isinstance(made, critic.TurnCritic)
    assert turns.num_turns == sum(len(record.turns) for record in names["batch"].trajectories)
    gaps = [(a - b).abs().max() for a, b in zip(made.online.parameters(), made.target.parameters(), strict=True)]
    assert min(gaps) > 0, "every head was moved, and its copy lags"
    assert all(parameter.grad is None for parameter in policy.parameters())
