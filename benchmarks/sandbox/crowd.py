"""Many sandboxes at once: the time to start them and what each takes of memory, beside the engine's own containers.

Memory is read from the kernel for each process: resident (RSS), where what processes share counts for each of them,
and proportional (PSS), where it counts once. A container's processes are its shim at the engine and what runs inside.
What one process of the host grows by is this one's; the engine's growth is told apart, since others use it as well.
"""

from __future__ import annotations

import os
import re
import socket
import struct
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.engines.engine import engine_address
from agentgym.sandbox.spec import SandboxSpec
from benchmarks.measure import resident_bytes
from benchmarks.sandbox.sides import EngineContainers

_MB = 1e6
_SETTLE_S = 1.0
Figures = dict[str, float]


@dataclass(frozen=True)
class Memory:
    """Memory of some processes.

    Attributes:
        rss_mb: Resident.
        pss_mb: Proportional.
    """

    rss_mb: float
    pss_mb: float


class Crowd:
    """Starts so many sandboxes, measures them and takes them down again.

    Args:
        provider: Makes them.
        spec: What they are.
        count: How many.
        num_threads: Threads that start them, on both sides.
    """

    def __init__(self, provider: DockerProvider, spec: SandboxSpec, count: int, num_threads: int) -> None:
        self._provider, self._spec = provider, spec
        self._count, self._num_threads = count, num_threads

    def sandboxes(self) -> Figures:
        """Sandboxes of ours."""
        made: list[Sandbox] = []

        def start(_: int) -> None:
            made.append(self._provider.start(self._spec))

        def stop() -> None:
            with ThreadPoolExecutor(self._num_threads) as executor:
                list(executor.map(lambda sandbox: sandbox.close(), made))

        return self._measured(start, lambda: [sandbox.id for sandbox in made], stop)

    def containers(self) -> Figures:
        """Containers of the engine; the folders that they bind are made before."""
        containers = EngineContainers(self._provider, self._spec)
        plans = [containers.plan() for _ in range(self._count)]
        made: list[str] = []

        def start(number: int) -> None:
            made.append(containers.start(plans[number]))

        def stop() -> None:
            with ThreadPoolExecutor(self._num_threads) as executor:
                list(executor.map(lambda container_id: containers.remove([container_id]), made))

        return self._measured(start, lambda: made, stop)

    def _measured(
        self, start: Callable[[int], None], names: Callable[[], list[str]], stop: Callable[[], None]
    ) -> Figures:
        engine = engine_processes()
        before = _Moment.now(engine)
        with ExitStack() as undo:
            undo.callback(stop)
            began = time.perf_counter()
            with ThreadPoolExecutor(self._num_threads) as executor:
                list(executor.map(start, range(self._count)))
            took = time.perf_counter() - began
            time.sleep(_SETTLE_S)
            after = _Moment.now(engine)
            inside, shims = self._processes(names())
            undo.pop_all()
        began = time.perf_counter()
        stop()
        return {
            "start_s": took,
            "stop_s": time.perf_counter() - began,
            "shim_rss_mb": shims.rss_mb / self._count,
            "shim_pss_mb": shims.pss_mb / self._count,
            "inside_rss_mb": inside.rss_mb / self._count,
            "inside_pss_mb": inside.pss_mb / self._count,
            "host_rss_mb": (after.own_mb - before.own_mb) / self._count,
            "engine_rss_mb": (after.engine_mb - before.engine_mb) / self._count,
            "unavailable_mb": (before.available_mb - after.available_mb) / self._count,
        }

    def _processes(self, names: Iterable[str]) -> tuple[Memory, Memory]:
        """Memory of what runs inside containers, and of their shims."""
        api = self._provider.host.client.api
        first = [int(api.inspect_container(name)["State"]["Pid"]) for name in names]
        return memory_of(first), memory_of([_parent_of(pid) for pid in first])


@dataclass(frozen=True)
class _Moment:
    own_mb: float
    engine_mb: float
    available_mb: float

    @classmethod
    def now(cls, engine: list[int]) -> _Moment:
        available = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
        if available is None:
            raise RuntimeError("the kernel does not say how much memory is available")
        return cls(resident_bytes() / _MB, memory_of(engine).rss_mb, int(available[1]) * 1024 / _MB)


def memory_of(pids: Iterable[int]) -> Memory:
    """Memory of processes together."""
    rss = pss = 0
    for pid in pids:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        kilobytes = {name: int(number) for name, number in re.findall(r"^(Rss|Pss):\s+(\d+) kB", text, re.MULTILINE)}
        rss += kilobytes["Rss"]
        pss += kilobytes["Pss"]
    return Memory(rss * 1024 / _MB, pss * 1024 / _MB)


def engine_processes() -> list[int]:
    """The engine, as who listens at its socket, and its containerd; none where it is reached otherwise."""
    address = engine_address()
    if not address.startswith("unix://"):
        return []
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address.removeprefix("unix://"))
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    engine = struct.unpack("3i", credentials)[0]
    numbers = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    return [engine, *(pid for pid in numbers if _parent_of(pid) == engine and _name_of(pid) == "containerd")]


def _name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
