"""Policies as partners: players of a game's other roles, whose faults and records are not those of the learner.

Which policy plays which role is decided in `agentgym.partners`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agentgym.env import CutMessage
from agentgym.errors import ContextOverflowError, InfrastructureError, PartnerError
from agentgym.message import Message, ToolSchema
from agentgym.policies.reply_cache import ReplyCache
from agentgym.policy import Policy, Reply, Request, Sampling, Script, ScriptFactory
from agentgym.prompting.parsing import canonical_text
from agentgym.prompting.renderer import ChatRenderer
from agentgym.task import Task

_KEYS = itertools.count()


class PartnerPolicy:
    """A policy whose part rollouts neither train on nor count: a frozen checkpoint, an endpoint, scripts.

    Args:
        policy: Who plays.
        sampling: How it draws; None takes that of the rollout.
        cache: Remembers what it said; None asks it every time.
    """

    is_partner = True

    def __init__(self, policy: Policy, sampling: Sampling | None = None, cache: ReplyCache | None = None) -> None:
        self.policy, self.sampling, self.cache = policy, sampling, cache
        self.name, self.uses_tokens, self.concurrency = policy.name, policy.uses_tokens, policy.concurrency

    @property
    def tokenizer(self) -> Any:
        """The policy's tokenizer."""
        return self.policy.tokenizer  # type: ignore[attr-defined]

    @property
    def max_context(self) -> int | None:
        """The policy's largest context, where it says one."""
        longest: int | None = getattr(self.policy, "max_context", None)
        return longest

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """The policy's replies, from the cache where it has them.

        Raises:
            PartnerError: The policy failed.
        """
        if self.sampling is not None:
            requests = [replace(request, sampling=self.sampling) for request in requests]
        try:
            if self.cache is None:
                return self.policy.generate(requests)
            return self.cache.replies(self.policy, requests)
        except (InfrastructureError, ContextOverflowError) as error:
            raise PartnerError(f"the partner {self.name} failed: {error}") from error

    def forget(self, episode: str) -> None:
        """Let the policy drop what it keeps for an episode."""
        self.policy.forget(episode)


def asking(
    policy: Policy, role: str, tools: Sequence[ToolSchema] = (), sampling: Sampling | None = None
) -> ScriptFactory:
    """A policy as what makes the script of a role, one message at a time; rollouts ask for many at once instead.

    Args:
        policy: Who plays.
        role: The role.
        tools: The role's tools.
        sampling: How it draws; None takes the defaults.
    """

    def factory(task: Task, seed: int) -> Script:
        return _Asking(policy, Request("", 0, task, (), tools, None, seed, sampling or Sampling(), role))

    return factory


class _Asking:
    """Asks a policy; keeps nothing, so that a fork of its environment may ask it too."""

    def __init__(self, policy: Policy, first: Request) -> None:
        self._policy, self._first = policy, first

    def act(self, messages: Sequence[Message]) -> str:
        """The policy's message."""
        first, policy = self._first, self._policy
        turn = sum(message["role"] == "assistant" for message in messages)
        ids = None
        if policy.uses_tokens:
            ids = ChatRenderer(policy.tokenizer).render(messages, first.tools)  # type: ignore[attr-defined]
        key = f"partner-{next(_KEYS)}"
        asked = {"messages": list(messages), "prompt_ids": ids, "seed": first.seed + turn}
        request = replace(first, episode=key, turn=turn, **asked)
        try:
            [reply] = policy.generate([request])
        finally:
            policy.forget(key)
        text = canonical_text(reply.text, first.tools) if first.tools and reply.ids is not None else reply.text
        return CutMessage(text) if reply.was_cut else text

    def __deepcopy__(self, memo: dict[int, Any]) -> _Asking:
        return self
