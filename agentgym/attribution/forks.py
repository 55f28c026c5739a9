"""Forks: what a step was worth, from continuations before and after it (Monte-Carlo values).

It costs environment turns and needs an environment that forks. A critic estimates the same without both.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Annotated, Protocol, runtime_checkable

import numpy as np

from agentgym.action import reply_message
from agentgym.attribution.contract import Yields
from agentgym.attribution.steps import Floats, Steps
from agentgym.env import AgentEnv, CutMessage
from agentgym.errors import ConfigError, ContextOverflowError, ContractError
from agentgym.message import Message, content_text
from agentgym.outcome import CutReason, Outcome
from agentgym.policy import ScriptFactory
from agentgym.ranges import SEED, SHARE, Range, Ranged
from agentgym.task import Task
from agentgym.trajectory import Trajectory, Turn

_TOLERANCE = 1e-9
_CUT_EARLY = Outcome("truncated", "turns")
"""How an episode ended that goes on where it is played again: its task had a lower limit of turns, as in a stage."""


@runtime_checkable
class Resuming(Protocol):
    """A player that is shown what it said and read as a rollout shows it, token by token."""

    def resume(self, turns: Sequence[Turn]) -> None:
        """Take up the recorded turns that were played before its first message."""


@runtime_checkable
class RolloutPlayer(Resuming, Protocol):
    """A player that is asked as a rollout asks a policy: within its budget of tokens, among the listed actions."""

    @property
    def picks_legal_actions(self) -> bool:
        """Whether it picks among listed actions."""

    def cut_reason(self) -> CutReason | None:
        """Why a rollout would cut the episode before the next message; None where it would not."""

    def act(self, messages: Sequence[Message], legal_actions: Sequence[str] | None = None) -> str:
        """The next message, picked among the listed actions where there are any."""


def own_task(trajectory: Trajectory) -> Task | str:
    """The id of a trajectory's task."""
    return trajectory.task_id


@dataclass(frozen=True)
class ForkSettings(Ranged):
    """Which states are continued, and how often."""

    continuations: Annotated[int, Range(1)] = 4
    """k, of each state."""
    every: Annotated[int, Range(1)] = 1
    """n, turns between valued states."""
    gamma: Annotated[float, SHARE] = 1.0
    """Discount of a turn."""
    seed: Annotated[int, SEED] = 0
    """Seed of all continuations."""
    max_turns: Annotated[int, Range(1)] = 200
    """Turns of a continuation in an environment that sets no limit of its own."""


