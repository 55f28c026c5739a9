from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.groups import credit
from agentgym_rl.groups.credit import assign_credit, group_credit, shaped_return
from agentgym_rl.groups.options import GroupOptions
from agentgym_rl.maths.gae import turn_gae
from tests.trainers.rl.core.test_batch import episode
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.toys import toy_config


def paid(name: str, value: float, turns: list[tuple[int, int]], kind: str = "terminated", **fields) -> Trajectory:
    made = episode(name, turns, weights={"success": 1.0}, **fields)
    made.outcome = Outcome(kind, "turns") if kind == "truncated" else Outcome(kind)
    made.events = [RewardEvent(len(turns) - 1, len(turns) - 1, "agent", "success", value)]
    return made


UNIFORM = {"gae": {"discount": 1.0, "lambda": 0.0}, "attribution": {"method": "uniform"}}


def group_of(name: str, *members: Trajectory) -> Group:
    group = Group(name, "task", len(members))
    for member in members:
        member.group_id = name
        group.add(member)
    return group


def algorithm(preset: str, **tables) -> GroupOptions:
    return toy_config("bandit", algorithm={"preset": preset, **tables}).algorithm


def sampled(batch: TrainBatch, name: str = "advantages") -> dict[str, list[float]]:
    stream = getattr(batch, name)
    return {each.id: batch.sampled(stream, place).round(6).tolist() for place, each in enumerate(batch.trajectories)}


def test_every_sampled_token_of_an_episode_has_its_advantage() -> None:
    split = paid("b", 0.0, [(2, 1), (2, 2)], opens=(0, 1))
    batch = TrainBatch.of([group_of("g", paid("a", 1.0, [(2, 2), (1, 1)]), split)])
    credited, report = assign_credit(batch, algorithm("loop"), drop_flat_groups=True)
    assert sampled(credited) == {"a": [1.0] * 3, "b": [-1.0] * 3}
    assert report.zero_variance_groups == 0


@pytest.mark.parametrize(("is_dropped", "expected"), [(True, ["a", "b"]), (False, ["a", "b", "c", "d"])])
def test_flat_groups_are_dropped_or_kept_with_zeros(is_dropped: bool, expected: list[str]) -> None:
    turns = [(2, 1)]
    groups = [
        group_of("g", paid("a", 1.0, turns), paid("b", 0.0, turns)),
        group_of("h", paid("c", 1.0, turns), paid("d", 1.0, turns)),
    ]
    credited, report = assign_credit(TrainBatch.of(groups), algorithm("loop"), drop_flat_groups=is_dropped)
    assert list(sampled(credited)) == expected
    assert report.zero_variance_groups == 1
    if not is_dropped:
        assert sampled(credited)["d"] == [0.0]


def test_a_group_with_a_missing_member_uses_the_baseline_of_the_rest() -> None:
    broken = episode("x", [(2, 1)])
    broken.outcome = Outcome("infrastructure", "OSError")
    members = [paid(name, value, [(2, 1)]) for name, value in (("a", 1.0), ("b", 0.0), ("c", 0.0))]
    credited, _ = assign_credit(
        TrainBatch.of([group_of("g", *members, broken)]), algorithm("loop"), drop_flat_groups=True
    )
    assert sampled(credited) == {"a": [1.0], "b": [-0.5], "c": [-0.5]}


def test_truncated_episodes_follow_the_declared_mode() -> None:
    turns = [(2, 1)]
    members = [paid("a", 1.0, turns), paid("b", 0.0, turns), paid("c", 0.5, turns, "truncated")]
    seen = {}
    for mode in ("include", "exclude_from_loss", "exclude"):
        config = algorithm("loop", credit={"truncated": mode})
        credited, report = assign_credit(TrainBatch.of([group_of("g", *members)]), config, drop_flat_groups=True)
        seen[mode] = (sampled(credited), report.truncated_excluded)
    assert seen["include"] == ({"a": [0.75], "b": [-0.75], "c": [0.0]}, 0)
    assert seen["exclude_from_loss"] == ({"a": [0.75], "b": [-0.75]}, 1)
    assert seen["exclude"] == ({"a": [1.0], "b": [-1.0]}, 1)


def test_the_overlong_penalty_is_part_of_the_return() -> None:
    config = algorithm("dapo", max_episode_tokens=10, overlong_buffer=4)
    returns = [shaped_return(paid("a", 1.0, [(2, tokens)]), config) for tokens in (6, 8, 10)]
    assert returns == [1.0, 0.5, 0.0]
    assert shaped_return(paid("a", 1.0, [(2, 10)]), algorithm("dapo")) == 1.0


