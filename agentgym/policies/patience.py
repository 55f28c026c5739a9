"""Telling of a server that does not answer: what is waited for, and until when, before anyone wonders.

Which attempts are made is decided in `agentgym.policies.endpoint_client`.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Iterator

_SILENCE_S = 4.0
"""Seconds without an answer after which something is said."""
_QUIET_S = 30.0
"""Seconds between two messages about the same server."""
_log = logging.getLogger(__name__)


class Patience:
    """Warns of waiting for a server, for all threads that ask it; a server that has answered once may take its time.

    Args:
        url: Its address.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._told = -_QUIET_S
        self._has_answered = False

    @contextlib.contextmanager
    def waiting(self, longest_s: float) -> Iterator[None]:
        """In the block an answer is waited for; without an exception it came.

        Args:
            longest_s: Seconds after which the request is given up.
        """
        if self._has_answered:
            yield
            return
        timer = threading.Timer(_SILENCE_S, self.tell, ["no answer yet", longest_s - _SILENCE_S])
        timer.daemon = True
        timer.start()
        try:
            yield
            self._has_answered = True
        finally:
            timer.cancel()

    def tell(self, what: str, longest_s: float) -> None:
        """Warn that the server is waited for, unless that was said a moment ago.

        Args:
            what: What is the matter.
            longest_s: Seconds until the request is given up.
        """
        with self._lock:
            now = time.monotonic()
            if now - self._told < _QUIET_S:
                return
            self._told = now
        until = time.strftime("%H:%M:%S", time.localtime(time.time() + longest_s))
        _log.warning("waiting for %s: %s. The request is given up at %s at the latest.", self._url, what, until)
