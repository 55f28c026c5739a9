"""Known bugs of agent trainers, each under its own name, for the tests that must fail on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch

from agentgym.rollout import GroupCollector
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.logprobs import token_logprobs
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.packing import pack
from agentgym_rl.maths.advantages import AdvantageConfig, GroupAdvantages, GroupReturns, group_advantages
from agentgym_rl.maths.aggregation import Totals, count_totals, token_weights
from agentgym_rl.maths.gae import EpisodeAdvantages, GaeConfig, gae, turn_gae
from agentgym_rl.maths.importance import importance_weights
from agentgym_rl.maths.kl import kl_estimate

Check = Callable[[Any], None]


def trap(right: Any, *bugs: Any) -> Callable[[Check], Callable[..., None]]:
    """Run one check on the right implementation, and on each planted bug, where it must fail."""

    def decorate(check: Check) -> Callable[..., None]:
        @pytest.mark.parametrize("implementation", [right, *bugs], ids=["ours", *(f"bug:{b.__name__}" for b in bugs)])
        def test(implementation: Any) -> None:
            if implementation is right:
                check(implementation)
            else:
                with noticed(True):
                    check(implementation)

        test.__name__, test.__doc__, test.__module__ = check.__name__, check.__doc__, check.__module__
        return test

    return decorate


def swapped(owner: Any, name: str, replacement: Any) -> Any:
    """The bug in place of ours, inside a test only."""
    patch = pytest.MonkeyPatch()

    @contextmanager
    def inside() -> Iterator[None]:
        patch.setattr(owner, name, replacement)
        try:
            yield
        finally:
            patch.undo()

    return inside()


def parametrised(right: Any, *bugs: Any) -> Any:
    """Like `trap`, for checks that need fixtures: they run on `implementation`, and expect failure where `is_bug`."""
    cases = [(right, False), *((bug, True) for bug in bugs)]
    ids = ["ours", *(f"bug:{bug.__name__}" for bug in bugs)]
    return pytest.mark.parametrize(("implementation", "is_bug"), cases, ids=ids)


@contextmanager
def noticed(is_bug: bool) -> Iterator[None]:
    """The check inside must fail on a bug."""
    if is_bug:
        # Nobody reads how the sides differ; on CI, pytest works it out at length: half a minute where they are long.
        with patch("_pytest.assertion.util._reprcompare", None), pytest.raises(AssertionError):
            yield
    else:
        yield


# Masks and log-probabilities


def logprobs_from_own_state(hidden, head, tokens, mask, **options):
    """D-1: the log-probability of token k from hidden state k instead of k - 1."""
    rolled = torch.roll(hidden, -1, dims=1)
    return token_logprobs(rolled, head, tokens, mask, **options)


def logprobs_of_prompts(hidden, head, tokens, mask, **options):
    """D-2: the mask inverted."""
    inverted = ~mask
    inverted[:, 0] = False
    return token_logprobs(hidden, head, tokens, inverted, **options)


def logprobs_with_shifted_mask(hidden, head, tokens, mask, **options):
    """D-2: the mask one position early."""
    shifted = torch.roll(mask, -1, dims=1)
    shifted[:, 0] = False
    return token_logprobs(hidden, head, tokens, shifted, **options)


def logprobs_without_temperature(hidden, head, tokens, mask, **options):
    """D-19: the trainer forgets the temperature that sampling used."""
    return token_logprobs(hidden, head, tokens, mask)


def segments_training_forced_tokens(trajectory: Trajectory) -> list[Any]:
    """D-3: everything after the first sampled token of a turn counts as sampled, up to the next prompt's text."""
    segments = trajectory.segments()
    for segment in segments:
        forced = np.flatnonzero(segment.completion_mask[:-1] & ~segment.completion_mask[1:]) + 1
        segment.completion_mask[forced] = True
    return segments


# Packing


def pack_with_running_positions(segments: Sequence[Any], config: PackingConfig) -> list[MicroBatch]:
    """D-20: positions count on through a row."""
    batches = pack(segments, config)
    for batch in batches:
        batch.position_ids.copy_(torch.arange(batch.tokens.shape[1]).expand_as(batch.tokens))
    return batches