def with_values(batch: TrainBatch, finals: list[float | None]) -> TrainBatch:
    batch.old_values = [np.full(segment.num_tokens, 0.25) for segment in batch.segments]
    batch.prox_logprobs = [np.full(segment.num_tokens, -1.0) for segment in batch.segments]
    batch.reference_logprobs = [np.full(segment.num_tokens, -3.0) for segment in batch.segments]
    batch.final_values = finals
    return batch


def test_turn_gae_bootstraps_truncated_episodes_alone() -> None:
    turns = [(2, 2), (1, 1)]
    members = [paid("a", 1.0, turns), paid("b", 1.0, turns, "truncated")]
    config = algorithm("ppo", is_whitened=False, credit={"gae": {"discount": 0.5, "lambda": 1.0}})
    batch = with_values(TrainBatch.of([group_of("g", *members)]), [None, 8.0])
    credited, _ = assign_credit(batch, config, drop_flat_groups=False)
    expected = turn_gae(np.array([0.0, 1.0]), np.full(3, 0.25), np.array([0, 0, 1]), None, config.credit.gae).advantages
    assert sampled(credited)["a"] == pytest.approx(expected.tolist())
    assert sampled(credited)["a"] == [0.25, 0.25, 0.75]
    assert sampled(credited)["b"] == [2.25, 2.25, 4.75]
    assert sampled(credited, "is_value_target")["a"] == [1.0, 0.0, 1.0]
    assert sampled(credited, "value_targets")["b"][2] == 5.0


@pytest.mark.parametrize("preset", ["ppo", "ppo_token", "reinforce_pp"])
def test_kl_in_the_reward_lowers_the_credit_of_tokens_that_moved(preset: str) -> None:
    def first_advantage(beta: float) -> float:
        config = algorithm(preset, is_whitened=False, credit={"kl_in_reward": beta})
        batch = with_values(TrainBatch.of([group_of("g", paid("a", 1.0, [(2, 2), (1, 1)]))]), [None])
        credited, _ = assign_credit(batch, config, drop_flat_groups=False)
        return sampled(credited)["a"][0]

    # The policy is e^2 times as sure of each of three tokens as the reference.
    assert first_advantage(0.5) < first_advantage(0.0)
    if preset == "reinforce_pp":
        assert algorithm(preset).credit.discount == 1.0
        assert first_advantage(0.0) - first_advantage(0.5) == pytest.approx(0.5 * 2 * 3)


def test_whitened_advantages_have_mean_zero_and_variance_one() -> None:
    rng = np.random.default_rng(0)
    members = [paid(f"m{place}", float(value), [(2, 1 + place % 3)]) for place, value in enumerate(rng.normal(size=9))]
    credited, _ = assign_credit(
        TrainBatch.of([group_of("g", *members)]), algorithm("reinforce_pp_baseline"), drop_flat_groups=False
    )
    flat = np.concatenate([np.array(values) for values in sampled(credited).values()])
    assert flat.mean() == pytest.approx(0.0, abs=1e-5)
    assert flat.std() == pytest.approx(1.0, abs=0.05)


def test_nothing_sampled_at_all_is_no_error() -> None:
    for preset in ("loop", "reinforce_pp_baseline", "reinforce_pp"):
        batch = TrainBatch.of([group_of("g", paid("a", 1.0, [(2, 0)]), paid("b", 0.0, [(2, 0)]))])
        credited, _ = assign_credit(batch, algorithm(preset), drop_flat_groups=True)
        assert credited.segments == []


def test_a_group_has_signal_where_its_trained_members_differ() -> None:
    truncated = group_of("g", paid("a", 0.0, [(2, 1)]), paid("b", 0.0, [(2, 1)]), paid("c", 1.0, [(2, 1)], "truncated"))
    long = group_of("h", paid("d", 1.0, [(2, 1)]), paid("e", 1.0, [(2, 8)]))
    plain, excluding = algorithm("loop"), algorithm("loop", credit={"truncated": "exclude"})
    penalised = algorithm("dapo", max_episode_tokens=8, overlong_buffer=4)
    assert [each.has_signal for each in group_credit([truncated, long], plain)] == [True, False]
    assert [each.has_signal for each in group_credit([truncated, long], excluding)] == [False, False]
    assert [each.has_signal for each in group_credit([truncated, long], penalised)] == [True, True]


