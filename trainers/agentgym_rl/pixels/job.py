"""A run that learns to point: updates, looks at the held-out screens, the test by episodes, and a summary.

It takes minutes, so it keeps no checkpoints and starts anew when it is cut. The report is that of every run.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from agentgym.config import tables_of
from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.policies.torch.pointing import PixelPolicy, Pointer, save
from agentgym.policy import draw_seed
from agentgym.rollout import RolloutSettings
from agentgym.stopping import terminable
from agentgym.store import RunStore
from agentgym.view import write_report
from agentgym_rl.core.config.pixels import PixelConfig
from agentgym_rl.core.metrics import success_metrics
from agentgym_rl.pixels.describing import describe
from agentgym_rl.pixels.learning import Learner, draw_batch, judge
from agentgym_rl.pixels.screens import Screens, read_screens
from agentgym_rl.run.journal import Journal, success_text
from agentgym_rl.run.run_folder import TrainResult, begin_run, headline_first, require_new

LOGGED = 10
"""Updates whose metrics are averaged into one point of a curve."""
CPU_S, DISTANCE = "cpu_s", "distance/median"
"""Names of metrics: processor time of the updates so far, and pixels of the screen."""
_AT_ONCE = 32


def train(config: PixelConfig, folder: Path, *, overwrite: bool = False) -> TrainResult:
    """Run the whole job in a folder.

    Args:
        config: The configuration.
        folder: Where everything is written.
        overwrite: Remove the run in the folder first.

    Raises:
        ConfigError: Settings, targets or folder do not fit.
    """
    with terminable():
        require_new(folder, overwrite=overwrite)
        torch.set_num_threads(config.run.threads)
        screens = read_screens(config)  # before the folder is made: what is refused here leaves nothing behind
        store = begin_run(folder, tables_of(config), config.run.suite)
        journal = Journal(store, folder)
        try:
            store.set_meta({"equations": describe(config)})
            return PixelJob(config, screens, folder, store, journal).run()
        finally:
            journal.close()
            store.close()


class PixelJob:
    """One run: its updates, its looks at the held-out screens, and the test of both ends."""

    def __init__(self, config: PixelConfig, screens: Screens, folder: Path, store: RunStore, journal: Journal) -> None:
        self.config, self.screens, self.folder, self.store, self.journal = config, screens, folder, store, journal
        torch.manual_seed(config.run.seed)
        self.policy = PixelPolicy(screens.names, config.policy.width)
        self._cpu_s = 0.0
        self._recent: dict[str, list[float]] = defaultdict(list)
        count = sum(parameter.numel() for parameter in self.policy.parameters())
        journal.say(
            f"{config.run.suite}: {count:,} parameters, {len(screens.names)} descriptions, "
            f"{len(screens.train)} screens to learn from, {len(screens.test)} held out with "
            f"{len(screens.suite.made)} targets"
        )

    def run(self) -> TrainResult:
        """Learn, test, and write it all down."""
        held_out = {"untrained": self._test("untrained")}
        self._learn()
        seen = {task.content_hash for screen in self.screens.train for task in screen.tasks.values()}
        save(self.policy, self.folder / "models" / "trained", self.config.screens.scale, seen)
        held_out["trained"] = self._test("trained", seen)
        result = TrainResult(self.folder, held_out, None, self.journal.seconds)
        result.write_summary()
        return replace(result, report=write_report(self.folder))

    def _learn(self) -> None:
        config, every = self.config, self.config.probes.every
        seed = config.run.seed
        rng = random.Random(draw_seed(seed, "screens"))
        learner = Learner(
            self.policy, config.learning, config.run.updates, self.screens.weights, draw_seed(seed, "points")
        )
        for number in range(1, config.run.updates + 1):
            began = time.process_time()
            batch = draw_batch(self.screens.train, self.policy.numbers, config.learning, config.screens.moved, rng)
            metrics = learner.update(number - 1, batch)
            self._cpu_s += time.process_time() - began
            is_last = number == config.run.updates
            self._log(number, metrics, is_last)
            if every and (number % every == 0 or is_last):
                self._probe(number)

    def _log(self, number: int, metrics: dict[str, float], is_last: bool) -> None:
        for name, value in metrics.items():
            self._recent[name].append(value)
        if number % LOGGED == 0 or is_last:
            means = {name: float(np.mean(values)) for name, values in self._recent.items()}
            self.journal.record(number, {**means, CPU_S: self._cpu_s})
            self._recent.clear()

    def _probe(self, number: int) -> None:
        """Look at every held-out target; nothing is chosen by what is found."""
        found, distances = judge(self.policy, self.screens.test)
        metrics = success_metrics(found.tolist())
        distance = float(np.median(distances))
        self.journal.record(number, {**metrics, DISTANCE: distance, CPU_S: self._cpu_s}, phase="validation")
        left = (self.config.run.updates - number) * self._cpu_s / number
        self.journal.say(
            f"update {number}/{self.config.run.updates} · hits {success_text(metrics)} · median distance "
            f"{distance:.0f} px · {self._cpu_s:.0f} s of processor time, {left:.0f} s left"
        )

    def _test(self, stage: str, seen: set[str] | None = None) -> dict[str, object]:
        """The held-out targets, one episode of the environment each."""
        pointer = Pointer(self.policy, stage, seen or ())
        settings = EvaluationSettings(
            seed=self.config.run.seed,
            limit=self.config.probes.test_targets,
            rollout=RolloutSettings(max_concurrent=_AT_ONCE, env_threads=2, is_lockstep=True),
        )
        result = evaluate(pointer, self.screens.suite, "test", settings, store=self.store)
        if result.num_missing:
            raise KeyboardInterrupt
        found = headline_first(result.to_json(), self.screens.suite.headline)
        self.journal.say("held out: {stage} {mean:.3f} [{low:.3f}, {high:.3f}]".format(stage=stage, **found["success"]))
        return found
