"""One training iteration, rollout and update, beside TRL's GRPOTrainer with its environment_factory, on a CPU.

Both sides train the same 0.25 M-parameter model, cloned from scripted tool calls so that it plays real turns, on the
same Lookup tasks in the same order: 12 groups of 16 episodes an iteration, DAPO's loss (clip .2/.28, no KL, advantages
normalised in the group), one AdamW update, temperature 1, float32, one thread. An iteration is timed from the end of
the one before to its own end, the first one of a process not; processes of both sides alternate.

- agentgym: its trainer with its run's database and TensorBoard files, in lockstep (no staleness), groups without
  variance kept. Environment calls run in threads; the cache of keys and values lives from turn to turn.
- trl: GRPOTrainer, micro batch 48 (`trl-24`: 24); `generate` of transformers with a fresh prefill each turn. Tools run
  one after another, and an environment cannot end an episode: the model has learnt to say nothing after its answer.

A turn is a message that the environment answered. agentgym counts every message, TRL's side the calls that reached the
environment: TRL answers malformed calls itself and ends an episode at a message without a call. Both limit an episode
to 6 turns; TRL limits its tokens to 256 in all, agentgym each message to 40.

Memory is the largest resident set of a side's process, less what it held after its imports; it is a goal at full size
only, as the quick version's small batches say nothing about it. It follows the micro batch. TRL's 48 sequences are as
fast as 96, and `trl-24` shows what half of them saves and costs; with agentgym's 1024 tokens, 2048 would be about 3 %
faster and take 5 to 20 MB more. Instant tools answer at once; slow ones sleep for 100 ms a call. GPUs are the business
of `benchmarks.grpo_step_gpu`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.grpo_step.work import Figures, Work, make_model
from benchmarks.measure import Spread, interleaved
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "trl", "transformers", "torch", "accelerate", "tokenizers")
SLOW_S = 0.1
_MB = 1e6
_MODULES = {
    "agentgym": "benchmarks.grpo_step.own",
    "trl": "benchmarks.grpo_step.trl",
    "trl-24": "benchmarks.grpo_step.trl",
}


def measure(is_quick: bool) -> Report:
    """Both kinds of tools on both sides."""
    rounds = 1 if is_quick else 3
    with tempfile.TemporaryDirectory(prefix="grpo-step-") as folder:
        model = Path(folder) / "model"
        progress("cloning the model")
        make_model(model, "0.25M", demonstrations=700 if is_quick else 1000, epochs=2)
        work = Work(str(model), folder, iterations=1 if is_quick else 2)
        slow = replace(work, delay_s=SLOW_S, iterations=1)
        if is_quick:
            work, slow = replace(work, tasks=5, group_size=12), replace(slow, tasks=3, group_size=8)
        report = Report(setting={"instant": _setting(work), "slow": _setting(slow)})
        sides = ("agentgym", "trl") if is_quick else tuple(_MODULES)
        instant = interleaved(_sides(work, sides, Path(folder)), rounds)
        slowly = interleaved(_sides(slow, ("agentgym", "trl"), Path(folder)), 1 if is_quick else 2)
    report.figures = {"instant": _tables(instant), "slow_tools": _tables(slowly)}
    faster, memory = _speedup(instant), _memory_share(instant)
    report.goals = [
        Goal("instant tools: iterations in the same time, times TRL's", faster, 2.5, "at least"),
        Goal("instant tools: turns that TRL's side played, share of ours", _turn_share(instant), 0.7, "at least"),
        Goal("tools of 100 ms: iterations in the same time, times TRL's", _speedup(slowly), 10.0, "at least"),
    ]
    if not is_quick:
        report.goals.append(Goal("instant tools: memory above the imports, share of TRL's", memory, 0.5, "at most"))
    return report


def run_process(side: str, work: Work, folder: Path) -> Figures:
    """One process of a side."""
    progress(f"{side}, tools of {work.delay_s:g} s")
    with tempfile.TemporaryDirectory(dir=folder) as place:
        given = replace(work, folder=str(Path(place) / "run"), micro_batch=24 if side == "trl-24" else work.micro_batch)
        command = [sys.executable, "-m", _MODULES[side], json.dumps(asdict(given))]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if ended.returncode:
        raise RuntimeError(f"the process of {side} ended with code {ended.returncode}:\n{ended.stderr[-3000:]}")
    return Figures(**json.loads(ended.stdout.strip().splitlines()[-1]))


def _sides(work: Work, names: Sequence[str], folder: Path) -> dict[str, Callable[[], Figures]]:
    return {name: lambda name=name: run_process(name, work, folder) for name in names}  # type: ignore[misc]


def _setting(work: Work) -> dict[str, Any]:
    return {name: value for name, value in asdict(work).items() if name not in ("model", "folder")}


def _tables(found: Mapping[str, Sequence[Figures]]) -> dict[str, Any]:
    return {side: _table(processes) for side, processes in found.items()}


def _table(processes: Sequence[Figures]) -> dict[str, Any]:
    """What the processes of one side came to."""
    seconds = [each for process in processes for each in process.iteration_s]
    turns = [each for process in processes for each in process.turns]
    tokens = [each for process in processes for each in process.sampled_tokens]
    above = [(process.peak_bytes - process.baseline_bytes) / _MB for process in processes]
    return {
        "iteration_s": Spread.of(seconds).to_json(),
        "turns": Spread.of(turns).to_json(),
        "sampled_tokens": Spread.of(tokens).to_json(),
        "success": Spread.of([each for process in processes for each in process.success]).to_json(),
        "turns_per_s": Spread.of([n / s for n, s in zip(turns, seconds, strict=True)]).to_json(),
        "tokens_per_s": Spread.of([n / s for n, s in zip(tokens, seconds, strict=True)]).to_json(),
        "imports_mb": Spread.of([process.baseline_bytes / _MB for process in processes]).to_json(),
        "peak_mb": Spread.of([process.peak_bytes / _MB for process in processes]).to_json(),
        "above_imports_mb": Spread.of(above).to_json(),
    }


def _speedup(found: Mapping[str, Sequence[Figures]]) -> float:
    """Median over rounds of TRL's time for an iteration over ours."""
    pairs = zip(found["agentgym"], found["trl"], strict=True)
    return Spread.of([_mean(theirs.iteration_s) / _mean(ours.iteration_s) for ours, theirs in pairs]).median


def _memory_share(found: Mapping[str, Sequence[Figures]]) -> float:
    pairs = zip(found["agentgym"], found["trl"], strict=True)
    return Spread.of([(o.peak_bytes - o.baseline_bytes) / (t.peak_bytes - t.baseline_bytes) for o, t in pairs]).median


def _turn_share(found: Mapping[str, Sequence[Figures]]) -> float:
    pairs = zip(found["agentgym"], found["trl"], strict=True)
    return Spread.of([_mean(theirs.turns) / _mean(ours.turns) for ours, theirs in pairs]).median


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    sys.exit(main("grpo_step", measure, PACKAGES))
