from __future__ import annotations

import json

import pytest

from agentgym.errors import ConfigError, ContractError, InfrastructureError
from agentgym.reward import RewardEvent, by_component, event_from_json, event_to_json, replaced_weights, weighted_sum


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


def test_given_weights_replace_declared_ones():
    assert replaced_weights({"success": 1.0, "call": 0.0}, {"call": 2}) == {"success": 1.0, "call": 2}
    assert replaced_weights({"success": 1.0}, None) == {"success": 1.0}


@pytest.mark.parametrize(
    ("weights", "why"),
    [
        ({"call": "a"}, "the weight of 'call' must be a finite number: got 'a'"),
        ({"call": float("nan")}, "the weight of 'call' must be a finite number: got nan"),
        ({"call": None}, "the weight of 'call' must be a finite number: got None"),
        ({"call": True}, "the weight of 'call' must be a finite number: got True"),
        ({"charm": 1.0}, r"weights names \['charm'\], which are no components; expected success, call"),
        (["call"], "weights must be numbers by component"),
    ],
)
def test_given_weights_that_are_no_numbers_are_refused(weights, why):
    with pytest.raises(ConfigError, match=why):
        replaced_weights({"success": 1.0, "call": 0.0}, weights)


def test_by_component_adds_unweighted_values():
    assert by_component([event("a", 1.0), event("b", 2.0), event("a", 0.5)]) == {"a": 1.5, "b": 2.0}


def test_event_survives_json():
    one = RewardEvent(0, 2, "agent", "success", 1.0, "verifier", {"why": "né"})
    assert event_from_json(json.loads(json.dumps(event_to_json(one)))) == one
