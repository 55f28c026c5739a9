import itertools

import numpy as np
import pytest

from agentgym import Outcome, RewardEvent, Turn
from agentgym.attribution.steps import NO_ANCHOR, Steps, returns_to_go
from agentgym.errors import ConfigError, ContractError
from agentgym.reward import CUTS_CREDIT
from tests.attribution.records import TRUNCATED, record, steps_of


def test_steps_hold_what_the_trajectories_record():
    first = record("a", [{"step": 0.5}, {"success": 1.0, "format": -0.2}], anchors=["s", "t"], progress=[0, 0.5])
    second = record("b", [0.25], anchors=["t"], progress=[0.5, 0.75], outcome=TRUNCATED, weights={"step": 2.0})
    steps = Steps.of([first, second])
    assert steps.rewards.tolist() == [0.5, 0.8, 0.5]
    assert steps.offsets.tolist() == [0, 2, 3]
    assert steps.is_truncated.tolist() == [False, True]
    assert steps.anchors.tolist() == [0, 1, 1]
    assert steps.progress.tolist() == [0.0, 0.5, 0.5]
    assert np.isnan(steps.final_progress[0])
    assert steps.final_progress[1] == 0.75
    assert {name: part.tolist() for name, part in steps.parts.items()} == {
        "success": [0.0, 1.0, 0.0],
        "step": [0.5, 0.0, 0.5],
        "format": [0.0, -0.2, 0.0],
    }


def test_rewards_are_the_step_rewards_of_each_trajectory():
    early = record("a", [0.1, 0.2, 0.3])
    early.events.append(RewardEvent(-1, 0, "agent", "success", 0.7))
    early.events.append(RewardEvent(9, 9, "agent", "success", 0.1))
    others = [record("b", []), record("c", [1.0])]
    steps = Steps.of([early, *others])
    for mine, theirs in zip(steps.split(steps.rewards), [early, *others], strict=True):
        assert mine.tolist() == theirs.step_rewards().tolist()


def test_tool_calls_of_refused_messages_do_not_count():
    calling = {"role": "assistant", "tool_calls": [{"id": "1"}, {"id": "2"}]}
    turns = [
        Turn(0, [], calling, ""),
        Turn(1, [], calling, "", was_invalid=True),
        Turn(2, [], {"role": "assistant"}, ""),
    ]
    assert Steps.of([record("a", [0, 0, 0], turns=turns)]).tool_calls.tolist() == [2, 0, 0]


def test_event_that_cuts_credit_bounds_a_piece():
    patched = record("a", [1, 0, 1, 1])
    patched.events[1] = patched.events[1]._replace(detail={CUTS_CREDIT: True})
    steps = Steps.of([record("b", [1, 1]), patched])
    assert steps.is_cut.tolist() == [False, False, False, True, False, False]
    assert (steps.offsets.tolist(), steps.pieces.tolist()) == ([0, 2, 6], [0, 2, 4, 6])
    assert Steps.of([record("b", [1, 1])]).pieces.tolist() == [0, 2]


def test_groups_are_those_collected_else_those_of_one_task_role_and_policy():
    records = [record("a", [0]), record("b", [0], group="h"), record("c", [0]), record("d", [0], group="")]
    records += [record("e", [0], group="", policy="x"), record("f", [0], group=""), record("g", [0], task_id="u")]
    assert Steps.of(records).groups.tolist() == [0, 1, 0, 2, 3, 2, 0]


def test_states_without_a_key_are_told_from_states_that_were_not_recorded():
    assert Steps.of([record("a", [0, 0], anchors=[None, "s"])]).anchors.tolist() == [NO_ANCHOR, 0]
    assert Steps.of([record("a", [0, 0])]).anchors is None


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (record("a", [0], outcome=Outcome("infrastructure", "x")), "carries no reward; give the graded ones"),
        (record("a", [float("nan")]), "not finite; leave it out"),
        (record("a", [float("inf")]), "not finite; leave it out"),
    ],
)
def test_trajectories_that_cannot_be_credited_are_refused(broken, why):
    with pytest.raises(ConfigError, match=why):
        Steps.of([record("ok", [0]), broken])


def test_a_running_trajectory_is_refused():
    running = record("a", [0])
    running.outcome = None
    with pytest.raises(ConfigError, match="has not ended"):
        Steps.of([running])


def test_an_undeclared_component_is_named():
    with pytest.raises(ContractError, match="'cheer', which is not declared"):
        Steps.of([record("a", [{"cheer": 1.0}])])


def test_columns_must_fit_the_offsets():
    with pytest.raises(ConfigError, match=r"anchors has the shape \(2,\); the offsets say \(3,\)"):
        steps_of([[0, 0], [0]], anchors=np.zeros(2, np.int64))
    with pytest.raises(ConfigError, match="groups has the shape"):
        steps_of([[0, 0], [0]], groups=np.zeros(3, np.int64))
    with pytest.raises(ConfigError, match="turn 0 of trajectory 1 is nan"):
        steps_of([[0, 0], [float("nan")]])
    with pytest.raises(ConfigError, match="prediction 'p'"):
        Steps.of([record("a", [0, 0])], {"p": [np.zeros(1)]})


@pytest.mark.parametrize("discount", [0.0, 0.9, 1.0])
def test_returns_to_go_are_those_of_a_loop_over_each_trajectory(discount):
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 9, 20)
    offsets, values = np.cumsum([0, *lengths]), rng.normal(size=lengths.sum())
    expected = values.copy()
    for start, end in itertools.pairwise(offsets):
        for at in range(end - 2, start - 1, -1):
            expected[at] += discount * expected[at + 1]
    np.testing.assert_array_equal(returns_to_go(values, offsets, discount), expected)


def test_no_trajectories_and_no_turns_have_no_credit():
    empty = Steps.of([])
    assert returns_to_go(empty.rewards, empty.offsets, 0.9).tolist() == []
    assert [len(each) for each in Steps.of([record("a", [])]).split(np.zeros(0))] == [0]
