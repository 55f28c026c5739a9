"""Sandboxes that train the models of the menu: in each a process that has imported scikit-learn serves many episodes.

Agents run no code of their own there, and nothing of a model outlasts its answer, so such a sandbox needs no reset. The
other end is `inside/warm.py`.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import threading
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from agentgym.errors import SandboxError, SandboxLostError
from agentgym.leasing.maker import ResetMethod
from agentgym.leasing.pool import Pool
from agentgym.sandbox.base import ExecResult, Sandbox, SandboxProvider
from agentgym.sandbox.pool import PoolConfig, SandboxMaker
from agentgym.sandbox.spec import SandboxSpec

START_S, MARGIN_S = 180.0, 30.0
READY = b"ready"

_lock = threading.Lock()
_pools: weakref.WeakKeyDictionary[SandboxProvider, TrainerPool] = weakref.WeakKeyDictionary()


def inside(name: str) -> str:
    """The source of a program that runs in the sandbox."""
    folder = resources.files("agentgym_swe.experiment.inside")
    return folder.joinpath(f"{name}.py").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Trained:
    """What came of a model.

    Attributes:
        result: What was written, how it ended, and how long it took.
        predictions: The content of predictions.csv; empty where none was written.
    """

    result: ExecResult
    predictions: bytes


class Trainer:
    """The process of a sandbox that trains models.

    Args:
        sandbox: In which it is started; it warms up while others work.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._process = sandbox.spawn(["python3", "-B", "-c", inside("warm"), inside("menu")])
        self._id = sandbox.id
        self._received = bytearray()
        self._is_warm = self._is_busy = False

    def train(self, files: Mapping[str, bytes], choice: Mapping[str, Any], limit_s: float) -> Trained:
        """Train a model.

        Args:
            files: train.csv, test.csv and about.json.
            choice: Which model, and how the columns are prepared.
            limit_s: Seconds after which it is stopped.

        Raises:
            SandboxLostError: The process is gone, or does not answer.
        """
        self._is_busy = True
        self._wait_until_warm()
        texts = {name: content.decode() for name, content in files.items()}
        request = json.dumps({"files": texts, "choice": dict(choice), "wall_s": limit_s})
        try:
            self._process.send(request.encode() + b"\n")
        except SandboxError as error:
            raise self._lost(str(error)) from error
        answer = json.loads(self._line(limit_s + MARGIN_S))
        self._is_busy = False
        result = ExecResult(
            answer["exit_code"],
            answer["said"].encode(),
            answer["errors"].encode(),
            timed_out=answer["timed_out"],
            duration_s=answer["duration_s"],
        )
        return Trained(result, answer["predictions"].encode())

    def is_idle(self) -> bool:
        """Whether it runs and waits for a request."""
        if self._is_busy:
            return False
        try:
            self._process.wait(timeout_s=0.0)
        except TimeoutError:
            return True
        return False

    def close(self) -> None:
        """End it; a second call does nothing."""
        self._process.close()

    def _wait_until_warm(self) -> None:
        if not self._is_warm and (said := self._line(START_S)) != READY:
            raise self._lost(f"it wrote {said[:300]!r}")
        self._is_warm = True

    def _line(self, within_s: float) -> bytes:
        deadline = time.monotonic() + within_s
        while (end := self._received.find(b"\n")) < 0:
            try:
                piece = self._process.receive(timeout_s=max(0.0, deadline - time.monotonic()))
            except TimeoutError as error:
                raise self._lost(f"it said nothing within {within_s:g} s") from error
            if not piece:
                raise self._lost(f"it ended; the last that it wrote is {bytes(self._received[-300:])!r}")
            self._received += piece
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line

    def _lost(self, why: str) -> SandboxLostError:
        return SandboxLostError(f"the process that trains models in sandbox {self._id} is gone or hangs: {why}")


class TrainerMaker(SandboxMaker):
    """Sandboxes with a trainer each.

    Args:
        provider: Makes the sandboxes.
    """

    def __init__(self, provider: SandboxProvider) -> None:
        super().__init__(provider)
        self._trainers: weakref.WeakKeyDictionary[Sandbox, Trainer] = weakref.WeakKeyDictionary()

    def trainer(self, sandbox: Sandbox) -> Trainer:
        """That of a sandbox."""
        return self._trainers[sandbox]

    def start(self, spec: SandboxSpec) -> Sandbox:
        """A fresh sandbox whose trainer warms up."""
        sandbox = super().start(spec)
        try:
            self._trainers[sandbox] = Trainer(sandbox)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def reset(self, resource: Sandbox) -> ResetMethod:
        """Nothing to do: forks of the trainer did the work, and they have ended.

        Raises:
            SandboxLostError: The trainer is gone, or still trains.
        """
        if not self.trainer(resource).is_idle():
            raise SandboxLostError(f"the process that trains models in sandbox {resource.id} is gone or busy")
        return "in_place"

    def close(self, resource: Sandbox) -> None:
        """End the trainer, and remove everything of its sandbox."""
        trainer = self._trainers.pop(resource, None)
        if trainer is not None:
            with contextlib.suppress(SandboxError):  # the sandbox is gone
                trainer.close()
        super().close(resource)


class TrainerPool(Pool[Sandbox, SandboxSpec]):
    """Sandboxes with trainers, kept while they are used.

    Args:
        provider: Makes the sandboxes.
    """

    def __init__(self, provider: SandboxProvider) -> None:
        # As many as there are cores, since each is lent only while a model is trained.
        config = PoolConfig(ready=1, idle_s=600.0, workers=4, max_cpus=float(os.cpu_count() or 1))
        self.trainers = TrainerMaker(provider)
        super().__init__(self.trainers, config, config.limits())


def trainer_pool(provider: SandboxProvider) -> TrainerPool:
    """The pool of this process for a provider, closed when the process ends."""
    with _lock:
        if not _pools:
            atexit.register(close_trainers)
        if provider not in _pools:
            _pools[provider] = TrainerPool(provider)
        return _pools[provider]


def close_trainers() -> None:
    """Close the pools that `trainer_pool` made."""
    with _lock:
        closing = list(_pools.values())
        _pools.clear()
    atexit.unregister(close_trainers)
    for pool in closing:
        pool.close()