def pack_with_plain_causal_attention(segments: Sequence[Any], config: PackingConfig) -> list[MicroBatch]:
    """D-20: a packed segment sees its neighbour to the left."""
    batches = pack(segments, config)
    for batch in batches:
        batch.block_index.fill_(1)
    return batches


def pack_counting_rows_as_sequences(segments: Sequence[Any], config: PackingConfig) -> list[MicroBatch]:
    """D-6: every segment counts as an episode of its own."""
    return pack(segments, config, sequence_index=np.arange(len(segments)))


def flatten_in_input_order(batch: MicroBatch, values: Sequence[Any]) -> torch.Tensor:
    """D-6: advantages concatenated in the order given, not in the order of the rows."""
    masks = {place.segment: mask for place, mask in zip(batch.placements, batch.sampled, strict=True)}
    return torch.cat([torch.full((int(masks[i].sum()),), float(values[i])) for i in sorted(masks)])


# Aggregation and importance


def weights_of_local_mean(mode: str, sequence_index: torch.Tensor, totals: Totals, **options) -> torch.Tensor:
    """D-7: divides by the tokens of the micro-batch."""
    return token_weights("local_token_mean", sequence_index, totals)


def weights_of_sequence_mean(mode: str, sequence_index: torch.Tensor, totals: Totals, **options) -> torch.Tensor:
    """D-9: averages inside sequences whatever was declared."""
    return token_weights("seq_mean_token_mean", sequence_index, totals)


def weights_of_token_mean(mode: str, sequence_index: torch.Tensor, totals: Totals, **options) -> torch.Tensor:
    """D-9: averages over tokens whatever was declared."""
    return token_weights("token_mean", sequence_index, totals)


def weights_after_rejection(sequence_index: torch.Tensor, importance: torch.Tensor) -> torch.Tensor:
    """D-8: counts only the tokens that survived."""
    kept = sequence_index[importance > 0]
    return token_weights("token_mean", sequence_index, count_totals(kept, int(sequence_index.max()) + 1))


def importance_of_recomputed_samples(prox, behaviour, sequence_index, config):
    """D-18: old log-probabilities recomputed by the current policy, so that replay looks on-policy."""
    return importance_weights(prox, prox, sequence_index, config)


# Advantages


def advantages_from_batch_mean(groups: Sequence[GroupReturns], config: AdvantageConfig) -> list[GroupAdvantages]:
    """D-10: one baseline for the whole batch, as when groups of one task are merged."""
    merged = GroupReturns([r for g in groups for r in g.returns], [t for g in groups for t in g.is_truncated])
    whole = group_advantages([merged], config)[0]
    ends = np.cumsum([len(g.returns) for g in groups])[:-1]
    parts = zip(np.split(whole.advantages, ends), np.split(whole.is_trained, ends), strict=True)
    return [GroupAdvantages(advantages, trained, 0, 0, 0) for advantages, trained in parts]


def advantages_raw_where_no_spread(groups: Sequence[GroupReturns], config: AdvantageConfig) -> list[GroupAdvantages]:
    """D-11: a group without spread gets mean 0 and deviation 1, so its raw reward."""
    results = []
    for group, ours in zip(groups, group_advantages(groups, config), strict=True):
        raw = np.array(group.returns, dtype=np.float64)
        results.append(ours if ours.has_signal else GroupAdvantages(raw, ours.is_trained, 0, 0, 0))
    return results


def advantages_amplifying_noise(groups: Sequence[GroupReturns], config: AdvantageConfig) -> list[GroupAdvantages]:
    """D-11: divides by the deviation whatever it is."""
    results = []
    for group in groups:
        raw = np.array(group.returns, dtype=np.float64)
        scaled = (raw - raw.mean()) / (raw.std() + 1e-12)
        results.append(GroupAdvantages(scaled, np.ones(len(raw), dtype=bool), 0, 0, 0))
    return results


