"""A container's control group as the host sees it: whether the kernel killed for memory, and stopping it for a moment.

Limits are set by the engine. Where this process may not read or write the files, it says so with None and False.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_FREEZE_WAIT_S = 5.0


class ContainerCgroup:
    """The control group of a container, of either version.

    Args:
        pid: A process of it, as the host counts; read once.
    """

    def __init__(self, pid: int) -> None:
        groups = {}
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            groups.update(dict.fromkeys(controllers.split(","), path.lstrip("/")))
        unified = groups.get("", "")
        self.text = "\n".join(groups.values())
        self._counter, self._name = _ROOT / unified / "memory.events", b"\noom_kill "
        self._freezer, self._is_frozen = _ROOT / unified / "cgroup.freeze", _ROOT / unified / "cgroup.events"
        self._words = ("1", "0", "frozen 1")
        if "memory" in groups:
            self._counter = _ROOT / "memory" / groups["memory"] / "memory.oom_control"
        if "freezer" in groups:
            self._freezer = self._is_frozen = _ROOT / "freezer" / groups["freezer"] / "freezer.state"
            self._words = ("FROZEN", "THAWED", "FROZEN")

    def num_oom_kills(self) -> int | None:
        """Processes of it that the kernel killed for memory so far; None where that cannot be read."""
        try:  # without a file object: this is read after each command, and takes a third of the time so
            counter = os.open(self._counter, os.O_RDONLY | os.O_CLOEXEC)
            try:
                text = os.read(counter, 4096)
            finally:
                os.close(counter)
        except OSError:
            return None
        _, has_it, after = (b"\n" + text).partition(self._name)
        return int(after.split(None, 1)[0]) if has_it else None

    def freeze(self) -> bool:
        """Stop every process of it; False where this process may not, or they do not stop in time."""
        try:
            self._freezer.write_text(self._words[0])
            deadline = time.monotonic() + _FREEZE_WAIT_S
            while self._words[2] not in self._is_frozen.read_text():
                if time.monotonic() > deadline:
                    self.thaw()
                    return False
                time.sleep(0.0005)
        except OSError:
            return False
        return True

    def thaw(self) -> None:
        """Let them go on; where the container is gone there is nothing to do."""
        try:
            self._freezer.write_text(self._words[1])
        except OSError:
            return
