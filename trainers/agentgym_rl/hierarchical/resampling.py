"""Actions that the policy samples now in the states of stored turns, all in one batch.

Not here: how they are scored (branches.py), what is learnt from them (actor.py, critic/updates.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int, Int64

from agentgym.policies.sampler import Branches, Fork, Sampler
from agentgym.policy import Request, Sampling
from agentgym.rollout import draw_seed
from agentgym.task import Task
from agentgym.trajectory import Segment
from agentgym_rl.hierarchical.branches import Branch
from agentgym_rl.hierarchical.transitions import TurnTransitions

_NO_TASK = Task("resampled", 0)


def sample_branches(
    policy: Sampler,
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
    starts = [first_sampled(segments[turns.segment[n]], int(turns.turn[n])) for n in wanted]
    forks = [Fork(start, sampling.max_tokens, draw_seed(seed, number)) for number, start in enumerate(starts)]
    of_segment = [int(turns.segment[n]) for n in wanted]
    if policy.branches is not None:
        messages = _together(policy.branches, segments, of_segment, forks, sampling)
    else:
        messages = _one_by_one(policy, segments, of_segment, forks, sampling)
    return [
        Branch(index, fork.start, int(turns.turn[n]), ids)
        for index, fork, n, ids in zip(of_segment, forks, wanted, messages, strict=True)
    ]


def _together(
    branches: Branches,
    segments: Sequence[Segment],
    of_segment: Sequence[int],
    forks: Sequence[Fork],
    sampling: Sampling,
) -> list[Int[np.ndarray, " K"]]:
    """Each episode passes through the model once."""
    mine: dict[int, list[int]] = {}
    for number, index in enumerate(of_segment):
        mine.setdefault(index, []).append(number)
    own = [[forks[number] for number in numbers] for numbers in mine.values()]
    found = branches.sample([segments[index].tokens for index in mine], own, sampling)
    messages = {
        number: message.ids
        for numbers, replies in zip(mine.values(), found, strict=True)
        for number, message in zip(numbers, replies, strict=True)
    }
    return [messages[number] for number in range(len(forks))]


def _one_by_one(
    policy: Sampler,
    segments: Sequence[Segment],
    of_segment: Sequence[int],
    forks: Sequence[Fork],
    sampling: Sampling,
) -> list[Int[np.ndarray, " K"]]:
    """Each message has a prompt of its own, for samplers that cannot branch."""
    requests = [
        Request(
            episode=f"resampled/{number}",
            turn=0,
            task=_NO_TASK,
            messages=(),
            tools=(),
            prompt_ids=segments[index].tokens[: fork.start].tolist(),
            seed=fork.seed,
            sampling=sampling,
        )
        for number, (index, fork) in enumerate(zip(of_segment, forks, strict=True))
    ]
    replies = policy.generate(requests, keeps_states=False)
    assert all(reply.ids is not None for reply in replies)
    return [np.asarray(reply.ids, np.int32) for reply in replies]


def first_sampled(segment: Segment, turn: int) -> int:
    """Tokens before the first sampled one of a turn."""
    return int(np.flatnonzero(segment.completion_mask & (segment.turn_index == turn))[0])
