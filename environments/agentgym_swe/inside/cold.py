"""Runs the whole suite for each of many changed trees, each in a fork of a process that knows pytest alone.

Standard input: the orders, then one candidate a line. Standard output: one answer a line. The fork has imported
nothing of the package, so everything in it runs as in a fresh process. Byte code is kept outside of the tree; a changed
file has a time of its own, so that its byte code is nobody else's.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import sys
import tempfile
from collections.abc import Callable
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import forked  # type: ignore[import-not-found,unused-ignore]
import session  # type: ignore[import-not-found,unused-ignore]

WALL_S = 900.0
MEMORY_BYTES = 3 << 30
FIRST_TIME = 1_000_000_000
"""Time of change of the first file that is changed, seconds since 1970; the next has the next second."""
times = itertools.count(FIRST_TIME)
Work = Callable[[dict[str, Any], dict[str, Any], int], None]


def work(asked: dict[str, Any], candidate: dict[str, Any], writer: int) -> None:
    """In the fork: run the tests and tell the outcome of all."""
    os.setpgid(0, 0)
    limit = int(candidate["cpu_s"]) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    outcomes, code = session.run(
        candidate.get("run") or asked["tests"],
        order=asked.get("order"),
        only=candidate.get("only") or asked["only"],
        limit=candidate.get("limit", 0),
        plain=asked.get("plain", ()) if candidate.get("limit") else (),
    )
    answer = {"outcomes": {t: how for t, how in outcomes.of.items() if how != "passed"}, "ran": len(outcomes.of)}
    answer["broken"] = [name for name, _ in outcomes.broken]
    answer["code"] = code
    content = json.dumps(answer).encode()
    while content:
        content = content[os.write(writer, content) :]
    os.write(writer, b"\n")


def run(asked: dict[str, Any], candidate: dict[str, Any], work: Work = work) -> dict[str, Any]:
    """The answer for one candidate, whose files are put back afterwards."""
    kept: dict[str, tuple[bytes, int]] = {}
    try:
        for name, text in candidate["files"].items():
            with open(name, "rb") as file:
                kept[name] = file.read(), os.stat(name).st_mtime_ns
            write(name, text.encode(), next(times) * 10**9)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                work(asked, candidate, writer)
            finally:
                os._exit(0)
        os.close(writer)
        return collect(child, reader)
    finally:
        for name, (content, time) in kept.items():
            write(name, content, time)


def write(name: str, content: bytes, time: int) -> None:
    """Write a file with a time of change, in nanoseconds."""
    with open(name, "wb") as file:
        file.write(content)
    os.utime(name, ns=(time, time))


def collect(child: int, reader: int) -> dict[str, Any]:
    """The answer of a fork, or how it ended without one."""
    text, how, seconds = forked.told(child, reader, WALL_S)
    if not text.endswith("\n"):
        return {"how": "died" if how == "ended" else how, "cpu_s": seconds}
    return {"how": "tried", "cpu_s": seconds, **json.loads(text)}


def main(work: Work = work) -> None:
    """Reads its orders from the standard input; `work` says what a fork does with a candidate."""
    orders = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    asked = json.loads(orders.readline())
    session.add_path(asked["path"])
    sys.pycache_prefix, sys.dont_write_bytecode = tempfile.mkdtemp(), False
    for line in orders:
        answers.write(json.dumps(run(asked, json.loads(line), work)) + "\n")
        answers.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
