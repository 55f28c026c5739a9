"""A progress display for rollouts: episodes, speed, success, and where the time goes."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from agentgym.rollout.faults import RolloutStats

_REFRESH_S = 0.2


class ProgressDisplay:
    """Draws on stderr; on a stream that is no terminal it prints one line at the end.

    Args:
        title: What is being collected.
        console: Where to draw.
    """

    def __init__(self, title: str, console: Console | None = None) -> None:
        self._title = title
        self._console = console or Console(stderr=True)
        self._bar = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        self._began = 0.0
        self._drawn = 0.0
        self._last = ""

    def start(self, total: int) -> None:
        """So many episodes are wanted."""
        self._began = time.monotonic()
        self._task = self._bar.add_task(self._title, total=total, figures="")
        if self._console.is_terminal:
            self._bar.start()

    def update(self, stats: RolloutStats) -> None:
        """An episode ended; draws at most a few times a second."""
        now = time.monotonic()
        self._last = describe(stats, now - self._began)
        if now - self._drawn >= _REFRESH_S:
            self._drawn = now
            self._bar.update(self._task, completed=stats.episodes, figures=self._last)

    def stop(self) -> None:
        """The collection ended."""
        if self._console.is_terminal:
            self._bar.stop()
        if self._last:
            self._console.print(f"{self._title}: {self._last}", highlight=False, markup=False, soft_wrap=True)


def describe(stats: RolloutStats, seconds: float) -> str:
    """One line: speed, success, faults, and the shares of queue, model and environment in the episodes' time.

    Tokens that nobody counted are left out.
    """
    graded = stats.episodes - stats.faults
    total = stats.queue_s + stats.model_s + stats.env_s
    shares = " ".join(
        f"{name} {part / total:.0%}" if total else f"{name} -"
        for name, part in (("queue", stats.queue_s), ("model", stats.model_s), ("env", stats.env_s))
    )
    success = f"{stats.successes / graded:.0%}" if graded else "-"
    speed = f"{stats.episodes / max(seconds, 1e-9):.1f} episodes/s"
    if stats.action_tokens:
        speed += f" {stats.action_tokens / max(seconds, 1e-9):.0f} tok/s"
    faults = f" faults {stats.faults}" if stats.faults else ""
    retries = f" retries {stats.retries}" if stats.retries else ""
    return f"{speed} · success {success}{faults}{retries} · {shares}"
