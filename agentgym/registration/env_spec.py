"""`EnvSpec` describes an environment without importing it; each family's `specs.py` is a table of them.

`registry` holds all that are known; `making` makes environments from them.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any

from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError, ConfigError, ContractError, UnknownNameError
from agentgym.origin import describe_error
from agentgym.policy import Guard, ScriptFactory
from agentgym.task import Task

Knobs = Mapping[str, Sequence[Any]]
"""Options of an environment, each with its values from the easiest to the hardest."""

Measure = Callable[[Sequence[float], Sequence[float]], float]
"""One number of the success rate and of the mean score of each task."""


Hints = Callable[[Task, Mapping[str, Any]], str]
"""Advice on a task: of the task, and the detail of the event `blame` of its last failed episode, or {}."""

OwnCheck = Callable[[AgentEnv, Sequence[Task]], str]
"""A check of an environment with tasks to play: says what it looked at, or raises ContractError."""


@dataclass(frozen=True)
class Need:
    """Something that the user has to have and to name before an environment can be made.

    Attributes:
        what: What it is, such as "an interpreter with bfcl-eval 2026.3.23".
        option: The option of `make` that names it.
        variable: The environment variable that names it where the option does not.
    """

    what: str
    option: str
    variable: str

    def __str__(self) -> str:
        return f"{self.what}, named by the option {self.option} or {self.variable}"


@dataclass(frozen=True)
class EnvSpec:
    """Describes an environment without importing it.

    Attributes:
        id: Gymnasium id, "namespace/Name-v0".
        entry_point: The class, as "module:Class": an `AgentEnv`, or a `GameEnv` where there are `roles`.
        scripts: "module:NAME" of a mapping from policy names to script factories. The names are oracle, null, random
            and demo, and cheats begin with "cheat_". A game maps each role to such a mapping.
        family: The family it belongs to: dialogue, tools, web, gui, swe, or one of your own.
        suites: Names of the suites that it plays.
        deterministic: Whether the same seed and actions always give the same trajectory.
        runtimes: Where it can run. "local": in this process. "served": as a whole in a container, reached over the
            network. "workspace": in this process, with the agent's work in a sandbox.
        image: The image of that container.
        limits: What of `agentgym.sandbox.spec.Limits` that container needs other values for, by name.
        extra: The optional extra of agentgym that installs what it needs; "" for none.
        roles: The roles of a game that an agent can play; the first is the default. Empty for one agent.
        partners: "module:NAME" of a mapping from each role to the script factory that plays it by default.
        guards: "module:NAME" of a mapping from roles to what checks the messages of a model that plays them as a
            partner (`agentgym.policy.Guard`); "" for none.
        options: Keyword arguments for the entry point; those of `make` override them.
        adapts: The package whose environment this wraps; "" for an environment of its own.
        why_no_oracle: Why no script solves every task; "" if `oracle` does.
        difficulty: Options of `make` that make tasks harder, each with its values from the easiest to the hardest.
        hints: "module:NAME" of a function from a task to advice on solving it; "" for none. It may read the task's
            private part. A curriculum may show the advice where a policy fails. The function may take a second
            argument: the detail of the event `blame` of the last failed episode. It is {} before one failed.
        room: The group within the family under which listings show it; "" for none.
        needs: What the user has to name before it can be made, such as an interpreter that has the adapted package.
        measures: "module:NAME" of a mapping from names to functions that make one number of the success rate and of the
            mean score of each task; evaluations report them too. "" for none.
        message_options: Options of `make` that say what an agent sees, how it writes its actions, or whether figures
            are measured or recorded, and change no tasks. An evaluation of a suite may set them; its result names them.
            `relaxed` of environments in sandboxes is always one of them, and not listed; see `suite_options`.
        checks: "module:NAME" of a mapping from names to what the environment must satisfy beside the checks of all
            (`OwnCheck`); "" for none.
        is_costly: Whether an episode takes seconds, so that the checks of all environments play fewer of them.
        disclosed: Keys of tasks' private part that the environment shows, such as a walkthrough that names links. The
            check of secrecy leaves them alone.
        check_options: Options of `make` with which checks play its suites, such as recorded measurements in place of
            servers. The checks of the environment itself do without them.
        variables: Options of `make` that an environment variable sets where they are not given, each with its name.
        own_tasks: The option of `make` that names tasks of the user's own; "" for none. With it, checks play those in
            place of the suites'.
        sandboxes: Names of the providers that can hold its sandboxes, such as docker; empty for all.
    """

    id: str
    entry_point: str
    scripts: str
    family: str
    suites: tuple[str, ...] = ()
    deterministic: bool = True
    runtimes: tuple[str, ...] = ("local",)
    image: str = "agentgym/env"
    limits: Mapping[str, float] = field(default_factory=dict, hash=False)
    extra: str = ""
    roles: tuple[str, ...] = ()
    partners: str = ""
    guards: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    adapts: str = ""
    why_no_oracle: str = ""
    difficulty: Knobs = field(default_factory=dict, hash=False)
    hints: str = ""
    room: str = ""
    needs: tuple[Need, ...] = ()
    measures: str = ""
    message_options: tuple[str, ...] = ()
    checks: str = ""
    disclosed: tuple[str, ...] = ()
    is_costly: bool = False
    check_options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    variables: Mapping[str, str] = field(default_factory=dict, hash=False)
    own_tasks: str = ""
    sandboxes: tuple[str, ...] = ()

    @property
    def missing_extra(self) -> str:
        """The extra that brings the adapted package if that is not installed; "" if nothing is missing.

        A package that lies in an interpreter of its own is one of the `needs`, and not looked for here.
        """
        return self.extra if self.adapts and not self.needs and find_spec(self.adapts) is None else ""

    def unmet_needs(self, options: Mapping[str, Any]) -> list[Need]:
        """The needs that neither options of `make` nor environment variables name.

        Args:
            options: Those that `make` would be given.
        """
        given = {name for name, value in {**self.options, **options}.items() if value}
        return [need for need in self.needs if need.option not in given and not os.environ.get(need.variable)]

    @property
    def suite_options(self) -> tuple[str, ...]:
        """Options of `make` that an evaluation of a suite may set; imports the environment's module.

        Raises:
            ContractError: It cannot be imported.
        """
        parameters = inspect.signature(load_named(self, "entry_point")).parameters
        return (*self.message_options, *(["relaxed"] if "relaxed" in parameters else []))

    def named(self, env_id: str) -> EnvSpec:
        """This spec for another id of its namespace. The environment gets the id as its option `env_id`."""
        return replace(self, id=env_id, options={**self.options, "env_id": env_id})

    def options_at(self, level: float) -> dict[str, Any]:
        """The options of `make` for a level of difficulty; they do not change existing tasks, such as a suite's.

        Args:
            level: From 0, where all difficulty options have their easiest values, to 1, where all have their hardest.

        Raises:
            ConfigError: The level is outside this range, or the environment declares no difficulty.
        """
        if not 0 <= level <= 1:
            raise ConfigError(f"a level of difficulty must be from 0 to 1; got {level!r}")
        if not self.difficulty:
            raise ConfigError(f"environment {self.id!r} has no levels of difficulty; give its EnvSpec `difficulty`")
        return {name: values[round(level * (len(values) - 1))] for name, values in self.difficulty.items()}

    def load_scripts(self, role: str = "") -> Mapping[str, ScriptFactory]:
        """The script factories of this environment, or of a role of this game; imports its module.

        Args:
            role: The role; "" is the default one.

        Raises:
            UnknownNameError: No agent may play the role.
            ContractError: They cannot be imported.
        """
        factories: Mapping[str, Any] = load_named(self, "scripts")
        found = factories[self.role_named(role)] if self.roles else factories
        return {name: found[name] for name in found if name != "oracle"} if self.why_no_oracle else found

    def load_hints(self) -> Hints:
        """The function from a task, and what is known of its last failure, to advice on it; imports its module.

        Raises:
            ConfigError: The environment gives no hints.
            ContractError: The function cannot be imported.
        """
        if not self.hints:
            raise ConfigError(f"environment {self.id!r} has no hints; give its EnvSpec `hints`, a function of a task")
        hint: Callable[..., str] = load_named(self, "hints")
        takes_failure = len(inspect.signature(hint).parameters) > 1
        return hint if takes_failure else lambda task, failure: hint(task)

    def load_measures(self) -> Mapping[str, Measure]:
        """The further measures of this environment; empty for most. Imports their module."""
        found: Mapping[str, Measure] = load_named(self, "measures") if self.measures else {}
        return found

    def load_checks(self) -> Mapping[str, OwnCheck]:
        """The checks of this environment alone; empty for most. Imports their module."""
        found: Mapping[str, OwnCheck] = load_named(self, "checks") if self.checks else {}
        return found

    def load_partners(self) -> Mapping[str, ScriptFactory]:
        """What plays each role of this game by default; empty for an environment of one agent."""
        partners: Mapping[str, ScriptFactory] = load_named(self, "partners") if self.roles else {}
        return partners

    def load_guards(self) -> Mapping[str, Guard]:
        """What checks the messages of models as partners, by role; empty for most. Imports their module."""
        found: Mapping[str, Guard] = load_named(self, "guards") if self.guards else {}
        return found

    def role_named(self, role: str) -> str:
        """A role that an agent may play, the default one for "".

        Raises:
            UnknownNameError: There is no such role.
        """
        if role not in self.roles and role:
            raise UnknownNameError("role", role, self.roles, owner=repr(self.id))
        return role or next(iter(self.roles), "")


def load_named(spec: EnvSpec, key: str) -> Any:
    """Import what a key of a spec names, as "module:NAME".

    Raises:
        ContractError: It cannot be imported; says why, and in which line of which file.
    """
    module_name, _, name = getattr(spec, key).partition(":")
    failed = f"environment {spec.id!r} cannot be loaded: its {key} is {getattr(spec, key)!r}; "
    try:
        module = importlib.import_module(module_name)
    except AgentGymError:
        raise
    except Exception as error:  # a boundary: a third party's module may raise anything
        raise ContractError(f"{failed}importing {module_name!r} fails: {describe_error(error)}") from error
    if not hasattr(module, name):
        unknown = UnknownNameError("name", name, [known for known in vars(module) if not known.startswith("_")])
        raise ContractError(f"{failed}in {module.__file__}: {unknown}")
    return getattr(module, name)
