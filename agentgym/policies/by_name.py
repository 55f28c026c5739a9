"""Policies by the names that the command line and configuration files use.

Each kind of policy has its own module; torch is imported only if a torch policy is asked for.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError, MissingExtraError, UnknownNameError, suggestion
from agentgym.policies.endpoint import EndpointPolicy, EndpointSettings
from agentgym.policies.endpoint_client import Transport
from agentgym.policies.human import HumanPolicy
from agentgym.policies.model_folder import require_policy
from agentgym.policies.own import FORM, own_class
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.policy import Policy, ScriptFactory
from agentgym.registration import EnvSpec, is_environment, spec
from agentgym.suite import load_suite

FORMS = ("torch:PATH", "endpoint:URL#MODEL", "human")
_UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")


def load(name: str, player_of: str = "", **options: Any) -> Policy:
    """The policy of a name.

    Args:
        name: `torch:PATH`, `endpoint:URL#MODEL`, `python:FILE.py:CLASS`, `human`, or a script of an environment:
            `oracle`, `null`, `random`, `demo`, `cheat_…`.
        player_of: For scripts, the suite or the environment id that they play.
        options: Keyword arguments: of `TorchPolicy.load`, of `EndpointSettings`, of `HumanPolicy`, or of the script.

    Raises:
        UnknownNameError: No such policy, suite or environment; suggests close names.
        ConfigError: The name is incomplete or an option does not apply.
        WrongModelError: The weights or the tokenizer of a torch policy are damaged, or do not fit.
        MissingExtraError: A torch policy is asked for and torch is not installed.
    """
    kind, has_rest, rest = name.partition(":")
    if kind in ("torch", "endpoint") and not rest:
        raise ConfigError(f"policy {name!r} is incomplete: expected {'torch:PATH' if kind == 'torch' else FORMS[1]}")
    try:
        if kind == "torch":
            return _torch(rest, **options)
        if kind == "endpoint":
            return EndpointPolicy.load(rest, **options)
        if kind == "python":
            return _own(rest, options)
        if name == "human":
            return HumanPolicy(**options)
    except TypeError as error:
        found = _UNEXPECTED.search(str(error))
        if found is None:
            raise ConfigError(f"policy {name!r} refuses the options {options}: {error}") from error
        raise _no_option(name, found[1], _options_of(kind)) from error
    if has_rest:
        known = _scripts_of(player_of) if player_of else ()
        raise UnknownNameError("policy", name, [*known, *FORMS, FORM], [f"A policy of your own is named {FORM}"])
    return _scripted(name, player_of, options)


def _own(rest: str, options: dict[str, Any]) -> Policy:
    """A policy of a file: a class that is made for each episode from its task and a seed, or a whole `Policy`."""
    made, content = own_class(rest)
    if hasattr(made, "generate"):
        policy: Policy = made(**options)
        return policy
    _check_options(f"python:{rest}", made, options)
    file, _, name = rest.rpartition(":")
    factory = partial(made, **options) if options else made
    return ScriptedPolicy(f"python:{Path(file).name}:{name}", factory, f"{content} {sorted(options.items())}")


def _torch(path: str, **options: Any) -> Policy:
    require_policy(path)
    try:
        from agentgym.policies.torch.listed import load_policy
    except ImportError as error:
        if (error.name or "").partition(".")[0] in ("torch", "transformers", "tokenizers"):
            raise MissingExtraError("the torch policy", "train") from None
        raise
    return load_policy(path, **options)


def _scripted(name: str, player_of: str, options: dict[str, Any]) -> ScriptedPolicy:
    if not player_of:
        raise ConfigError(
            f"policy {name!r} is a script of an environment: say which suite or environment it plays, or use one of "
            f"{', '.join(FORMS)}"
        )
    found = _spec_of(player_of)
    by_role = {role: found.load_scripts(role) for role in found.roles or ("",)}
    factories = {role: scripts[name] for role, scripts in by_role.items() if name in scripts}
    if not factories:
        known = _scripts_of(player_of)
        none = f"{found.id} has no scripted players yet: {found.scripts} is empty"
        raise UnknownNameError("policy", name, [*known, *FORMS, FORM], [] if known else [none], owner=repr(player_of))
    for factory in factories.values():
        _check_options(name, factory, options)
    ready = {role: partial(factory, **options) if options else factory for role, factory in factories.items()}
    return ScriptedPolicy(name, ready if found.roles else ready[""], repr(sorted(options.items())) if options else "")


def _spec_of(player_of: str) -> EnvSpec:
    """The environment of a name; suites are named family/suite, environments namespace/Name-v0."""
    is_env = _is_env_id(player_of) or is_environment(player_of)
    return spec(player_of if is_env else load_suite(player_of).env)


def _scripts_of(player_of: str) -> set[str]:
    """Names of the scripts of an environment, in any of its roles."""
    found = _spec_of(player_of)
    return {script for role in found.roles or ("",) for script in found.load_scripts(role)}


def _check_options(name: str, factory: ScriptFactory, options: dict[str, Any]) -> None:
    known = dict(list(inspect.signature(factory).parameters.items())[2:])
    for key, value in options.items():
        if key not in known:
            raise _no_option(name, key, known)
        if isinstance(known[key].default, float) and not isinstance(value, int | float):
            raise ConfigError(f"option {key!r} of policy {name!r} must be a number, got {value!r}")
        if key == "quality" and not 0 <= value <= 1:
            raise ConfigError(f"option 'quality' of policy {name!r} is a share from 0 to 1, got {value!r}")


def _no_option(name: str, key: str, known: Collection[str]) -> ConfigError:
    if not known:
        return ConfigError(f"policy {name!r} takes no options, got {key!r}; remove it")
    return ConfigError(f"policy {name!r} has no option {key!r}; {suggestion(key, known)}")


def _options_of(kind: str) -> list[str]:
    """The options of a kind of policy that is no script; none for a person."""
    if kind == "torch":
        from agentgym.policies.torch.policy import TorchLimits

        return ["device", "dtype", "trust_remote_code", "allow_incomplete", *TorchLimits.__dataclass_fields__]
    if kind == "endpoint":
        return [*EndpointSettings.__dataclass_fields__, *Transport.__dataclass_fields__]
    return []


def _is_env_id(name: str) -> bool:
    _, _, version = name.rpartition("-v")
    return version.isdigit()
