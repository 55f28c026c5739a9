"""`play_episode`: one episode, message by message, in the calling thread.

`collect_episodes` plays many episodes at once, with retries and time limits of calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypedDict, Unpack, overload

from agentgym.env import AgentEnv
from agentgym.errors import CancelledEpisode, ContextOverflowError
from agentgym.game import Game, GameReply, SoloGame
from agentgym.outcome import CutReason
from agentgym.policy import Policy
from agentgym.rollout.casting import Casting
from agentgym.rollout.episode import Episode, Job
from agentgym.rollout.settings import RolloutSettings
from agentgym.suite import find_task
from agentgym.task import Task
from agentgym.trajectory import Trajectory, Turn

OnTurn = Callable[[str, Turn, GameReply], None]
"""Receives the role that acted, its recorded turn, and the game's reply."""


class PlayOptions(TypedDict, total=False):
    """Optional arguments of `play_episode`, see there."""

    seed: int
    env_seed: int | None
    settings: RolloutSettings | None
    on_turn: OnTurn | None


@overload
def play_episode(env: AgentEnv, policy: Policy, task: Task | str, **options: Unpack[PlayOptions]) -> Trajectory: ...


@overload
def play_episode(
    env: Game, policy: Mapping[str, Policy], task: Task | str, **options: Unpack[PlayOptions]
) -> list[Trajectory]: ...


def play_episode(
    env: AgentEnv | Game,
    policy: Policy | Mapping[str, Policy],
    task: Task | str,
    *,
    seed: int = 0,
    env_seed: int | None = None,
    settings: RolloutSettings | None = None,
    on_turn: OnTurn | None = None,
) -> Trajectory | list[Trajectory]:
    """Play one episode to its end.

    The policy is asked and the episode is recorded exactly as in `collect_episodes` with a job of the key "episode".
    Failures are raised, whereas a rollout would retry and then record them. A policy that raises `CancelledEpisode`
    ends the episode as cancelled.

    Args:
        env: An environment, or a game. It is left open.
        policy: Who plays; for a game the policy of each role, where "*" stands for all others.
        task: The task or its id.
        seed: Seed of the policies' draws.
        env_seed: Seed that the environment is reset with; None takes the task's.
        settings: How messages are drawn and shown to the policy, and what is recorded; None takes the defaults.
        on_turn: Called after each turn, for example to show it.

    Returns:
        The record of the episode; for a game a list with one record for each role but those of partners.

    Raises:
        AgentGymError: The environment or the policy failed, or was used wrongly.
    """
    game = SoloGame(env) if isinstance(env, AgentEnv) else env
    policies = policy if isinstance(policy, Mapping) else {"*": policy}
    settings = settings or RolloutSettings()
    job = Job(find_task(task) if isinstance(task, str) else task, "episode", seed, env_seed=env_seed)
    episode = Episode(job, Casting(policies, settings), settings)
    episode.begin(episode.reset(lambda _: game))
    try:
        records = _play(episode, on_turn)
    finally:
        episode.forget()
    return records[0] if isinstance(env, AgentEnv) else records


def _play(episode: Episode, on_turn: OnTurn | None) -> list[Trajectory]:
    reason: CutReason | None
    while (reason := episode.cut_reason()) is None:
        request = episode.request()
        if request is None:
            return episode.finish_cut(episode.finalize("context"))
        began = time.monotonic()
        try:
            [reply] = episode.policy.generate([request])
        except (ContextOverflowError, CancelledEpisode) as error:
            episode.withdraw()
            return episode.finish_cut(
                episode.finalize("context" if isinstance(error, ContextOverflowError) else "cancelled")
            )
        text = episode.answer(reply, queue_s=0.0, model_s=time.monotonic() - began)
        began = time.monotonic()
        answer, standing = episode.step(text)
        turn = episode.observe(answer, standing, time.monotonic() - began)
        if on_turn is not None:
            on_turn(request.role, turn, answer)
        if answer.outcome is not None:
            return episode.finish(answer)
    return episode.finish_cut(episode.finalize(reason))
