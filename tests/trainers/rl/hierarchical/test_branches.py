"""A new action behind a stored episode is scored as if prompt and action were alone in a row."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agentgym.trajectory import Segment
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.positions import turn_positions
from agentgym_rl.hierarchical import branches
from agentgym_rl.hierarchical.branches import Branch, BranchedBatch, branch_micro_batches
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.tiny import random_segments, tiny_llama

PACKING = PackingConfig(row_length=64, micro_batch_tokens=256)


def some_branches(segments: list[Segment]) -> list[Branch]:
    """An action of one to four tokens in the place of each turn."""
    rng, found = np.random.default_rng(3), []
    for index, segment in enumerate(segments):
        for turn in np.unique(segment.turn_index[segment.completion_mask]).tolist():
            start = int(np.flatnonzero(segment.completion_mask & (segment.turn_index == turn))[0])
            ids = rng.integers(1, 61, int(rng.integers(1, 5))).astype(np.int32)
            found.append(Branch(index, start, turn, ids))
    return found


def alone(branch: Branch, segment: Segment) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities of a branch's tokens, and the hidden state at its last one, in a row of its own."""
    tokens = torch.from_numpy(np.append(segment.tokens[: branch.start], branch.action_ids).astype(np.int64))[None]
    mask = torch.arange(tokens.shape[1])[None] >= branch.start
    policy = PolicyModel(tiny_llama())
    hidden = policy.hidden_states(tokens, torch.arange(tokens.shape[1])[None], None)
    return policy.read(hidden, tokens, mask)[0], hidden[0, -1]


def branches_that_see_the_whole_trunk(self: BranchedBatch) -> torch.Tensor:
    """The stored action and what came after it are in sight of the new one."""
    object.__setattr__(self, "trunk_end", torch.full_like(self.trunk_end, 10_000))
    return attention_mask(self)


def branches_that_see_themselves_alone(self: BranchedBatch) -> torch.Tensor:
    """As packed segments do."""
    object.__setattr__(self, "trunk_block", torch.full_like(self.trunk_block, -1))
    return attention_mask(self)


attention_mask = BranchedBatch.attention_mask


@parametrised(attention_mask, branches_that_see_the_whole_trunk, branches_that_see_themselves_alone)
@pytest.mark.parametrize("has_stored", [True, False])
def test_a_branch_is_scored_as_if_it_were_alone(implementation, is_bug: bool, has_stored: bool) -> None:
    """Trap D-20, for new actions."""
    segments = random_segments(6)
    made, policy = some_branches(segments), PolicyModel(tiny_llama())
    seen = set()
    with swapped(branches.BranchedBatch, "attention_mask", implementation), torch.no_grad(), noticed(is_bug):
        for micro in branch_micro_batches(segments, made, PACKING, has_stored=has_stored):
            hidden = policy.hidden_states(micro.tokens, micro.position_ids, micro.attention_mask())
            logprobs, _ = policy.read(hidden, micro.tokens, micro.completion_mask)
            positions = turn_positions(micro)
            for n, index in enumerate(positions.segment.tolist()):
                if index < len(segments):
                    continue
                branch = made[index - len(segments)]
                expected, last = alone(branch, segments[branch.trunk])
                assert torch.allclose(logprobs[positions.turn_of_token == n], expected, atol=1e-9)
                assert torch.allclose(hidden[positions.row[n], positions.action[n]], last, atol=1e-9)
                seen.add(index)
        assert len(seen) == len(made)


def test_stored_actions_beside_branches_are_scored_as_without_them() -> None:
    segments = random_segments(5)
    made, policy = some_branches(segments), PolicyModel(tiny_llama())
    found = {}
    with torch.no_grad():
        for each in (made, []):
            sums: dict[tuple[int, int], float] = {}
            for micro in branch_micro_batches(segments, each, PACKING, has_stored=True):
                positions = turn_positions(micro)
                totals = positions.sum_of_tokens(policy.score(micro)[0])
                keys = zip(positions.segment.tolist(), positions.turn.tolist(), strict=True)
                sums |= dict(zip(keys, totals.tolist(), strict=True))
            found[len(each)] = {key: value for key, value in sums.items() if key[0] < len(segments)}
    assert found[0] == pytest.approx(found[len(made)])


def test_rows_without_stored_actions_train_nothing_else() -> None:
    segments = random_segments(5)
    made = [branch for branch in some_branches(segments) if branch.trunk != 2]
    batches = branch_micro_batches(segments, made, PACKING, has_stored=False)
    placed = {place.segment for micro in batches for place in micro.placements}
    assert 2 not in placed
    assert sum(micro.num_trained_tokens for micro in batches) == sum(len(branch.action_ids) for branch in made)
