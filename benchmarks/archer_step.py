"""One iteration of ArCHer beside one of GRPO on the same turns: what a critic and actions sampled anew cost.

Both train the same 0.25 M-parameter model, cloned from scripted tool calls so briefly that hardly a group has equal
returns, which GRPO would not learn from, on the same Lookup tasks in the same order: 12 groups of 16 episodes an
iteration, one thread, float32. GRPO makes one update on all of them (DAPO's loss). ArCHer makes four updates of its
critic and one of its actor, each on as many episodes as were collected; the critic reads the policy's hidden states,
and every drawn turn gets an action sampled anew, for V and again for the actor. The replay buffer of `archer` holds the
episodes of the iteration, so that both sides learn from the same turns; that of `archer_replay` holds all, and the
updates of an iteration read more than twice as many episodes. `archer_quarters` draws a quarter as many of all for each
update of the critic, so that the four together see as many as were collected; `archer_in_sample` learns from stored
actions of all alone.

An iteration is timed whole, collecting included, the first of a run not; runs of all sides alternate. `learn_share` is
the time of an iteration outside collecting, in GRPO's.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentgym.config import Source, merged
from agentgym.store import RunStore
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.setup import assemble
from agentgym_rl.run.trainer import Trainer
from benchmarks.grpo_step.work import make_model
from benchmarks.grpo_step_gpu import Keeper
from benchmarks.measure import Spread, interleaved
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "torch", "transformers")


@dataclass(frozen=True)
class Load:
    """The size of the work."""

    model: str
    tasks: int = 12
    group_size: int = 16
    iterations: int = 2

    @property
    def episodes(self) -> int:
        """Collected an iteration."""
        return self.tasks * self.group_size


def algorithms(load: Load) -> dict[str, dict[str, Any]]:
    """The table [algorithm] of each side."""
    critic = {"updates": 4, "warmup": 0, "batch": load.episodes}
    replay = {"unit": "episode"}
    actor = {"updates": 1, "batch": load.episodes}
    return {
        "grpo": {"preset": "dapo"},
        "archer": {
            "preset": "archer",
            "critic": critic,
            "actor": actor,
            "replay": {**replay, "max_age": 0},
        },
        "archer_replay": {"preset": "archer", "critic": critic, "actor": actor, "replay": replay},
        "archer_quarters": {
            "preset": "archer",
            "critic": {**critic, "batch": load.episodes // 4},
            "actor": actor,
            "replay": replay,
        },
        "archer_in_sample": {"preset": "archer_in_sample", "critic": critic, "actor": actor, "replay": replay},
    }


def config_of(load: Load, algorithm: Mapping[str, Any]) -> TrainConfig:
    """A side's configuration."""
    tables = {
        "run": {"suite": "tools/lookup", "iterations": load.iterations + 1},
        "model": {"path": load.model},
        "group": {"size": load.group_size, "tasks": load.tasks},
        "rollout": {"sampling": {"temperature": 1.0, "max_tokens": 40}},
        "optimiser": {"learning_rate": 1e-5},
        "packing": {"row_length": 512, "micro_batch_tokens": 1024, "is_packed": False},
        "validation": {"every": 0, "has_final_test": False},
        "checkpoint": {"every": 1000},
    }
    return config_from_tables(merged(tables, {"algorithm": dict(algorithm)}), Source())


def run(load: Load, name: str) -> list[dict[str, float]]:
    """The measured iterations of one run of a side: seconds in all and of learning, and turns."""
    progress(name)
    config = config_of(load, algorithms(load)[name])
    parts = assemble(config)
    with tempfile.TemporaryDirectory(prefix="archer-step-") as place:
        folder = Path(place) / "run"
        with RunStore.create(folder, {"kind": "train"}) as store:
            keeper = Keeper(store, folder)
            trainer = Trainer(
                config,
                parts.suite,
                parts.model,
                parts.policy,
                reference=None,
                store=store,
                folder=folder,
                journal=keeper,
            )
            trainer.run()
            trainer.learner.close()
            keeper.close()
    return [
        {
            "iteration_s": each["time/iteration_s"],
            "learn_s": each["time/iteration_s"] - each["time/collect_s"],
            "turns": each["episode/turns"] * load.episodes,
        }
        for each in keeper.kept[1:]
    ]


def measure(is_quick: bool) -> Report:
    """All sides."""
    with tempfile.TemporaryDirectory(prefix="archer-step-") as folder:
        model = Path(folder) / "model"
        progress("cloning the model")
        make_model(model, "0.25M", demonstrations=300, epochs=1)
        load = Load(str(model))
        if is_quick:
            load = replace(load, tasks=4, group_size=8, iterations=1)
        sides = {name: lambda name=name: run(load, name) for name in algorithms(load)}
        found = interleaved(sides, 1 if is_quick else 3)
    tables = {name: table(runs) for name, runs in found.items()}
    for name in tables:
        tables[name] |= {
            "times_grpo": tables[name]["iteration_s"]["median"] / tables["grpo"]["iteration_s"]["median"],
            "learn_share": tables[name]["learn_s"]["median"] / tables["grpo"]["learn_s"]["median"],
        }
    goal = Goal("an ArCHer iteration, times a GRPO iteration", tables["archer"]["times_grpo"], 2.5, "at most")
    setting = {"episodes": load.episodes, "critic_updates": 4, "actor_updates": 1}
    return Report(figures=tables, setting=setting, goals=[goal])


def table(runs: Sequence[Sequence[Mapping[str, float]]]) -> dict[str, Any]:
    """Spreads over the iterations of all runs of a side."""
    rows = [row for each in runs for row in each]
    return {name: Spread.of([row[name] for row in rows]).to_json() for name in rows[0]}


if __name__ == "__main__":
    sys.exit(main("archer_step", measure, PACKAGES))
