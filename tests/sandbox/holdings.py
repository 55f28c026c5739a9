"""What this process holds now and did not hold before: threads and open descriptors.

Comparing counts would fail where a thread of an earlier test ends in between. What somebody else gives up is never
held against a test here; only what is new is.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import Counter
from pathlib import Path


class Holdings:
    """Threads and open descriptors of this process at one moment.

    Args:
        count_streams: Whether stream sockets count. A client that pools connections keeps as many as it likes.
    """

    def __init__(self, *, count_streams: bool = True) -> None:
        self.count_streams = count_streams
        self.threads = set(threading.enumerate())
        self.descriptors = open_descriptors(count_streams)

    def new_threads(self) -> list[str]:
        """Names of threads that run now and did not run then."""
        return [thread.name for thread in threading.enumerate() if thread not in self.threads]

    def new_descriptors(self) -> list[str]:
        """What descriptors point at that were opened since then."""
        return sorted((open_descriptors(self.count_streams) - self.descriptors).elements())

    def require_nothing_new(self, timeout_s: float = 60.0) -> None:
        """Require that what is new ends within a time-out."""
        deadline = time.monotonic() + timeout_s
        while (new := self.new_threads() + self.new_descriptors()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not new, f"left behind: {', '.join(new)}"


def open_descriptors(count_streams: bool) -> Counter[str]:
    """How often this process has each file open, and how many pipes and sockets (one may stand in for another)."""
    streams = set() if count_streams else stream_sockets()
    found: Counter[str] = Counter()
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # another thread has closed it in the meantime
            link = os.readlink(f"/proc/self/fd/{number}")
            if link not in streams and link != f"/proc/{os.getpid()}/fd":  # the listing's own
                found[link.partition(":[")[0]] += 1
    return found


def stream_sockets() -> set[str]:
    """The machine's unix stream sockets, as links of descriptors."""
    rows = (line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:])
    return {f"socket:[{row[6]}]" for row in rows if row[4] == "0001"}
