"""A policy as a script, one message at a time: as a partner within an environment, or for continuing a fork.

Rollouts ask policies for many messages at once instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from agentgym.message import Message, ToolSchema
from agentgym.outcome import CutReason
from agentgym.policy import Policy, Sampling, Script, ScriptFactory
from agentgym.prompting.speaker import (
    EpisodeBudget,
    Speaker,
    open_talk,
    picks_legal_actions,
    renderer_of,
    require_actions,
)
from agentgym.task import Task
from agentgym.trajectory import Turn

_KEYS = itertools.count()


def as_script(
    policy: Policy,
    role: str = "agent",
    tools: Sequence[ToolSchema] = (),
    sampling: Sampling | None = None,
    *,
    history: str = "full",
    max_context: int | None = None,
    refuses_cut: bool = True,
    has_budget: bool = False,
) -> ScriptFactory:
    """A factory of scripts by which a policy plays a role.

    Args:
        policy: Who plays.
        role: The role.
        tools: The role's tools.
        sampling: How messages are drawn; None takes the defaults.
        history: Which turns prompts leave out, as in `RolloutSettings`.
        max_context: Most tokens of prompt and reply together, if this is less than the policy's own limit.
        refuses_cut: Whether a message that the token limit cut is an invalid action instead of being played as it is.
        has_budget: Whether the task's limit of tokens holds for the policy, as it does in a rollout.

    Raises:
        ConfigError: The policy works on token ids and has no tokenizer.
    """
    renderer = renderer_of(policy) if policy.uses_tokens else None
    drawn = sampling or Sampling()
    limits: dict[str, Any] = {"history": history, "max_context": max_context, "room": drawn.max_tokens}

    def factory(task: Task, seed: int) -> Script:
        talk = open_talk(policy, tools, renderer=renderer, **limits)
        budget = EpisodeBudget(task.limits.max_tokens if has_budget else None)
        return PolicyScript(Speaker(policy, task, talk, "", seed, role, tools, drawn, refuses_cut, budget=budget))

    return factory


class PolicyScript:
    """A policy that plays one role of one episode.

    Args:
        speaker: The policy with its conversation, which is empty.
    """

    def __init__(self, speaker: Speaker) -> None:
        self._speaker = speaker

    def resume(self, turns: Sequence[Turn]) -> None:
        """Take up the recorded turns that were played before the first message.

        Raises:
            ContextOverflowError: They are too long for the policy.
        """
        self._speaker.resume(turns)

    @property
    def picks_legal_actions(self) -> bool:
        """Whether the policy picks among listed actions."""
        return picks_legal_actions(self._speaker.policy)

    def cut_reason(self) -> CutReason | None:
        """Why a rollout would cut the episode before the next message; None if it would not."""
        return "tokens" if self._speaker.budget.is_spent else None

    def act(self, messages: Sequence[Message], legal_actions: Sequence[str] | None = None) -> str:
        """The policy's next message; a `CutMessage` if the token limit cut it.

        Args:
            messages: The whole conversation of the role so far.
            legal_actions: What a policy that picks among listed actions picks among.

        Raises:
            ContractError: The policy picks among listed actions, and there are none.
            ContextOverflowError: The conversation is too long for the policy.
            InfrastructureError: The policy failed.
        """
        speaker = self._speaker
        if self.picks_legal_actions:
            require_actions(legal_actions, speaker.task, speaker.role)
        speaker.observe(messages[len(speaker.talk.messages) :])
        speaker.key = f"script-{next(_KEYS)}"  # forgotten at once: nobody says when a script's episode is over
        try:
            return speaker.ask(legal_actions).action
        finally:
            speaker.forget()

    def __deepcopy__(self, memo: dict[int, Any]) -> PolicyScript:
        """A script that goes on from here, for forks; the policy is shared."""
        return PolicyScript(self._speaker.fork(self._speaker.key))
