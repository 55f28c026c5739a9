"""How long a server that does not answer is waited for, and telling of it before anyone wonders.

Which attempts are made is decided in `agentgym.policies.endpoint_client`.
"""

from __future__ import annotations

import contextlib
import logging
import math
import threading
import time
from collections.abc import Iterator

_SILENCE_S = 4.0
"""Seconds without an answer after which something is said."""
_QUIET_S = 30.0
"""Least seconds between two messages about the same server."""
_log = logging.getLogger(__name__)


class Patience:
    """Waits for a server, for all threads that ask it, and says so; a server that has answered once may take its time.

    One that has never answered is given up by all threads at the same time.

    Args:
        url: Its address.
        first_answer_s: Seconds of failures after which a server that has never answered is given up.
    """

    def __init__(self, url: str, first_answer_s: float) -> None:
        self._url, self._first_answer_s = url, first_answer_s
        self._lock = threading.Lock()
        self._told_at, self._told_until = -math.inf, -math.inf
        self._failing_since: float | None = None
        self._has_answered = False

    @contextlib.contextmanager
    def waiting(self, longest_s: float) -> Iterator[None]:
        """In the block an answer is waited for; without an exception it came.

        Args:
            longest_s: Seconds after which the request is given up.
        """
        if self._has_answered:
            yield
            self._told_until = -math.inf
            return
        timer = threading.Timer(_SILENCE_S, self.tell, ["no answer yet", longest_s - _SILENCE_S])
        timer.daemon = True
        timer.start()
        try:
            yield
            self._has_answered, self._told_until = True, -math.inf
        finally:
            timer.cancel()

    def fail(self, since: float, *, is_busy: bool) -> float:
        """Count an attempt that failed.

        Args:
            since: Since when the server is known not to answer, by the monotonic clock.
            is_busy: Whether it said that it is there and has no time.

        Returns:
            Seconds until it is given up: none are left at 0, and there is no end for one that is there.
        """
        with self._lock:
            if self._has_answered or is_busy:
                self._failing_since = None
                return math.inf
            if self._failing_since is None:
                self._failing_since = since
            return max(0.0, self._failing_since + self._first_answer_s - time.monotonic())

    def tell(self, what: str, longest_s: float) -> None:
        """Warn that the server is waited for, unless that was said a moment ago, or the time that was said is to come.

        Args:
            what: What is the matter.
            longest_s: Seconds until the request is given up.
        """
        with self._lock:
            now = time.monotonic()
            if now < max(self._told_at + _QUIET_S, self._told_until):
                return
            self._told_at, self._told_until = now, now + longest_s
        until = time.strftime("%H:%M:%S", time.localtime(time.time() + longest_s))
        _log.warning("waiting for %s: %s. It is given up at %s at the latest.", self._url, what, until)
