"""Ctrl-C while a run trains: the first lets the running iteration end and is checkpointed, the second stops at once.

What is interrupted outside of training (warm start, final test) stops at once.
"""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType

_STDERR = 2
_SAID = b"\ninterrupted: the running iteration ends and is checkpointed first; Ctrl-C again stops at once\n"


class Interrupt:
    """Remembers a Ctrl-C instead of raising it; a context manager.

    Only in the main thread, and only in place of Python's own way: whoever handles or ignores SIGINT keeps doing so.

    Attributes:
        is_asked: Whether there was one.
    """

    def __init__(self) -> None:
        self.is_asked = False
        self._is_installed = False

    def __enter__(self) -> Interrupt:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._ask)
            self._is_installed = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._is_installed = False

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True
        os.write(_STDERR, _SAID)  # print may be what was interrupted
