from __future__ import annotations

import json

import pytest

from agentgym.errors import ContractError, InfrastructureError
from agentgym.reward import RewardEvent, by_component, event_from_json, event_to_json, weighted_sum


def event(component, value, turn=0):
    return RewardEvent(turn, turn, "agent", component, value)


def test_weighted_sum_weighs_each_component():
    events = [event("success", 1.0), event("cost", 3.0), event("cost", 1.0)]
    assert weighted_sum(events, {"success": 2.0, "cost": -0.5}) == pytest.approx(0.0)


def test_weighted_sum_of_nothing_is_zero():
    assert weighted_sum([], {}) == 0.0


def test_weighted_sum_refuses_an_undeclared_component():
    with pytest.raises(ContractError, match="'charm', which is not declared; declared: success"):
        weighted_sum([event("charm", 1.0)], {"success": 1.0})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_weighted_sum_never_makes_a_zero_of_what_is_no_number(value):
    with pytest.raises(InfrastructureError, match="not finite"):
        weighted_sum([event("success", value)], {"success": 1.0})


def test_by_component_adds_unweighted_values():
    assert by_component([event("a", 1.0), event("b", 2.0), event("a", 0.5)]) == {"a": 1.5, "b": 2.0}


def test_event_survives_json():
    one = RewardEvent(0, 2, "agent", "success", 1.0, "verifier", {"why": "né"})
    assert event_from_json(json.loads(json.dumps(event_to_json(one)))) == one
