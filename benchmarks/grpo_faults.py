"""GRPO on Python-v0 in containers, once undisturbed and once while containers are killed: what the faults change.

The configuration is the shipped one for tools/python-arithmetic. A tiny model clones demonstrations. Then it learns by
GRPO with staleness 0, twice from the same weights with the same seed, over a live pool. During the second training a
thread kills a random container of this process now and then. An episode that loses its container is played again with
its seed. Therefore both trainings are the same until batches of different sizes round differently and tip the choice
between two tokens. From then on they are two samples of one training. The environment still has to answer equal
messages equally, and success has to be the same within noise.

`benchmarks.soak` measures how episodes end after other faults.
"""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from agentgym.config import Source, merged
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.pool import shared_pool
from agentgym.store import RunStore
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.job import train
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "docker", "torch", "transformers")
ITERATIONS, DEMONSTRATIONS = 20, 2000
QUICK_ITERATIONS, QUICK_DEMONSTRATIONS = 2, 300
KILL_EVERY_S = 1.0
RETRIES = 20
SEED = 0


class Killer:
    """Kills random containers of this process at intervals; a context manager.

    Args:
        provider: Whose containers.
        every_s: Mean pause between two kills, in seconds.
        most: How many it kills at most; None for any number.
    """

    def __init__(self, provider: DockerProvider, every_s: float, most: int | None = None) -> None:
        self.num_killed = 0
        self._provider, self._every_s, self._most = provider, every_s, most
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
        while self.num_killed != self._most and not self._is_over.wait(rng.expovariate(1 / self._every_s)):
            names = sorted(item["Id"] for item in api.containers(filters={"label": labels}))
            if not names:
                continue
            try:
                api.kill(rng.choice(names))
            except docker.errors.APIError:
                continue  # it had ended by itself
            self.num_killed += 1


class Played(NamedTuple):
    """What is compared of one episode.

    Attributes:
        iteration: In which it was trained on, from 0.
        group: Which group it belongs to.
        turns: What it was told and what it said to that, for each turn.
        end: Reward events and outcome.
        success: Whether it solved its task.
    """

    iteration: int
    group: str
    turns: tuple[tuple[str, str], ...]
    end: str
    success: bool


@dataclass(frozen=True)
class Trained:
    """What one training came to.

    Attributes:
        curves: Values of each metric, an iteration each; without those of time.
        episodes: Every trained episode by its id.
        retries: Times that an episode was played again, by its id; without those that never were.
        num_killed: Containers that the killer killed.
        seconds: Wall time.
    """

    curves: dict[str, list[float]]
    episodes: dict[str, Played]
    retries: dict[str, int]
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
        # Frequent kills may hit the same episode again and again.
        "rollout": {"runtime": "docker", "retries": RETRIES},
        "validation": {"every": 0, "has_final_test": False},
    }
    return config_from_tables(merged(shipped, changed), source)


def train_once(
    config: TrainConfig, folder: Path, kill_every_s: float | None = None, max_kills: int | None = None
) -> Trained:
    """Train with or without a killer."""
    began = time.monotonic()
    provider = shared_pool("docker").provider
    assert isinstance(provider, DockerProvider)
    with ExitStack() as stack:
        killer = None if kill_every_s is None else stack.enter_context(Killer(provider, kill_every_s, max_kills))
        train(config, folder)
    num_killed = 0 if killer is None else killer.num_killed
    return read_training(folder, config.group.tasks, num_killed, time.monotonic() - began)


def read_training(folder: Path, groups_an_iteration: int, num_killed: int, seconds: float) -> Trained:
    """Read a training from its folder."""
    with RunStore.open(folder, read_only=True) as store:
        curves = {
            name: values.tolist() for name, (_, values) in store.metrics().items() if not name.startswith("time/")
        }
        records = list(store.episodes())
    episodes = {
        record.id: Played(
            int(record.group_id[1:7]) // groups_an_iteration,
            record.group_id,
            tuple((repr(turn.messages), turn.text) for turn in record.turns),
            repr((record.events, str(record.outcome))),
            bool(record.success),
        )
        for record in records
    }
    retries = {record.id: int(record.usage["retries"]) for record in records if record.usage.get("retries")}
    return Trained(curves, episodes, retries, num_killed, seconds)


def iterations_alike(calm: Trained, fire: Trained) -> int:
    """The number of iterations, from the first one, that have the same episodes in both trainings."""
    differing = [episode.iteration for name, episode in fire.episodes.items() if calm.episodes.get(name) != episode]
    return min(differing, default=1 + max(episode.iteration for episode in fire.episodes.values()))


