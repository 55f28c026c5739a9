"""What each of two ranks runs for the test that ranks add up: half of the episodes, gradients and counts summed."""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.logprobs import token_logprobs
from agentgym_rl.core.packing import number_sequences, pack
from agentgym_rl.maths.aggregation import count_totals, token_weights
from agentgym_rl.maths.losses import TokenStreams, policy_loss
from agentgym_rl.maths.options import ClippedLoss
from tests.trainers.rl import planted
from tests.trainers.rl.tiny import gradient, hidden_states, random_segments, tiny_llama

MODES = ("token_mean", "seq_mean_token_mean", "seq_mean_token_sum")


def update(rank: int, num_ranks: int, weigh) -> dict[str, torch.Tensor]:
    """Gradient of each mode on this rank's share of eight episodes, and the share of the summed loss."""
    segments = random_segments(8)
    numbers = number_sequences(segments)
    mine = list(range(rank, len(segments), num_ranks))
    batches = pack([segments[i] for i in mine], PackingConfig(64, 64), sequence_index=numbers[mine])
    trained = torch.cat([batch.sequence_index for batch in batches])
    totals = count_totals(trained, len(segments), across_ranks=num_ranks > 1)
    results = {}
    for mode in MODES:
        for batch in batches:
            head = tiny_llama().lm_head.weight
            logprobs, _ = token_logprobs(hidden_states(batch), head, batch.tokens, batch.completion_mask)
            advantages = batch.flatten([float(numbers[i]) - 3.0 for i in mine], torch.float64)
            streams = TokenStreams(logprobs, advantages, batch.sequence_index, batch.turn_index)
            policy_loss(streams, weigh(mode, batch.sequence_index, totals), ClippedLoss())[0].backward()
        results[mode] = gradient()
    return results


def main(rank: int, num_ranks: int, folder: Path) -> None:
    """Write the summed gradients of our weights and of the planted ones."""
    store = dist.FileStore(str(folder / "store"), num_ranks)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=num_ranks, timeout=timedelta(seconds=60))
    for weigh in (token_weights, planted.weights_of_local_mean):
        results = update(rank, num_ranks, weigh)
        for flat in results.values():
            dist.all_reduce(flat)
        if rank == 0:
            torch.save(results, folder / f"{weigh.__name__}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), Path(sys.argv[1]))
