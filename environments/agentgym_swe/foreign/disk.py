"""Watches how much a command writes to an image's own files, which no engine limits, and ends it beyond a limit."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox

_LOOK_S = 1.0
_MIB = 1 << 20
_LEAST = 256 * _MIB
"""Free space below which a command is ended."""
_MEASURE = (
    'find / -xdev -newer "$1" -type f -printf "%s\\n" 2>/dev/null | awk "{ total += \\$1 } END { print total + 0 }"'
)


class DiskWatch:
    """Looks at the free space while a block runs; less of it may be another's doing, so new files are then counted.

    Args:
        sandbox: Where the command runs.
        limit_mib: How much it may write.

    Attributes:
        is_over: Whether the limit was passed and the command ended for it.
        is_starved: Whether the command was ended because the disk was nearly full, whoever filled it.
    """

    def __init__(self, sandbox: Sandbox, limit_mib: int) -> None:
        self._sandbox, self._limit = sandbox, limit_mib * _MIB
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._mark = "/var/tmp/.agentgym-began"  # noqa: S108 - inside the sandbox
        self.is_over = self.is_starved = False

    def __enter__(self) -> Self:
        self._sandbox.exec(["touch", self._mark])
        self._free = self._free_bytes()
        self._thread = threading.Thread(target=self._watch, name="agentgym-disk-watch", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        assert self._thread is not None
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(_LOOK_S):
            try:
                free = self._free_bytes()
                self.is_over = self._free - free > self._limit and self._written() > self._limit
                self.is_starved = free < _LEAST and self._free - free > _LEAST
                if self.is_over or self.is_starved:
                    self._sandbox.interrupt()
                    return
            except (SandboxError, ValueError):
                return  # the sandbox is gone, which its user notices

    def _free_bytes(self) -> int:
        shown = self._sandbox.exec(["df", "-Pk", "/"], timeout_s=10.0).stdout.decode("utf-8", "replace")
        return int(shown.splitlines()[-1].split()[3]) * 1024

    def _written(self) -> int:
        """Bytes of files that are newer than the block; deleted ones that are held open are not among them."""
        found = self._sandbox.exec(["sh", "-c", _MEASURE, "sh", self._mark], timeout_s=60.0)
        return int(found.stdout.decode("utf-8", "replace").strip() or 0)
