"""Hidden states of the turns of an experience: of stored actions, of new ones, and of final observations.

Not here: what heads make of them (critic.py). Nothing here has a gradient: they are the policy's, detached, or what the
lagging copy of a tower gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from agentgym_rl.hierarchical.branches import branch_micro_batches
from agentgym_rl.hierarchical.critic import CriticNetwork, TurnStates, turn_states
from agentgym_rl.hierarchical.experience import Experience, PartMasks
from agentgym_rl.hierarchical.positions import turn_positions
from agentgym_rl.hierarchical.valuation import hidden_for
from agentgym_rl.micro_batch import MicroBatch
from agentgym_rl.models import PolicyModel
from agentgym_rl.packing import PackingConfig, pack
from agentgym_rl.scoring import final_probe


@dataclass(frozen=True)
class EncodedTurns:
    """Hidden states for heads to read."""

    stored: TurnStates
    """N turns and their stored actions."""
    sampled: Float[Tensor, "M D"]
    """At the last token of each branch."""
    ends: Float[Tensor, "B D"]
    """At the final observation of each episode that a limit cut; NaN for those that ended, which are not encoded."""

    def part(self, masks: PartMasks) -> EncodedTurns:
        """Those of a part of the experience."""
        turn, branch, episode = (torch.from_numpy(each).to(self.ends.device) for each in masks)
        stored = TurnStates(self.stored.state[turn], self.stored.action[turn])
        return EncodedTurns(stored, self.sampled[branch], self.ends[episode])


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
    if experience.branches:
        batches = branch_micro_batches(batch.segments, experience.branches, packing, has_stored=True)
    else:
        batches = pack(batch.segments, packing)
    states, num_turns = _states(network, batches, policy), experience.turns.num_turns
    is_cut = [each.outcome is not None and each.outcome.kind == "truncated" for each in batch.trajectories]
    cut = [index for index, is_it in enumerate(is_cut) if is_it and batch.segments_of(index)]
    ends = torch.full((batch.num_sequences, states.state.shape[-1]), torch.nan).to(states.state)
    if cut:
        probes = [final_probe(batch, index, packing.row_length) for index in cut]
        ends[cut] = _states(network, pack(probes, packing), policy).state
    stored = TurnStates(states.state[:num_turns], states.action[:num_turns])
    return EncodedTurns(stored, states.action[num_turns:], ends)


def _states(network: CriticNetwork, batches: Sequence[MicroBatch], policy: PolicyModel | None) -> TurnStates:
    """Of all turns, by segment, then by turn."""
    device = next(network.parameters()).device
    found: list[TurnStates] = []
    keys: list[np.ndarray] = []
    for micro in batches:
        moved = micro.to(device)
        positions = turn_positions(moved)
        found.append(turn_states(hidden_for(network, moved, policy), positions))
        keys.append(torch.stack([positions.segment, positions.turn]).cpu().numpy())
    segment, turn = np.concatenate(keys, axis=1)
    order = torch.from_numpy(np.lexsort((turn, segment))).to(device)
    return TurnStates(*(torch.cat([getattr(each, name) for each in found])[order] for name in ("state", "action")))
