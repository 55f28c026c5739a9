"""Makes environments and games by id, here or in a container."""

from __future__ import annotations

from typing import Any

import gymnasium

from agentgym.env import AgentEnv
from agentgym.errors import ConfigError, UnknownNameError
from agentgym.game import GameEnv
from agentgym.origin import describe_error
from agentgym.registration.env_spec import load_named
from agentgym.registration.options import require_option_types
from agentgym.registration.registry import spec
from agentgym.sandbox.source import PROVIDERS


def make(env_id: str, *, runtime: str = "", **options: Any) -> AgentEnv:
    """An environment by id, with Gymnasium's wrappers taken off.

    Args:
        env_id: Such as "agentgym/Wordle-v0".
        runtime: Where it runs. "local" is this process. "docker" runs a served environment as a whole in a container,
            reached over the network; an environment that uses a sandbox takes one of docker. Such an environment also
            takes the other providers ("bubblewrap", "process"). "" is local if the environment can run so, else the
            best sandbox here.
        options: Keyword arguments of the environment. A `judge` may be the name of a policy (see
            `agentgym.policies.judge`). For a game also `role`, the role that the agent plays, and `partners`, a mapping
            from other roles to who plays them (see `agentgym.policies.cast`).

    Raises:
        UnknownNameError: No such id, option, runtime, role or partner.
        ConfigError: The environment refuses the options, an option has another type than its constructor says, or the
            environment cannot run there.
        ContractError: Its module cannot be imported.
    """
    found = spec(env_id)
    require_runtime(env_id, runtime)
    if runtime not in ("", "local"):
        if "served" in found.runtimes:
            # Not at the top: its client would double what an import costs.
            from agentgym.registration.contained import ContainedEnv

            return ContainedEnv(found.id, runtime, options)
        options = {"sandbox": runtime, **options}
    entry_point = load_named(found, "entry_point")
    if not found.roles:
        options = _with_judge(options)
        require_option_types(entry_point, options, env_id)
    try:
        env = gymnasium.make(found.id, **options).unwrapped
    except TypeError as error:
        raise ConfigError(
            f"environment {env_id!r} refuses the options {sorted(options)}: {describe_error(error)}"
        ) from error
    if not isinstance(env, AgentEnv):
        raise ConfigError(f"{found.entry_point!r} made a {type(env).__name__}, expected an agentgym.AgentEnv")
    return env


def require_runtime(env_id: str, runtime: str) -> None:
    """Refuse a runtime in which an environment cannot run; see `make`.

    Raises:
        UnknownNameError: No such id or runtime.
        ConfigError: The environment cannot run there.
    """
    found = spec(env_id)
    if runtime not in ("", "local", *PROVIDERS):
        raise UnknownNameError("runtime", runtime, ("local", *PROVIDERS))
    if "served" in found.runtimes and runtime in PROVIDERS and runtime != "docker":
        raise ConfigError(
            f"environment {env_id!r} runs in this process ('local') or in a container ('docker'), not in {runtime!r}"
        )
    if runtime in PROVIDERS and not {"served", "workspace"}.intersection(found.runtimes):
        raise ConfigError(f"environment {env_id!r} runs in this process ('local') only: got runtime {runtime!r}")
    able = " or ".join(found.sandboxes or PROVIDERS)
    if runtime in PROVIDERS and found.sandboxes and runtime not in found.sandboxes:
        raise ConfigError(f"environment {env_id!r} works in sandboxes of {able}, not in {runtime!r}")
    if runtime == "local" and "local" not in found.runtimes:
        raise ConfigError(f"environment {env_id!r} needs a sandbox; choose the runtime {able}")


def make_game(env_id: str, **options: Any) -> GameEnv:
    """A game of several roles by id, without players.

    Args:
        env_id: Such as "agentgym/Taboo-v0".
        options: Keyword arguments of the game; a `judge` may be the name of a policy (see `agentgym.policies.judge`).

    Raises:
        UnknownNameError: No such id, option or policy.
        ConfigError: It is not a game, or it refuses the options.
        ContractError: Its module cannot be imported.
    """
    found = spec(env_id)
    if not found.roles:
        raise ConfigError(f"environment {env_id!r} is not a game of several roles; make it with agentgym.make")
    options = _with_judge(options)
    game_class = load_named(found, "entry_point")
    require_option_types(game_class, options, env_id)
    try:
        game = game_class(**{**found.options, **options})
    except TypeError as error:
        raise ConfigError(f"game {env_id!r} refuses the options {sorted(options)}: {describe_error(error)}") from error
    if not isinstance(game, GameEnv):
        raise ConfigError(f"{found.entry_point!r} made a {type(game).__name__}, expected an agentgym.GameEnv")
    return game


def _with_judge(options: dict[str, Any]) -> dict[str, Any]:
    """The options, with a judge in place of the name of one."""
    if not options.get("judge") or not isinstance(options["judge"], str):
        return options
    from agentgym.policies.judge import judge_named  # not at the top: policies know environments by their ids

    return {**options, "judge": judge_named(options["judge"])}
