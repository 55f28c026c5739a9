"""Who plays the roles of a rollout's games: a policy for each role, and how each is shown its conversation.

Which policies these are is decided in `agentgym.policies.cast`; how one is asked, in `agentgym.prompting.speaker`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym.errors import ConfigError
from agentgym.message import ToolSchema
from agentgym.policy import Policy
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.speaker import Talk, open_talk, renderer_of
from agentgym.rollout.settings import RolloutSettings


def is_partner(policy: Policy) -> bool:
    """Whether a policy plays the part of a partner, without a record of its own; see `PartnerPolicy`."""
    return getattr(policy, "is_partner", False)


class Casting:
    """The policy of each role, and fresh conversations for them.

    Args:
        policies: The policy of each role; the key "*" stands for all others.
        settings: Which turns prompts leave out, how long they may be, and how long messages are.

    Attributes:
        roles: The named roles that are no partner's; none where only games know them.

    Raises:
        ConfigError: All of the policies are partners.
    """

    def __init__(self, policies: Mapping[str, Policy], settings: RolloutSettings) -> None:
        self._policies, self._settings = policies, settings
        self._renderers: dict[int, ChatRenderer] = {}
        self.roles: Sequence[str] = [
            role for role, policy in policies.items() if role != "*" and not is_partner(policy)
        ]
        if not self.roles and "*" not in policies:
            raise ConfigError(
                f"all of the roles {sorted(policies)} are partners'; one policy must be on its own account"
            )

    def policy_of(self, role: str) -> Policy:
        """The policy that plays a role.

        Raises:
            ConfigError: There is none.
        """
        policy = self._policies.get(role, self._policies.get("*"))
        if policy is None:
            raise ConfigError(f"no policy for the role {role!r}; got policies for {sorted(self._policies)}")
        return policy

    def open_talk(self, policy: Policy, tools: Sequence[ToolSchema]) -> Talk:
        """A fresh conversation for a policy; renderers are made once a policy."""
        settings, renderer = self._settings, None
        if policy.uses_tokens:
            renderer = self._renderers.get(id(policy))
            if renderer is None:
                renderer = self._renderers[id(policy)] = renderer_of(policy)
        return open_talk(
            policy,
            tools,
            renderer=renderer,
            history=settings.history,
            max_context=settings.max_context,
            room=settings.sampling.max_tokens,
        )
