"""Any Gymnasium environment with text or discrete actions as an `AgentEnv`.

How its observations become text is in `describing`; nothing here knows a particular environment.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError
from agentgym.message import Message, user
from agentgym.outcome import Outcome
from agentgym.spaces import Message as MessageSpace
from agentgym.task import Limits, Task
from agentgym.wrappers.describing import describe_value

MAX_CHARS = 2_000
"""Longest message, in characters, that is read for an action."""
MAX_INVALID = 2
INVALID_VALUE = -0.1

_NUMBER = re.compile(r"-?\d+")
_OUT_OF_TURNS = Outcome("truncated", "turns")


class Ending(NamedTuple):
    """The state of an episode when it is graded.

    Attributes:
        total: Sum of the environment's rewards.
        last: Its last reward; 0.0 if no action was valid.
        terminated: Whether the environment ended it.
        info: The environment's last info.
    """

    total: float
    last: float
    terminated: bool
    info: Mapping[str, Any]


def default_success(ending: Ending) -> bool:
    """What the environment's info says under `is_success` or `success`; else whether it ended with a positive sum."""
    for key in ("is_success", "success"):
        if key in ending.info:
            return bool(ending.info[key])
    return ending.terminated and ending.total > 0


@dataclass(frozen=True)
class TextView:
    """How a Gymnasium environment is described and played in text."""

    instruction: str = ""
    """What the agent is asked to do; the possible actions are added. "" names the environment."""
    describe: Callable[[Any, gymnasium.Env[Any, Any]], str] | None = None
    """The text of an observation, from it and the unwrapped environment; None: from the space alone."""
    actions: Sequence[str] = ()
    """Names of discrete actions, in their order; if empty, their numbers."""
    success: Callable[[Ending], bool] = default_success
    """Whether an episode with this ending is solved."""
    invalid_value: float = INVALID_VALUE
    """Reward of a message that is not an action."""
    max_turns: int | None = None
    """Turns after which the episode is truncated; None: as registered with Gymnasium."""
    max_invalid: int = MAX_INVALID
    """Invalid messages in one episode, inclusive."""


