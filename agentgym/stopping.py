"""SIGTERM as an interrupt: what a scheduler sends before it kills closes what is open, as Ctrl-C does."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


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
