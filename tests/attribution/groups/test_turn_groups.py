import pytest

from agentgym.attribution.compose import Chain
from agentgym.attribution.groups.step_groups import GroupSizes
from agentgym.attribution.groups.turn_groups import TurnGroups
from agentgym.attribution.steps import Steps
from agentgym.attribution.uniform import Uniform
from agentgym.errors import ConfigError
from tests.attribution.records import record

GROUP = [record("a", [{"step": 1.0}, {"success": 1.0}]), record("b", [{"step": 0.0}, {"success": 0.0}])]


def test_two_turns_are_those_of_the_paper():
    """The turn reward counts at the first turn alone, the outcome at both."""
    first, second = TurnGroups(turn_weight=0.5, lambda_=0.0).attribute(GROUP)
    assert first.tolist() == [0.5 * 1.0 + 1.0, 1.0]
    assert second.tolist() == [-0.5 - 1.0, -1.0]


def test_later_turns_reach_back_as_far_as_declared():
    group = [record("a", [0.0, 2.0, 4.0]), record("b", [0.0, 0.0, 0.0])]
    first, _ = TurnGroups(gamma=0.5).attribute(group)
    assert first.tolist() == [2.0 * 0.5 + 4.0 * 0.25, 2.0 + 4.0 * 0.5, 4.0]


def test_how_many_turns_have_others_to_be_compared_with_is_known():
    steps = Steps.of([record("a", [1.0, 5.0], anchors=["s", "t"]), record("b", [2.0], anchors=["s"])])
    assert TurnGroups(by="anchor").sizes(steps) == GroupSizes(2, 1.5, pytest.approx(1 / 3))
    assert TurnGroups().sizes(steps).num_groups == 2


def test_turns_may_be_compared_by_state():
    group = [record("a", [1.0, 5.0], anchors=["s", "t"]), record("b", [2.0, 3.0], anchors=["t", "s"])]
    by_state = TurnGroups(lambda_=0.0, by="anchor").attribute(group)
    assert [each.tolist() for each in by_state] == [[1.0 - 3.0, 5.0 - 2.0], [2.0 - 5.0, 3.0 - 1.0]]


def test_a_turn_that_no_other_rollout_reached_adds_nothing():
    group = [record("a", [0.0, 0.0, 9.0]), record("b", [0.0, 1.0])]
    first, second = TurnGroups(lambda_=0.0).attribute(group)
    assert first.tolist() == [0.0, -1.0, 0.0]
    assert second.tolist() == [0.0, 1.0]


def test_what_does_not_apply_is_refused():
    with pytest.raises(ConfigError, match="declared: format, step, success"):
        TurnGroups(outcome=("win",)).attribute(GROUP)
    with pytest.raises(ConfigError, match="no anchor is in the record"):
        TurnGroups(by="anchor").attribute(GROUP)
    with pytest.raises(ConfigError, match="put it first"):
        Chain((Uniform(), TurnGroups())).attribute(GROUP)
    with pytest.raises(ConfigError, match="expected 'turn' or 'anchor'"):
        TurnGroups(by="hash")
