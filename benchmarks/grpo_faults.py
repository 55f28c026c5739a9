"""GRPO on Python-v0 in containers, with and without somebody who kills containers: what that changes.

As the shipped configuration for tools/python-arithmetic says, a tiny model clones demonstrations, then learns by GRPO
with staleness 0, twice from the same weights with the same seed, over a live pool. During the second training a thread
kills a random container of this process now and then. Episodes that lose theirs are played again with their seeds, so
that both trainings should report the same, but for the rounding of batches of other sizes.

How episodes end that meet other faults is measured by `benchmarks.soak`.
"""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
import tomllib
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from types import TracebackType

import numpy as np

from agentgym.config import Source, merged
from agentgym.sandbox.docker import DockerProvider
from agentgym.sandbox.pool import shared_pool
from agentgym.store import RunStore
from agentgym_rl.config import TrainConfig, config_from_tables
from agentgym_rl.job import train
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "docker", "torch", "transformers")
ITERATIONS, DEMONSTRATIONS = 20, 2000
QUICK_ITERATIONS, QUICK_DEMONSTRATIONS = 2, 300
KILL_EVERY_S = 1.0
SEED = 0


class Killer:
    """Kills random containers of this process, every so many seconds; a context manager.

    Args:
        provider: Whose containers.
        every_s: Mean pause between two.
    """

    def __init__(self, provider: DockerProvider, every_s: float) -> None:
        self.num_killed = 0
        self._provider, self._every_s = provider, every_s
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="killer")

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def _work(self) -> None:
        import docker  # type: ignore[import-untyped]

        rng, api = random.Random(SEED), self._provider.host.client.api
        labels = [f"{name}={value}" for name, value in self._provider.owner.labels().items()]
        while not self._is_over.wait(rng.expovariate(1 / self._every_s)):
            names = sorted(item["Id"] for item in api.containers(filters={"label": labels}))
            if not names:
                continue
            try:
                api.kill(rng.choice(names))
            except docker.errors.APIError:
                continue  # it had ended by itself
            self.num_killed += 1


@dataclass(frozen=True)
class Trained:
    """What one training came to.

    Attributes:
        curves: Values of each metric, an iteration each; without those of time.
        episodes: By id of every trained episode, its messages, reward events and outcome.
        num_retried: Times that an episode was played again.
        num_killed: Containers that the killer killed.
        seconds: Wall time.
    """

    curves: dict[str, list[float]]
    episodes: dict[str, str]
    num_retried: int
    num_killed: int
    seconds: float


def configured(iterations: int, *, demonstrations: int = 0, model: Path | None = None) -> TrainConfig:
    """The shipped configuration, from nothing or from a cloned model, in containers."""
    text = (resources.files("agentgym_rl") / "configs" / "python.toml").read_text(encoding="utf-8")
    shipped, source = tomllib.loads(text), Source(text=text)
    if model is not None:
        shipped |= {"model": {"path": str(model)}, "warm_start": {}}
    else:
        shipped["warm_start"]["demonstrations"] = demonstrations
    changed = {
        "run": {"iterations": iterations},
        # A killer who comes often may find the same episode again and again.
        "rollout": {"runtime": "docker", "retries": 20},
        "validation": {"every": 0, "has_final_test": False},
    }
    return config_from_tables(merged(shipped, changed), source)


def train_once(config: TrainConfig, folder: Path, kill_every_s: float | None) -> Trained:
    """Train with or without a killer."""
    began = time.monotonic()
    provider = shared_pool("docker").provider
    assert isinstance(provider, DockerProvider)
    with ExitStack() as stack:
        killer = None if kill_every_s is None else stack.enter_context(Killer(provider, kill_every_s))
        train(config, folder)
    with RunStore.open(folder, read_only=True) as store:
        curves = {
            name: values.tolist() for name, (_, values) in store.metrics().items() if not name.startswith("time/")
        }
        records = list(store.episodes())
    said = {
        record.id: repr(([(turn.messages, turn.text) for turn in record.turns], record.events, str(record.outcome)))
        for record in records
    }
    num_retried = sum(int(record.usage.get("retries", 0)) for record in records)
    return Trained(curves, said, num_retried, 0 if killer is None else killer.num_killed, time.monotonic() - began)


def largest_difference(ours: Trained, others: Trained) -> dict[str, float]:
    """By metric the largest difference over all iterations, as a share of the metric's largest value; 0 where equal.

    A value that is a number in one training alone differs without bound. Metrics of mismatch are left out: they are
    nothing but the rounding of batches of other sizes.
    """
    found = dict.fromkeys(ours.curves.keys() ^ others.curves.keys(), float("inf"))
    for name, values in ours.curves.items():
        if name.startswith("mismatch/") or name in found:
            continue
        mine, theirs = np.array(values), np.array(others.curves[name])
        if mine.shape != theirs.shape or not np.array_equal(np.isfinite(mine), np.isfinite(theirs)):
            found[name] = float("inf")
            continue
        is_number = np.isfinite(mine)
        scale = np.max(np.abs(mine), where=is_number, initial=1e-12)
        found[name] = float(np.max(np.abs(mine - theirs), where=is_number, initial=0.0) / scale)
    return found


def compare(iterations: int, demonstrations: int, kill_every_s: float, folder: Path) -> tuple[Trained, Trained]:
    """The undisturbed training and the other."""
    train(configured(0, demonstrations=demonstrations), folder / "start")
    config = configured(iterations, model=folder / "start" / "models" / "cloned")
    progress("cloned; training undisturbed")
    calm = train_once(config, folder / "calm", None)
    progress(f"undisturbed in {calm.seconds:.0f} s; training under fire")
    return calm, train_once(config, folder / "fire", kill_every_s)


def measure(is_quick: bool) -> Report:
    """All figures."""
    iterations, demonstrations = (QUICK_ITERATIONS, QUICK_DEMONSTRATIONS) if is_quick else (ITERATIONS, DEMONSTRATIONS)
    with tempfile.TemporaryDirectory() as folder:
        calm, fire = compare(iterations, demonstrations, KILL_EVERY_S, Path(folder))
    differences = largest_difference(calm, fire)
    unlike = sum(calm.episodes.get(name) != said for name, said in fire.episodes.items())
    stats = shared_pool("docker").stats()
    report = Report(setting={"iterations": iterations, "kill_every_s": KILL_EVERY_S, "seed": SEED})
    report.goals = [
        Goal("containers killed", fire.num_killed, 3 * iterations, "at least"),
        Goal("episodes played again", fire.num_retried, iterations, "at least"),
        Goal("episodes unlike those of the undisturbed training", unlike, 0, "at most"),
        Goal("largest difference of success", differences["success/mean"], 0, "at most"),
        Goal("largest difference of any metric, as a share", max(differences.values()), 1e-3, "at most"),
    ]
    report.figures = {
        "episodes": len(fire.episodes),
        "seconds": {"undisturbed": calm.seconds, "under fire": fire.seconds},
        "success": {"undisturbed": calm.curves["success/mean"], "under fire": fire.curves["success/mean"]},
        "metrics that differ at all": {name: share for name, share in differences.items() if share > 0},
        "pool": {key: value for key, value in asdict(stats).items() if isinstance(value, int)},
    }
    return report


if __name__ == "__main__":
    sys.exit(main("grpo_faults", measure, PACKAGES))
