"""Everything that must hold before a run's folder is made: one list of checks, in the order in which they are made.

Contradictions within the configuration were refused when it was read (rules.py). Whether the folder is free is asked
first (run_folder.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from agentgym.errors import AgentGymError, ConfigError, ContextOverflowError
from agentgym.policies.torch.policy import read_seen
from agentgym.policies.torch.sight import sight_of
from agentgym.prompting.conversation import Prompt
from agentgym.prompting.speaker import open_talk
from agentgym.prompting.stability import require_template
from agentgym.registration import require_runtime
from agentgym.suite import require_unseen
from agentgym.task import Task
from agentgym.trajectory import Trajectory
from agentgym_rl.core import distributed
from agentgym_rl.core.cloning import warm_start_episodes
from agentgym_rl.core.config.kind import Check, Groundwork
from agentgym_rl.core.demonstrations import collect_demonstrations, with_tokens
from agentgym_rl.curricula.requirements import make_curriculum
from agentgym_rl.run.learners import kind_of
from agentgym_rl.run.names import require_demonstrator, require_roles, require_splits

_NUM_DEMONSTRATIONS = 4
_NUM_OPENINGS = 3


def _require_roles(ground: Groundwork[Any]) -> None:
    require_roles(ground.config.roles, ground.suite)


def _require_splits(ground: Groundwork[Any]) -> None:
    require_splits(ground.config, ground.suite)


def _require_runtime(ground: Groundwork[Any]) -> None:
    require_runtime(ground.suite.env, ground.config.rollout.runtime)


def _require_curriculum(ground: Groundwork[Any]) -> None:
    make_curriculum(ground.config.curriculum, ground.suite, ground.cast, ground.config.run.seed)


def _require_warm_start(ground: Groundwork[Any]) -> None:
    warm_start = ground.config.warm_start
    if warm_start.run:
        warm_start_episodes(warm_start, ground.suite, ground.cast)
    require_demonstrator(warm_start, ground.suite)


def _require_disjoint(ground: Groundwork[Any]) -> None:
    ground.suite.require_disjoint()


def _require_unseen(ground: Groundwork[Any]) -> None:
    """Say at the start, not at the end of the run, that the model knows what it will be tested on."""
    validation, path = ground.config.validation, ground.config.model.path
    seen_hashes = read_seen(Path(path)).hashes if path else frozenset[str]()
    evaluated = {"validation": validation.every > 0, "test": validation.has_final_test}
    for split, is_evaluated in evaluated.items():
        if is_evaluated and seen_hashes and split in ground.suite.splits:
            require_unseen(ground.suite.tasks(split), seen_hashes)


def _require_processes(ground: Groundwork[Any]) -> None:
    config, world = ground.config, distributed.world_size()
    if config.group.tasks % world:
        raise ConfigError(f"group.tasks is {config.group.tasks}, which {world} processes cannot share evenly")
    if world > 1 and not kind_of(config).is_parallel:
        raise ConfigError(
            f'algorithm.learner is "{config.algorithm.learner}", which learns in one process, and there are {world}; '
            "start it without torchrun"
        )
    if world > 1 and sight_of(cast(nn.Module, ground.loaded[0])) is not None:
        raise ConfigError(
            f"a model that sees is trained in one process, and there are {world}; start it without torchrun"
        )
    if world > 1 and config.algorithm.needs_reference:
        raise ConfigError("a KL penalty under torchrun is not supported: set loss.kl_coefficient and kl_in_reward to 0")


def _require_device(ground: Groundwork[Any]) -> None:
    if ground.config.run.device == "cuda" and not torch.cuda.is_available():
        raise ConfigError('run.device is "cuda", but torch sees no GPU; use "auto" or "cpu"')


def _require_template(ground: Groundwork[Any]) -> None:
    require_template(ground.tokenizer, ground.tools)


def require_room(ground: Groundwork[Any]) -> None:
    """Refuse rows that are too short for demonstrations, or for the first message of any task that is looked at.

    Raises:
        ConfigError: Says how many tokens are needed, and which keys to change.
    """
    config = ground.config
    if config.warm_start.demonstrations and not config.warm_start.run:
        wanted = min(_NUM_DEMONSTRATIONS, config.warm_start.demonstrations)
        shown = collect_demonstrations(
            ground.suite, config.warm_start.demonstrator, wanted, config.run.seed, cast=ground.cast, max_concurrent=1
        )
        require_fitting(
            with_tokens(shown, ground.renderer, ground.tools, config.rollout.history), config.packing.row_length
        )
    is_played = config.run.iterations > 0 or config.validation.has_final_test
    if config.algorithm.collects and is_played:
        tasks = ground.suite.train_tasks()
        chosen = tasks[:: max(1, len(tasks) // _NUM_OPENINGS)][:_NUM_OPENINGS]
        openings = [prompt for task in chosen if (prompt := _opening(ground, task)) is not None]
        _require_sight(ground, openings)
        lengths = [len(prompt.ids) for prompt in openings]
        room, message = config.longest_context(ground.policy.max_context), config.rollout.sampling.max_tokens
        if lengths and min(lengths) + message > room:
            raise ConfigError(
                f"the first prompts of {len(lengths)} tasks have {min(lengths)} to {max(lengths)} tokens, and with a "
                f"message of rollout.sampling.max_tokens = {message} none fits into {room} tokens; raise "
                "packing.row_length or rollout.max_context, or lower rollout.sampling.max_tokens"
            )


def require_fitting(trajectories: Iterable[Trajectory], row_length: int) -> None:
    """Refuse demonstrations that do not fit into a row.

    Args:
        trajectories: With tokens.
        row_length: Tokens of a row.

    Raises:
        ConfigError: Names the first that does not.
    """
    for each in trajectories:
        longest = max((len(segment.tokens) for segment in each.segments()), default=0)
        if longest > row_length:
            raise ConfigError(
                f"the demonstration of task {each.task_id!r} has {longest} tokens, a row {row_length}; raise "
                "packing.row_length or lower the limits of the episode"
            )


def _require_sight(ground: Groundwork[Any], openings: Sequence[Prompt]) -> None:
    """Refuse a learner that would train a model that sees without the pictures that it was shown."""
    sees = sight_of(cast(nn.Module, ground.loaded[0])) is not None
    if sees and any(prompt.pictures for prompt in openings) and not kind_of(ground.config).reads_pictures:
        raise ConfigError(
            f'algorithm.learner is "{ground.config.algorithm.learner}", which gives the model no pictures, and the '
            'environment sends some; use algorithm.learner = "groups", or turn pictures off in run.env_options'
        )


def _opening(ground: Groundwork[Any], task: Task) -> Prompt | None:
    """The first prompt; None if the task does not begin, which is the rollout's to report."""
    try:
        with closing(ground.make_game(task)) as game:
            inbox = game.reset(task, None)
            role = game.acting_role or ""
            talk = open_talk(ground.policy, game.tools.get(role, ()), renderer=ground.renderer)
            talk.observe(inbox.get(role, ()))
            return talk.prompt()
    except ContextOverflowError:
        raise
    except (AgentGymError, OSError, RuntimeError, ValueError, LookupError):
        return None


CHECKS = (
    Check("the suite has the splits that the run evaluates on", _require_splits),
    Check("the roles and the partners of the evaluation exist", _require_roles),
    Check("the environment runs in the chosen runtime", _require_runtime),
    Check("the suite and its environment can do what the curriculum says", _require_curriculum),
    Check("the demonstrator or the run of the warm start can be had", _require_warm_start),
    Check("no task of a held-out split stands in the train split too", _require_disjoint),
    Check("the model was not trained on tasks that this run evaluates on", _require_unseen),
    Check("the processes can share the work", _require_processes),
    Check("there is the device that the model is to live on", _require_device),
    Check("the model loads, and its chat template can be used", _require_template),
    Check("rows have room for demonstrations, and for a message after the first prompt", require_room),
)
"""The checks of every run; those of its learner come after them."""


def preflight(ground: Groundwork[Any]) -> None:
    """Make all checks of a run; the first that fails says what to do.

    Raises:
        AgentGymError: Of the kind that the check names.
    """
    for check in (*CHECKS, *kind_of(ground.config).checks):
        check.require(ground)
