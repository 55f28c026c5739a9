"""Several tries at one task: a failed try is answered by "Try again." alone, and later solutions are worth less.

The wrapped environment decides whether a try solved the task; nothing here tells the agent what was wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError
from agentgym.message import Message, text_of, user
from agentgym.outcome import Outcome
from agentgym.reward import FORMAT
from agentgym.task import Task

TRY_AGAIN = "Try again."
SOLVED, FAILED = "Correct.", "No tries left."


class UnaryFeedback(AgentEnv):
    """An environment whose task may be tried several times, after "unary feedback as observation".

    Observation:
        During a try, that of the wrapped environment. After a failed try `Try again.`, at the end `Correct.` or `No
        tries left.` These replace the environment's own messages there, which might reveal the answer.
    Action:
        As in the wrapped environment; a try lasts until its episode ends.
    Reward:
        `success`: decay ** (failed tries) for solving the task, so that early solutions are worth more. `repetition`:
        -penalty / max_tries for a try that repeats another one, apart from white space and case. `format`: the wrapped
        environment's penalty for an invalid message, which fails the try if it was the last turn; its other rewards are
        left out. After Liu et al. 2025, arXiv 2507.14295. Differs: a repetition costs at once, not as a share at the
        end.
    Termination:
        The task is solved, the tries are used up, or there were more invalid messages in all tries than its limit.
    Truncation:
        None: the wrapped environment's limit of turns ends a try.
    Info:
        As `AgentEnv`; the score is the `success` reward.
    Sandbox:
        That of the wrapped environment.
    Source and licence:
        Written for this project, Apache-2.0.

    Example:
        `Guess the number between 3 and 9. You have 1 try.` / `6` / `Try again.` / `7` / `Correct.`

    Args:
        env: The environment; it is closed with this one.
        max_tries: Most tries, at least 1.
        decay: The factor by which each failed try multiplies the reward, in (0, 1].
        penalty: The total cost if every try repeated another one, at least 0.
        restates: Whether the first messages of the task follow each `Try again.`

    Raises:
        ConfigError: A number is out of its range.
    """

    def __init__(
        self, env: AgentEnv, max_tries: int = 5, decay: float = 0.8, penalty: float = 0.5, restates: bool = False
    ) -> None:
        super().__init__(env.render_mode)
        if max_tries < 1 or not 0.0 < decay <= 1.0 or penalty < 0.0:
            raise ConfigError(
                f"unary feedback got max_tries={max_tries}, decay={decay} and penalty={penalty}; "
                "expected at least 1, a number in (0, 1], and at least 0"
            )
        self.env = env
        self.max_tries, self.decay, self.penalty, self.restates = max_tries, decay, penalty, restates
        self.observation_space, self.action_space = env.observation_space, env.action_space
        self.role, self.tools, self.invalid_value = env.role, env.tools, env.invalid_value
        self.reward_weights = {"success": 1.0, "repetition": 1.0, FORMAT: env.reward_weights.get(FORMAT, 1.0)}
        self._num_failed, self._is_try_cut = 0, False
        self._said: list[str] = []
        self._earlier: set[tuple[str, ...]] = set()

    def make_task(self, seed: int) -> Task:
        """A task of the wrapped environment."""
        return self.env.make_task(seed)

    def begin(self, task: Task) -> Sequence[Message]:
        """Begin the first try."""
        self._num_failed, self._is_try_cut = 0, False
        self._earlier = set()
        return self._start(task)

    def parse(self, text: str) -> Action:
        """The message as it is: the wrapped environment parses it."""
        return Action(text, text, None, ())

    def respond(self, action: Action) -> EnvReply:
        """Play one message; if it ends a try without solving the task, begin the next try."""
        assert self.task is not None
        observation, _, terminated, truncated, info = self.env.step(action.text)
        if info["is_invalid"]:
            self._is_try_cut = terminated or truncated
            raise ActionSyntaxError(text_of(info["messages"]))
        self._said.append(" ".join(action.text.casefold().split()))
        if not (terminated or truncated):
            return EnvReply(info["messages"], image=observation.get("image"))
        if info["success"]:
            worth = self.decay**self._num_failed
            return EnvReply([user(SOLVED)], [self.event("success", worth)], True, True, worth)
        return self._fail()

    def grade(self) -> EnvReply:
        """An unsolved task is worth nothing."""
        return EnvReply(success=False)

    def fork(self, seed: int | None = None) -> Self:
        """A copy that continues from here, if the wrapped environment can be forked.

        Raises:
            NotImplementedError: It cannot.
        """
        inner = self.env.fork(seed)
        twin = self.fork_by_copy(seed, self.env)
        twin.env = inner
        return twin

    def interrupt(self) -> None:
        """Interrupt the wrapped environment too."""
        super().interrupt()
        self.env.interrupt()

    def close(self) -> None:
        """Close the wrapped environment."""
        self.env.close()

    def _start(self, task: Task) -> list[Message]:
        self._said = []
        _, info = self.env.reset(seed=self.episode_seed, options={"task": task})
        self.tools = self.env.tools  # a task may bring its own
        return list(info["messages"])

    def _fail(self) -> EnvReply:
        assert self.task is not None
        said = tuple(self._said)
        events = [self.event("repetition", -self.penalty / self.max_tries)] if said in self._earlier else []
        self._earlier.add(said)
        self._num_failed += 1
        if self._num_failed == self.max_tries:
            return EnvReply([user(FAILED)], events, True, False)
        first = self._start(self.task)
        return EnvReply([user(TRY_AGAIN), *(first if self.restates else ())], events)

    def refuse(self, refusal: ActionSyntaxError) -> EnvReply:
        """An invalid message with which a try's turns ran out is a failed try too."""
        refused = super().refuse(refusal)
        if not self._is_try_cut:
            return refused
        self._is_try_cut = False
        failed = self._fail()
        messages, events = [*refused.messages, *failed.messages], [*refused.events, *failed.events]
        return failed._replace(messages=messages, events=events)

    def outcome_after(self, reply: EnvReply, is_invalid: bool) -> Outcome | None:
        """The wrapped environment limits the turns of a try; the episode ends with its last try."""
        assert self.task is not None
        if reply.terminated:
            return Outcome("terminated")
        return Outcome("invalid") if is_invalid and self.num_invalid > self.task.limits.max_invalid else None
