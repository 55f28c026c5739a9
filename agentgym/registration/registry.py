"""The registry of environments: those of agentgym, and those that other packages announce by entry point.

Importing agentgym reads the `specs.py` of each family and imports no environment.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from pathlib import Path

import gymnasium

from agentgym.entry_points import is_announced_in_vain, load_entry_points
from agentgym.errors import SEE_LIST, ConfigError, UnknownNameError
from agentgym.registration.env_spec import EnvSpec
from agentgym.suite import register_suites

OWN_FAMILIES = ("agentgym_dialogue", "agentgym_gui", "agentgym_swe", "agentgym_tools", "agentgym_web")
"""Packages of this distribution whose `specs.SPECS` lists environments."""
_FOREIGN_NAME = re.compile(r"[\w:.-]+")
_ENV_ID = re.compile(r"[^/]+/[^/]+-v\d+")
_specs: dict[str, EnvSpec] = {}
_foreign: dict[str, EnvSpec] = {}


def register(spec: EnvSpec, suites_root: Path | None = None) -> None:
    """Make an environment known to agentgym and to Gymnasium.

    Args:
        spec: The environment. Registering an equal spec again changes nothing.
        suites_root: Folder with its suites, laid out as <family>/<suite>/suite.toml.

    Raises:
        ConfigError: Another spec has the id.
    """
    known = _specs.get(spec.id)
    if known is not None and known != spec:
        raise ConfigError(f"environment id {spec.id!r} belongs to {known.entry_point!r}; choose another namespace")
    if known is None:
        _specs[spec.id] = spec
        entry_point = "agentgym.policies.cast:role_view" if spec.roles else spec.entry_point
        kwargs = {"env_id": spec.id} if spec.roles else dict(spec.options)
        gymnasium.register(
            spec.id, entry_point=entry_point, kwargs=kwargs, disable_env_checker=True, order_enforce=False
        )
    if suites_root is not None:
        register_suites(suites_root)


def register_own() -> None:
    """Register the environments of this distribution; called when agentgym is imported."""
    for package in OWN_FAMILIES:
        found = importlib.import_module(f"{package}.specs")
        for spec in found.SPECS:
            register(spec)
        _foreign.update(getattr(found, "FOREIGN", {}))


def specs(family: str | None = None) -> list[EnvSpec]:
    """All known environments, including those of third parties, in order of id."""
    load_entry_points()
    return [_specs[key] for key in sorted(_specs) if family in (None, _specs[key].family)]


def listing_order(spec: EnvSpec) -> tuple[str, bool, str, str]:
    """What listings are sorted by: the family, its own environments before adapted ones, the room, the id."""
    return spec.family, bool(spec.adapts), spec.room, spec.id


def _uninstalled(env_id: str) -> list[str]:
    """A sentence where nothing at all is registered, or would have been, under the namespace of an id."""
    namespace, slash, _ = env_id.partition("/")
    if not slash or any(known.startswith(f"{namespace}/") for known in _specs) or is_announced_in_vain(namespace):
        return []
    return [
        f"no installed package registers {namespace}/…; if the package is yours, install it into this environment "
        "(pip install -e .) and declare its entry point in the group agentgym.environments"
    ]


def spec(env_id: str) -> EnvSpec:
    """The spec of an id.

    Raises:
        UnknownNameError: Nothing is registered under it; suggests close ids.
    """
    if env_id not in _specs:
        load_entry_points()
    pattern = _pattern_of(env_id)
    if env_id not in _specs and pattern is not None:
        register(pattern.named(env_id))
    if env_id not in _specs:
        failures = [*load_entry_points(), *_uninstalled(env_id)]
        raise UnknownNameError("environment", env_id, _specs, failures, see=SEE_LIST)
    return _specs[env_id]


def is_environment(name: str) -> bool:
    """Whether a name is the id of an environment, and not of a suite."""
    if name not in _specs and _pattern_of(name) is None:
        load_entry_points()
    return name in _specs or _pattern_of(name) is not None


def is_environment_id(name: str) -> bool:
    """Whether a name has the form of an environment's id, known or not."""
    return _ENV_ID.fullmatch(name) is not None


def _pattern_of(env_id: str) -> EnvSpec | None:
    """What an id of another project's stands for: a namespace of these, a slash, and a name that Gymnasium takes."""
    namespace, _, name = env_id.partition("/")
    return _foreign.get(namespace) if _FOREIGN_NAME.fullmatch(name) else None


def script_names(suite_env: str) -> Sequence[str]:
    """Names of the scripted policies of an environment."""
    return sorted(spec(suite_env).load_scripts())
