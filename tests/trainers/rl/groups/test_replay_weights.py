"""Trap D-18, the part of replay: a replayed sample keeps the log-probabilities that it was sampled with."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agentgym.errors import ContractError
from agentgym_rl.groups.replay_weights import replay_weights, require_behaviour_logprobs, weight_metrics
from agentgym_rl.replay.draw import Draw
from agentgym_rl.replay.reading import read_episodes, read_turns
from tests.trainers.rl.planted import trap
from tests.trainers.rl.replay.conftest import make_index, store
from tests.trainers.rl.replay.episodes import episode

__all__ = ["make_index", "store"]

REWARDS = np.array([0.0, 1.0, 3.0])
OLD = np.log(np.array([0.5, 0.3, 0.2]))
NEW = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64).log()


def weights_of_recomputed_samples(prox, behaviour, sequences, turns, **options):
    """D-18: log-probabilities are recomputed after the stored sample was mixed in, so that its ratio is 1."""
    return replay_weights(prox, prox, sequences, turns, **options)


def weights_without_truncation(prox, behaviour, sequences, turns, **options):
    """D-18: nothing bounds the weight of a sample that has become likely."""
    return replay_weights(prox, behaviour, sequences, turns, **(options | {"cap": 1e9}))


@pytest.fixture
def recorded(store, make_index):
    """Behaviour log-probabilities of every arm of a bandit, by way of the store."""
    for reward, logprob in zip(REWARDS.tolist(), OLD.tolist(), strict=True):
        one = episode(1, reward)
        one.turns[0].behaviour_logprobs = np.array([logprob], np.float32)
        store.write_episode(one)
    turns = read_turns(Draw.of(make_index(), "turn", np.arange(3)))
    return torch.tensor([float(turn.behaviour_logprobs[0]) for turn in turns], dtype=torch.float64)


@pytest.mark.parametrize(
    ("weigh", "is_bug"),
    [(replay_weights, False), (weights_of_recomputed_samples, True), (weights_without_truncation, True)],
)
def test_replayed_samples_estimate_the_return_of_new_weights(weigh, is_bug, recorded):
    arms, rewards, old = torch.arange(3), torch.tensor(REWARDS), torch.tensor(OLD).exp()
    exact = (NEW.exp() * rewards).sum()
    whole = (old * weigh(NEW, recorded, arms, arms, cap=1e6) * rewards).sum()
    truncated = (old * weigh(NEW, recorded, arms, arms, cap=2.0) * rewards).sum()
    is_right = bool(torch.isclose(whole, exact, atol=1e-6)) and bool(truncated < exact - 0.1)
    assert is_right is not is_bug


@trap(replay_weights, weights_of_recomputed_samples)
def test_units_share_the_product_of_their_tokens(weigh):
    behaviour = torch.full((5,), -1.0, dtype=torch.float64)
    prox = behaviour + torch.tensor([2.0, 0.5, 1.5, 3.0, 0.5], dtype=torch.float64).log()
    sequences, turns = torch.tensor([0, 0, 0, 1, 1]), torch.tensor([0, 0, 1, 0, 0])
    expected = {"token": [2, 0.5, 1.5, 2, 0.5], "turn": [1, 1, 1.5, 1.5, 1.5], "sequence": [1.5, 1.5, 1.5, 1.5, 1.5]}
    for level, weights in expected.items():
        got = weigh(prox, behaviour, sequences, turns, level=level, cap=2.0)
        assert torch.allclose(got, torch.tensor(weights, dtype=torch.float64)), level


def test_tokens_without_logprobs_are_refused():
    behaviour = torch.tensor([-1.0, float("nan")], dtype=torch.float64)
    with pytest.raises(ContractError, match="1 of 2 have none"):
        replay_weights(behaviour.nan_to_num(), behaviour, torch.zeros(2).long(), torch.zeros(2).long())


def test_episodes_without_logprobs_are_refused_before_the_loss(store, make_index):
    good, derived, cut = episode(), episode(is_derived=True), episode()
    cut.turns[1].behaviour_logprobs = None
    for one in (good, derived, cut):
        store.write_episode(one)
    read = read_episodes(Draw.of(make_index(), "episode", np.arange(3)))
    require_behaviour_logprobs(read[:1], "clipped")
    for one in read[1:]:
        with pytest.raises(ContractError, match=r"'clipped' needs for its ratio|loss 'clipped'"):
            require_behaviour_logprobs([one], "clipped")


def test_weights_are_summarised():
    found = weight_metrics(torch.tensor([2.0, 1.0, 0.0], dtype=torch.float64), 2.0)
    assert sum(value for name, value in found.items() if "/histogram/" in name) == pytest.approx(1.0)
    assert {name: value for name, value in found.items() if "/histogram/" not in name} == pytest.approx(
        {"replay/weight_mean": 1.0, "replay/weight_at_cap": 1 / 3, "replay/effective_share": 0.6}
    )
    assert weight_metrics(torch.zeros(0), 2.0) == {}
