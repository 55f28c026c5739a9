"""Tool environments whose work happens in a sandbox: leased when an episode begins or needs it, returned when it ends.

Providers make sandboxes, the pool handles waiting and reuse, and a subclass says what the tools do.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar

from agentgym.action import ToolCall
from agentgym.env import EnvReply, Observation
from agentgym.errors import CancelledEpisode, ContractError, SandboxError, SandboxFileError
from agentgym.message import Message
from agentgym.outcome import CutReason
from agentgym.sandbox.base import Sandbox, SandboxProvider
from agentgym.sandbox.lender import SandboxLender, lender_of
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.spec import SandboxSpec
from agentgym.task import Task
from agentgym.tools import ToolEnv


class SandboxEnv(ToolEnv):
    """A tool environment that works in a sandbox.

    A subclass writes `sandbox_spec` and `set_up`, and decorates methods with `@tool` or writes `carry_out`; it uses
    `self.sandbox`, and `fresh_sandbox` for grading.

    An episode holds at most one sandbox at a time: the agent's is returned before a fresh one is taken, so that
    episodes never wait for each other.

    A sandbox that is lost raises SandboxLostError, an infrastructure failure: the episode has no reward and is retried.
    A SandboxFileError during an episode that the subclass does not catch is also an infrastructure failure, because it
    is not a mistake of the user.

    Args:
        sandbox: "docker", "bubblewrap" or "process" (no isolation, for trusted work and tests); a provider; or a pool.
            None takes docker if an engine answers, else bubblewrap; never "process".
        relaxed: Limits of the specification that need not be enforced, such as ("memory_mib", "pids", "cpus").
        render_mode: As in Gymnasium.
    """

    leases_late: ClassVar[bool] = False
    """Whether the sandbox is leased when it is first used, so that an episode that never does so starts none."""

    def __init__(
        self,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        self._wanted, self._relaxed = sandbox, tuple(relaxed)
        self._lender: SandboxLender | None = None
        self._lease: AbstractContextManager[Sandbox] | None = None
        self._sandbox: Sandbox | None = None
        self._at_work = threading.Lock()

    # What a subclass writes.

    @abstractmethod
    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """The specification of the task's sandbox."""

    @abstractmethod
    def set_up(self, task: Task) -> Sequence[Message]:
        """Prepare `self.sandbox`, unless it is leased late, and return the first messages."""

    def carry_out(self, call: ToolCall) -> EnvReply:
        """Carry out one tool call; by default, it calls the decorated function, as in `ToolEnv.call`."""
        return super().call(call)

    def put_down(self) -> None:
        """End what runs in `self.sandbox` and is held here, such as an interpreter; the sandbox may be gone."""

    def vet(self, task: Task) -> None:
        """Refuse a task that a server's client made, if it would control more than the work in the sandbox.

        An environment whose tasks name their sandbox, or files of this machine, must override this; by default, all
        pass.

        Raises:
            TaskError: The task would control more; the message says what.
        """

    # What a subclass may use.

    @property
    def sandbox(self) -> Sandbox:
        """The agent's sandbox.

        Raises:
            ContractError: No episode is running.
            SandboxStartError: It is leased now, and none can be started.
        """
        if self._sandbox is None and self.leases_late and self.task is not None and self.books.phase == "running":
            self._take(self.sandbox_spec(self.task))
            self.check_interrupt()
        if self._sandbox is None:
            raise ContractError(f"{type(self).__name__} has no sandbox outside an episode")
        return self._sandbox

    @contextmanager
    def fresh_sandbox(self, spec: SandboxSpec | None = None) -> Iterator[Sandbox]:
        """A sandbox that the agent never used; the agent's own is returned first.

        Args:
            spec: Its specification; None for the task's.
        """
        assert self.task is not None
        self.release()
        self._take(self.sandbox_spec(self.task) if spec is None else spec)
        try:
            yield self.sandbox
        finally:
            self.release()

    def release(self) -> None:
        """Return the sandbox, if one is held."""
        lease, self._lease = self._lease, None
        if lease is None:
            return
        try:
            self.put_down()
        finally:
            self._sandbox = None
            lease.__exit__(None, None, None)

    # The episode.

    @property
    def capacity(self) -> int | None:
        """How many sandboxes like that of the present episode the pool holds."""
        if self._lender is None or self.task is None:
            return None
        return self._lender.capacity(self.sandbox_spec(self.task))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode in a clean sandbox; see `AgentEnv.reset`.

        Raises:
            UnsupportedSpecError: The provider cannot enforce the specification of the task's sandbox.
            SandboxStartError: No sandbox can be started.
        """
        with self._at_work:
            self.release()
            try:
                return super().reset(seed=seed, options=options)
            except BaseException:
                self.release()
                raise

    def begin(self, task: Task) -> Sequence[Message]:
        """Lease the sandbox, or see that it could be leased later, and set the episode up."""
        spec = self.sandbox_spec(task)
        if self.leases_late:
            self._lender_of_sandboxes().fitted(spec)
        else:
            self._take(spec)
        return self.set_up(task)

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one message; see `AgentEnv.step`."""
        with self._at_work:
            try:
                with _file_faults_as_infrastructure():
                    played = super().step(action)
                self.check_interrupt()
            except BaseException as error:
                if isinstance(error, SandboxError):
                    self.books.phase = "ended"
                self.release()
                if isinstance(error, SandboxError) and self.is_interrupted:
                    raise CancelledEpisode("the episode was interrupted while its sandbox worked") from error
                raise
            if self.books.phase == "ended":
                self.release()
            return played

    def call(self, call: ToolCall) -> EnvReply:
        """Carry out one call, unless the episode was interrupted."""
        self.check_interrupt()
        return self.carry_out(call)

    def finalize(self, reason: CutReason) -> tuple[float, dict[str, Any]]:
        """Close a running episode that a limit of the rollout cut; see `AgentEnv.finalize`."""
        with self._at_work:
            try:
                with _file_faults_as_infrastructure():
                    return super().finalize(reason)
            finally:
                if self.books.phase == "ended":
                    self.release()

    def interrupt(self) -> None:
        """Make a running step, or the next, give up; the sandbox is given back by it, or at once where none runs."""
        super().interrupt()
        if self._at_work.acquire(blocking=False):
            try:
                self.release()
            finally:
                self._at_work.release()
            return
        sandbox = self._sandbox
        if sandbox is not None:
            sandbox.interrupt()

    def close(self) -> None:
        """Return the sandbox; calling it twice is harmless."""
        self.release()
        super().close()

    def _lender_of_sandboxes(self) -> SandboxLender:
        if self._lender is None:
            self._lender = lender_of(self._wanted, self._relaxed)
        return self._lender

    def _take(self, spec: SandboxSpec) -> None:
        lease = self._lender_of_sandboxes().lease(spec)
        self._sandbox = lease.__enter__()
        self._lease = lease


@contextmanager
def _file_faults_as_infrastructure() -> Iterator[None]:
    """What an agent did to its files, such as to the programs that copy them, must not end the whole run."""
    try:
        yield
    except SandboxFileError as error:
        raise SandboxError(f"files of the episode's sandbox could not be copied: {error}") from error
