"""Ctrl-C and SIGTERM while a run trains: the first lets the running iteration end and be checkpointed.

The second stops at once. SIGTERM is what Slurm and Kubernetes send before they kill. What is interrupted outside of
training (warm start, final test) stops at once.
"""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from agentgym.stopping import stop

_STDERR = 2
_SAID = b"\ninterrupted: the running iteration ends and is checkpointed first; Ctrl-C or SIGTERM again stops at once\n"

_OWN: dict[signal.Signals, tuple[Any, ...]] = {
    signal.SIGINT: (signal.default_int_handler,),
    signal.SIGTERM: (signal.SIG_DFL, stop),
}
"""Signals that ask a run to end, with the handlers that may be replaced; whoever has another one keeps it."""


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


class Interrupt:
    """Remembers that the run was asked to end, instead of raising it; a context manager.

    Only in the main thread, and only in place of Python's own ways and of `terminable`.

    Attributes:
        is_asked: Whether it was.
    """

    def __init__(self) -> None:
        self.is_asked = False
        self._replaced: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupt:
        if _is_main():
            for number, own in _OWN.items():
                if (handler := signal.getsignal(number)) in own:
                    self._replaced[number] = handler
                    signal.signal(number, self._ask)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._replaced:
            signal.signal(*self._replaced.popitem())

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True
        os.write(_STDERR, _SAID)  # print may be what was interrupted
