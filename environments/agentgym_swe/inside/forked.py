"""Reads what a fork tells through a pipe until it ends or is too late, and says how it ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time


def told(child: int, reader: int, wall_s: float) -> tuple[str, str, float]:
    """What a fork told; it is ended with its whole process group.

    Args:
        child: Its process, the leader of a group.
        reader: The end of the pipe to read; closed here.
        wall_s: Seconds that it may take.

    Returns:
        Its text; how it ended: "ended", "late", "hangs" (its CPU time ran out) or "died"; and its CPU seconds.
    """
    parts = []
    deadline = time.monotonic() + wall_s
    is_late = False
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            is_late = True
            break
        part = os.read(reader, 1 << 16)
        if not part:
            break
        parts.append(part)
    os.close(reader)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    how = "late" if is_late else "ended"
    if not is_late and os.WIFSIGNALED(status):
        how = "hangs" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "died"
    return b"".join(parts).decode(), how, round(used.ru_utime + used.ru_stime, 4)
