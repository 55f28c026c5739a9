import numpy as np
import pytest

from agentgym.attribution import make_attribution
from agentgym.attribution.shaping.schedule import Schedule
from agentgym.attribution.shaping.tool_use import ToolUse
from agentgym.errors import ConfigError
from tests.attribution.records import steps_of

STEPS = steps_of([[0, 0, 0, 1], [0, 0]], tool_calls=np.array([2, 0, 1, 1, 1, 0]))


def test_the_first_turns_with_a_tool_call_are_paid():
    bonus = ToolUse(Schedule(0.5, 0.5), max_paid=2).credit(STEPS)
    assert bonus.tolist() == [0.5, 0.0, 0.5, 1.0, 0.5, 0.0]
    assert ToolUse(Schedule(0.5, 0.5), max_paid=None).credit(STEPS).tolist() == [0.5, 0.0, 0.5, 1.5, 0.5, 0.0]


@pytest.mark.parametrize(
    ("shape", "expected"), [("cosine", [1.0, 0.853553, 0.5, 0.0, 0.0]), ("linear", [1.0, 0.75, 0.5, 0.0, 0.0])]
)
def test_the_bonus_fades_by_its_schedule(shape, expected):
    schedule = Schedule(1.0, 0.0, 8, shape)
    found = [ToolUse(schedule).at(iteration).credit(STEPS)[0] for iteration in (0, 2, 4, 8, 90)]
    assert found == pytest.approx(expected, abs=1e-6)
    assert ToolUse(schedule).credit(STEPS)[0] == found[0]


def test_a_bonus_fades_inside_chains_and_sums():
    options = ["tool_use.weight.start=1.0", "tool_use.weight.iterations=8", "tool_use.weight.shape=linear"]
    terms = make_attribution("environment+2*tool_use", options)
    chain = make_attribution("tool_use,return_to_go", options)
    assert [chain.at(iteration).credit(STEPS)[0] for iteration in (0, 4, 8)] == [4.0, 2.5, 1.0]
    assert [terms.at(iteration).credit(STEPS)[0] for iteration in (0, 4, 8)] == [2.0, 1.0, 0.0]


def test_what_cannot_be_is_refused():
    with pytest.raises(ConfigError, match="choose an environment that has tools"):
        ToolUse().credit(steps_of([[0.0]]))
    with pytest.raises(ConfigError, match="max_paid"):
        ToolUse(max_paid=-1)
    with pytest.raises(ConfigError, match=r"schedule\.iterations"):
        Schedule(iterations=-1)
    with pytest.raises(ConfigError, match=r"schedule\.shape"):
        Schedule(shape="steps")
