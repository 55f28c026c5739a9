"""An environment as a suite: the tasks that it makes from the seeds 0, 1, … are a test split.

So an environment can be evaluated on a file that is named by an option, without a folder of tasks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentgym.errors import AgentGymError, ConfigError, ContractError
from agentgym.origin import describe_error
from agentgym.registration import is_environment, make, spec
from agentgym.suite import Suite, load_suite
from agentgym.task import Split, Task

_SPLIT: Split = "test"
_ENV_ID = re.compile(r"[^/]+/[^/]+-v\d+")


@dataclass(frozen=True)
class EnvSuite(Suite):
    """A suite without a folder.

    Attributes:
        made: Its tasks.
    """

    made: tuple[Task, ...] = ()

    def tasks(self, split: str) -> tuple[Task, ...]:
        """All tasks.

        Raises:
            ConfigError: Another split than test is asked for.
        """
        if split != _SPLIT:
            raise ConfigError(f"tasks that {self.env!r} makes are a test split: got {split!r}; leave out --split")
        return self.made


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
        env_options: Options of the environment; a suite has its own.
        limit: How many tasks an environment makes; None for all that it has.

    Raises:
        UnknownNameError: There is no such suite.
        ConfigError: A suite is given options, the environment refuses them, or it makes tasks without end.
        ContractError: The environment's own code failed; says where.
    """
    if not is_environment(name):
        if _ENV_ID.fullmatch(name):
            spec(name)  # which suggests environments
        if env_options:
            raise ConfigError(
                f"the suite {name!r} has its own options of the environment: got {sorted(env_options)}; name an "
                "environment instead, such as agentgym/WebArena-v0"
            )
        return load_suite(name)
    try:
        made = _made_tasks(name, env_options, limit)
    except Exception as error:  # a boundary: an environment's own code may raise anything
        if isinstance(error, AgentGymError):
            raise
        raise ContractError(f"{name!r} makes no tasks: {describe_error(error)}") from error
    strata = {task.stratum: "" for task in made}
    return EnvSuite(
        name=name,
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
        made=tuple(made),
    )
