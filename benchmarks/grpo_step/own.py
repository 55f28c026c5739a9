"""agentgym's side of `benchmarks.grpo_step`: its trainer, writing its run's database and metrics as in any run.

Run by the driver in a process of its own.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

# The journal imports it when it opens. Here it counts among the imports, as all that TRL's side imports does.
import torch.utils.tensorboard  # noqa: F401

from agentgym.config import Source
from agentgym.store import RunStore
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.journal import Journal, Metrics
from agentgym_rl.run.setup import assemble
from agentgym_rl.run.trainer import Trainer
from benchmarks.grpo_step.work import Figures, Work, run_side
from benchmarks.slow_lookup import slow_suite


class Clock(Journal):
    """A journal that also keeps what the benchmark reports; the first iteration is not measured."""

    def __init__(self, store: RunStore, folder: Path, num_episodes: int) -> None:
        super().__init__(store, folder)
        self.figures = Figures()
        self._num_episodes = num_episodes
        self._ended: float | None = None

    def iteration(self, number: int, total: int, metrics: Metrics, seconds: float) -> None:
        """Take the time and the counts of an iteration that has ended."""
        super().iteration(number, total, metrics, seconds)
        now = time.perf_counter()
        if self._ended is not None:
            self.figures.iteration_s.append(now - self._ended)
            self.figures.turns.append(round(metrics["episode/turns"] * self._num_episodes))
            self.figures.sampled_tokens.append(round(metrics["tokens/sampled"]))
            self.figures.success.append(metrics["success/mean"])
        self._ended = now


def config_of(work: Work) -> TrainConfig:
    """The trainer's configuration: DAPO's loss without its resampling, one update an iteration."""
    tables = {
        "run": {"suite": "tools/lookup", "iterations": work.iterations + 1, "seed": work.seed},
        "model": {"path": work.model},
        "group": {"size": work.group_size, "tasks": work.tasks, "dynamic_sampling": "keep"},
        "rollout": {
            "sampling": {"temperature": 1.0, "max_tokens": work.message_tokens},
            "env_threads": work.tasks * work.group_size,
        },
        "algorithm": {"preset": "dapo"},
        "optimiser": {"learning_rate": work.learning_rate},
        "packing": {"row_length": 512, "micro_batch_tokens": work.micro_batch_tokens, "is_packed": False},
        "validation": {"every": 0, "has_final_test": False},
        "checkpoint": {"every": 1000},
    }
    return config_from_tables(tables, Source())


def train(work: Work) -> Figures:
    """Run the iterations."""
    config, folder = config_of(work), Path(work.folder)
    parts = assemble(config)
    with RunStore.create(folder, {"kind": "train"}) as store:
        clock = Clock(store, folder, work.tasks * work.group_size)
        suite = slow_suite(work.delay_s)
        trainer = Trainer(
            config, suite, parts.model, parts.policy, reference=None, store=store, folder=folder, journal=clock
        )
        trainer.run()
        clock.close()
    return clock.figures


if __name__ == "__main__":
    run_side(train, sys.argv[1])
