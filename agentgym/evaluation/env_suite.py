"""Suites that a user's options make: an environment's tasks as a test split, or a suite with other message options.

So an environment can be evaluated on a file that is named by an option, without a folder of tasks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentgym.errors import AgentGymError, ConfigError, ContractError
from agentgym.origin import describe_error
from agentgym.registration import EnvSpec, is_environment, is_environment_id, make, spec
from agentgym.registration.env_spec import load_named
from agentgym.registration.options import require_option_types
from agentgym.suite import Suite, load_suite
from agentgym.task import Split, Task

_SPLIT: Split = "test"


@dataclass(frozen=True)
class EnvSuite(Suite):
    """A suite without a folder.

    Attributes:
        made: Its tasks.
    """

    made: tuple[Task, ...] = ()

    @property
    def given_options(self) -> Mapping[str, Any]:
        """All of them."""
        return self.env_options

    def tasks(self, split: str) -> tuple[Task, ...]:
        """All tasks.

        Raises:
            ConfigError: Another split than test is asked for.
        """
        if split != _SPLIT:
            raise ConfigError(f"tasks that {self.env!r} makes are a test split: got {split!r}; leave out --split")
        return self.made


@dataclass(frozen=True, kw_only=True)
class OptedSuite(Suite):
    """A suite whose agent sees its tasks, writes its actions, or is limited otherwise than the suite says, as its name.

    Attributes:
        base: The suite.
        given: The options.
    """

    base: Suite
    given: Mapping[str, Any]

    @property
    def given_options(self) -> Mapping[str, Any]:
        """What the user gave."""
        return self.given

    def tasks(self, split: str) -> tuple[Task, ...]:
        """The tasks of one split."""
        return self.base.tasks(split)

    def require_disjoint(self) -> None:
        """See `Suite.require_disjoint`."""
        self.base.require_disjoint()


def _opted(suite: Suite, given: Mapping[str, Any]) -> Suite:
    """The suite with options that change no task: of how messages are written, and of limits that may go unenforced.

    Raises:
        UnknownNameError: The environment has no option of that name.
        ConfigError: They are others.
    """
    found = spec(suite.env)
    allowed = found.suite_options
    others = {key: given[key] for key in sorted(given) if key not in allowed}
    if others:
        cast = ("role", "partners") if found.roles else ()
        own = {key: others[key] for key in others if key not in (*suite.env_options, *cast)}
        require_option_types(load_named(found, "entry_point"), own, found.id)
        raise ConfigError(_refusal(suite, found, list(others)))
    fields = {each.name: getattr(suite, each.name) for each in dataclasses.fields(Suite)}
    fields["name"] = _name_with(suite.name, given)
    fields["env_options"] = {**suite.env_options, **given}
    return OptedSuite(**fields, base=suite, given=given)


def _name_with(name: str, given: Mapping[str, Any]) -> str:
    """A name that says which options were given."""
    said = ", ".join(f"{key}={value}" for key, value in sorted(given.items()))
    return f"{name} ({said})" if said else name


def _refusal(suite: Suite, found: EnvSpec, others: Sequence[str]) -> str:
    """Why a suite takes none of these options of its environment, and what to do instead."""
    own = [key for key in others if key in suite.env_options]
    rest = [key for key in others if key not in suite.env_options]
    said = [f"the suite {suite.name!r} sets {', '.join(own)} itself"] if own else []
    said += [f"{', '.join(rest)} cannot be given with the suite {suite.name!r}"] if rest else []
    if found.suite_options:
        said.append(f"of {found.id} only {', '.join(found.suite_options)} can be given")
    said += [f"to choose {key}, set {found.variables[key]}" for key in others if key in found.variables]
    unnamed = [key for key in others if key not in found.variables]
    if unnamed:
        chosen = ", ".join(unnamed)
        said.append(
            f"to choose {chosen}, name the environment, whose tasks are drawn by seeds and not held out: "
            f"--suite {found.id}"
        )
    return "; ".join(said)


def _made_tasks(name: str, env_options: Mapping[str, Any], limit: int | None) -> list[Task]:
    with closing(make(name, **env_options)) as env:
        num_tasks = env.num_tasks if limit is None else limit if env.num_tasks is None else min(limit, env.num_tasks)
        if num_tasks is None:
            raise ConfigError(f"{name!r} makes tasks without end; say how many to play: --limit 100")
        return [replace(env.make_task(seed), suite=name, split=_SPLIT) for seed in range(num_tasks)]


def suite_named(name: str, env_options: Mapping[str, Any], limit: int | None) -> Suite:
    """The suite of a name, or of an environment's id.

    Args:
        name: Such as "tools/lookup" or "agentgym/WebArena-v0".
        env_options: Options of the environment. A suite of files takes only `suite_options`.
        limit: How many tasks an environment makes; None for all that it has.

    Raises:
        UnknownNameError: There is no such suite.
        ConfigError: A suite is given options, the environment refuses them, or it makes tasks without end.
        ContractError: The environment's own code failed; says where.
    """
    if not is_environment(name):
        if is_environment_id(name):
            spec(name)  # which suggests environments
        suite = load_suite(name)
        return _opted(suite, env_options) if env_options else suite
    try:
        made = _made_tasks(name, env_options, limit)
    except Exception as error:  # a boundary: an environment's own code may raise anything
        if isinstance(error, AgentGymError):
            raise
        raise ContractError(f"{name!r} makes no tasks: {describe_error(error)}") from error
    strata = {task.stratum: "" for task in made}
    return EnvSuite(
        name=_name_with(name, env_options),
        env=name,
        description=f"Tasks that {name} makes.",
        license="",
        source="",
        headline=next(iter(strata), ""),
        strata=strata,
        splits={_SPLIT: tuple(strata)},
        scores={},
        folder=Path(),
        env_options=env_options,
        is_held_out=False,
        made=tuple(made),
    )
