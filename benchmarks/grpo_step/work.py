"""The work that both sides of `benchmarks.grpo_step` are given, the cloned model included, and what they report.

How a side does the work is in `benchmarks.grpo_step.own` and `benchmarks.grpo_step.trl`.
"""

from __future__ import annotations

import itertools
import json
import resource
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from agentgym.rollout import draw_seed, shuffled_tasks
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.trajectory import Trajectory, Turn
from agentgym_rl.core.cloning import clone, updates_of
from agentgym_rl.core.config.tables import PackingConfig, RunConfig, WarmStartConfig
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.demonstrations import collect_demonstrations, with_tokens
from agentgym_rl.groups.options import GroupOptions
from agentgym_rl.run.setup import assemble
from benchmarks.measure import resident_bytes

MAX_TURNS = 6
"""Of an episode of the suite."""


@dataclass(frozen=True)
class Work:
    """Training iterations on Lookup.

    Attributes:
        model: Folder of the cloned model.
        folder: An empty folder that the side may write to.
        iterations: Measured iterations; one more, which is not measured, comes first.
        tasks: Groups an iteration.
        group_size: Episodes a group.
        message_tokens: Most sampled tokens of a message, where the side can limit it (TRL cannot).
        episode_tokens: Most tokens of an episode after the first prompt, tool results included.
        delay_s: How long a tool call takes.
        micro_batch: Sequences that TRL's forward and backward pass takes at once.
        micro_batch_tokens: Tokens that agentgym's takes at once, padding included.
        learning_rate: Of AdamW.
        seed: Of everything random.
    """

    model: str
    folder: str
    iterations: int = 2
    tasks: int = 12
    group_size: int = 16
    message_tokens: int = 40
    episode_tokens: int = 256
    delay_s: float = 0.0
    micro_batch: int = 48
    micro_batch_tokens: int = 1024
    learning_rate: float = 1e-5
    seed: int = 0

    def task_list(self) -> list[Task]:
        """The tasks of all iterations, in the order in which agentgym's trainer takes them."""
        suite = load_suite("tools/lookup")
        stream = shuffled_tasks(suite.train_tasks(), draw_seed(self.seed, "tasks"))
        return list(itertools.islice(stream, self.tasks * (self.iterations + 1)))


@dataclass
class Figures:
    """What one side reports.

    Attributes:
        iteration_s: Wall time of each measured iteration, from the end of the one before to its own end.
        turns: Messages of the policy that the environment answered, by iteration.
        sampled_tokens: Tokens that the policy sampled, by iteration.
        success: Share of episodes that solved their task, by iteration.
        baseline_bytes: Resident memory after the imports, before model and trainer.
        peak_bytes: Largest resident memory of the process.
    """

    iteration_s: list[float] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    sampled_tokens: list[int] = field(default_factory=list)
    success: list[float] = field(default_factory=list)
    baseline_bytes: int = 0
    peak_bytes: int = 0


def run_side(side: Callable[[Work], Figures], argument: str) -> None:
    """The body of a side's process: the work as JSON in, the figures as the last line of stdout."""
    baseline = resident_bytes()
    figures = side(Work(**json.loads(argument)))
    figures.baseline_bytes = baseline
    figures.peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(asdict(figures)))


def make_model(folder: Path, size: str, demonstrations: int, epochs: int) -> None:
    """Clone the oracle's tool calls into a tiny model and save it.

    It also learns to say nothing once it has answered: TRL's environments cannot end an episode, and a model that
    knows no end would be asked for further calls until the limit.

    Args:
        folder: Where to.
        size: Of the tiny model.
        demonstrations: Episodes to clone.
        epochs: Passes over them.
    """
    warm_start = WarmStartConfig(demonstrations=demonstrations, epochs=epochs, learning_rate=3e-3, batch_episodes=4)
    packing = PackingConfig(row_length=512, micro_batch_tokens=4096, is_packed=False)
    run = RunConfig("tools/lookup", iterations=0)
    config = TrainConfig(run, warm_start=warm_start, packing=packing, algorithm=GroupOptions())
    parts = assemble(config)
    found = collect_demonstrations(parts.suite, "oracle", demonstrations, config.run.seed)
    episodes = with_tokens(map(_with_end, found), parts.renderer, parts.tools)
    num_updates = updates_of(warm_start, len(episodes))
    clone(parts.model, episodes, warm_start, packing, seed=config.run.seed, num_updates=num_updates)
    parts.model.causal_lm.save_pretrained(folder)
    parts.tokenizer.save_pretrained(folder)


def _with_end(record: Trajectory) -> Trajectory:
    """The episode with an empty message after its last observation."""
    told = record.metadata["last_messages"]
    end = Turn(len(record.turns), told, {"role": "assistant", "content": ""}, "")
    return replace(record, turns=[*record.turns, end])
