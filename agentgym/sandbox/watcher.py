"""A process that waits for the death of an owner and then sweeps: what a SIGKILL leaves is gone a moment later.

It waits for the owner's lock, so it needs no polling, and neither forked children nor a reused process id mislead it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

from agentgym.sandbox.owner import Owner

# Run without site packages: the wait may last for days, and this costs the memory of a bare interpreter.
_WAIT = """
import fcntl, os, sys
try:
    lock = os.open(sys.argv[1], os.O_RDWR)
except FileNotFoundError:
    sys.exit()
fcntl.lockf(lock, fcntl.LOCK_EX)
if os.path.exists(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
_watchers: dict[str, subprocess.Popen[bytes]] = {}
_lock = threading.Lock()


def watch(owner: Owner) -> int:
    """Start the watcher of an owner, once; it ends by itself after the owner has.

    Args:
        owner: This process.

    Returns:
        Its process id.
    """
    with _lock:
        running = _watchers.get(owner.id)
        if running is None or running.poll() is not None:
            running = _watchers[owner.id] = _start(owner)
        return running.pid


def _start(owner: Owner) -> subprocess.Popen[bytes]:
    roots = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "AGENTGYM_STATE_DIR": str(owner.state),
        "PYTHONPATH": os.pathsep.join(filter(None, roots)),
    }
    sweep = [sys.executable, "-m", "agentgym.cli.main", "sweep"]
    return subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
        [sys.executable, "-I", "-S", "-c", _WAIT, str(owner.lock_path), *sweep],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=environment,
        start_new_session=True,  # what ends the owner's session or process group does not end it
    )
