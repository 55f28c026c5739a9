"""Keyword arguments of an environment checked against the names and types of its constructor's parameters.

Only what configuration files can hold is checked: whole numbers, numbers, texts, truth values, none. Ranges are the
constructor's own matter.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.errors import ConfigError, UnknownNameError

_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "bool": (bool,),
    "None": (type(None),),
}
_WORDS = {"int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false", "None": "none"}


def require_option_types(make: Callable[..., Any], options: Mapping[str, Any], name: str) -> None:
    """Refuse options that there are none of, and those of another type than is declared.

    Args:
        make: The environment's class or factory.
        options: Its keyword arguments.
        name: What is made, for the message.

    Raises:
        UnknownNameError: There is no option of that name.
        ConfigError: Says which option, what was expected, and what came.
    """
    parameters = inspect.signature(make).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for key, value in options.items():
        if key not in parameters and not takes_any:
            raise UnknownNameError("option", key, parameters, owner=repr(name))
        annotation = parameters[key].annotation if key in parameters else Any
        kinds = getattr(annotation, "__name__", str(annotation)).split(" | ")
        if not all(kind in _KINDS for kind in kinds) or any(_is_of(value, kind) for kind in kinds):
            continue
        expected = " or ".join(_WORDS[kind] for kind in kinds)
        raise ConfigError(f"option {key!r} of {name!r} must be {expected}, got {value!r}")


def _is_of(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "bool" or not isinstance(value, bool))
