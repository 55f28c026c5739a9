"""Processor time of this process and of all that it started, sandboxes of bubblewrap included.

Containers are no children of this process, so their time is not seen. What a sandbox took is lost when it is killed.
"""

from __future__ import annotations

import os

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds() -> float:
    """Seconds so far, of processes that have ended and of those that go on."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system + _of_descendants()


def _of_descendants() -> float:
    """Of those that go on below this process, with what they waited for."""
    children: dict[int, list[int]] = {}
    spent: dict[int, float] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
        spent[int(name)] = sum(map(int, fields[11:15])) / _TICKS
    waiting, total = list(children.get(os.getpid(), ())), 0.0
    while waiting:
        each = waiting.pop()
        total += spent[each]
        waiting += children.get(each, ())
    return total
