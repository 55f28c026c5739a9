"""Training runs that break off in the middle, for the tests that resume them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from agentgym_rl.run import job


def kill() -> None:
    """At once, as if the process were gone."""
    raise KeyboardInterrupt


def press_ctrl_c() -> None:
    """As in a terminal; the run may still put itself in order."""
    os.kill(os.getpid(), signal.SIGINT)


def send_sigterm() -> None:
    """As Slurm and Kubernetes do before they kill."""
    os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def breaking(monkeypatch: pytest.MonkeyPatch, call: int, stop: Callable[[], None] = kill) -> Iterator[None]:
    """Within it a run must break: at a call of `Trainer.publish`, counted from 1."""
    publish, calls = job.Trainer.publish, []

    def broken(trainer: job.Trainer) -> None:
        calls.append(1)
        if len(calls) == call:
            stop()
        publish(trainer)

    with monkeypatch.context() as patch:
        patch.setattr(job.Trainer, "publish", broken)
        with pytest.raises(KeyboardInterrupt):
            yield