def advantages_with_nan_as_zero(groups: Sequence[GroupReturns], config: AdvantageConfig) -> list[GroupAdvantages]:
    """D-16: a broken or missing reward silently becomes 0."""
    filled = [GroupReturns([0.0 if r is None or r != r else r for r in g.returns], g.is_truncated) for g in groups]
    return group_advantages(filled, config)


def advantages_ignoring_truncation(groups: Sequence[GroupReturns], config: AdvantageConfig) -> list[GroupAdvantages]:
    """D-13: the declared treatment of truncated rollouts is dropped."""
    return group_advantages(groups, AdvantageConfig(estimator=config.estimator))


def baseline_over_steps(returns: Sequence[float], num_steps: Sequence[int]) -> np.ndarray:
    """D-12: a mean over steps, which long rollouts dominate."""
    return np.array(returns) - np.average(returns, weights=num_steps)


# Generalised advantages


def turn_gae_without_bootstrap(turn_rewards, values, turn_index, final_value, config: GaeConfig) -> EpisodeAdvantages:
    """D-13: a time limit treated as an end."""
    return turn_gae(turn_rewards, values, turn_index, None, config)


def token_gae_over_all_text(rewards, values, completion_mask, final_value, config: GaeConfig) -> EpisodeAdvantages:
    """D-14: reads values of, and discounts over, tokens that were not sampled."""
    return gae(rewards, values, final_value, config)


def token_gae_ending_in_padding(rewards, values, completion_mask, final_value, config: GaeConfig) -> EpisodeAdvantages:
    """D-14: bootstraps from the value at the last position of the text."""
    kept = gae(rewards[completion_mask], values[completion_mask], float(values[-1]), config)
    advantages, targets = np.zeros(len(values)), np.zeros(len(values))
    advantages[completion_mask], targets[completion_mask] = kept.advantages, kept.value_targets
    return EpisodeAdvantages(advantages, targets, completion_mask)


def rewards_at_nonzero_turns(turn_rewards: np.ndarray, turn_index: np.ndarray) -> np.ndarray:
    """D-24: turns found by their reward being non-zero, and paired with the first turns."""
    ends = np.flatnonzero(np.diff(turn_index, append=turn_index[-1] + 1))
    rewards = np.zeros(len(turn_index))
    nonzero = turn_rewards[turn_rewards != 0]
    rewards[ends[: len(nonzero)]] = nonzero
    return rewards


def rewards_at_last_turn(turn_rewards: np.ndarray, turn_index: np.ndarray) -> np.ndarray:
    """D-24: only the last reward counts."""
    rewards = np.zeros(len(turn_index))
    rewards[-1] = turn_rewards[-1]
    return rewards


def credit_across_branches(branch_rewards: list[list[float]]) -> list[np.ndarray]:
    """D-24: the turns of all branches run through one backward pass."""
    laid = np.concatenate([np.array(r) for r in branch_rewards])
    credit = gae(laid, np.zeros(len(laid)), None, GaeConfig(0.9, 0.8)).advantages
    return np.split(credit, np.cumsum([len(r) for r in branch_rewards])[:-1])


def step_rewards_with_penalty_twice(trajectory: Trajectory) -> np.ndarray:
    """D-32: the algorithm takes its own penalty for invalid turns although the environment's is in the events."""
    return trajectory.step_rewards() - 0.1 * np.array([turn.was_invalid for turn in trajectory.turns])


# Divergence


def kl_in_loss_by_k1(policy: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    """D-17: k1, whose gradient is zero in the mean."""
    return kl_estimate(policy, reference, "k1")


def kl_in_loss_by_k3(policy: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    """D-17: k3, whose gradient is that of another divergence."""
    return kl_estimate(policy, reference, "k3")


class CollectorOfTheFirst(GroupCollector):
    """D-22: whichever group is whole first is trained on first."""

    def collect(self, num_groups: int, on_episode: Any = None) -> list[Group]:
        groups: list[Group] = []
        while len(groups) < num_groups:
            self._admit(self._max_in_flight)
            self._take(on_episode)
            whole = [each for each in self._in_flight if len(each.finished) == self._group_size]
            for admission in whole[: num_groups - len(groups)]:
                self._in_flight.remove(admission)
                groups += admission.groups()
        return groups
