"""Where a run's numbers go: the store, TensorBoard, and a line an iteration on stderr."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from agentgym.store import RunStore
from agentgym.trajectory import Trajectory
from agentgym_rl.core import distributed
from agentgym_rl.run.event_file import EventFile

Metrics = Mapping[str, float]
_SECONDS = "seconds"
_OFFLINE = {
    "loss/cloning": "cloning loss",
    "critic/loss": "critic loss",
    "critic/q_loss": "Q loss",
    "critic/v_loss": "V loss",
    "advantage/mean": "advantage",
    "loss/entropy": "entropy",
    "offline/return": "return drawn",
    "updates": "policy updates",
}
"""What the line of an iteration that collected nothing says, by metric."""


class Journal:
    """Writes metrics; on ranks other than 0 it writes nothing.

    Args:
        store: The run's database; None on other ranks.
        folder: The run's folder; TensorBoard's files go below it.
        console: For progress, on stderr by default.

    Raises:
        MissingExtraError: TensorBoard is not installed.
        StoreError: Its files cannot be written.
    """

    def __init__(self, store: RunStore | None, folder: Path, console: Console | None = None) -> None:
        self._store = store
        self._tensorboard = folder / "tensorboard"
        self._console = console or Console(stderr=True, highlight=False)
        self._began = time.monotonic()
        self._before = float(store.meta.get(_SECONDS, 0.0)) if store is not None else 0.0
        self._writer = EventFile(self._tensorboard) if distributed.rank() == 0 else None

    @property
    def seconds(self) -> float:
        """Wall time of the run so far, in all the processes that worked on it."""
        return self._before + time.monotonic() - self._began

    def restore(self) -> None:
        """Write TensorBoard's files anew from the store, so that a resumed run shows no point twice."""
        if self._writer is None or self._store is None:
            return
        self._writer.close()
        shutil.rmtree(self._tensorboard, ignore_errors=True)
        self._writer = EventFile(self._tensorboard)
        for phase in self._store.phases():
            for name, (iterations, values) in self._store.metrics(phase=phase).items():
                for iteration, value in zip(iterations.tolist(), values.tolist(), strict=True):
                    self._writer.add(iteration, {f"{phase}/{name}": value})

    def record(self, iteration: int, metrics: Metrics, phase: str = "train") -> None:
        """Write numbers of an iteration to the store and to TensorBoard."""
        if self._store is not None:
            self._store.log_metrics(iteration, metrics, phase)
            self._keep_time()
        if self._writer is not None:
            self._writer.add(iteration, {f"{phase}/{name}": value for name, value in metrics.items()})

    def say(self, text: str) -> None:
        """A line of progress."""
        if distributed.rank() == 0:
            self._console.print(f"[dim]{time.monotonic() - self._began:6.1f}s[/dim] {escape(text)}", soft_wrap=True)

    def left_out(self, failed: Iterable[Trajectory], total: int, what: str) -> None:
        """Warn of episodes without a verdict, from which nothing is learnt; silent if there are none.

        Args:
            failed: They; the most frequent error is named.
            total: How many were played.
            what: What they were to be, such as "demonstrations".
        """
        errors = Counter(each.error for each in failed if each.error)
        if errors:
            [(error, _)] = errors.most_common(1)
            self.say(f"warning: {errors.total()} of {total} {what} failed and are left out, such as: {error}")

    def iteration(self, number: int, total: int, metrics: Metrics, seconds: float) -> None:
        """The line of one iteration."""
        parts = _played(metrics, seconds) if "tokens/sampled" in metrics else _learnt(metrics)
        left = f"{seconds:.1f}s, {(total - number) * seconds / 60:.1f} min left"
        self.say(" · ".join([f"iteration {number}/{total}", *parts, left]))

    def close(self) -> None:
        """Close TensorBoard's file and keep the time that was spent."""
        self._keep_time()
        if self._writer is not None:
            self._writer.close()

    def _keep_time(self) -> None:
        """Written down again and again, since a killed process has no last moment to do so."""
        if self._store is not None:
            self._store.set_meta({_SECONDS: self.seconds})


def _played(metrics: Metrics, seconds: float) -> list[str]:
    """Of an iteration that collected episodes."""
    success = success_text(metrics) if "success/mean" in metrics else "  -  "
    entropy = metrics.get("loss/entropy")
    parts = [
        f"success {success}",
        f"return {metrics.get('return/mean', float('nan')):+.3f}",
        f"turns {metrics.get('episode/turns', 0):.1f}",
        f"entropy {entropy:.3f}" if entropy is not None else "entropy -",
    ]
    if "groups/zero_variance_share" in metrics:
        parts.append(f"flat groups {metrics['groups/zero_variance_share']:.0%}")
    if "critic/ranking" in metrics:
        parts.append(f"ranks {metrics['critic/ranking']:.2f} of {metrics['critic/ranking_pairs']:.0f} pairs right")
    if "start/lacking_episodes" in metrics:
        parts.append(f"the policy waits for better episodes ({metrics['start/lacking_episodes']:.0f} more)")
    return [*parts, f"{metrics.get('tokens/sampled', 0) / max(seconds, 1e-9):.0f} tok/s"]


def success_text(metrics: Metrics) -> str:
    """A rate with its interval and tasks; where few tasks differ from the others, how many, as they make it wide."""
    low, high, count = metrics["success/low"], metrics["success/high"], int(metrics["success/tasks"])
    text = f"{metrics['success/mean']:.3f} [{low:.3f}, {high:.3f}] of {count} {'task' if count == 1 else 'tasks'}"
    return f"{text}, all but {metrics['success/apart']:.0f} alike" if "success/apart" in metrics else text


def _learnt(metrics: Metrics) -> list[str]:
    """Of an iteration that learnt from what is stored alone: what it moved, by name."""
    return [f"{text} {metrics[name]:.4g}" for name, text in _OFFLINE.items() if name in metrics]
