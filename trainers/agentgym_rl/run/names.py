"""The names in a configuration: suite, splits, runtime, roles, partners and demonstrator, looked up without torch.

Its numbers are checked where its tables are made. What needs the model is in preflight.py.
"""

from __future__ import annotations

from dataclasses import replace

from agentgym.config import Source, naming
from agentgym.errors import ConfigError
from agentgym.policies.by_name import load
from agentgym.policies.cast import Cast
from agentgym.registration import require_runtime, spec
from agentgym.registration.env_spec import load_named
from agentgym.registration.options import require_option_types
from agentgym.suite import Suite, load_suite
from agentgym_rl.core.config.tables import RunConfig, WarmStartConfig
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.roles import RolesConfig, evaluated_role

_NOWHERE = Source()


def require_names(config: TrainConfig, source: Source) -> None:
    """Refuse names under which there is nothing.

    Args:
        config: The configuration.
        source: Where it was read from, for messages.

    Raises:
        UnknownNameError: There is no such suite, runtime, role, partner or demonstrator.
        ConfigError: The suite lacks a split that the run evaluates on, the environment does not run in the runtime, or
            a role is played twice.
    """
    with naming("run.suite", source):
        load_suite(config.run.suite)
    with naming("run.env_options", source):
        suite = suite_of(config.run)
    require_splits(config, suite, source)
    with naming("rollout.runtime", source):
        require_runtime(suite.env, config.rollout.runtime)
    with naming("warm_start.demonstrator", source):
        require_demonstrator(config.warm_start, suite)
    require_roles(config.roles, suite)


def suite_of(config: RunConfig) -> Suite:
    """The suite of a run, with the run's options of its environment.

    Raises:
        UnknownNameError: There is no such suite, or its environment has no option of that name.
        ConfigError: An option is of another type than the environment declares.
    """
    suite = load_suite(config.suite)
    if not config.env_options:
        return suite
    require_option_types(load_named(spec(suite.env), "entry_point"), config.env_options, suite.env)
    return replace(suite, env_options={**suite.env_options, **config.env_options})


def require_splits(config: TrainConfig, suite: Suite, source: Source = _NOWHERE) -> None:
    """Refuse a run that evaluates on a split which its suite does not declare.

    Raises:
        ConfigError: Says which key leaves that evaluation out.
    """
    validation, declared = config.validation, f"declare it in [splits] of {suite.folder / 'suite.toml'}"
    if config.run.iterations > 0 and validation.every > 0 and "validation" not in suite.splits:
        raise ConfigError(
            f"{source.beside('validation.every')}suite {suite.name!r} has no validation split, and validation.every is "
            f"{validation.every}; train without validations (validation.every=0), or {declared} and write its tasks"
        )
    if validation.has_final_test and "test" not in suite.splits:
        raise ConfigError(
            f"{source.beside('validation.has_final_test')}suite {suite.name!r} has no test split, and "
            "validation.has_final_test is true; train without the test at the end (validation.has_final_test=false), "
            f"or {declared} and write its tasks"
        )


def require_demonstrator(config: WarmStartConfig, suite: Suite) -> None:
    """Refuse a demonstrator that there is not, where one is to play."""
    if config.demonstrations and not config.run:
        load(config.demonstrator, suite.env)


def require_roles(config: RolesConfig, suite: Suite) -> None:
    """Refuse roles and partners of the evaluation that there are not."""
    role, partners = evaluated_role(config, suite)
    if role:
        Cast.of(suite.env, (role,), partners, suite.env_options)
