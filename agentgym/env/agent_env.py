"""`AgentEnv`, a `gymnasium.Env` whose action is one agent message.

Turns, limits and outcomes are counted in `agentgym.env.books`.
"""

from __future__ import annotations

import copy
import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import gymnasium
import numpy as np
from numpy.typing import NDArray

import agentgym.env.shared_observations  # noqa: F401 - Gymnasium finds there how its processes share observations
from agentgym.action import Action, parse_text
from agentgym.env.books import Books, books_of
from agentgym.env.reply import EnvReply, require_messages, require_reply, require_task, require_whole
from agentgym.env.seeded import Observation, SeededEnv, named_task, wanted_task
from agentgym.errors import ActionSyntaxError, CancelledEpisode
from agentgym.message import Message, ToolSchema, text_of, user
from agentgym.outcome import CutReason, Outcome
from agentgym.picture import Image
from agentgym.reward import FORMAT, RewardEvent, Source, require_finite, weighted_sum
from agentgym.spaces import Message as MessageSpace
from agentgym.task import Task


class AgentEnv(SeededEnv):
    """A multi-turn environment for one agent.

    A subclass sets the class attributes and writes `make_task`, `begin` and `respond`; optionally `grade`, `anchor`,
    `fork`, `relabel`, `progress`, `legal_actions` and `screenshot`. One that plays another environment may override
    the hooks of `step`, which calls `play`, `refuse`, `outcome_after` and `observe` in this order.
    `info` of `reset` holds `messages`, `task_id`, `reward_events`; of `step` it holds `messages`, `reward_events`,
    `turn`, `is_invalid`, and at the end `outcome`, `success` and `score`.

    Attributes:
        role: The role's name in reward events.
        reward_weights: Weight of each reward component; their weighted sum is the float that `step` returns.
        invalid_value: Value of the `format` event for an invalid action.
        tools: The tools the agent may call, as OpenAI function schemas.
        speaks: Whether a message may be free text even if there are tools.
        deterministic: Whether the same seed and actions give the same trajectory.
        grades_cuts: Whether `finalize` grades a cut episode; else that is an infrastructure failure.
        num_tasks: How many tasks `make_task` makes in turn, from the seeds 0, 1, …; None for tasks without end.
        task: The task of the episode.
        episode_seed: Seed of the episode's randomness: the one given to `reset`, or the task's.
        books: The counts of the episode.
        last_messages: The last messages that the agent received; `render` shows them.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}
    role: str = "agent"
    reward_weights: Mapping[str, float] = {"success": 1.0, FORMAT: 1.0}
    invalid_value: float = 0.0
    tools: Sequence[ToolSchema] = ()
    speaks: bool = False
    deterministic: ClassVar[bool] = True
    num_tasks: int | None = None
    grades_cuts: bool = True

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Dict({"text": MessageSpace()})
        self.action_space = MessageSpace()
        self.task: Task | None = None
        self.episode_seed = 0
        self.books = Books()
        self.last_messages: Sequence[Message] = ()
        self._rng: random.Random | None = None
        self._is_interrupted = False

    # What a subclass writes.

    @abstractmethod
    def make_task(self, seed: int) -> Task:
        """A task made on the fly from a seed, at the difficulty that the environment was made with."""

    @abstractmethod
    def begin(self, task: Task) -> Sequence[Message]:
        """Set up the episode and return its first messages; the hidden state depends on the task alone."""

    @abstractmethod
    def respond(self, action: Action) -> EnvReply:
        """Play one action.

        Raises:
            ActionSyntaxError: The action is invalid; its text explains to the agent what is expected.
        """

    def grade(self) -> EnvReply:
        """Grade an episode that a limit cuts now: last events, success and score."""
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
            options: `{"task": Task or id}` chooses the task, of a suite or of the environment's own.

        Raises:
            TaskError: The options hold another key, or a task that this environment cannot play.
        """
        self.start_over(seed)
        wanted = wanted_task(options)
        if wanted is None:
            wanted = self.make_task(int(self.np_random.integers(2**31)) if seed is None else seed)
        self.task = task = require_task(named_task(wanted, self.make_task, self.num_tasks), self.make_task)
        self.episode_seed, self._rng = task.seed if seed is None else seed, None
        messages = self.last_messages = require_messages(self.begin(task), self.begin)
        self.books.phase = "running"
        return self.observe(messages, None), {"messages": messages, "task_id": task.id, "reward_events": ()}

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one message of the agent; an invalid one is answered, never raised.

        Raises:
            ResetNeeded: No episode is running.
            CancelledEpisode: `interrupt` was called.
            ContractError: The action is not a text.
        """
        books, role = self.books, self.role
        if books.phase != "running":
            books.require_running("step")
        if self._is_interrupted:
            self.check_interrupt()
        is_invalid = False
        try:
            reply = self.play(action)
        except ActionSyntaxError as refusal:
            is_invalid = True
            reply = self.refuse(refusal)
        outcome = self.outcome_after(reply, is_invalid)
        if outcome is not None and not reply.terminated and reply.success is None:
            reply = self._graded(reply)
        messages, events, turn = reply.messages, reply.events, books.turns[role]
        info = {"messages": messages, "reward_events": events, "turn": turn, "is_invalid": is_invalid}
        books.turns[role], self.last_messages = turn + 1, messages
        if outcome is not None:
            info |= self._verdict(outcome, reply)
        truncated = outcome is not None and outcome.kind == "truncated"
        reward = weighted_sum(events, self.reward_weights) if events else 0.0
        return self.observe(messages, reply.image), reward, outcome is not None and not truncated, truncated, info

    def render(self) -> str:
        """The last messages as text."""
        return text_of(self.last_messages)

    # The harness's interface beyond Gymnasium.

    def finalize(self, reason: CutReason) -> tuple[float, dict[str, Any]]:
        """Close a running episode that a limit of the rollout cut, and grade it.

        Args:
            reason: turns, tokens, time or context truncate the episode; cancelled ends it without a reward.

        Returns:
            The last reward, and an info with `reward_events`, `outcome`, `success` and `score`.

        Raises:
            ResetNeeded: No episode is running.
        """
        self.books.require_running("finalize")
        if reason == "cancelled":
            self.books.phase = "ended"
            return 0.0, {"reward_events": (), "outcome": Outcome("cancelled"), "success": None, "score": None}
        turns, played = self.books.turns, self.books.turns[self.role]
        turns[self.role] = max(0, played - 1)  # the last events credit the last turn that was played
        reply = require_reply(self.grade(), self, "grade")
        turns[self.role] = played
        info = {"reward_events": reply.events, **self._verdict(Outcome("truncated", reason), reply)}
        return weighted_sum(reply.events, self.reward_weights), info

    def interrupt(self) -> None:
        """Make the running or the next step raise CancelledEpisode; may be called from another thread."""
        self._is_interrupted = True

    def check_interrupt(self) -> None:
        """Raise CancelledEpisode after `interrupt`; long steps call it between pieces of work."""
        if self._is_interrupted:
            self.books.phase = "ended"
            raise CancelledEpisode(f"episode of task {self.task.id if self.task else None!r} was interrupted")

    def anchor(self) -> str | None:
        """Canonical key of the state; None: not supported.

        States of one task with equal anchors have equal futures under equal actions, apart from the limit of turns.
        Leave the turn number out unless the rules depend on it: step credit compares turns in the same state.
        """
        return None

    def fork(self, seed: int | None = None) -> Self:
        """A copy that continues from here; None keeps the same future randomness, a seed replaces it.

        Raises:
            NotImplementedError: The environment cannot be forked.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot be forked")

    def relabel(self, trajectory: Any) -> Task | None:
        """The task that a failed trajectory solved, for hindsight; None if there is no such task."""
        return None

    def legal_actions(self) -> Sequence[str] | None:
        """Messages that stand for all actions of the present state, each for another; None: they cannot be listed.

        They are listed in every state in which the agent acts or a limit cuts the episode: at least one message, in an
        order that depends on the state alone.
        """
        return None

    def screenshot(self) -> Image | None:
        """What a person would see, also after the end; None: nothing. Rollouts may record it; agents never get it."""
        return None

    @property
    def capacity(self) -> int | None:
        """How many episodes like the present one this process can hold at once; None: as many as are wanted."""
        return None

    def progress(self) -> float | None:
        """How near the state is to the goal, in [0, 1]: 1 if the task is solved. None: not supported.

        A potential for step credit: it depends on the state alone, rises with a step that helps, and falls with one
        that undoes it. It may use hidden information, because no message tells it to the agent.
        """
        return None

    # The hooks of `step`.

    def play(self, text: str) -> EnvReply:
        """Play one message: parse it and respond.

        Raises:
            ActionSyntaxError: It is refused, and `refuse` answers it.
        """
        if type(text) is not str:
            require_whole(text)
        return require_reply(self.respond(self.parse(text)), self, "respond")

    def refuse(self, refusal: ActionSyntaxError) -> EnvReply:
        """Answer an invalid message with its explanation and the declared penalty."""
        self.books.num_invalid[self.role] += 1
        penalty = self.event(FORMAT, self.invalid_value, detail={"why": str(refusal)[:500]})
        return EnvReply([user(str(refusal))], (penalty,))

    def outcome_after(self, reply: EnvReply, is_invalid: bool) -> Outcome | None:
        """How the episode ends with this reply, which is not counted yet; None: it goes on."""
        role, limits = self.role, self.task.limits  # type: ignore[union-attr]  # an episode has a task
        return self.books.outcome_after(role, role, limits, reply.terminated, is_invalid)

    def observe(self, messages: Sequence[Message], image: NDArray[np.uint8] | None) -> Observation:
        """The observation of what the agent received."""
        observation: Observation = {"text": text_of(messages)}
        if image is not None:
            observation["image"] = image
        return observation

    # What a subclass may use.

    def start_over(self, seed: int | None) -> None:
        """Begin a reset: seed `np_random`, clear the counts, and forget an interrupt."""
        self.seed_generator(seed)
        books_of(self).clear(self.role)
        self._is_interrupted = False

    @property
    def turn(self) -> int:
        """Index of the turn that is played now or next; while a cut episode is graded, that of the last turn."""
        return self.books.turns.get(self.role, 0)

    @property
    def num_invalid(self) -> int:
        """How many of the agent's messages were refused."""
        return self.books.num_invalid.get(self.role, 0)

    @property
    def is_interrupted(self) -> bool:
        """Whether `interrupt` was called since the last reset."""
        return self._is_interrupted

    @property
    def rng(self) -> random.Random:
        """Randomness of the episode's dynamics, seeded by `reset`."""
        if self._rng is None:
            self._rng = random.Random(self.episode_seed)
        return self._rng

    def event(
        self, component: str, value: float, *, source: Source = "environment", detail: Mapping[str, Any] | None = None
    ) -> RewardEvent:
        """A reward event that credits the current turn."""
        turn = self.books.turns[self.role]
        return RewardEvent(turn, turn, self.role, component, require_finite(component, value), source, detail)

    def fork_by_copy(self, seed: int | None, *shared: object) -> Self:
        """A deep copy of the episode's state: `fork` for environments that hold nothing outside Python objects.

        Args:
            seed: Seed of the copy's further randomness; None keeps the same.
            shared: Parts of this environment that the copy uses too, because nothing changes them.
        """
        parts = (self.task, self.observation_space, self.action_space, *shared)
        memo: dict[int, Any] = {id(part): part for part in parts}
        twin = copy.deepcopy(self, memo)
        twin._is_interrupted = False
        if seed is not None:
            twin.episode_seed, twin._rng = seed, None
        return twin

    def _graded(self, reply: EnvReply) -> EnvReply:
        last = require_reply(self.grade(), self, "grade")
        return EnvReply(reply.messages, [*reply.events, *last.events], False, last.success, last.score, reply.image)

    def _verdict(self, outcome: Outcome, reply: EnvReply) -> dict[str, Any]:
        """End the episode; what `info` says of it."""
        success, score = self.books.close(outcome, reply.success, reply.score, type(self).__name__)
        return {"outcome": outcome, "success": success, "score": score}
