"""What collecting costs beside model and environment: episodes a second and memory, at 1 to 4,096 episodes at once.

n episodes are submitted and all n are in flight together. Policies are scripted and cost next to nothing, so what is
timed is the engine: threads, conversations, records, and the games' own steps of a few microseconds.

- text: guess-number, an imperfect player, messages as texts.
- tokens: Lookup, its demonstrator, messages rendered to token ids with the tiny tokenizer as in training; the ids of a
  message are encoded from its text.

Memory is taken in a fresh process for each size, from the first submitted job to the last finished one: by tracemalloc
(Python's allocations, numpy's included) and as resident memory (threads' stacks and the allocator's slack included),
each less what 1 episode takes, all records being kept. Tokens are what the records hold of them: ids and
log-probabilities. Growth is the exponent e of time ~ n^e, fitted from 64 episodes on.

Peers have no part in this; `benchmarks.grpo_step` compares whole iterations.
"""

from __future__ import annotations

import itertools
import math
import multiprocessing
import statistics
import sys
import time
import tracemalloc
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from transformers import PreTrainedTokenizerFast

from agentgym.policies.scripted import ScriptedPolicy
from agentgym.policy import Reply, Request, Sampling
from agentgym.prompting.tiny import build_tokenizer
from agentgym.registration import make, spec
from agentgym.rollout import Job, RolloutSettings, collect_episodes, draw_seed, game_maker, shuffled_tasks
from agentgym.suite import Suite, load_suite
from agentgym.trajectory import Trajectory
from agentgym_tools.lookup import vocabulary
from benchmarks.measure import Spread, resident_bytes
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "gymnasium", "numpy", "tokenizers", "transformers")
SIZES = (1, 4, 16, 64, 256, 1024, 4096)
FIT_FROM = 64
_KB = 1000


class ScriptedTokens(ScriptedPolicy):
    """Scripted messages as token ids, with log-probabilities that mean nothing."""

    uses_tokens = True

    def __init__(self, name: str, factory: Any, tokenizer: PreTrainedTokenizerFast) -> None:
        super().__init__(name, factory)
        self.tokenizer = tokenizer

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """What each episode's script says next, encoded."""
        return [self._encoded(reply.text) for reply in super().generate(requests)]

    def _encoded(self, text: str) -> Reply:
        ids = [*self.tokenizer.encode(text, add_special_tokens=False), self.tokenizer.eos_token_id]
        return Reply(text, np.asarray(ids, np.int32), np.zeros(len(ids), np.float32), version=0)


@dataclass(frozen=True)
class Workload:
    """What is collected."""

    suite: str
    has_tokens: bool


WORKLOADS = {"text": Workload("dialogue/guess-number", False), "tokens": Workload("tools/lookup", True)}


@dataclass(frozen=True)
class Collection:
    """One collection of n episodes."""

    records: list[Trajectory]
    seconds: float


class Collector:
    """Collects episodes of a workload."""

    def __init__(self, workload: Workload) -> None:
        self.suite: Suite = load_suite(workload.suite)
        script = spec(self.suite.env).load_scripts()["demo"]
        self.policy: ScriptedPolicy = ScriptedPolicy("demo", script)
        if workload.has_tokens:
            env = make(self.suite.env, **self.suite.env_options)
            self.policy = ScriptedTokens("demo", script, build_tokenizer(vocabulary.texts(), list(env.tools)))

    def collect(self, size: int) -> Collection:
        """So many episodes, all of them at once."""
        tasks = shuffled_tasks(self.suite.train_tasks(), 0)
        jobs = [
            Job(task, f"job-{index:05d}", draw_seed("overhead", index))
            for index, task in enumerate(itertools.islice(tasks, size))
        ]
        settings = RolloutSettings(sampling=Sampling(max_tokens=64), max_concurrent=size)
        began = time.perf_counter()
        records, _ = collect_episodes(jobs, game_maker(self.suite), {"*": self.policy}, settings)
        return Collection(records, time.perf_counter() - began)


@dataclass(frozen=True)
class Memory:
    """What one collection took, in bytes."""

    traced_peak: int
    resident: int
    tokens: int


def take_memory(workload: Workload, size: int) -> Memory:
    """Memory of one collection; run in a process of its own."""
    collector = Collector(workload)
    collector.collect(1)
    before = resident_bytes()
    kept = collector.collect(size)
    resident = resident_bytes() - before
    del kept
    tracemalloc.start()
    held = collector.collect(size)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Memory(peak, resident, sum(map(token_bytes, held.records)))


def token_bytes(record: Trajectory) -> int:
    """Bytes of a record's token ids and log-probabilities."""
    arrays = [(turn.prompt_ids, turn.action_ids, turn.behaviour_logprobs) for turn in record.turns]
    return sum(array.nbytes for turn in arrays for array in turn if array is not None)


def growth(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Exponent e of the least-squares fit seconds = c * sizes^e."""
    return statistics.linear_regression([math.log(size) for size in sizes], [math.log(each) for each in seconds]).slope


def measure(is_quick: bool) -> Report:
    """All workloads at all sizes."""
    sizes = SIZES[:-1] if is_quick else SIZES
    repeats = 3 if is_quick else 7
    report = Report(setting={name: workload.suite for name, workload in WORKLOADS.items()})
    for name, workload in WORKLOADS.items():
        progress(name)
        collector = Collector(workload)
        collector.collect(sizes[-2])
        seconds: dict[int, list[float]] = {size: [] for size in sizes}
        for _ in range(repeats):
            for size in sizes:
                again = max(1, FIT_FROM // size)
                seconds[size].append(sum(collector.collect(size).seconds for _ in range(again)) / again)
        fitted = [size for size in sizes if size >= FIT_FROM]
        exponent = growth(fitted, [statistics.median(seconds[size]) for size in fitted])
        memory = _memory_figures(workload, sizes[-1])
        report.figures[name] = {
            "episodes_per_s": {
                str(size): Spread.of([size / each for each in took]).to_json() for size, took in seconds.items()
            },
            "growth_exponent": round(exponent, 3),
            "memory": memory,
        }
        label = f"{name}: {sizes[-1]} episodes at once"
        report.goals += [
            Goal(f"{name}: exponent of time over episodes, {fitted[0]} to {fitted[-1]}", exponent, 1.05, "at most"),
            Goal(f"{label}, traced KB an episode beyond tokens", memory["traced_kb_beyond_tokens"], 50.0, "at most"),
            Goal(
                f"{label}, resident KB an episode beyond tokens", memory["resident_kb_beyond_tokens"], 50.0, "at most"
            ),
        ]
    return report


def _memory_figures(workload: Workload, size: int) -> dict[str, float]:
    """KB an episode, in fresh processes."""
    one, many = _in_fresh_process(workload, 1), _in_fresh_process(workload, size)
    tokens = many.tokens / size / _KB
    traced = (many.traced_peak - one.traced_peak) / (size - 1) / _KB
    resident = (many.resident - one.resident) / (size - 1) / _KB
    return {
        "tokens_kb": round(tokens, 2),
        "traced_kb_beyond_tokens": round(traced - tokens, 2),
        "resident_kb_beyond_tokens": round(resident - tokens, 2),
    }


def _in_fresh_process(workload: Workload, size: int) -> Memory:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(take_memory, workload, size).result()


if __name__ == "__main__":
    sys.exit(main("rollout_overhead", measure, PACKAGES))
