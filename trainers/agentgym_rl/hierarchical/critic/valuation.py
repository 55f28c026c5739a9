"""What a critic reads of segments, histories up to the action and actions by themselves, and what it says of them.

Not here: when it is asked (encoding.py, updates.py, actor.py). One process: each rank that calls these encodes
all that it is given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Float64
from torch import Tensor

from agentgym.trajectory import Segment
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.packing import pack
from agentgym_rl.core.positions import TurnPositions, turn_positions
from agentgym_rl.core.scoring import final_probe
from agentgym_rl.hierarchical.branches import action_behind
from agentgym_rl.hierarchical.critic.frozen import FrozenPolicy
from agentgym_rl.hierarchical.critic.network import CriticNetwork, CriticOutputs, TurnStates, as_values, hidden_for
from agentgym_rl.hierarchical.critic.observations import encode_observations, final_observation, observations, openings
from agentgym_rl.hierarchical.critic.pooling import Observed


def prompt_states(hidden: Float[Tensor, "R L D"], positions: TurnPositions) -> Float[Tensor, "N D"]:
    """The hidden state at the last prompt token of each turn of a micro-batch: it has seen nothing of the action."""
    return hidden[positions.row, positions.state]


def action_states(hidden: Float[Tensor, "R L D"], batch: MicroBatch, positions: TurnPositions) -> Float[Tensor, "N D"]:
    """The mean of the hidden states at the sampled tokens of each turn of a micro-batch."""
    tokens = hidden[batch.completion_mask]
    sums = tokens.new_zeros(positions.num_turns, tokens.shape[-1]).index_add(0, positions.turn_of_token, tokens)
    return sums / positions.turn_of_token.bincount(minlength=positions.num_turns)[:, None]


def encode_prompts(
    network: CriticNetwork, segments: Sequence[Segment], packing: PackingConfig, policy: PolicyModel | None
) -> Float[Tensor, "N D"]:
    """`prompt_states` of all turns with sampled tokens, by segment, then by turn: the order of `turn_transitions`.

    Of width 0 where the network reads no histories, which then pass through no model.
    """
    if not network.reads_history:
        return _unread(network, sum(len(observations([segment])) for segment in segments))
    if network.tower is None and isinstance(policy, FrozenPolicy):
        return policy.read_once(
            "prompts", segments, lambda segment: _encode_prompts(network, [segment], packing, policy)
        )
    return _encode_prompts(network, segments, packing, policy)


def _encode_prompts(
    network: CriticNetwork, segments: Sequence[Segment], packing: PackingConfig, policy: PolicyModel | None
) -> Float[Tensor, "N D"]:
    device = next(network.parameters()).device
    found: list[Tensor] = []
    keys: list[np.ndarray] = []
    for micro in pack(segments, packing):
        moved = micro.to(device)
        positions = turn_positions(moved)
        found.append(prompt_states(hidden_for(network, moved, policy), positions))
        keys.append(torch.stack([positions.segment, positions.turn]).cpu().numpy())
    segment, turn = np.concatenate(keys, axis=1)
    return torch.cat(found)[torch.from_numpy(np.lexsort((turn, segment))).to(device)]


@torch.no_grad()
def encode_ends(
    network: CriticNetwork, batch: TrainBatch, packing: PackingConfig, policy: PolicyModel | None
) -> Float[Tensor, "B D"]:
    """At the final observation of each episode that a limit cut; NaN for those that ended, which are not encoded.

    Where the final observation does not fit into a row, the state after the last sampled token stands in for it.
    """
    is_cut = [each.is_truncated for each in batch.trajectories]
    cut = [index for index, is_it in enumerate(is_cut) if is_it and batch.segments_of(index)]
    if not network.reads_history:
        return _unread(network, batch.num_sequences)
    ends = next(network.v_heads.parameters()).new_full((batch.num_sequences, network.num_features), torch.nan)
    if cut:
        probes = [final_probe(batch, index, packing.row_length) for index in cut]
        ends[cut] = encode_prompts(network, probes, packing, policy).to(ends.dtype)
    return ends


def encode_seen(
    network: CriticNetwork, segments: Sequence[Segment], packing: PackingConfig, policy: PolicyModel | None
) -> Observed | None:
    """The observation of each turn, in the order of `encode_prompts`; None where the network reads none."""
    if network.seen is None:
        return None
    return encode_observations(network, observations(segments), openings(segments), packing, policy)


@torch.no_grad()
def encode_seen_at_ends(
    network: CriticNetwork, batch: TrainBatch, packing: PackingConfig, policy: PolicyModel | None
) -> Observed | None:
    """The final observation of each episode that a limit cut, and some other for those that ended, where V is not read.

    None where the network reads none.
    """
    if network.seen is None:
        return None
    cut = [index for index, each in enumerate(batch.trajectories) if each.is_truncated and batch.segments_of(index)]
    some = batch.segments[:1]
    wanted = [final_observation(batch, index) for index in cut] or observations(some)[:1]
    opened = [openings([batch.segments[batch.segments_of(index)[-1]]])[-1] for index in cut] or openings(some)[:1]
    found = encode_observations(network, wanted, opened, packing, policy)
    place = torch.zeros(batch.num_sequences, dtype=torch.int64)
    place[cut] = torch.arange(len(cut))
    return found.at(place.to(found.row.device))


def encode_actions(
    network: CriticNetwork, actions: Sequence[Segment], packing: PackingConfig, policy: PolicyModel | None
) -> Float[Tensor, "M D"]:
    """`action_states` of actions, each behind its last prompt token and nothing else; what is alike is read once.

    Args:
        network: With gradient for its tower, where it has one.
        actions: Of `stored_actions` and `Branch.segment`.
        packing: The shape of micro-batches.
        policy: Whose hidden states are read where the network has no tower.
    """
    device = next(network.parameters()).device
    places: dict[bytes, int] = {}
    place = [places.setdefault(each.tokens.tobytes(), len(places)) for each in actions]
    _, first = np.unique(place, return_index=True)
    found: list[Tensor] = []
    order: list[Tensor] = []
    for micro in pack([actions[index] for index in first], packing):
        moved = micro.to(device)
        positions = turn_positions(moved)
        found.append(action_states(hidden_for(network, moved, policy), moved, positions))
        order.append(positions.segment)
    return torch.cat(found)[torch.cat(order).argsort()][torch.tensor(place, device=device)]


def stored_actions(segments: Sequence[Segment]) -> list[Segment]:
    """The sampled tokens of each turn behind its last prompt token, by segment, then by turn."""
    found = []
    for segment in segments:
        sampled = np.flatnonzero(segment.completion_mask)
        turns = segment.turn_index[sampled]
        for mine in np.split(sampled, np.flatnonzero(np.diff(turns)) + 1):
            start = int(mine[0])
            found.append(action_behind(segment, start, int(segment.turn_index[start]), segment.tokens[mine]))
    return found


@torch.no_grad()
def value_turns(
    network: CriticNetwork,
    segments: Sequence[Segment],
    packing: PackingConfig,
    policy: PolicyModel | None = None,
    value_range: tuple[float, float] | None = None,
) -> tuple[Float64[np.ndarray, "K N"], Float64[np.ndarray, "K N"]]:
    """Q and V of every turn with sampled tokens, by segment, then by turn: the order of `turn_transitions`.

    Args:
        network: The online one or the copy.
        segments: Any; each holds a sampled token.
        packing: The shape of micro-batches.
        policy: Whose hidden states are read where the network has no tower.
        value_range: As of the critic's configuration.
    """
    if not segments:
        return np.zeros((len(network.q_heads), 0)), np.zeros((len(network.v_heads), 0))
    actions = encode_actions(network, stored_actions(segments), packing, policy)
    prompts = encode_prompts(network, segments, packing, policy)
    seen = encode_seen(network, segments, packing, policy)
    outputs: CriticOutputs = network(TurnStates(prompts, actions, seen))
    q, v = (as_values(each, value_range).double().cpu().numpy() for each in (outputs.q, outputs.v))
    return q, v


@torch.no_grad()
def value_ends(
    network: CriticNetwork,
    batch: TrainBatch,
    packing: PackingConfig,
    policy: PolicyModel | None = None,
    value_range: tuple[float, float] | None = None,
) -> Float64[np.ndarray, "K B"]:
    """V of the final observation of every truncated episode; NaN for those that ended, whose last state is not encoded.

    Where the final observation does not fit into a row, the state after the last sampled token stands in for it.
    """
    states = encode_ends(network, batch, packing, policy)
    seen = encode_seen_at_ends(network, batch, packing, policy)
    values = as_values(network(without_action(network, states, seen)).v, value_range)
    found: Float64[np.ndarray, "K B"] = values.double().cpu().numpy()
    found[:, [not each.is_truncated for each in batch.trajectories]] = np.nan
    return found


def without_action(network: CriticNetwork, state: Float[Tensor, "N S"], seen: Observed | None) -> TurnStates:
    """States for V alone, which has no action to read."""
    return TurnStates(state, state.new_zeros(len(state), network.num_features), seen)


def _unread(network: CriticNetwork, num_states: int) -> Float[Tensor, "N 0"]:
    """Histories that are not read."""
    return next(network.v_heads.parameters()).new_zeros(num_states, 0)