def in_states(member: Trajectory, *anchors: str) -> Trajectory:
    for turn, anchor in zip(member.turns, anchors, strict=True):
        turn.anchor = anchor
    return member


def test_turns_have_the_advantages_of_a_method_of_attribution() -> None:
    split = in_states(paid("b", 0.0, [(2, 1), (2, 2)], opens=(0, 1)), "start", "end")
    group = group_of("g", in_states(paid("a", 1.0, [(2, 2), (1, 1)]), "start", "end"), split)
    credited, report = assign_credit(TrainBatch.of([group]), algorithm("gigpo"), drop_flat_groups=True)
    assert sampled(credited) == {"a": [1.95, 1.95, 2.0], "b": [-1.95, -2.0, -2.0]}
    assert report.states is not None
    assert (report.states.mean_size, report.states.singleton_share) == (2.0, 0.0)
    turns = {name: credit.round(6).tolist() for name, credit in report.turns.items()}
    assert turns == {"a": [1.95, 2.0], "b": [-1.95, -2.0]}


def test_truncated_episodes_follow_the_declared_mode_under_attribution() -> None:
    """Trap D-13: else what a stage of the horizon cut would be a plain failure."""
    turns = [(2, 1)]
    members = [paid("a", 1.0, turns), paid("b", 0.0, turns), paid("c", 0.5, turns, "truncated")]
    group = group_of("g", *(in_states(member, "start") for member in members))
    cut = group_of("h", *(in_states(paid(name, 0.0, turns, "truncated"), "start") for name in "de"))
    seen = {}
    for mode in ("include", "exclude_from_loss", "exclude"):
        config = algorithm("gigpo", credit={"attribution": {"method": "episode_groups"}, "truncated": mode})
        credited, report = assign_credit(TrainBatch.of([group, cut]), config, drop_flat_groups=False)
        seen[mode] = (sampled(credited), report.truncated_excluded, report.zero_variance_groups)
    assert seen["include"] == ({"a": [0.75], "b": [-0.75], "c": [0.0], "d": [0.0], "e": [0.0]}, 0, 1)
    assert seen["exclude_from_loss"] == ({"a": [0.75], "b": [-0.75]}, 3, 1)
    assert seen["exclude"] == ({"a": [1.0], "b": [-1.0]}, 3, 1)


@pytest.mark.parametrize("preset", ["gigpo", "mt_grpo", "reinforce_pp"])
def test_a_batch_of_truncated_episodes_alone_can_be_left_out(preset: str) -> None:
    members = [in_states(paid(name, 0.0, [(2, 1)], "truncated"), "start") for name in "ab"]
    batch = TrainBatch.of([group_of("g", *members)])
    config = algorithm(preset, credit={"truncated": "exclude"})
    credited, report = assign_credit(batch, config, drop_flat_groups=True)
    assert (credited.num_sequences, report.truncated_excluded) == (0, 2)


def test_returns_over_the_batch_leave_truncated_episodes_out_where_asked_to() -> None:
    members = [paid("a", 1.0, [(2, 1)]), paid("b", 0.0, [(2, 1)]), paid("c", 0.5, [(2, 1)], "truncated")]
    config = algorithm("reinforce_pp", credit={"truncated": "exclude"})
    credited, report = assign_credit(TrainBatch.of([group_of("g", *members)]), config, drop_flat_groups=False)
    assert sampled(credited) == {"a": [1.0], "b": [-1.0]}
    assert report.truncated_excluded == 1


def test_turns_in_states_of_their_own_have_the_advantage_of_the_episode_alone() -> None:
    group = group_of(
        "g",
        in_states(paid("a", 1.0, [(2, 2), (1, 1)]), "start", "left"),
        in_states(paid("b", 0.0, [(2, 2), (1, 1)]), "start", "right"),
    )
    credited, report = assign_credit(TrainBatch.of([group]), algorithm("gigpo"), drop_flat_groups=True)
    assert sampled(credited) == {"a": [1.95, 1.95, 1.0], "b": [-1.95, -1.95, -1.0]}
    assert report.states is not None
    assert report.states.singleton_share == 0.5


@pytest.mark.parametrize(("is_dropped", "expected"), [(True, ["a", "b"]), (False, ["a", "b", "c", "d"])])
def test_a_group_is_flat_where_no_turn_of_it_has_credit(is_dropped: bool, expected: list[str]) -> None:
    late = [(2, 1), (1, 1)]
    groups = [
        group_of("g", in_states(paid("a", 1.0, [(2, 1)]), "s"), in_states(paid("b", 1.0, late), "s", "t")),
        group_of("h", in_states(paid("c", 1.0, late), "s", "t"), in_states(paid("d", 1.0, late), "s", "t")),
    ]
    credited, report = assign_credit(TrainBatch.of(groups), algorithm("gigpo"), drop_flat_groups=is_dropped)
    assert list(sampled(credited)) == expected
    assert sampled(credited)["a"] == pytest.approx([0.05])
    assert report.zero_variance_groups == 1


