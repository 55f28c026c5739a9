"""Actions that the policy samples now in the states of stored turns, all in one batch.

Not here: how they are scored (branches.py), what is learnt from them (actor.py, critic_updates.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int64

from agentgym.policies.torch_policy import TorchPolicy
from agentgym.policy import Request, Sampling
from agentgym.rollout import draw_seed
from agentgym.task import Task
from agentgym.trajectory import Segment
from agentgym_rl.hierarchical.branches import Branch
from agentgym_rl.hierarchical.transitions import TurnTransitions

_NO_TASK = Task("resampled", 0)


def sample_branches(
    policy: TorchPolicy,
    segments: Sequence[Segment],
    turns: TurnTransitions,
    wanted: Int64[np.ndarray, " M"],
    sampling: Sampling,
    seed: int,
) -> list[Branch]:
    """An action of the present policy for each of some turns, in the place of the stored one.

    Args:
        policy: With the weights that are trained.
        segments: Those that the turns lie in.
        turns: The stored turns.
        wanted: Which of them.
        sampling: As in collecting.
        seed: Of the draws; a turn's draw depends on it and on the turn's place among those wanted.
    """
    starts = [_start(segments[turns.segment[n]], int(turns.turn[n])) for n in wanted]
    requests = [
        Request(
            episode=f"resampled/{number}",
            turn=0,
            task=_NO_TASK,
            messages=(),
            tools=(),
            prompt_ids=segments[turns.segment[n]].tokens[:start],
            seed=draw_seed(seed, number),
            sampling=sampling,
        )
        for number, (n, start) in enumerate(zip(wanted.tolist(), starts, strict=True))
    ]
    replies = policy.generate(requests, keeps_states=False)
    found = []
    for n, start, reply in zip(wanted.tolist(), starts, replies, strict=True):
        assert reply.ids is not None
        found.append(Branch(int(turns.segment[n]), start, int(turns.turn[n]), reply.ids))
    return found


def _start(segment: Segment, turn: int) -> int:
    """Tokens before the first sampled one of a turn."""
    return int(np.flatnonzero(segment.completion_mask & (segment.turn_index == turn))[0])
