"""A process that waits for the death of an owner and then sweeps: what a SIGKILL leaves is gone a moment later.

It waits for the owner's lock, so it needs no polling, and neither forked children nor a reused process id mislead it.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

from agentgym.sandbox.leasing.owner import Owner

# Run without site packages: the wait may last for days, and this costs the memory of a bare interpreter. It is nobody's
# child: some programs, such as Ray's workers, kill their children when they end.
_WAIT = """
import fcntl, os, sys
if pid := os.fork():
    os.write(1, b"%d" % pid)
    os._exit(0)
os.dup2(os.open(os.devnull, os.O_RDWR), 1)
try:
    lock = os.open(sys.argv[1], os.O_RDWR)
except FileNotFoundError:
    sys.exit()
fcntl.lockf(lock, fcntl.LOCK_EX)
if os.path.exists(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
_watchers: dict[tuple[str, str | None], _Watcher] = {}
_lock = threading.Lock()


class _Watcher(NamedTuple):
    """A watcher's process id, and a descriptor that tells when it has ended."""

    pid: int
    descriptor: int

    def has_ended(self) -> bool:
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        return bool(poll.poll(0))


def watch(owner: Owner, engine: str | None = None) -> int:
    """Start the watcher of an owner, once; it ends by itself after the owner has.

    Args:
        owner: This process.
        engine: Address of the engine that runs its containers; None for DOCKER_HOST or the default socket.

    Returns:
        Its process id.
    """
    with _lock:
        running = _watchers.get((owner.id, engine))
        if running is not None and running.has_ended():
            os.close(running.descriptor)
            running = None
        if running is None:
            running = _watchers[owner.id, engine] = _start(owner, engine)
        return running.pid


def _start(owner: Owner, engine: str | None) -> _Watcher:
    roots = [str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "AGENTGYM_STATE_DIR": str(owner.state),
        "PYTHONPATH": os.pathsep.join(filter(None, roots)),
    }
    if engine is not None:
        environment["DOCKER_HOST"] = engine
    sweep = [sys.executable, "-m", "agentgym.cli.main", "sweep"]
    started = subprocess.run(  # noqa: S603 - our own interpreter and arguments
        [sys.executable, "-I", "-S", "-c", _WAIT, str(owner.lock_path), *sweep],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=environment,
        start_new_session=True,  # what ends the owner's session or process group does not end it
        check=True,
    )
    pid = int(started.stdout)
    return _Watcher(pid, os.pidfd_open(pid))
