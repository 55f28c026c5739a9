from __future__ import annotations

import copy

import pytest
import torch
from transformers import BertConfig, BertModel

from agentgym.errors import ConfigError
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel, with_adapters
from agentgym_rl.core.packing import pack
from agentgym_rl.core.positions import turn_positions
from agentgym_rl.hierarchical.critic.network import CriticOutputs, TurnCritic, TurnStates, as_values, hidden_for
from agentgym_rl.hierarchical.critic.pooling import Standard
from agentgym_rl.hierarchical.critic.valuation import action_states, prompt_states
from agentgym_rl.hierarchical.options import CriticConfig
from tests.trainers.rl.planted import trap
from tests.trainers.rl.tiny import random_segments, tiny_llama

PACKING = PackingConfig(row_length=64, micro_batch_tokens=512)


def critic(**options) -> TurnCritic:
    torch.manual_seed(0)
    return TurnCritic(4, CriticConfig(width=8, **options))


def flat(network: torch.nn.Module) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in network.parameters()])


def copied_at_once(made: TurnCritic) -> None:
    """D-27: the copy does not lag."""
    made.target.load_state_dict(made.online.state_dict())


def lagging_the_wrong_way(made: TurnCritic) -> None:
    """D-27: tau and 1 - tau swapped."""
    for lagging, leading in zip(made.target.parameters(), made.online.parameters(), strict=True):
        lagging.data.lerp_(leading.data, 1 - made.config.polyak)


def never(made: TurnCritic) -> None:
    """D-27: the copy stays as it began."""


def moving_both(made: TurnCritic) -> None:
    """D-27: the network moves towards its copy as well."""
    TurnCritic.update_target(made)
    made.online.load_state_dict(made.target.state_dict())


@trap(TurnCritic.update_target, copied_at_once, lagging_the_wrong_way, never, moving_both)
def test_the_copy_lags_by_polyak_averaging(update) -> None:
    """Trap D-27: after n updates the gap is (1 - tau)^n of what it was."""
    made = critic(polyak=0.1)
    with torch.no_grad():
        for parameter in made.online.parameters():
            parameter += 1.0
    network, gap = flat(made.online), flat(made.online) - flat(made.target)
    for _ in range(3):
        update(made)
    torch.testing.assert_close(flat(made.online), network)
    torch.testing.assert_close(network - flat(made.target), 0.9**3 * gap)


def test_the_copy_starts_equal_is_frozen_and_never_drops_out() -> None:
    made = critic().train()
    assert torch.equal(flat(made.online), flat(made.target))
    assert not any(p.requires_grad for p in made.target.parameters())
    assert made.online.training
    assert not made.target.training


def test_v_sees_the_history_alone_and_each_head_is_its_own() -> None:
    made = critic()
    state, action = torch.randn(5, 4), torch.randn(5, 4)
    one, other = made.online(TurnStates(state, action)), made.online(TurnStates(state, action + 1))
    assert torch.equal(one.v, other.v)
    assert (one.q != other.q).all()
    assert one.q.shape == one.v.shape == (2, 5)
    assert (one.q[0] != one.q[1]).all()
    assert (one.v[0] != one.v[1]).all()


def by_the_first_alone(made: TurnCritic, states: TurnStates) -> None:
    """The scale stays where hidden states were before the policy moved."""
    if not made.online.state_scale.mean.any():
        STANDARDISE(made, states)


def of_the_network_alone(made: TurnCritic, states: TurnStates) -> None:
    """The copy reads what the network does on another scale."""
    copied = copy.deepcopy(made.target)
    STANDARDISE(made, states)
    made.target.load_state_dict(copied.state_dict())


STANDARDISE = TurnCritic.standardise


@trap(STANDARDISE, by_the_first_alone, of_the_network_alone)
def test_hidden_states_are_standardised_for_the_network_and_its_copy(standardise) -> None:
    """Most of a hidden state is the same in all turns; what differs is what heads are to see."""
    made, first = critic(), TurnStates(5 + 0.5 * torch.randn(200, 4), -3 + 0.2 * torch.randn(200, 4))
    assert torch.equal(made.online.state_scale(first.state), first.state)
    for states in (first, TurnStates(first.state + 1, first.action * 2)):
        standardise(made, states)
        for network in (made.online, made.target):
            for scale, features in ((network.state_scale, states.state), (network.action_scale, states.action)):
                read = scale(features)
                assert torch.allclose(read.mean(0), torch.zeros(4), atol=1e-4)
                assert torch.allclose(read.std(0, correction=0), torch.ones(4), atol=1e-3)


