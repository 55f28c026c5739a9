"""Runs a PostgreSQL server for as long as its owner lives, then removes its folder.

Run by path: `python -I -S watcher.py OWNER USER FOLDER PROGRAM ARGUMENT...`. It imports nothing of ours and has one
thread: a signal at a parent's death, which Linux sends at the death of a thread, reaches the server if this is killed.
The owner ends it by a line on its standard input, or the end of it.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import resource
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

MAX_MEMORY = 640 << 20
"""Address space of a process of the server, in bytes: a statement that needs more fails alone."""
MAX_FILE = 16 << 20
"""Bytes of one file of the server, so of one table."""
_GRACE_S = 5
_PR_SET_PDEATHSIG = 1


def main(owner: int, user: str, folder: Path, command: list[str]) -> int:
    """Run the server; returns the exit code."""
    try:
        return 0 if os.getppid() != owner else _serve(os.pidfd_open(owner), user, folder, command)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _serve(owner: int, user: str, folder: Path, command: list[str]) -> int:
    identity = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": ()} if user else {}
    with (folder / "log").open("ab") as log:
        server = subprocess.Popen(  # noqa: S603 - given by our own code
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
            preexec_fn=_limit,
            **identity,  # type: ignore[call-overload] # as subprocess takes them
        )
    waiting = select.poll()
    for descriptor in (0, owner, os.pidfd_open(server.pid)):
        waiting.register(descriptor, select.POLLIN | select.POLLHUP)
    waiting.poll()
    for stop in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if server.poll() is None:
            server.send_signal(stop)
            try:
                server.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                continue
    return int(server.returncode or 0)


def _limit() -> None:
    """What the server starts with, after it has become its user."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE, MAX_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4:]))
