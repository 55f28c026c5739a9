"""What replay costs at a million turns on disk: drawing and reading 256 turns, keeping priorities, and memory.

A run of episodes of ten turns is written once; each turn has 24 prompt tokens (224 in the first) and 16 sampled ones
with their log-probabilities. In a fresh process the run is opened read-only and indexed, and batches are drawn.

- draw: the entries alone. read: their tokens too, every turn with all that the policy saw before it, and what it saw
  before its next one. update: setting the priorities of a batch.
- Memory is the resident size at its highest, from before the run is opened to after the last batch, less what the
  process held at first: columns, sums of priorities, what indexing needed, and the batches.
- `cold` reads each batch after the system was told to forget the file's pages.

Nothing of this depends on a model. Peers have no part in this: their buffers keep all tokens in memory.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.store import DATABASE, RunStore
from agentgym.trajectory import Group, Trajectory, Turn
from agentgym_rl.replay.draw import Draw
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.prioritised import PrioritisedReplay
from agentgym_rl.replay.reading import read_episodes, read_turns
from agentgym_rl.replay.returns import ReturnWeightedReplay
from agentgym_rl.replay.tables import PriorityConfig, ReplayConfig
from agentgym_rl.replay.uniform import UniformReplay
from benchmarks.measure import Spread, resident_bytes
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "numpy")
SUITE = "benchmark/replay"
TURNS = 10
GROUP = 50
BATCH = 256
_MIB = 1 << 20


def write_run(folder: Path, num_turns: int) -> None:
    """A run of so many turns."""
    rng = np.random.default_rng(0)
    with RunStore.create(folder, {"suite": SUITE}) as store:
        for number in range(num_turns // (TURNS * GROUP)):
            group = Group(f"g{number}", f"task-{number % 1000}", GROUP)
            for attempt in range(GROUP):
                group.add(_episode(rng, group, attempt, number))
            store.write_group(group, number // 16)


def _episode(rng: np.random.Generator, group: Group, attempt: int, number: int) -> Trajectory:
    reward = float(rng.random() < 0.3)
    turns = [
        Turn(
            index=index,
            messages=[{"role": "user", "content": "You 3, 4. Goal 7, 1. Walls up, left."}],
            reply={"role": "assistant", "content": "right"},
            text="right",
            prompt_ids=rng.integers(0, 30_000, 24 if index else 224, dtype=np.int32),
            action_ids=rng.integers(0, 30_000, 16, dtype=np.int32),
            behaviour_logprobs=-rng.random(16, dtype=np.float32),
            version=number // 16,
            opens_segment=index == 0,
        )
        for index in range(TURNS)
    ]
    return Trajectory(
        id=f"{group.id}-{attempt}",
        task_id=group.task_id,
        suite=SUITE,
        split="train",
        attempt=attempt,
        group_id=group.id,
        turns=turns,
        events=[RewardEvent(TURNS - 1, TURNS - 1, "agent", "success", reward)],
        weights={"success": 1.0},
        outcome=Outcome("terminated"),
        score=reward,
        success=reward > 0,
    )


def measure_run(folder: Path, repeats: int) -> dict[str, Any]:
    """All figures of one run, in this process: times in ms, memory in MiB."""
    before = resident_bytes()
    with RunStore.open(folder, read_only=True) as store:
        began = time.perf_counter()
        index = ReplayIndex(store, ReplayConfig(capacity=1 << 40), suite=SUITE)
        index.refresh(iteration=10_000, version=10_000)
        found: dict[str, Any] = {"turns": index.num_turns, "index_s": round(time.perf_counter() - began, 2)}
        uniform = UniformReplay(index, np.random.default_rng(1))
        prioritised = PrioritisedReplay(index, np.random.default_rng(2), PriorityConfig())
        returns = ReturnWeightedReplay(index, np.random.default_rng(3), unit="turn")
        values = np.random.default_rng(4).normal(size=BATCH)
        works: dict[str, Callable[[], object]] = {
            "uniform draw": lambda: uniform.draw(BATCH),
            "uniform draw and read": lambda: read_turns(uniform.draw(BATCH)),
            "prioritised draw": lambda: prioritised.draw(BATCH),
            "prioritised draw and read": lambda: read_turns(prioritised.draw(BATCH)),
            "prioritised update": lambda: prioritised.update(_any(index, values), values),
            "by return draw and read": lambda: read_turns(returns.draw(BATCH)),
        }
        found |= {name: _milliseconds(work, repeats) for name, work in works.items()}
        found["first draw after a refresh"] = _milliseconds(lambda: _draw_anew(index, prioritised), 3)
        found["memory_mib"] = (_highest_resident_bytes() - before) / _MIB
        found["uniform draw and read, cold"] = _milliseconds(
            lambda: read_turns(uniform.draw(BATCH)), repeats, lambda: _forget_pages(folder / DATABASE)
        )
        found["32 whole episodes"] = _milliseconds(
            lambda: read_episodes(UniformReplay(index, np.random.default_rng(5), "episode").draw(32)), repeats
        )
    return found


def _any(index: ReplayIndex, values: np.ndarray[Any, Any]) -> Draw:
    spread = np.linspace(0, index.num_turns - 1, len(values)).astype(np.int64)
    return Draw.of(index, "turn", spread)


def _draw_anew(index: ReplayIndex, selector: PrioritisedReplay) -> Draw:
    index.generation += 1  # as a refresh leaves it
    return selector.draw(BATCH)


def _milliseconds(
    work: Callable[[], object], repeats: int, prepare: Callable[[], object] | None = None
) -> dict[str, float]:
    work()
    times = []
    for _ in range(repeats):
        if prepare is not None:
            prepare()
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1e3)
    return Spread.of(times).to_json()


def _highest_resident_bytes() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else resident_bytes()


def _forget_pages(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def measure(is_quick: bool) -> Report:
    """All figures."""
    num_turns, repeats = (50_000, 20) if is_quick else (1_000_000, 50)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "run"
        progress(f"writing a run of {num_turns:,} turns")
        began = time.perf_counter()
        write_run(folder, num_turns)
        written = {
            "write_s": round(time.perf_counter() - began, 1),
            "disk_mib": round((folder / DATABASE).stat().st_size / _MIB, 1),
        }
        progress("drawing from it")
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            found = pool.submit(measure_run, folder, repeats).result()
    kinds = ("uniform", "prioritised", "by return")
    label = f"of {num_turns:,} turns"
    goals = [
        Goal(
            f"{kind}: {BATCH} turns {label}, drawn and read, ms",
            found[f"{kind} draw and read"]["median"],
            20,
            "at most",
        )
        for kind in kinds
    ]
    goals.append(Goal(f"memory {label}, MiB", found["memory_mib"], 500, "at most"))
    setting = {"turns": num_turns, "turns_an_episode": TURNS, "batch": BATCH, "repeats": repeats}
    return Report(goals, {**written, **found}, setting)


if __name__ == "__main__":
    sys.exit(main("replay", measure, PACKAGES))
