"""What is seen in the state of a turn, read by itself: the tokens since the last message, apart from the history.

Not here: the hidden state behind the whole history (valuation.py), how heads pool tokens (network.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from agentgym.trajectory import FINAL_PROMPT, Ids, Segment
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.packing import pack
from agentgym_rl.hierarchical.critic.frozen import FrozenPolicy
from agentgym_rl.hierarchical.critic.network import CriticNetwork, hidden_for
from agentgym_rl.hierarchical.critic.pooling import Observed


def observations(segments: Sequence[Segment]) -> list[Ids]:
    """The tokens between the last message and that of each turn, by segment, then by turn.

    The first turn of a segment has its whole prompt: that is what opens an episode, and what is shown again where a
    history leaves turns out.
    """
    found = []
    for segment in segments:
        sampled = np.flatnonzero(segment.completion_mask)
        seen = 0
        for mine in np.split(sampled, np.flatnonzero(np.diff(segment.turn_index[sampled])) + 1):
            found.append(segment.tokens[seen : mine[0]])
            seen = int(mine[-1]) + 1
    return found


def openings(segments: Sequence[Segment]) -> list[Ids]:
    """The tokens before the first message of each turn's segment, by segment, then by turn."""
    found = []
    for segment in segments:
        sampled = np.flatnonzero(segment.completion_mask)
        num_turns = 1 + np.count_nonzero(np.diff(segment.turn_index[sampled])) if len(sampled) else 0
        found += [segment.tokens[: sampled[0]]] * num_turns if num_turns else []
    return found


def final_observation(batch: TrainBatch, trajectory: int) -> Ids:
    """The tokens of the final observation of an episode that a limit cut.

    Where none was recorded, the observation before the last message stands in for it.
    """
    last = batch.segments[batch.segments_of(trajectory)[-1]]
    final = batch.trajectories[trajectory].metadata.get(FINAL_PROMPT)
    if final is None:
        return observations([last])[-1]
    prompt: Ids = np.asarray(final, np.int32)
    size = last.num_tokens
    goes_on = len(prompt) > size and bool((prompt[:size] == last.tokens).all())
    return prompt[size:] if goes_on else prompt


def encode_observations(
    network: CriticNetwork,
    wanted: Sequence[Ids],
    opened: Sequence[Ids],
    packing: PackingConfig,
    policy: PolicyModel | None,
) -> Observed:
    """Read observations, each alone and alike ones once; longer than a row, they keep their last tokens.

    Args:
        network: With gradient for its tower, where it has one.
        wanted: Their tokens, at least one of each.
        opened: The tokens that the episode of each began with; left alone by a network that reads no openings.
        packing: The shape of micro-batches.
        policy: Whose hidden states are read where the network has no tower. What a frozen one read is kept.
    """
    places: dict[bytes, int] = {}
    has_opening = network.seen is not None and network.seen.has_opening
    cut = [ids[-(packing.row_length - 1) :] for ids in (*wanted, *(opened if has_opening else ()))]
    row = [places.setdefault(ids.tobytes(), len(places)) for ids in cut]
    _, first = np.unique(row, return_index=True)
    alone = [_alone(cut[index]) for index in first]
    lengths: Int64[np.ndarray, " U"] = np.array([each.num_tokens - 1 for each in alone], np.int64)
    if network.tower is None and isinstance(policy, FrozenPolicy):
        flat = policy.read_once("observations", alone, lambda segment: _read(network, [segment], packing, policy))
    else:
        flat = _read(network, alone, packing, policy)
    is_token = torch.from_numpy(np.arange(lengths.max(initial=1)) < lengths[:, None]).to(flat.device)
    tokens = flat.new_zeros(*is_token.shape, flat.shape[-1])
    tokens[is_token] = flat
    rows = torch.tensor(row, dtype=torch.int64, device=flat.device)
    return Observed(tokens, is_token, rows[: len(wanted)], rows[len(wanted) :] if has_opening else None)


def _alone(ids: Ids) -> Segment:
    """An observation as a segment; packing wants a sampled token, which stands behind it and is not read."""
    tokens = np.append(ids, ids[-1]).astype(np.int32)
    mask = np.zeros(len(tokens), np.bool_)
    mask[-1] = True
    nothing, zeros = np.full(len(tokens), np.nan, np.float32), np.zeros(len(tokens), np.int32)
    return Segment(tokens, mask, zeros, nothing, zeros, "observation")


def _read(
    network: CriticNetwork, segments: Sequence[Segment], packing: PackingConfig, policy: PolicyModel | None
) -> Float[Tensor, "M D"]:
    """Hidden states at all tokens but the last of each segment, one segment after another."""
    found: list[tuple[int, Tensor]] = []
    for micro in pack(segments, packing):
        moved: MicroBatch = micro.to(next(network.parameters()).device)
        hidden = hidden_for(network, moved, policy)
        found += [
            (place.segment, hidden[place.row, place.start : place.start + place.length - 1])
            for place in moved.placements
        ]
    return torch.cat([states for _, states in sorted(found, key=lambda each: each[0])])
