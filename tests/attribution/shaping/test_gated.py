import numpy as np
import pytest

from agentgym.attribution.compose import Chain
from agentgym.attribution.return_to_go import ReturnToGo
from agentgym.attribution.shaping.gated import Gated
from agentgym.attribution.uniform import Uniform
from agentgym.errors import ConfigError
from tests.attribution import planted
from tests.attribution.records import record
from tests.trainers.rl.planted import trap

SOLVED = record("s", [{"step": 0.5}, {"step": 0.25, "success": 1.0}])
FAILED = record("f", [{"step": 0.5}, {"step": 0.25, "success": 0.0}])


@trap(Gated, planted.UngatedRewards, planted.GateByTurn)
def test_lesser_rewards_count_only_behind_an_open_gate(method):
    """Trap D-25: a closed gate leaves the outcome alone; the gate is that of the whole episode."""
    solved, failed = method().attribute([SOLVED, FAILED])
    assert solved.tolist() == [0.5, 1.25]
    assert failed.tolist() == [0.0, 0.0]


def test_each_priority_needs_all_before_it():
    weights = {"success": 1.0, "tests": 1.0, "edit": 1.0, "format": 1.0}
    gate = Gated(("success", "tests"), (0.5, 2.0))
    given = {"success": 0.5, "tests": 1.0, "edit": 10.0, "format": -3.0}
    cases = [
        (given, 0.5 + 1.0),
        ({**given, "tests": 2.0}, 0.5 + 2.0 + 10.0 - 3.0),
        ({**given, "success": 0.4, "tests": 2.0}, 0.4),
    ]
    for parts, expected in cases:
        (credit,) = gate.attribute([record("a", [parts], weights=weights)])
        assert credit.sum() == pytest.approx(expected)


def test_a_total_at_its_threshold_opens_the_gate_despite_rounding():
    tenths = record("a", [{"success": 0.1}] * 10 + [{"step": 5.0}])
    assert Gated().attribute([tenths])[0][-1] == 5.0


def test_what_follows_in_a_chain_sees_gated_rewards_and_their_components():
    """Trap D-25: critic targets and actor take the same rewards."""
    twice = Chain((Gated(), Gated(("step",), (0.6,)), ReturnToGo()))
    (credit,) = twice.attribute([SOLVED])
    assert credit.tolist() == [1.75, 1.25]
    np.testing.assert_array_equal(twice.attribute([FAILED])[0], [0.0, 0.0])


def test_components_that_are_not_there_are_refused():
    with pytest.raises(ConfigError, match="declared: format, step, success"):
        Gated(("win",), (1.0,)).attribute([SOLVED])
    with pytest.raises(ConfigError, match="put it first"):
        Chain((Uniform(), Gated())).attribute([SOLVED])
    with pytest.raises(ConfigError, match="threshold for each priority"):
        Gated(("success", "step"), (1.0,))
