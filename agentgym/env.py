"""The environment contract: `AgentEnv`, a `gymnasium.Env` whose action is one agent message.

Games of several roles are in `agentgym.game`, tool dispatch in `agentgym.tool_env`; concurrency belongs to rollout.
"""

from __future__ import annotations

import copy
import inspect
import random
import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from numpy.typing import NDArray

from agentgym.action import Action, parse_text
from agentgym.errors import ActionSyntaxError, CancelledEpisode, ContractError, TaskError
from agentgym.message import Message, ToolSchema, text_of, user
from agentgym.outcome import CutReason, Outcome
from agentgym.reward import FORMAT, RewardEvent, Source, require_score, weighted_sum
from agentgym.spaces import Message as MessageSpace
from agentgym.suite import find_task
from agentgym.task import Task

Observation = dict[str, Any]
Phase = Literal["fresh", "running", "ended"]
_TERMINATED = Outcome("terminated")
_INVALID = Outcome("invalid")
_OUT_OF_TURNS = Outcome("truncated", "turns")


class CutMessage(str):
    """A message that the token limit cut: environments refuse it as an invalid action."""

    __slots__ = ()


CUT_EXPLANATION = "Your message was cut because it was too long. Send a shorter one."


def require_text(action: object) -> None:
    """Refuse an action that is no text: whoever calls is wrong, not the agent.

    Raises:
        ContractError: Says what came.
    """
    if not isinstance(action, str):
        raise ContractError(f"an action is the text of the agent's message: got {type(action).__name__}")


class EnvReply(NamedTuple):
    """What an environment answers to one action.

    Attributes:
        messages: What the agent is told.
        events: Reward events issued by this step.
        terminated: Whether the task has ended.
        success: Whether it was solved; given with `terminated` or by `grade`.
        score: The suite's official metric, in [0, 1]; defaults to 1.0 for success, else 0.0.
        image: uint8[H, W, 3] beside the text, where the environment has one.
    """

    messages: Sequence[Message] = ()
    events: Sequence[RewardEvent] = ()
    terminated: bool = False
    success: bool | None = None
    score: float | None = None
    image: NDArray[np.uint8] | None = None


def require_reply(reply: object, env: object, method: str) -> EnvReply:
    """What a method of a subclass answered, if that is a reply.

    Raises:
        ContractError: It is none; says which method of which class returned what.
    """
    if isinstance(reply, EnvReply):
        messages = reply.messages
        is_one = type(messages) is list and len(messages) == 1 and type(messages[0]) is dict
        if is_one and type(messages[0].get("content")) is str:  # the short way of most steps
            return reply
        require_messages(messages, getattr(env, method), "a reply whose messages are ")
        return reply
    raise wrong_return(getattr(env, method), reply, "an agentgym.EnvReply")


def require_messages(messages: object, method: Callable[..., Any], within: str = "") -> Sequence[Message]:
    """What a method of a subclass tells the agent, if that is a list of messages.

    Raises:
        ContractError: It is none.
    """
    expected = 'a list of messages such as [{"role": "user", "content": TEXT}]'
    if not isinstance(messages, (list, tuple)):
        raise wrong_return(method, messages, expected, within)
    for message in messages:
        if not isinstance(message, dict) or not _is_content(message.get("content")):
            raise wrong_return(method, message, f"{expected}, where content is text or a list of parts", within)
    return messages


def _is_content(content: object) -> bool:
    """Whether it is text, nothing, or parts as `content_text` reads them."""
    if content is None or isinstance(content, str):
        return True
    return isinstance(content, (list, tuple)) and all(
        isinstance(part, dict) and (part.get("type") != "text" or isinstance(part.get("text"), str)) for part in content
    )