class GymnasiumEnv(AgentEnv):
    """A Gymnasium environment that is described and played in text.

    Observation:
        Text: the instruction with the possible actions, then each observation, as `TextView.describe` or the default of
        its space writes it.
    Action:
        Discrete: a message that contains the name (or number) of exactly one action, with any words around it.
        MultiDiscrete, MultiBinary: as many numbers as it has parts. Text: the message without surrounding white space.
    Reward:
        `reward`: the environment's own. `format`: `TextView.invalid_value` for a message that is not an action; the
        environment does not see it.
    Termination:
        The environment terminates, or there were more invalid messages than the task's limit.
    Truncation:
        The environment truncates, or the task's limit of turns; invalid messages count as turns.
    Info:
        As `AgentEnv`; success is `TextView.success`, the score is the success.
    Sandbox:
        None.
    Source and licence:
        Those of the environment.

    Example:
        `Play FrozenLake-v1. Each turn say left, down, right or up.` `0` / `down` / `4`

    Args:
        env: Its id, or the environment itself.
        view: How it is told and played.
        render_mode: None or "ansi", which renders the text.
        make_options: Keyword arguments of `gymnasium.make`, for an id. A task's `config["make"]` overrides them, also
            with another `id`; its `config["reset"]` holds the options of the environment's `reset`.

    Raises:
        ConfigError: Gymnasium does not know the id, its actions are neither text nor discrete, the number of names
            differs from that of actions, or the observations need a `describe`.
    """

    reward_weights = {"reward": 1.0, "format": 1.0}

    def __init__(
        self,
        env: str | gymnasium.Env[Any, Any],
        view: TextView | None = None,
        render_mode: str | None = None,
        **make_options: Any,
    ) -> None:
        super().__init__(render_mode)
        self.view = view or TextView()
        self.invalid_value = self.view.invalid_value
        self._id = env if isinstance(env, str) else ""
        self._make_options = make_options
        self._made_with: Mapping[str, Any] = {}
        if make_options and not self._id:
            raise ConfigError(f"make options {sorted(make_options)} need the id of an environment, not the object")
        self.env = env if isinstance(env, gymnasium.Env) else self._make({})
        self.name = _name(self.env)
        self._read = reader(self.env.action_space, self.view.actions)
        if self.view.describe is None:
            describe_value(self.env.observation_space, self.env.observation_space.sample())
        self._ending = Ending(0.0, 0.0, False, {})
        self._was_truncated = False

    def make_task(self, seed: int) -> Task:
        """The environment reset with the seed."""
        registered = gymnasium.spec(self._id) if self._id else self.env.spec
        max_turns = self.view.max_turns or (registered.max_episode_steps if registered is not None else None)
        limits = Limits(max_turns=max_turns, max_invalid=self.view.max_invalid)
        asked = self.view.instruction or f"Play {self.name}."
        return Task(f"{self.name}:{seed}", seed, f"{asked} {self._read.usage}", limits=limits, seed_is_content=True)

    def begin(self, task: Task) -> Sequence[Message]:
        """Reset the environment with the task's seed; everything random after that is drawn from the episode's seed."""
        options = task.config.get("make", {})
        if options != self._made_with:
            self.env.close()
            self.env = self._make(options)
        self._was_truncated = False
        observation, info = self.env.reset(seed=task.seed, options=task.config.get("reset"))
        if self.episode_seed != task.seed:
            self._reseed(self.episode_seed)
        self._ending = Ending(0.0, 0.0, False, info)
        return [user(f"{task.instruction}\n{self._describe(observation)}")]

    def respond(self, action: Action) -> EnvReply:
        """Play one action."""
        observation, raw, terminated, truncated, info = self.env.step(self._read(action.content))
        reward = float(raw)
        self._ending = Ending(self._ending.total + reward, reward, terminated, info)
        self._was_truncated = truncated and not terminated
        events = [self.event("reward", reward)] if reward else []
        messages = [user(self._describe(observation))]
        if terminated or truncated:
            return EnvReply(messages, events, terminated, self.view.success(self._ending))
        return EnvReply(messages, events)

    def grade(self) -> EnvReply:
        """What `TextView.success` says of the episode as it stands."""
        return EnvReply(success=self.view.success(self._ending))

    def fork(self, seed: int | None = None) -> Self:
        """A deep copy of the environment continues; a seed replaces the copy's generator.

        Raises:
            NotImplementedError: The environment cannot be copied: it holds a window, a process or the like.
        """
        try:
            inner = copy.deepcopy(self.env)
        except (TypeError, ValueError, RuntimeError, AttributeError, RecursionError) as error:
            raise NotImplementedError(f"{self.name} cannot be copied: {error}") from error
        twin = self.fork_by_copy(seed, self.env, self.view, self._read, self._made_with)
        twin.env = inner
        if seed is not None:
            twin._reseed(seed)
        return twin

    def legal_actions(self) -> Sequence[str] | None:
        """The names of discrete actions; None where actions are others."""
        space = self.env.action_space
        if not isinstance(space, spaces.Discrete):
            return None
        return self.view.actions or [str(space.start + index) for index in range(int(space.n))]

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def _make(self, options: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
        self._made_with = options
        try:
            # Its own limit of steps would not count invalid messages: the task's does.
            chosen = {"id": self._id, **self._make_options, **options}
            return gymnasium.make(max_episode_steps=-1, disable_env_checker=True, **chosen)
        except (gymnasium.error.Error, TypeError) as error:
            raise ConfigError(f"gymnasium.make({self._id!r}) with {self._make_options} fails: {error}") from error

    def _reseed(self, seed: int) -> None:
        self.env.unwrapped.np_random = seeding.np_random(seed)[0]

    def _describe(self, observation: Any) -> str:
        if self.view.describe is not None:
            return self.view.describe(observation, self.env.unwrapped)
        return describe_value(self.env.observation_space, observation)

    def outcome_after(self, reply: EnvReply, is_invalid: bool) -> Outcome | None:
        """The environment may also truncate by itself."""
        return _OUT_OF_TURNS if self._was_truncated else super().outcome_after(reply, is_invalid)


def make_from_gymnasium(
    env: str | gymnasium.Env[Any, Any], view: TextView | None = None, **make_options: Any
) -> GymnasiumEnv:
    """Any Gymnasium environment with text or discrete actions as an `AgentEnv`; see `GymnasiumEnv`.

    Args:
        env: Its id, or the environment itself.
        view: How it is told and played; None: by the defaults of its spaces.
        make_options: Keyword arguments of `gymnasium.make`, for an id.

    Raises:
        ConfigError: It cannot be made, described or played in text.
    """
    return GymnasiumEnv(env, view, **make_options)


class Reader(NamedTuple):
    """Reads an action out of a message.

    Attributes:
        usage: What may be said, a sentence.
        read: The action of a text; None where it holds none.
    """

    usage: str
    read: Callable[[str], Any]

    def __call__(self, content: str) -> Any:
        """The action that a message says.

        Raises:
            ActionSyntaxError: None, or more than one.
        """
        action = self.read(content) if len(content) <= MAX_CHARS else None
        if action is None:
            raise ActionSyntaxError(self.usage)
        return action


def reader(space: gymnasium.Space[Any], names: Sequence[str] = ()) -> Reader:
    """What reads actions of a space, discrete ones by name.

    Raises:
        ConfigError: The space is neither text nor discrete, or there are not as many names as actions.
    """
    if names and not (isinstance(space, spaces.Discrete) and len(names) == len(set(names)) == space.n):
        raise ConfigError(f"got the action names {list(names)}; expected one different name for each action of {space}")
    if isinstance(space, spaces.Discrete):
        return _by_name(names or [str(space.start + index) for index in range(int(space.n))], int(space.start))
    if isinstance(space, (spaces.MultiDiscrete, spaces.MultiBinary)):
        return _by_numbers(space)
    if isinstance(space, (spaces.Text, MessageSpace)):
        return Reader("Each turn say a text.", lambda content: text if (text := content.strip()) in space else None)
    raise ConfigError(f"actions of {space} are neither text nor discrete; wrap the environment into one that has such")


def _by_name(names: Sequence[str], start: int) -> Reader:
    numbers = {name.lower(): start + index for index, name in enumerate(names)}
    longest_first = sorted(numbers, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(re.escape(name) for name in longest_first)})(?!\w)")

    def read(content: str) -> int | None:
        found = set(pattern.findall(content.lower()))
        return numbers[found.pop()] if len(found) == 1 else None

    spelt = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
    return Reader(f"Each turn say {spelt}.", read)


def _by_numbers(space: spaces.MultiDiscrete | spaces.MultiBinary) -> Reader:
    size = int(np.prod(space.shape or (1,)))
    example = " ".join(str(number) for number in np.ravel(space.sample()))

    def read(content: str) -> Any:
        numbers = _NUMBER.findall(content)
        if len(numbers) != size or any(len(number) > 18 for number in numbers):
            return None
        action = np.array([int(number) for number in numbers], dtype=np.int64)
        return action if ((action >= low) & (action < high)).all() else None

    low = np.ravel(space.start) if isinstance(space, spaces.MultiDiscrete) else np.zeros(size, dtype=np.int64)
    high = low + np.ravel(space.nvec) if isinstance(space, spaces.MultiDiscrete) else np.full(size, 2)
    return Reader(f"Each turn say {size} numbers, such as {example}.", lambda content: _shaped(read(content), space))


def _shaped(action: Any, space: spaces.MultiDiscrete | spaces.MultiBinary) -> Any:
    return None if action is None else action.reshape(space.shape).astype(space.dtype)


def _name(env: gymnasium.Env[Any, Any]) -> str:
    return env.spec.id if env.spec is not None else type(env.unwrapped).__name__
