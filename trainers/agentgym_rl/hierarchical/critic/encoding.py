"""Hidden states of the turns of an experience: of stored actions, of new ones, and of final observations.

Not here: single passes (valuation.py), what heads make of them (critic.py). Nothing here has a gradient: they are the
policy's, detached, or what the lagging copy of a tower gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.hierarchical.critic.network import CriticNetwork, TurnStates
from agentgym_rl.hierarchical.critic.valuation import (
    encode_actions,
    encode_ends,
    encode_prompts,
    encode_seen,
    encode_seen_at_ends,
    stored_actions,
    without_action,
)
from agentgym_rl.hierarchical.experience import Experience, PartMasks


@dataclass(frozen=True)
class EncodedTurns:
    """Hidden states for heads to read."""

    stored: TurnStates
    """N turns and their stored actions."""
    sampled: Float[Tensor, "M D"]
    """Each branch's action."""
    ends: TurnStates
    """At the final observation of each episode that a limit cut; of no meaning for those that ended. No actions."""

    def part(self, masks: PartMasks) -> EncodedTurns:
        """Those of a part of the experience."""
        turn, branch, episode = (torch.from_numpy(each).to(self.sampled.device) for each in masks)
        return EncodedTurns(self.stored.at(turn), self.sampled[branch], self.ends.at(episode))


@torch.no_grad()
def encode(
    network: CriticNetwork, experience: Experience, packing: PackingConfig, policy: PolicyModel | None
) -> EncodedTurns:
    """Hidden states that a network's heads read: its tower's, or those of the policy.

    Args:
        network: The online one or the copy.
        experience: N turns of B episodes, M of them with a branch.
        packing: The shape of micro-batches.
        policy: Whose hidden states are read where the network has no tower.
    """
    batch = experience.batch
    state = encode_prompts(network, batch.segments, packing, policy)
    seen = encode_seen(network, batch.segments, packing, policy)
    ends = without_action(
        network,
        encode_ends(network, batch, packing, policy),
        encode_seen_at_ends(network, batch, packing, policy),
    )
    stored = stored_actions(batch.segments)
    new = [branch.segment(batch.segments[branch.trunk]) for branch in experience.branches]
    actions = encode_actions(network, [*stored, *new], packing, policy)
    return EncodedTurns(TurnStates(state, actions[: len(stored)], seen), actions[len(stored) :], ends)
