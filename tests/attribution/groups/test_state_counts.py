import numpy as np
import pytest

from agentgym.attribution.groups.state_counts import StateCounts
from agentgym.attribution.shaping.schedule import Schedule
from agentgym.errors import ConfigError
from tests.attribution.records import record, steps_of

WEIGHT = Schedule(1.0, 1.0)


def test_rare_states_pay_those_who_reach_them():
    group = [record("a", [0, 0, 1], anchors=["s", "t", "u"]), record("b", [0, 0], anchors=["s", "t"])]
    first, second = StateCounts(WEIGHT).attribute(group)
    assert first.tolist() == [1 / np.sqrt(2), 1.0, 1.0]
    assert second.tolist() == [1 / np.sqrt(2), 0.0]


def test_states_without_a_key_pay_nothing():
    [credit] = StateCounts(WEIGHT).attribute([record("a", [0, 0, 1], anchors=["s", None, "u"])])
    assert credit.tolist() == [0.0, 1.0, 1.0]


def test_progress_counts_by_its_resolution():
    group = [record("a", [0, 0], progress=[0.0, 0.501]), record("b", [0, 0], progress=[0.0, 0.499])]
    assert StateCounts(WEIGHT, of="progress").attribute(group)[0][0] == pytest.approx(1 / np.sqrt(2))
    assert StateCounts(WEIGHT, of="progress", resolution=0.001).attribute(group)[0][0] == 1.0


def test_what_was_not_recorded_is_refused():
    with pytest.raises(ConfigError, match="record_anchors"):
        StateCounts().credit(steps_of([[0.0]]))
    with pytest.raises(ConfigError, match="record_progress"):
        StateCounts(of="progress").credit(steps_of([[0.0]]))
    with pytest.raises(ConfigError, match="resolution > 0"):
        StateCounts(resolution=0.0)
