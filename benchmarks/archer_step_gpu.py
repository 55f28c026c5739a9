"""One iteration of ArCHer beside one of GRPO with a 0.5 B-parameter model on a GPU; the work of `grpo_step_gpu`.

Random weights make no tool call, so that the work is fixed: every episode is three messages of the full length. As in
`archer_step`, ArCHer makes four updates of its critic, on the policy's hidden states, and one of its actor, each on as
many episodes as were collected. Without a GPU a tiny model runs in the same way; its figures mean little.
"""

from __future__ import annotations

import gc
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from agentgym.store import RunStore
from agentgym_rl.run.setup import assemble
from agentgym_rl.run.trainer import Trainer
from benchmarks import archer_step, grpo_step_gpu
from benchmarks.grpo_step_gpu import Keeper, Load, peak_bytes, save_model
from benchmarks.measure import Spread
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "torch", "transformers")
SIDES = ("grpo", "archer", "archer_in_sample")


def run(folder: Path, load: Load, name: str) -> dict[str, Any]:
    """The measured iterations of one side; the first one is not measured.

    Args:
        folder: Holds the model; the run is written beside it.
        load: The size of the work.
        name: One of `SIDES`.
    """
    progress(name)
    base = grpo_step_gpu.config_of(folder / "model", load)
    sized = archer_step.Load(str(folder / "model"), load.tasks, load.group_size, load.iterations)
    own = archer_step.config_of(sized, archer_step.algorithms(sized)[name])
    config = replace(base, algorithm=own.algorithm)
    gc.collect()  # frees the memory of the side before
    parts = assemble(config)
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    with RunStore.create(folder / name, {"kind": "train"}) as store:
        keeper = Keeper(store, folder / name)
        trainer = Trainer(
            config,
            parts.suite,
            parts.model,
            parts.policy,
            reference=None,
            store=store,
            folder=folder / name,
            journal=keeper,
        )
        trainer.run()
        trainer.learner.close()
        keeper.close()
    rows = [(each["time/iteration_s"], each["time/collect_s"]) for each in keeper.kept[1:]]
    return {
        "iteration_s": Spread.of([iteration for iteration, _ in rows]).to_json(),
        "learn_s": Spread.of([iteration - collect for iteration, collect in rows]).to_json(),
        "peak_mb": peak_bytes() / 1e6,
    }


def measure(is_quick: bool) -> Report:
    """All sides on this machine's device."""
    has_gpu = torch.cuda.is_available()
    if not has_gpu:
        progress("no GPU: a tiny model runs instead, its figures mean little")
    quick = Load(tasks=2, group_size=8, message_tokens=32, iterations=1)
    load = Load(iterations=2) if has_gpu and not is_quick else quick
    with tempfile.TemporaryDirectory(prefix="archer-step-gpu-") as place:
        save_model(Path(place) / "model", is_tiny=not has_gpu)
        found = {name: run(Path(place), load, name) for name in SIDES}
    share = found["archer"]["iteration_s"]["median"] / found["grpo"]["iteration_s"]["median"]
    goals = [Goal("an ArCHer iteration, times a GRPO iteration", share, 2.5, "at most")] if has_gpu else []
    device = torch.cuda.get_device_name() if has_gpu else "cpu"
    return Report(figures={"device": device, **found}, setting=load.__dict__, goals=goals)


if __name__ == "__main__":
    sys.exit(main("archer_step_gpu", measure, PACKAGES))