def answered_otherwise(calm: Trained, fire: Trained) -> list[str]:
    """Episodes that got different answers in the two trainings after the same messages, or that one of them lacks."""
    found = sorted(calm.episodes.keys() ^ fire.episodes.keys())
    for name in calm.episodes.keys() & fire.episodes.keys():
        one, other = calm.episodes[name], fire.episodes[name]
        for (told, said), (told_other, said_other) in zip(one.turns, other.turns, strict=False):
            if told != told_other:
                found.append(name)
            if told != told_other or said != said_other:
                break
        else:
            if len(one.turns) != len(other.turns) or one.end != other.end:
                found.append(name)
    return found


def success_shift(calm: Trained, fire: Trained) -> float:
    """Difference of success in groups that differ, in standard errors; 0 if no group differs or all differ alike."""
    by_group: dict[str, list[float]] = {}
    unlike = {episode.group for name, episode in fire.episodes.items() if calm.episodes[name] != episode}
    for name, episode in fire.episodes.items():
        if episode.group in unlike:
            by_group.setdefault(episode.group, []).append(episode.success - calm.episodes[name].success)
    shifts = np.array([np.mean(differences) for differences in by_group.values()])
    if len(shifts) < 2 or not shifts.any():
        return 0.0
    return float(abs(shifts.mean()) / max(shifts.std(ddof=1) / np.sqrt(len(shifts)), 1e-12))


def largest_difference(ours: Trained, others: Trained, iterations: int | None = None) -> dict[str, float]:
    """The largest difference of each metric over all iterations, as a share of its largest value; 0 for equal metrics.

    Args:
        ours: One training.
        others: The other.
        iterations: Number of iterations to compare; None for all.

    The difference is infinite if a value is a number in only one training. Metrics of mismatch are left out, because
    they only show the rounding of batches of different sizes.
    """
    found = dict.fromkeys(ours.curves.keys() ^ others.curves.keys(), float("inf"))
    for name, values in ours.curves.items():
        if name.startswith("mismatch/") or name in found:
            continue
        mine, theirs = np.array(values)[:iterations], np.array(others.curves[name])[:iterations]
        if mine.shape != theirs.shape or not np.array_equal(np.isfinite(mine), np.isfinite(theirs)):
            found[name] = float("inf")
            continue
        is_number = np.isfinite(mine)
        scale = np.max(np.abs(mine), where=is_number, initial=1e-12)
        found[name] = float(np.max(np.abs(mine - theirs), where=is_number, initial=0.0) / scale)
    return found


def compare(
    iterations: int, demonstrations: int, kill_every_s: float, folder: Path, max_kills: int | None = None
) -> tuple[Trained, Trained]:
    """The undisturbed training and the training with faults."""
    train(configured(0, demonstrations=demonstrations), folder / "start")
    config = configured(iterations, model=folder / "start" / "models" / "cloned")
    progress("cloned; training undisturbed")
    calm = train_once(config, folder / "calm")
    progress(f"undisturbed in {calm.seconds:.0f} s; training with faults")
    return calm, train_once(config, folder / "fire", kill_every_s, max_kills)


def measure(is_quick: bool) -> Report:
    """All figures."""
    iterations, demonstrations = (QUICK_ITERATIONS, QUICK_DEMONSTRATIONS) if is_quick else (ITERATIONS, DEMONSTRATIONS)
    with tempfile.TemporaryDirectory() as folder:
        calm, fire = compare(iterations, demonstrations, KILL_EVERY_S, Path(folder))
    return reported(calm, fire, asdict(shared_pool("docker").stats()))


def reported(calm: Trained, fire: Trained, stats: Mapping[str, Any]) -> Report:
    """Goals and figures of two trainings."""
    iterations, alike = len(fire.curves["success/mean"]), iterations_alike(calm, fire)
    differences = largest_difference(calm, fire, alike)
    report = Report(setting={"iterations": iterations, "kill_every_s": KILL_EVERY_S, "seed": SEED})
    report.goals = [
        Goal("containers killed", fire.num_killed, 3 * iterations, "at least"),
        Goal("episodes played again", sum(fire.retries.values()), iterations, "at least"),
        Goal("episodes answered otherwise after the same messages", len(answered_otherwise(calm, fire)), 0, "at most"),
        Goal("iterations with the very same episodes", alike, min(iterations, 2), "at least"),
        Goal("largest difference of any metric in these, as a share", max(differences.values()), 1e-3, "at most"),
        Goal("difference of success after these, standard errors", success_shift(calm, fire), 2.0, "at most"),
    ]
    report.figures = {
        "episodes": len(fire.episodes),
        "seconds": {"undisturbed": calm.seconds, "under fire": fire.seconds},
        "success": {"undisturbed": calm.curves["success/mean"], "under fire": fire.curves["success/mean"]},
        "metrics that differ in iterations alike": {name: share for name, share in differences.items() if share > 0},
        "pool": {key: value for key, value in stats.items() if isinstance(value, int)},
    }
    return report


if __name__ == "__main__":
    sys.exit(main("grpo_faults", measure, PACKAGES))
