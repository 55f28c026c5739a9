"""A server under watch: started from a configuration, its CPU time, writes and syncs counted, stopped or killed.

What is special about each server is in `redis_server`, `nginx_server` and `postgres_server`.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

LIBRARY = os.environ.get("TUNING_WATCH", "/usr/local/lib/agentgym-watch.so")
RUN = Path("/tmp/tuning/run")  # noqa: S108 - inside the sandbox
START_S = 60.0
LOAD_S = 200.0
"""Far beyond what a start or a load takes: a busy machine must not look like a bad configuration."""
MAX_LOG = 1200
Options = Mapping[str, Any]


class NotStartedError(Exception):
    """A server did not start, or ended; the text holds the end of its log."""


class Server:
    """One server in a folder of its own.

    Args:
        options: Values of its options, by name; they were checked before they came here.
        folder: An empty folder; None makes one.

    Attributes:
        peak: Bytes of memory of its largest process, once it was stopped.
    """

    data = "data"
    """Folder of what the server writes, below its folder; only this is counted."""

    def __init__(self, options: Options, folder: Path | None = None) -> None:
        if folder is None:
            folder = RUN
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True, mode=0o700)
        self.options, self.folder = options, folder
        (folder / self.data).mkdir(exist_ok=True, mode=0o700)
        self.process: subprocess.Popen[bytes] | None = None
        self._counts = folder / "counts"
        self.peak = 0

    # What each server says.

    def command(self) -> Sequence[str]:
        """Write its configuration; the command that starts it in the foreground."""
        raise NotImplementedError

    def is_ready(self) -> bool:
        """Whether it answers."""
        raise NotImplementedError

    def ask_to_stop(self) -> None:
        """Ask it to end in order."""
        assert self.process is not None
        self.process.terminate()

    def lay_out(self, work: dict[str, Any]) -> None:
        """Write what the load needs besides; nothing by default."""

    def load(self, work: dict[str, Any]) -> dict[str, Any]:
        """Load it; what the loads count."""
        raise NotImplementedError

    def probe(self) -> list[str]:
        """What strangers could do."""
        raise NotImplementedError

    # What all do.

    def start(self, journal: Path | None = None, stall: str = "") -> None:
        """Start it, and wait until it answers.

        Args:
            journal: Where what a power cut would undo is kept; None keeps nothing.
            stall: A part of paths whose syncs never return; "" for none.

        Raises:
            NotStartedError: It ended, or did not answer in time.
        """
        self._counts.write_bytes(bytes(4096))
        watched = {"LD_PRELOAD": LIBRARY, "WATCH_COUNTS": str(self._counts), "WATCH_ROOT": str(self.folder / self.data)}
        if journal is not None:
            journal.mkdir(exist_ok=True)
            watched["WATCH_JOURNAL"] = str(journal)
        if stall:
            watched |= {"WATCH_STALL": stall, "WATCH_STALL_MARK": str(self.stalled)}
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 - a server of ours
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **watched},
                start_new_session=True,
            )  # fmt: skip
        deadline = time.monotonic() + START_S
        while not self.is_ready():
            if self.process.poll() is not None:
                raise NotStartedError(self.last_log())
            if time.monotonic() > deadline:
                raise NotStartedError(f"no answer within {START_S:g} s; {self.last_log()}")
            time.sleep(0.002)

    @property
    def stalled(self) -> Path:
        """A file that is there once a sync did not return."""
        return self.folder / "stalled"

    def last_log(self) -> str:
        """The end of what it printed."""
        return (self.folder / "log").read_text(errors="replace")[-MAX_LOG:].strip()

    def require_alive(self) -> None:
        """Refuse a server that ended by itself.

        Raises:
            NotStartedError: It did.
        """
        if self.process is None or self.process.poll() is not None:
            raise NotStartedError(f"the server ended under load; {self.last_log()}")

    def counts(self) -> tuple[int, int, int]:
        """Syncs, bytes and writes so far."""
        with open(self._counts, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            syncs, size, writes = struct.unpack_from("QQQ", view)
            return syncs, size, writes

    def pids(self) -> list[int]:
        """Processes of the server, those of its children included."""
        assert self.process is not None
        return [self.process.pid, *_below(self.process.pid)]

    def cpu_s(self) -> float:
        """CPU time of the server so far."""
        return sum(_cpu_s(pid) for pid in self.pids())

    def memory(self) -> int:
        """Bytes of memory, what processes share counted once."""
        return 1024 * sum(_pss_kib(pid) for pid in self.pids())

    def stop(self) -> float:
        """End it in order; the CPU time of its whole life, what it did at the end included."""
        process = self.process
        assert process is not None
        self.ask_to_stop()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.process = None
        self.peak = 1024 * used.ru_maxrss
        return used.ru_utime + used.ru_stime

    def kill(self) -> None:
        """End it at once, with everything that it started."""
        if self.process is None:
            return
        pids = self.pids()
        for pid in pids:
            _signal(pid, signal.SIGSTOP)
        for pid in {*pids, *self.pids()}:
            _signal(pid, signal.SIGKILL)
        self.process.wait()
        deadline = time.monotonic() + START_S
        while any(os.path.exists(f"/proc/{pid}") and not _is_zombie(pid) for pid in pids):
            if time.monotonic() > deadline:
                raise NotStartedError("processes of the server could not be killed")
            time.sleep(0.001)
        self.process = None


def run(command: Sequence[str], timeout_s: float = LOAD_S, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run a program that loads or asks a server."""
    return subprocess.run(  # noqa: S603 - programs of ours
        command, capture_output=True, text=True, timeout=timeout_s, check=False, env={**os.environ, **extra}
    )


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _stat(pid: int) -> list[str]:
    """Fields of /proc/PID/stat from the third on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []


def _is_zombie(pid: int) -> bool:
    return (_stat(pid) or "Z")[0] == "Z"


def _below(pid: int) -> Iterator[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        children = [name for name in os.listdir("/proc") if name.isdigit() and _stat(int(name))[1:2] == [str(pid)]]
    for child in map(int, children):
        yield child
        yield from _below(child)


def _cpu_s(pid: int) -> float:
    """Of a process with its threads, and of its children that it has waited for."""
    nanoseconds = 0
    for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            nanoseconds += int(path.read_text().split()[0])
        except OSError:
            continue
    fields = _stat(pid)
    ticks = int(fields[13]) + int(fields[14]) if fields else 0
    return nanoseconds / 1e9 + ticks / os.sysconf("SC_CLK_TCK")


def _pss_kib(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
