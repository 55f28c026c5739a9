"""Registration: which environments exist, what is known about each, and how one is made from its id."""

from agentgym.registration.env_spec import EnvSpec, Knobs, Measure, Need
from agentgym.registration.making import make, make_game, require_runtime
from agentgym.registration.registry import (
    is_environment,
    is_environment_id,
    register,
    register_own,
    script_names,
    spec,
    specs,
)

__all__ = [
    "EnvSpec",
    "Knobs",
    "Measure",
    "Need",
    "is_environment",
    "is_environment_id",
    "make",
    "make_game",
    "register",
    "register_own",
    "require_runtime",
    "script_names",
    "spec",
    "specs",
]
