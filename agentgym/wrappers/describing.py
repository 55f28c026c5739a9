"""Text for an observation of any Gymnasium space that can be written as text.

If an environment's numbers have a meaning, describe them with a function of your own.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from agentgym.errors import ConfigError
from agentgym.spaces import Message

MAX_NUMBERS = 400
"""Most numbers of an array that are written out."""


def describe_value(space: gymnasium.Space[Any], value: Any) -> str:
    """The text of a value: numbers as they are, arrays by rows, tuples with commas, dicts by lines.

    Args:
        space: The value's space.
        value: A member of it.

    Raises:
        ConfigError: The space has too many numbers for a text, or is of an unknown kind.
    """
    if isinstance(space, (spaces.Text, Message)):
        return str(value)
    if isinstance(space, spaces.Discrete):
        return str(int(value))
    if isinstance(space, (spaces.Box, spaces.MultiBinary, spaces.MultiDiscrete)):
        return _describe_array(space, np.asarray(value))
    if isinstance(space, spaces.Tuple):
        return ", ".join(describe_value(part, item) for part, item in zip(space.spaces, value, strict=True))
    if isinstance(space, spaces.Dict):
        return "\n".join(f"{key}: {describe_value(part, value[key])}" for key, part in space.spaces.items())
    raise ConfigError(f"observations of {type(space).__name__} have no default text; give a `describe` function")


def _describe_array(space: gymnasium.Space[Any], value: Any) -> str:
    if value.size > MAX_NUMBERS:
        raise ConfigError(
            f"observations of {space} hold {value.size} numbers, of which at most {MAX_NUMBERS} are written out; "
            "give a `describe` function"
        )
    if value.ndim <= 1:
        return " ".join(_number(item) for item in np.ravel(value))
    return "\n".join(" ".join(_number(item) for item in row) for row in value.reshape(-1, value.shape[-1]))


def _number(value: Any) -> str:
    return f"{float(value):.4g}" if isinstance(value, np.floating) else str(int(value))
