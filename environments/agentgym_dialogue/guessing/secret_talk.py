"""Talks in which the agent finds a secret of its partner by asking, and each turn that does not name it costs one.

What the partner knows, and how it understands a question, is the business of each game.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Self

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, TaskError
from agentgym.message import Message
from agentgym.reward import FORMAT
from agentgym.task import Limits, Task

CORRECT = "Correct."
NO_TURNS_LEFT = "No turns left."


class PartnerReply(NamedTuple):
    """What the partner says.

    Attributes:
        text: Its words.
        learned: What the agent learns by it, as a key that is equal for questions of equal meaning.
        is_solved: Whether the agent named the secret.
    """

    text: str
    learned: str = ""
    is_solved: bool = False


def secret_task(task_id: str, seed: int, instruction: str, secret: str, num_turns: int, **fields: Any) -> Task:
    """The task of finding a secret within so many turns; `fields` are further ones of the task."""
    return Task(
        task_id,
        seed,
        instruction,
        config={"turns": num_turns},
        private={"secret": secret},
        limits=_limits(num_turns),
        **fields,
    )


@cache
def _limits(num_turns: int) -> Limits:
    return Limits(max_turns=num_turns, max_invalid=num_turns)


class SecretTalkEnv(AgentEnv):
    """Find the secret of a partner who answers questions; the cards are those of the games."""

    reward_weights: Mapping[str, float] = {"turn": 1.0, FORMAT: 1.0}
    invalid_value = -1.0

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.secret = ""
        self.num_turns = 0
        self.learned: list[str] = []

    @abstractmethod
    def check_secret(self, secret: str) -> None:
        """Raises TaskError where the game has no such secret."""

    @abstractmethod
    def answer_to(self, message: str) -> PartnerReply:
        """The partner's answer; raises ActionSyntaxError, with an explanation, where it does not understand."""

    def begin(self, task: Task) -> Sequence[Message]:
        """State what is asked."""
        try:
            self.num_turns, self.secret = task.config["turns"], task.private["secret"]
        except KeyError as error:
            raise TaskError(f"task {task.id!r} lacks {error}; expected turns in config, secret in private") from None
        if self.num_turns < 1:
            raise TaskError(f"task {task.id!r}: turns is {self.num_turns}; expected at least 1")
        self.check_secret(self.secret)
        self.learned = []
        return [{"role": "user", "content": task.instruction}]

    def respond(self, action: Action) -> EnvReply:
        """Answer one question."""
        is_last = self.turn + 1 >= self.num_turns
        try:
            reply = self.answer_to(action.content)
        except ActionSyntaxError:
            if is_last:
                return self._end_of_turns(FORMAT)
            raise
        if reply.is_solved:
            return EnvReply([{"role": "user", "content": CORRECT}], [self.event("turn", 0.0)], True, True)
        self.learned.append(reply.learned)
        if is_last:
            return self._end_of_turns("turn")
        return EnvReply([{"role": "user", "content": reply.text}], [self.event("turn", -1.0)])

    def anchor(self) -> str:
        """What was learned, in any order, turns used and invalid messages so far; equal within one task only."""
        return f"{'; '.join(sorted(set(self.learned)))}, turn {self.turn}, {self.num_invalid} invalid"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def _end_of_turns(self, component: str) -> EnvReply:
        return EnvReply([{"role": "user", "content": NO_TURNS_LEFT}], [self.event(component, -1.0)], True, False)
