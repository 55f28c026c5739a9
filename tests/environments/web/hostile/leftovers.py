"""What a browser may leave on the machine: processes, its profile folder, ports."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

BOUND_S = 60.0


def is_running(pid: int) -> bool:
    """Whether a process runs; one that ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def listening_ports(pid: int) -> set[int]:
    """The TCP ports on which a process listens."""
    own = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            own.add(os.readlink(link))
        except OSError:
            continue
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    fields = [line.split() for line in lines]
    return {int(each[1].split(":")[1], 16) for each in fields if each[3] == "0A" and f"socket:[{each[9]}]" in own}


def wait_until(holds: Callable[[], bool]) -> bool:
    """Whether something becomes true within a bound."""
    deadline = time.monotonic() + BOUND_S
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def are_gone(pids: Iterable[int], paths: Iterable[Path]) -> bool:
    """Whether processes and folders are gone within a bound."""
    pids, paths = list(pids), list(paths)
    return wait_until(lambda: not any(map(is_running, pids)) and not any(path.exists() for path in paths))
