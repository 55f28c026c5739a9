"""What holds for every closed formula: declared conservation, no leaks, and columns that equal trajectories."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.attribution import METHODS, Steps, make_attribution
from agentgym.attribution.environment import Environment
from agentgym.attribution.groups.anchors import Anchors
from agentgym.attribution.return_to_go import ReturnToGo
from agentgym.attribution.terminal import Terminal
from agentgym.attribution.uniform import Uniform
from agentgym.errors import ConfigError
from tests.attribution import planted
from tests.attribution.records import random_steps, record, steps_of
from tests.trainers.rl.planted import trap

COMPOSED = ("gated,potential,bounded,return_to_go", "episode_groups+0.5*anchors", "tool_use,corrected")
EVERY = (*METHODS, *COMPOSED)
CONSERVING = [name for name in EVERY if make_attribution(name).conserves]
seeds = st.integers(0, 2**32 - 1)


def groups_of(steps: Steps, order: list[int]) -> Steps:
    """The same steps with their groups in another order."""
    chosen = [i for group in order for i in np.flatnonzero(steps.groups == group)]
    turns = np.concatenate([np.arange(steps.offsets[i], steps.offsets[i + 1]) for i in chosen])
    columns = {
        "anchors": steps.anchors[turns],
        "progress": steps.progress[turns],
        "tool_calls": steps.tool_calls[turns],
    }
    return Steps(
        steps.rewards[turns],
        np.cumsum([0, *steps.lengths[chosen]]),
        steps.groups[chosen],
        steps.is_truncated[chosen],
        final_progress=steps.final_progress[chosen],
        parts={name: part[turns] for name, part in steps.parts.items()},
        **columns,
    )


def by_group(steps: Steps, credit: np.ndarray) -> dict[int, list[float]]:
    return {group: credit[steps.groups[steps.owner] == group].tolist() for group in set(steps.groups.tolist())}


def test_the_methods_that_declare_conservation_are_these():
    assert CONSERVING == [
        "terminal",
        "environment",
        "uniform",
        "potential",
        "bounded",
        "corrected",
        "tool_use,corrected",
    ]


@pytest.mark.parametrize("name", CONSERVING)
@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_credit_of_conserving_methods_adds_up_to_the_return(name, seed):
    steps = random_steps(seed)
    credit = make_attribution(name).credit(steps)
    np.testing.assert_allclose(steps.totals(credit), steps.totals(steps.rewards), atol=1e-9, rtol=0)


@pytest.mark.parametrize("name", EVERY)
def test_other_groups_and_their_order_leave_credit_bit_identical(name):
    """Trap D-10, for every method."""
    method, steps = make_attribution(name), random_steps(1)
    expected = by_group(steps, method.credit(steps))
    for order in ([2, 0, 1], [1], [0, 2]):
        chosen = groups_of(steps, order)
        assert by_group(chosen, method.credit(chosen)) == {group: expected[group] for group in order}


def check_groups(method) -> None:
    first, second = steps_of([[0, 1], [0, 0]]), steps_of([[0, 7], [0, 5]])
    both = steps_of([[0, 1], [0, 0], [0, 7], [0, 5]], groups=np.array([0, 0, 1, 1]), anchors=np.zeros(8, np.int64))
    for start, alone in ((0, first), (4, second)):
        alone = dataclasses.replace(alone, anchors=np.zeros(4, np.int64))
        assert method.credit(both)[start : start + 4].tolist() == method.credit(alone).tolist()


@trap(Anchors, planted.AnchorsOfAnyTask)
def test_groups_of_one_task_keep_their_own_baselines(method):
    """Trap D-10: the same states in two groups of a batch."""
    check_groups(method())


@trap(ReturnToGo, planted.ReturnsAcrossBranches)
def test_reward_in_one_branch_never_reaches_the_other(method):
    """Trap D-24: two continuations of one state."""
    for credit in (method(gamma) for gamma in (1.0, 0.9)):
        left = credit.credit(steps_of([[0.0, 0.0], [0.0, 1.0]]))
        right = credit.credit(steps_of([[0.0, 0.0], [0.0, 100.0]]))
        assert left[:2].tolist() == right[:2].tolist() == [0.0, 0.0]


@trap(ReturnToGo, planted.LastRewardOnly)
def test_rewards_under_way_reach_the_turns_before_them(method):
    """Trap D-24: only the last reward counts."""
    assert method(0.5).credit(steps_of([[1.0, 2.0, 4.0]])).tolist() == [3.0, 4.0, 4.0]


def test_simple_methods_on_a_worked_example():
    steps = steps_of([[1.0, 0.0, 2.0], [4.0], []])
    assert Terminal().credit(steps).tolist() == [0.0, 0.0, 3.0, 4.0]
    assert Environment().credit(steps).tolist() == [1.0, 0.0, 2.0, 4.0]
    assert Uniform().credit(steps).tolist() == [1.0, 1.0, 1.0, 4.0]
    assert ReturnToGo(0.5).credit(steps).tolist() == [1.5, 1.0, 2.0, 4.0]


@pytest.mark.parametrize("name", ["terminal", "environment", "uniform", "return_to_go", "episode_groups", "tool_use"])
def test_trajectories_without_turns_have_empty_credit(name):
    method = make_attribution(name)
    assert [len(each) for each in method.attribute([record("a", []), record("b", [1.0])])] == [0, 1]
    assert [len(each) for each in method.attribute([record("a", [])])] == [0]
    assert method.attribute([]) == []


@pytest.mark.parametrize("name", EVERY)
def test_credit_is_an_array_of_its_own_for_each_trajectory(name):
    trajectories = [
        record(f"r{index}", [0.1, {"success": float(index)}], anchors=["s", "t"], progress=[0.0, 0.5])
        for index in range(2)
    ]
    kept = [trajectory.step_rewards().tolist() for trajectory in trajectories]
    credit = make_attribution(name).attribute(trajectories)
    assert [(each.shape, each.dtype) for each in credit] == [((2,), np.float64)] * 2
    credit[0][:] = 9.0
    assert [trajectory.step_rewards().tolist() for trajectory in trajectories] == kept


@pytest.mark.parametrize("name", EVERY)
def test_no_method_takes_a_reward_that_is_no_number(name):
    with pytest.raises(ConfigError, match="not finite; leave it out"):
        make_attribution(name).attribute([record("a", [float("nan")], anchors=["s"], progress=[0.0])])
