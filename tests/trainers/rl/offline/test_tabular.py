"""What offline learners make of episodes of several turns, cut and ended, on problems whose values are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.errors import ContractError
from agentgym.trajectory import FINAL_PROMPT, Trajectory
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.hierarchical.critic.network import TurnStates
from agentgym_rl.hierarchical.critic.targets import monte_carlo_targets, next_values
from agentgym_rl.offline import a_lol, cloning, steered
from agentgym_rl.offline.a_lol import AlolLearner
from agentgym_rl.offline.cloning import CloningLearner
from agentgym_rl.offline.steered import SteeredLearner
from agentgym_rl.offline.step_agent import StepAgentLearner
from tests.trainers.rl.hierarchical.tables import DISCOUNT, chain
from tests.trainers.rl.offline.tabular import (
    STARTS,
    Episodes,
    chances,
    config_of,
    lowest_q,
    mean_returns,
    place_of,
    random_play,
    returns_that_followed,
)
from tests.trainers.rl.planted import noticed, parametrised, swapped

TABLE = chain()
OFFLINE: dict[str, Any] = {"updates": 50, "width": 24, "discount": DISCOUNT}
PLAIN = {"cql_weight": 0.0}
STEERED: dict[str, dict[str, Any]] = {
    "mc_returns": {**OFFLINE, **PLAIN},
    "ilql": {**OFFLINE, **PLAIN, "polyak": 0.3, "expectile": 0.95},
}


def steered_learner(preset: str, records: list[Trajectory]) -> SteeredLearner:
    place = place_of(TABLE, config_of({"preset": preset, **STEERED[preset]}))
    return SteeredLearner(place, Episodes(records))


def a_lol_learner(records: list[Trajectory], **options: Any) -> AlolLearner:
    config = config_of({"preset": "a_lol", **OFFLINE, "value_learning_rate": 1e-2, **options})
    return AlolLearner(place_of(TABLE, config), Episodes(records))


def targets_of(learner: SteeredLearner, records: list[Trajectory]) -> list[float]:
    """What Q of each sampled token regresses to, in order."""
    batch = TrainBatch.of_trajectories(records)
    streams, _ = learner._targets(batch)
    return np.concatenate([batch.sampled(streams, index) for index in range(len(records))]).tolist()


# Targets


def anything_that_follows(values, final_values, successor):
    """The value of the next step is read from elsewhere."""
    return np.full_like(values, 123.0) * (successor >= 0)


def limits_as_ends(values, final_values, successor):
    """D-13: a time limit treated as an end."""
    return next_values(values, np.zeros_like(final_values), successor)


@parametrised(next_values, anything_that_follows, limits_as_ends)
def test_q_of_ilql_regresses_to_the_value_of_the_state_that_followed(implementation, is_bug: bool) -> None:
    """In whichever segment it lies; after a limit that of the final observation."""
    records, values = random_play(TABLE, 12), np.array([0.3, -0.2, 0.5, 0.9, 0.7])
    learner = steered_learner("ilql", records)
    learner.value.v = torch.nn.Linear(TABLE.vocabulary, 1, bias=False)
    with torch.no_grad():
        learner.value.v.weight.copy_(torch.from_numpy(np.append(values, [0.0, 0.0]))[None])
    expected = []
    for record in records:
        after = [*(int(turn.prompt_ids[-1]) for turn in record.turns[1:]), record.metadata[FINAL_PROMPT][0]]
        following = values[after]
        following[-1] *= record.outcome.kind == "truncated"
        expected += (record.step_rewards() + DISCOUNT * following).tolist()
    with swapped(steered, "next_values", implementation), noticed(is_bug):
        assert targets_of(learner, records) == pytest.approx(expected, abs=1e-6)


def rewards_alone(rewards, successor, final_values, discount):
    """Nothing that follows counts."""
    return rewards


def discounted_from_the_start(rewards, successor, final_values, discount):
    """All steps of an episode get the return of its first."""
    found = monte_carlo_targets(rewards, successor, final_values, discount)
    return np.full_like(found, found[0])


@parametrised(monte_carlo_targets, rewards_alone, discounted_from_the_start)
def test_q_of_monte_carlo_regresses_to_the_return_that_followed(implementation, is_bug: bool) -> None:
    records = random_play(TABLE, 12)
    learner = steered_learner("mc_returns", records)
    with swapped(steered, "monte_carlo_targets", implementation), noticed(is_bug):
        assert targets_of(learner, records) == pytest.approx(returns_that_followed(records))


@parametrised(monte_carlo_targets, rewards_alone, discounted_from_the_start)
def test_v_of_a_lol_regresses_to_the_return_that_followed(implementation, is_bug: bool, monkeypatch) -> None:
    records, seen = random_play(TABLE, 12), []
    learner = a_lol_learner(records, updates=1)
    fit = learner._fit_value
    monkeypatch.setattr(learner, "_fit_value", lambda states, returns: seen.append(returns) or fit(states, returns))
    with swapped(a_lol, "monte_carlo_targets", implementation):
        learner.learn([], TrainerState())
    with noticed(is_bug):
        assert seen[0].tolist() == pytest.approx(returns_that_followed(records))


@pytest.mark.parametrize("preset", STEERED)
@pytest.mark.parametrize("value", [1.0, np.nan])
def test_a_reward_that_no_token_carries_is_refused(preset: str, value: float) -> None:
    """Not lost: the second turn says nothing."""
    records = random_play(TABLE, 4)
    record = next(each for each in records if len(each.turns) > 2)
    record.events[1] = record.events[1]._replace(value=value)
    record.turns[1].action_ids = np.zeros(0, np.int32)
    record.turns[1].behaviour_logprobs = np.zeros(0, np.float32)
    with pytest.raises(ContractError, match=f"turn 1 of episode '{record.id}' has reward"):
        targets_of(steered_learner(preset, records), records)


# What is learnt


def test_ilql_finds_the_best_values_of_a_chain_in_random_play() -> None:
    """Most episodes never see the reward: values come from the states in which a limit cut them."""
    records = random_play(TABLE, 20)
    learner = steered_learner("ilql", records)
    for _ in range(4):
        learner.learn([], TrainerState())
    assert lowest_q(TABLE, learner.place.model) == pytest.approx(TABLE.best_q(), abs=0.12)


def test_monte_carlo_regression_finds_the_mean_returns_of_the_data() -> None:
    records = random_play(TABLE, 20)
    learner = steered_learner("mc_returns", records)
    for _ in range(2):
        learner.learn([], TrainerState())
    assert lowest_q(TABLE, learner.place.model) == pytest.approx(mean_returns(TABLE, records)[0], abs=0.05)


def test_a_lol_values_the_play_that_was_stored_and_comes_to_beat_it() -> None:
    records = random_play(TABLE, 30)
    learner = a_lol_learner(records, warmup=1)
    for iteration in range(2):
        learner.learn([], TrainerState(iteration=iteration))
    eye = torch.eye(TABLE.vocabulary)[: TABLE.num_states]
    with torch.no_grad():
        values = learner.critic.online(TurnStates(eye, eye)).v.mean(0).numpy()
    assert values == pytest.approx(mean_returns(TABLE, records)[1], abs=0.05)
    assert chances(TABLE, learner.place.model)[2:, 1].min() > 0.8


def test_step_agent_comes_to_prefer_the_expert_in_all_of_its_states() -> None:
    expert = [TABLE.episode(f"e{start}", start, 5, np.random.default_rng(0), TABLE.best_q()) for start in STARTS]
    for record in expert:
        for turn in record.turns[2:]:
            turn.opens_segment = True
    options = {"updates": 100, "beta": 0.5}
    place = place_of(TABLE, config_of({"preset": "step_agent", **options}))
    StepAgentLearner(place, Episodes(expert)).learn([], TrainerState())
    assert chances(TABLE, place.model)[:, 1].min() > 0.75


@pytest.mark.parametrize("preset", [*STEERED, "a_lol"])
def test_values_of_stored_steps_are_compared_with_what_followed(preset: str) -> None:
    """Of episodes that ended alone; before the update, when Q is 0 everywhere."""
    records = random_play(TABLE, 20)
    learner = a_lol_learner(records, updates=1) if preset == "a_lol" else steered_learner(preset, records)
    learner.options = replace(learner.options, updates=1)
    metrics = learner.learn([], TrainerState())
    came = [value for name, value in metrics.items() if name.startswith("calibration/realised/")]
    whole = returns_that_followed([each for each in records if each.outcome.kind == "terminated"])
    assert 0 < len(whole) < sum(len(each.turns) for each in records)
    assert np.mean(came) == pytest.approx(np.mean(whole), abs=0.05)
    if preset != "a_lol":
        assert metrics["calibration/error"] == pytest.approx(np.mean(whole))


# Steps


def test_a_lol_counts_its_updates_and_says_how_large_they_were() -> None:
    learner = a_lol_learner(random_play(TABLE, 12), updates=3, warmup=1)
    assert "updates" not in learner.learn([], TrainerState())
    metrics = learner.learn([], TrainerState(iteration=1))
    assert metrics["updates"] == 3
    assert metrics["grad_norm/mean"] > 0


def test_cloning_keeps_to_the_norm_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    norms: list[float] = []
    step = cloning.clone_step

    def counted(*arguments: Any) -> Any:
        norms.append(arguments[-1])
        return step(*arguments)

    monkeypatch.setattr(cloning, "clone_step", counted)
    config = config_of({"preset": "bc", "updates": 2}, optimiser={"max_grad_norm": 0.25})
    metrics = CloningLearner(place_of(TABLE, config), Episodes(random_play(TABLE, 4))).learn([], TrainerState())
    assert norms == [0.25, 0.25]
    assert metrics["updates"] == 2
    assert metrics["grad_norm/mean"] > 0


@pytest.mark.parametrize("preset", ["bc", "ilql"])
def test_updates_that_are_not_finite_are_left_out_and_do_not_count(preset: str, monkeypatch) -> None:
    records = random_play(TABLE, 4)
    config = config_of({"preset": preset, "updates": 2})
    place = place_of(TABLE, config)
    learner = (CloningLearner if preset == "bc" else SteeredLearner)(place, Episodes(records))
    before = torch.nn.utils.parameters_to_vector(place.model.parameters()).clone()
    read = place.model.read

    def broken(*arguments: Any, **options: Any) -> Any:
        logprobs, entropy = read(*arguments, **options)
        return logprobs * float("nan"), entropy

    monkeypatch.setattr(place.model, "read", broken)
    metrics = learner.learn([], TrainerState())
    assert metrics["updates"] == 0
    assert torch.equal(torch.nn.utils.parameters_to_vector(place.model.parameters()), before)


def test_v_of_ilql_learns_at_the_rate_that_the_loop_has_set() -> None:
    config = config_of({"preset": "ilql", **STEERED["ilql"], "updates": 1})
    place = place_of(TABLE, config)
    learner = SteeredLearner(place, Episodes(random_play(TABLE, 4)))
    rates = []
    for factor in (0.5, 1.0, 0.1):
        for group in place.optimiser.param_groups:
            group["lr"] = factor * config.optimiser.learning_rate
        learner.learn([], TrainerState())
        rates.append(learner.optimiser.param_groups[0]["lr"] / config.optimiser.learning_rate)
    assert rates == pytest.approx([0.5, 1.0, 0.1])
