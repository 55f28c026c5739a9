"""Policies as partners: players of a game's other roles, whose faults and records are not those of the learner.

Which policy plays which role is decided in `agentgym.policies.cast`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agentgym.errors import ContextOverflowError, InfrastructureError, PartnerError
from agentgym.policies.reply_cache import ReplyCache
from agentgym.policy import Policy, Reply, Request, Sampling


class PartnerPolicy:
    """A policy whose turns rollouts neither train on nor count: a frozen checkpoint, an endpoint, scripts.

    Args:
        policy: Who plays.
        sampling: How it samples; None takes that of the rollout.
        cache: Keeps its replies; None asks it every time.
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
        """The policy's largest context, if it states one."""
        longest: int | None = getattr(self.policy, "max_context", None)
        return longest

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """The policy's replies, from the cache if they are there.

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
