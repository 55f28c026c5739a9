"""The names in a configuration: suite, runtime, roles, partners and demonstrator, looked up without torch.

Its numbers are checked where its tables are made. What needs the model is in preflight.py.
"""

from __future__ import annotations

from agentgym.config import Source, naming
from agentgym.policies.by_name import load
from agentgym.policies.cast import Cast
from agentgym.registration import require_runtime
from agentgym.suite import Suite, load_suite
from agentgym_rl.core.config.tables import WarmStartConfig
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.roles import RolesConfig, evaluated_role


def require_names(config: TrainConfig, source: Source) -> None:
    """Refuse names under which there is nothing.

    Args:
        config: The configuration.
        source: Where it was read from, for messages.

    Raises:
        UnknownNameError: There is no such suite, runtime, role, partner or demonstrator.
        ConfigError: The environment does not run in the runtime, or a role is played twice.
    """
    with naming("run.suite", source):
        suite = load_suite(config.run.suite)
    with naming("rollout.runtime", source):
        require_runtime(suite.env, config.rollout.runtime)
    with naming("warm_start.demonstrator", source):
        require_demonstrator(config.warm_start, suite)
    require_roles(config.roles, suite)


def require_demonstrator(config: WarmStartConfig, suite: Suite) -> None:
    """Refuse a demonstrator that there is not, where one is to play."""
    if config.demonstrations and not config.run:
        load(config.demonstrator, suite.env)


def require_roles(config: RolesConfig, suite: Suite) -> None:
    """Refuse roles and partners of the evaluation that there are not."""
    role, partners = evaluated_role(config, suite)
    if role:
        Cast.of(suite.env, (role,), partners, suite.env_options)