def test_a_method_moves_rewards_before_gae_over_turns() -> None:
    config = algorithm("ppo", is_whitened=False, credit=UNIFORM)
    batch = with_values(TrainBatch.of([group_of("g", paid("a", 1.0, [(2, 2), (1, 1)]))]), [None])
    credited, report = assign_credit(batch, config, drop_flat_groups=False)
    assert sampled(credited) == {"a": [0.5, 0.5, 0.25]}
    assert {name: credit.tolist() for name, credit in report.turns.items()} == {"a": [0.5, 0.5]}


OWN = credit._credit_trajectory


def targets_of_unmoved_rewards(batch, index, config, rewards):
    """D-25: the actor learns from the rewards that a method moved, the critic from those of the environment."""
    came = OWN(batch, index, config, rewards)
    advantages = [stream.copy() for stream in batch.advantages]
    OWN(batch, index, config, batch.trajectories[index].step_rewards())
    batch.advantages = advantages
    return came


def advantages_of_unmoved_rewards(batch, index, config, rewards):
    """D-25: the critic learns from the rewards that a method moved, the actor from those of the environment."""
    OWN(batch, index, config, batch.trajectories[index].step_rewards())
    advantages = [stream.copy() for stream in batch.advantages]
    came = OWN(batch, index, config, rewards)
    batch.advantages = advantages
    return came


@parametrised(OWN, targets_of_unmoved_rewards, advantages_of_unmoved_rewards)
def test_the_critic_learns_from_the_rewards_that_the_actor_does(
    implementation: Callable[..., Any], is_bug: bool
) -> None:
    """A value is trained towards the reward that the method gave, and is off it by the advantage."""
    tables = {"is_whitened": False, "credit": {**UNIFORM, "gae": {"discount": 1.0, "lambda": 1.0}}}
    batch = with_values(TrainBatch.of([group_of("g", paid("a", 1.0, [(2, 1), (1, 1)]))]), [None])
    with swapped(credit, "_credit_trajectory", implementation):
        credited, _ = assign_credit(batch, algorithm("ppo", **tables), drop_flat_groups=False)
    with noticed(is_bug):
        assert sampled(credited, "value_targets") == {"a": [1.0, 0.5]}
        assert sampled(credited) == {"a": [0.75, 0.25]}


FAULT = Outcome("infrastructure", "x")
ALONE: dict[str, tuple[list[Trajectory], int]] = {
    "returns differ": ([paid("a", 1.0, [(2, 1)]), paid("b", 0.0, [(2, 1)])], 0),
    "alike": ([paid("a", 0.0, [(2, 1)]), paid("b", 0.0, [(2, 1), (1, 1)])], 2),
    "paid at other turns": ([paid("a", 1.0, [(2, 1)]), paid("b", 1.0, [(2, 1), (1, 1)])], 0),
    "one has no reward": ([paid("a", 1.0, [(2, 1)]), replace(paid("b", 0.0, [(2, 1)]), outcome=FAULT)], 2),
}


@pytest.mark.parametrize("preset", ["ppo", "ppo_token", "reinforce_pp"])
@pytest.mark.parametrize("name", ALONE)
def test_groups_of_one_are_flat_only_where_the_whole_batch_is(name: str, preset: str) -> None:
    episodes, flat = ALONE[name]
    batch = with_values(TrainBatch.of([group_of(each.id, each) for each in episodes]), [None, None])
    _, report = assign_credit(batch, algorithm(preset), drop_flat_groups=False)
    assert report.zero_variance_groups == flat


def test_what_a_method_gave_is_told_without_what_the_trainer_adds() -> None:
    limits = {"max_episode_tokens": 4, "overlong_buffer": 3}
    tables = {"is_whitened": False, "credit": UNIFORM}
    batch = with_values(TrainBatch.of([group_of("g", paid("a", 1.0, [(2, 2), (1, 1)]))]), [None])
    credited, report = assign_credit(batch, algorithm("ppo", **tables, **limits), drop_flat_groups=False)
    assert sampled(credited)["a"][-1] < 0.25
    assert report.turns["a"].tolist() == [0.5, 0.5]