@dataclass(frozen=True)
class Forks:
    """A_t = sum of the rewards of n turns + gamma^n V(s_{t+n}) - V(s_t), V being the mean return of k continuations.

    With n = 1 every turn is valued. VinePPO, Kazemnejad et al. 2024, arXiv 2410.01679; Differs: a step is a turn.
    The recorded messages are played again from the seed, first those that stand before an episode that was started in
    the middle; rewards count when they are issued. V after the end is 0, but where an episode was cut by a limit of
    turns below its task's own: there it is played on from the state that was left, which pays what the cut has paid.
    """

    make_env: Callable[[], AgentEnv] = field(repr=False)
    """Makes an environment that can be forked."""
    make_player: ScriptFactory = field(repr=False)
    """Makes who plays on, from the task and a seed: a script, or one that is asked as a rollout asks its policy."""
    settings: ForkSettings = field(default_factory=ForkSettings)
    """How often, and from where."""
    task_of: Callable[[Trajectory], Task | str] = field(default=own_task, repr=False)
    """The task to reset to: its id, or a task that no suite holds."""

    name = "forks"
    conserves = False
    yields: Yields = field(default="advantages", init=False, repr=False)

    def attribute(self, group: Sequence[Trajectory]) -> list[Floats]:
        """The credit of each turn, float64[T_i]; trajectories do not see each other.

        Raises:
            ConfigError: The environment cannot be forked, or a trajectory is not finished and graded.
            ContractError: Playing a trajectory again gave another one.
        """
        Steps.of(group)
        return [self._advantages(trajectory) for trajectory in group]

    def _advantages(self, trajectory: Trajectory) -> Floats:
        rewards, values = self._replay(trajectory)
        credit = np.zeros(len(rewards))
        starts, gamma = sorted(place for place in values if place < len(rewards)), self.settings.gamma
        for start, end in zip(starts, [*starts[1:], len(rewards)], strict=True):
            discounts = gamma ** np.arange(end - start)
            ahead = gamma ** (end - start) * values.get(end, 0.0)
            credit[start:end] = discounts @ rewards[start:end] + ahead - values[start]
        return credit

    def _replay(self, trajectory: Trajectory) -> tuple[Floats, dict[int, float]]:
        """The reward issued at each turn, and the value of each valued state by its turn."""
        rewards, values, at_cut = np.zeros(len(trajectory.turns)), {}, 0.0
        name = zlib.crc32(trajectory.id.encode())
        with closing(self.make_env()) as env:
            talk = self._begin(env, trajectory)
            for place, turn in enumerate(trajectory.turns):
                if turn.anchor is not None and env.anchor() != turn.anchor:
                    raise ContractError(_another(trajectory, f"turn {place} is in the state {env.anchor()!r}"))
                if place % self.settings.every == 0:
                    values[place] = self._value(env, talk, trajectory.turns[:place], name)
                text = CutMessage(turn.text) if turn.was_cut and turn.was_invalid else turn.text
                _, rewards[place], terminated, truncated, info = env.step(text)
                talk += [turn.reply, *info["messages"]]
                if (terminated or truncated) and place + 1 < len(trajectory.turns):
                    raise ContractError(_another(trajectory, f"it ended at turn {place}"))
            if len(rewards) and not (terminated or truncated):
                if trajectory.outcome == _CUT_EARLY:
                    values[len(rewards)] = self._value(env, talk, trajectory.turns, name)
                at_cut = _finalized(env, trajectory)
        total = rewards.sum() + at_cut
        if abs(total - trajectory.step_rewards().sum()) > _TOLERANCE:
            raise ContractError(_another(trajectory, f"its return is {total:g}"))
        if len(rewards) and len(rewards) not in values:
            rewards[-1] += at_cut
        return rewards, values

    def _begin(self, env: AgentEnv, trajectory: Trajectory) -> list[Message]:
        """Bring an environment to the first turn of a trajectory; returns the conversation until then."""
        _, info = env.reset(seed=trajectory.seed, options={"task": self.task_of(trajectory)})
        if trajectory.parent_id is None or not trajectory.turns:
            return list(info["messages"])
        talk = trajectory.turns[0].messages
        for number, message in enumerate(each for each in talk if each["role"] == "assistant"):
            _, _, terminated, truncated, _ = env.step(_text_of(message))
            if terminated or truncated:
                raise ContractError(_another(trajectory, f"it ended at turn {number} of those before its own"))
        return list(talk)

    def _value(self, env: AgentEnv, talk: Sequence[Message], played: Sequence[Turn], name: int) -> float:
        """The mean return from here, after these turns; the trajectory's name makes the draws its own."""
        returns = []
        for number in range(self.settings.continuations):
            draws = np.random.SeedSequence([self.settings.seed, name, len(played), number]).generate_state(2, np.uint32)
            env_seed, player_seed = draws.tolist()
            try:
                twin = env.fork(env_seed)
            except NotImplementedError as error:
                raise ConfigError(f"forks needs an environment that forks: {error}; choose another method") from error
            with closing(twin):
                returns.append(self._play_on(twin, list(talk), played, player_seed))
        return float(np.mean(returns))

    def _play_on(self, env: AgentEnv, talk: list[Message], played: Sequence[Turn], seed: int) -> float:
        assert env.task is not None
        player = self.make_player(env.task, seed)
        total, discount = 0.0, 1.0
        reason: CutReason | None = None
        try:
            if isinstance(player, Resuming):
                player.resume(played)
            for _ in range(self.settings.max_turns):
                if isinstance(player, RolloutPlayer):
                    if reason := player.cut_reason():
                        break
                    text = player.act(talk, env.legal_actions() if player.picks_legal_actions else None)
                else:
                    text = player.act(talk)
                _, reward, terminated, truncated, info = env.step(text)
                total += discount * float(reward)
                discount *= self.settings.gamma
                if terminated or truncated:
                    return total
                talk += [reply_message(str(text), env.tools), *info["messages"]]
        except ContextOverflowError:
            reason = "context"
        return total + discount * env.finalize(reason or "turns")[0]


def _finalized(env: AgentEnv, trajectory: Trajectory) -> float:
    """The last reward of an episode that the harness cut."""
    outcome = trajectory.outcome
    if outcome is None or outcome.kind != "truncated":
        raise ContractError(_another(trajectory, "it does not end"))
    return env.finalize(outcome.cause)[0]  # type: ignore[arg-type]  # a truncated outcome names one of the reasons


def _text_of(message: Message) -> str:
    """A recorded message as text that an environment reads."""
    calls = [f"<tool_call>{json.dumps(call)}</tool_call>" for call in message.get("tool_calls") or ()]
    return "\n".join(filter(None, [content_text(message), *calls]))


def _another(trajectory: Trajectory, what: str) -> str:
    return (
        f"playing trajectory {trajectory.id!r} again gave another one: {what}; forks needs the environment that it was "
        "recorded in, and one that is deterministic"
    )
