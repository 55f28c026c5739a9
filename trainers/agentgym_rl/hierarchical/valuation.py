"""Forward passes of a critic without gradient: what it says of every turn of a batch, and of final observations.

Not here: passes with gradient, which a training step makes per micro-batch (critic.py). One process: each rank that
calls these values all that it is given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Float64
from torch import Tensor

from agentgym.trajectory import Segment
from agentgym_rl.batch import TrainBatch
from agentgym_rl.hierarchical.critic import CriticNetwork, CriticOutputs, as_values, turn_states
from agentgym_rl.hierarchical.positions import turn_positions
from agentgym_rl.micro_batch import MicroBatch
from agentgym_rl.models import PolicyModel
from agentgym_rl.packing import PackingConfig, pack
from agentgym_rl.scoring import final_probe


def hidden_for(network: CriticNetwork, batch: MicroBatch, policy: PolicyModel | None) -> Float[Tensor, "R L D"]:
    """Hidden states that a critic reads: its tower's, with gradient, or the policy's, detached.

    Raises:
        ConfigError: Neither a tower nor a policy is there.
    """
    if network.tower is None and policy is not None:
        with torch.no_grad():
            return policy.hidden_states(batch.tokens, batch.position_ids, batch.attention_mask())
    return network.encode(batch)


@torch.no_grad()
def value_turns(
    network: CriticNetwork,
    segments: Sequence[Segment],
    packing: PackingConfig,
    policy: PolicyModel | None = None,
    value_range: tuple[float, float] | None = None,
) -> tuple[Float64[np.ndarray, "2 N"], Float64[np.ndarray, "2 N"]]:
    """Q and V of every turn with sampled tokens, by segment, then by turn: the order of `turn_transitions`.

    Args:
        network: The online one or the copy.
        segments: Any; each holds a sampled token.
        packing: The shape of micro-batches.
        policy: Whose hidden states are read where the network has no tower.
        value_range: As of the critic's configuration.
    """
    keys, rows = [np.zeros((2, 0), np.int64)], [np.zeros((4, 0))]
    device = next(network.parameters()).device
    for micro in pack(segments, packing) if segments else []:
        micro = micro.to(device)
        positions = turn_positions(micro)
        outputs: CriticOutputs = network(turn_states(hidden_for(network, micro, policy), positions))
        values = as_values(torch.cat([outputs.q, outputs.v]), value_range)
        keys.append(torch.stack([positions.segment, positions.turn]).cpu().numpy())
        rows.append(values.double().cpu().numpy())
    segment, turn = np.concatenate(keys, axis=1)
    ordered = np.concatenate(rows, axis=1)[:, np.lexsort((turn, segment))]
    return ordered[:2], ordered[2:]


def value_ends(
    network: CriticNetwork,
    batch: TrainBatch,
    packing: PackingConfig,
    policy: PolicyModel | None = None,
    value_range: tuple[float, float] | None = None,
) -> Float64[np.ndarray, "2 B"]:
    """V of the final observation of every truncated episode; NaN for those that ended, whose last state is not encoded.

    Where the final observation does not fit into a row, the state after the last sampled token stands in for it.
    """
    is_cut = [each.outcome is not None and each.outcome.kind == "truncated" for each in batch.trajectories]
    wanted = [index for index, cut in enumerate(is_cut) if cut and batch.segments_of(index)]
    probes = [final_probe(batch, index, packing.row_length) for index in wanted]
    _, values = value_turns(network, probes, packing, policy, value_range)
    finals = np.full((2, batch.num_sequences), np.nan)
    finals[:, wanted] = values
    return finals
