"""Letting one process of this user do a thing that others wait for, and the folder where such things are kept.

The kernel frees the lock with its process, so that a killed one keeps nobody waiting.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agentgym.errors import SandboxStartError


def cache_folder() -> Path:
    """This user's folder for what can be made again: XDG_CACHE_HOME/agentgym, made where it is missing.

    Raises:
        SandboxStartError: It cannot be made, as for users without a home.
    """
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "agentgym"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        raise SandboxStartError(
            f"there is no folder for the runner and the packages of images ({error}); name one in XDG_CACHE_HOME"
        ) from error
    return folder


@contextmanager
def only_one(thing: str, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the right to make a thing.

    Args:
        thing: Its name; any text.
        on_wait: Called once where another process holds it.
    """
    folder = cache_folder() / "locks"
    folder.mkdir(exist_ok=True)
    path = folder / hashlib.sha256(thing.encode()).hexdigest()[:32]
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
