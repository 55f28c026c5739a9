"""How a process is stopped: SIGTERM closes what is open, as Ctrl-C does, and what takes long at the end says so.

What is open, and how it is closed, is its owners' matter.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

_PATIENCE_S = 1.0


def stop(number: int, frame: FrameType | None) -> None:
    """The handler of SIGTERM inside `terminable`."""
    raise KeyboardInterrupt


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """In the block SIGTERM is a KeyboardInterrupt; only in the main thread, and only where SIGTERM has its default."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextlib.contextmanager
def sigterm_kept() -> Iterator[None]:
    """Whatever the block does to the handler of SIGTERM is undone after it; only in the main thread."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def last_work(notice: str) -> Iterator[None]:
    """The block is what a process does at its end: an interrupt there ends the process at once, without a traceback.

    Args:
        notice: What stderr says where the block takes longer than a second.
    """
    timer = threading.Timer(_PATIENCE_S, print, [notice], {"file": sys.stderr, "flush": True})
    timer.daemon = True
    try:
        with contextlib.suppress(RuntimeError):  # an interpreter that ends may start no threads
            timer.start()
        yield
    except KeyboardInterrupt:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        timer.cancel()
