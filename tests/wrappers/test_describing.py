from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces

from agentgym.errors import ConfigError
from agentgym.spaces import Message
from agentgym.wrappers.describing import describe_value


@pytest.mark.parametrize(
    ("space", "value", "text"),
    [
        (spaces.Discrete(5), np.int64(3), "3"),
        (spaces.Text(20), "hello", "hello"),
        (Message(), "né", "né"),
        (spaces.MultiBinary(3), np.array([1, 0, 1]), "1 0 1"),
        (spaces.MultiDiscrete([3, 3]), np.array([2, 0]), "2 0"),
        (spaces.Box(-1, 1, (2,)), np.array([0.5, -0.123456]), "0.5 -0.1235"),
        (spaces.Box(0, 9, (2, 2), np.int64), np.array([[1, 2], [3, 4]]), "1 2\n3 4"),
        (spaces.Tuple((spaces.Discrete(4), spaces.Discrete(2))), (3, 1), "3, 1"),
        (spaces.Dict({"place": spaces.Discrete(9), "goal": spaces.Text(9)}), {"place": 7, "goal": "red"}, "red 7"),
    ],
)
def test_value_is_told_as_its_space_has_it(space, value, text):
    if isinstance(space, spaces.Dict):
        assert describe_value(space, value) == "goal: red\nplace: 7"
    else:
        assert describe_value(space, value) == text


@pytest.mark.parametrize("space", [spaces.Box(0, 255, (64, 64, 3), np.uint8), spaces.Sequence(spaces.Discrete(2))])
def test_what_words_cannot_hold_asks_for_a_function(space):
    with pytest.raises(ConfigError, match="describe"):
        describe_value(space, space.sample())