def wrong_return(method: Callable[..., Any], value: object, expected: str, within: str = "") -> ContractError:
    """The error that a method of a subclass returned something else than it has to; says where the method stands."""
    code = inspect.unwrap(method).__code__
    shown = "None" if value is None else f"the {type(value).__name__} {value!r:.80}"
    return ContractError(
        f"{method.__qualname__}() ({code.co_filename}, line {code.co_firstlineno}) returned {within}{shown}, "
        f"expected {expected}"
    )


class AgentEnv(gymnasium.Env[Observation, str]):
    """A multi-turn environment for one agent.

    A subclass sets the class attributes and writes `make_task`, `begin` and `respond`; optionally `grade`, `anchor`,
    `fork`, `relabel`, `progress` and `legal_actions`. This class keeps the books: turns, limits, invalid actions,
    reward aggregation, outcome, and Gymnasium's tuples.

    `info` of `reset` holds `messages`, `task_id`, `reward_events`; `info` of `step` holds `messages`,
    `reward_events`, `turn`, `is_invalid`, and at the end `outcome`, `success` and `score`.

    Attributes:
        role: The role's name in reward events.
        reward_weights: Weight of each reward component; their weighted sum is the float that `step` returns.
        invalid_value: Value of the `format` event for an invalid action.
        tools: The tools the agent may call, as OpenAI function schemas.
        deterministic: Whether the same seed and actions give the same trajectory.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}
    role: str = "agent"
    reward_weights: Mapping[str, float] = {"success": 1.0, FORMAT: 1.0}
    invalid_value: float = 0.0
    tools: Sequence[ToolSchema] = ()
    deterministic: ClassVar[bool] = True

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Dict({"text": MessageSpace()})
        self.action_space = MessageSpace()
        self.task: Task | None = None
        self.turn = 0
        self.num_invalid = 0
        self._phase: Phase = "fresh"
        self._generator: np.random.Generator | None = None
        self._seed = 0
        self._rng: random.Random | None = None
        self._cancelled = threading.Event()
        self._last_messages: Sequence[Message] = ()

    # What a subclass writes.

    @abstractmethod
    def make_task(self, seed: int) -> Task:
        """A task made on the fly from a seed, at the difficulty the environment was made with."""

    @abstractmethod
    def begin(self, task: Task) -> Sequence[Message]:
        """Set up the episode and return its first messages; the hidden state is a function of the task alone."""

    @abstractmethod
    def respond(self, action: Action) -> EnvReply:
        """Play one action.

        Raises:
            ActionSyntaxError: The action is invalid; its text explains to the agent what is expected.
        """

    def grade(self) -> EnvReply:
        """Grade an episode that is cut now: last events, success and score."""
        return EnvReply(success=False)

    def parse(self, text: str) -> Action:
        """Normalise the agent's message; raises ActionSyntaxError like `respond`."""
        return parse_text(text)

    # Gymnasium's interface.

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Seed of the episode's randomness; defaults to the task's. Without a task it also makes the task.
            options: `{"task": Task or id}` chooses the task; other keys are refused.

        Raises:
            TaskError: The options name no task, or one that this environment cannot play.
        """
        if seed is not None:
            self._seed_generator(seed)
        self._phase = "fresh"
        self._cancelled.clear()
        self.task = task = self._choose_task(seed, options)
        self._seed = task.seed if seed is None else seed
        self._rng = None
        self.turn = self.num_invalid = 0
        messages = self._last_messages = require_messages(self.begin(task), self.begin)
        self._phase = "running"
        return self._observe(messages, None), {"messages": messages, "task_id": task.id, "reward_events": ()}

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one message of the agent; an invalid one is answered, never raised.

        Raises:
            ResetNeeded: No episode is running.
            CancelledEpisode: `interrupt` was called.
            ContractError: The action is no text.
        """
        if self._phase != "running":
            raise ResetNeeded(f"step() on an episode that is {self._phase}; call reset() first")
        self.check_interrupt()
        is_invalid = False
        try:
            reply = self._play(action)
        except ActionSyntaxError as refusal:
            is_invalid = True
            reply = self._refuse(refusal)
        outcome = self._outcome_after(reply, is_invalid)
        if outcome is not None and not reply.terminated and reply.success is None:
            reply = self._graded(reply)
        events = reply.events
        info: dict[str, Any] = {
            "messages": reply.messages,
            "reward_events": events,
            "turn": self.turn,
            "is_invalid": is_invalid,
        }
        self.turn += 1
        self._last_messages = reply.messages
        if outcome is not None:
            self._close(outcome, reply, info)
        reward = weighted_sum(events, self.reward_weights) if events else 0.0
        truncated = outcome is not None and outcome.kind == "truncated"
        terminated = outcome is not None and not truncated
        return self._observe(reply.messages, reply.image), reward, terminated, truncated, info

    def render(self) -> str:
        """The last messages as text."""
        return text_of(self._last_messages)

    # The harness's interface beyond Gymnasium.

    def finalize(self, reason: CutReason) -> tuple[float, dict[str, Any]]:
        """Close a running episode that the harness cut; grades what is there.

        Args:
            reason: turns, tokens, time or context truncate the episode; cancelled ends it without a reward.

        Returns:
            The last reward, and an info with `reward_events`, `outcome`, `success` and `score`.

        Raises:
            ResetNeeded: No episode is running.
        """
        if self._phase != "running":
            raise ResetNeeded(f"finalize() on an episode that is {self._phase}; call reset() first")
        if reason == "cancelled":
            self._phase = "ended"
            return 0.0, {"reward_events": (), "outcome": Outcome("cancelled"), "success": None, "score": None}
        self.turn = max(0, self.turn - 1)  # the last events credit the last turn that was played
        reply = require_reply(self.grade(), self, "grade")
        info: dict[str, Any] = {"reward_events": reply.events}
        self._close(Outcome("truncated", reason), reply, info)
        return weighted_sum(reply.events, self.reward_weights), info

    def interrupt(self) -> None:
        """Make a running step, or the next, give up with CancelledEpisode; may be called from another thread."""
        self._cancelled.set()

    def check_interrupt(self) -> None:
        """Raise CancelledEpisode after `interrupt`; long steps call it between pieces of work."""
        if self._cancelled.is_set():
            self._phase = "ended"
            raise CancelledEpisode(f"episode of task {self.task.id if self.task else None!r} was interrupted")

    def anchor(self) -> str | None:
        """Canonical key of the state; None: not supported.

        Equal anchors of one task have equal futures under equal actions, the limit of turns left aside. Leave the turn
        out unless the rules go by it: credit by state compares turns whose state came again, and with the turn in the
        key rollouts would share a state only where they came to it equally fast.
        """
        return None

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; None keeps the same future randomness, a seed draws it afresh.

        Raises:
            NotImplementedError: The environment cannot be forked.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot be forked")

    def relabel(self, trajectory: Any) -> Task | None:
        """The task that a failed trajectory did achieve, for hindsight; None: there is none."""
        return None

    def legal_actions(self) -> Sequence[str] | None:
        """Messages that stand for all actions of the present state, each for another; None: they cannot be listed.

        An environment that lists them does so in every state in which the agent acts, or would act next had a limit
        not cut the episode there: at least one each, in an order that depends on the state alone.
        """
        return None

    @property
    def capacity(self) -> int | None:
        """How many episodes like the present one this process can hold at once; None: as many as are wanted."""
        return None

    def progress(self) -> float | None:
        """How near the state is to the goal, in [0, 1]: 1 where the task is solved. None: not supported.

        A potential for credit by turn: a good one follows from the state alone, rises with each step that helps and
        falls with what undoes one. It may look at what is hidden, since no message tells it to the agent.
        """
        return None

    # What a subclass may use.

    @property
    def rng(self) -> random.Random:
        """Randomness of the episode's dynamics, seeded by `reset`."""
        if self._rng is None:
            self._rng = random.Random(self._seed)
        return self._rng

    def event(
        self, component: str, value: float, *, source: Source = "environment", detail: Mapping[str, Any] | None = None
    ) -> RewardEvent:
        """A reward event that credits the current turn."""
        return RewardEvent(self.turn, self.turn, self.role, component, value, source, detail)

    def fork_by_copy(self, seed: int | None, *shared: object) -> Self:
        """A deep copy of the episode's state: `fork` for environments that hold nothing outside Python objects.

        Args:
            seed: Seed of the copy's further randomness; None keeps the same.
            shared: Parts of this environment that the copy uses too, because nothing changes them.
        """
        parts = (self.task, self.observation_space, self.action_space, self.tools, *shared)
        memo: dict[int, Any] = {id(part): part for part in parts}
        memo[id(self._cancelled)] = threading.Event()
        twin = copy.deepcopy(self, memo)
        if seed is not None:
            twin._seed, twin._rng = seed, None
        return twin

    # Bookkeeping.

    @property
    def _np_random(self) -> np.random.Generator | None:
        """Gymnasium's generator, made when it is first asked for: seeding it costs more than a reset."""
        if self._generator is None and self._np_random_seed is not None:
            self._generator, _ = seeding.np_random(self._np_random_seed)
        return self._generator

    @_np_random.setter
    def _np_random(self, value: np.random.Generator | None) -> None:
        self._generator = value

    def _seed_generator(self, seed: int) -> None:
        if type(seed) is int and seed >= 0:
            self._generator, self._np_random_seed = None, seed
        else:
            super().reset(seed=seed)

    def _choose_task(self, seed: int | None, options: dict[str, Any] | None) -> Task:
        chosen = None
        if options:
            unknown = sorted(set(options) - {"task"})
            if unknown:
                raise TaskError(f"reset() got the unknown options {unknown}; expected only 'task'")
            chosen = options.get("task")
        if chosen is None:
            return self.make_task(int(self.np_random.integers(2**31)) if seed is None else seed)
        if isinstance(chosen, Task):
            return chosen
        if isinstance(chosen, str):
            return find_task(chosen)
        raise TaskError(f"options['task'] must be a Task or a task id, got {type(chosen).__name__}")

    def _play(self, text: str) -> EnvReply:
        require_text(text)
        if type(text) is CutMessage:
            raise ActionSyntaxError(CUT_EXPLANATION)
        return require_reply(self.respond(self.parse(text)), self, "respond")

    def _observe(self, messages: Sequence[Message], image: NDArray[np.uint8] | None) -> Observation:
        observation: Observation = {"text": text_of(messages)}
        if image is not None:
            observation["image"] = image
        return observation

    def _refuse(self, refusal: ActionSyntaxError) -> EnvReply:
        self.num_invalid += 1
        penalty = self.event(FORMAT, self.invalid_value, detail={"why": str(refusal)[:500]})
        return EnvReply([user(str(refusal))], (penalty,))

    def _outcome_after(self, reply: EnvReply, is_invalid: bool) -> Outcome | None:
        assert self.task is not None
        if reply.terminated:
            return _TERMINATED
        limits = self.task.limits
        if is_invalid and self.num_invalid > limits.max_invalid:
            return _INVALID
        if limits.max_turns is not None and self.turn + 1 >= limits.max_turns:
            return _OUT_OF_TURNS
        return None

    def _graded(self, reply: EnvReply) -> EnvReply:
        last = require_reply(self.grade(), self, "grade")
        return EnvReply(reply.messages, [*reply.events, *last.events], False, last.success, last.score, reply.image)

    def _close(self, outcome: Outcome, reply: EnvReply, info: dict[str, Any]) -> None:
        if reply.success is None and reply.score is None:
            raise ContractError(f"{type(self).__name__} ended an episode ({outcome}) without success or score")
        success = bool(reply.success)
        score = float(success) if reply.score is None else require_score(reply.score, type(self).__name__)
        self._phase = "ended"
        info["outcome"] = outcome
        info["success"] = success
        info["score"] = score