def test_what_is_the_same_in_all_turns_is_not_magnified() -> None:
    scale, features = Standard(3), torch.tensor([[2.0, 1.0, 0.0], [2.0, -1.0, 1e-5]])
    scale.fit(features)
    assert torch.isfinite(scale(features)).all()
    assert scale(features + torch.tensor([0.1, 0.0, 0.0])).abs().max() < 20


def test_bounded_values_lie_in_their_range() -> None:
    outputs = torch.tensor([[-50.0, 0.0, 50.0]])
    torch.testing.assert_close(as_values(outputs, (-1.0, 3.0)), torch.tensor([[-1.0, 1.0, 3.0]]))
    assert as_values(outputs, None) is outputs


def read(made: TurnCritic, policy: PolicyModel) -> CriticOutputs:
    [micro] = pack(random_segments(4), PACKING)
    hidden, positions = hidden_for(made.online, micro, policy), turn_positions(micro)
    return made.online(TurnStates(prompt_states(hidden, positions), action_states(hidden, micro, positions)))


def test_the_policy_is_read_and_not_trained() -> None:
    policy = PolicyModel(tiny_llama())
    made = TurnCritic(16, CriticConfig(width=8)).double()
    outputs = read(made, policy)
    (outputs.q.sum() + outputs.v.sum()).backward()
    assert all(p.grad is None for p in policy.parameters())
    assert all(p.grad is not None and bool(p.grad.any()) for p in made.online.v_heads[0][-1].parameters())
    assert set(made.trainable_groups()) == {"q", "v"}


def test_a_tower_of_its_own_is_trained_and_copied() -> None:
    policy = PolicyModel(tiny_llama())
    made = TurnCritic(16, CriticConfig(width=8), tiny_llama()).double()
    outputs = read(made, policy)
    outputs.v.sum().backward()
    assert set(made.trainable_groups()) == {"q", "v", "tower"}
    assert made.online.tower is not None
    assert made.target.tower is not made.online.tower
    assert all(p.grad is not None for p in made.online.tower.parameters())


def test_adapters_of_a_tower_are_trained_in_place_of_its_weights() -> None:
    tower = copy.deepcopy(tiny_llama())  # one model serves all tests
    before = {name: each.clone() for name, each in tower.state_dict().items()}
    made = TurnCritic(16, CriticConfig(width=8, polyak=0.5), with_adapters(tower, 2)).double()
    optimiser = torch.optim.SGD(made.trainable_groups()["tower"], lr=0.1)
    for _ in range(2):  # the first moves one factor of each adapter, the other being 0
        read(made, PolicyModel(tiny_llama())).v.sum().backward()
        optimiser.step()
        optimiser.zero_grad()
    assert made.online.tower is not None
    after = {name.replace(".base_layer", ""): each for name, each in made.online.tower.state_dict().items()}
    adapters = [each for name, each in after.items() if "lora_" in name]
    assert len(adapters) == len(made.trainable_groups()["tower"]) > 0
    assert all(each.any() for each in adapters)
    for name, each in before.items():
        if name.startswith("model."):
            torch.testing.assert_close(after[name.removeprefix("model.")], each.double())


def test_a_tower_in_which_v_would_see_the_action_is_refused() -> None:
    config = BertConfig(
        vocab_size=40,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        initializer_range=0.5,
    )
    with pytest.raises(ConfigError, match="V of a prompt would see the action"):
        TurnCritic(16, CriticConfig(), BertModel(config))


def test_a_critic_without_any_hidden_states_is_refused() -> None:
    [micro] = pack(random_segments(2), PACKING)
    with pytest.raises(ConfigError, match="has no tower"):
        hidden_for(critic().online, micro, None)


@pytest.mark.parametrize("options", [{"width": 0}, {"polyak": 0.0}, {"polyak": 1.5}, {"value_range": (1.0, 0.0)}])
def test_settings_that_make_no_critic_are_refused(options) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        CriticConfig(**options)
