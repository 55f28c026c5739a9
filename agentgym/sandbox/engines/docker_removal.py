"""Removing containers, also those that an engine that was away, or just back, would not remove at first.

What a process leaves that has ended is removed by `sweeper`.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from agentgym.sandbox.leasing.sweeper import remove_containers

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

_RETRY_S = 1.0
_RETRY_FOR_S = 600.0


class ContainerRemoval:
    """Removes containers of one engine.

    Args:
        client: The engine's.
    """

    def __init__(self, client: DockerClient) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._left: set[str] = set()
        self._is_retrying = False

    @property
    def left(self) -> frozenset[str]:
        """Containers that could not be removed yet; asked for again in the background, for ten minutes."""
        with self._lock:
            return frozenset(self._left)

    def remove(self, container_id: str) -> None:
        """Remove a container and wait until it is gone; one that stays is asked for again later.

        Raises:
            OSError: The engine does not answer; asked again once it has answered another removal.
        """
        try:
            refused = remove_containers(self._client, [container_id])
        except BaseException:
            with self._lock:
                self._left.add(container_id)
            raise
        with self._lock:
            self._left.update(refused)
            if not self._left or self._is_retrying:
                return
            self._is_retrying = True
        threading.Thread(target=self._retry, name="agentgym-removal", daemon=True).start()

    def _retry(self) -> None:
        """Ask again until all are gone, the engine is away, or the time is up."""
        deadline = time.monotonic() + _RETRY_FOR_S
        is_over = False
        while not is_over:
            tried = self.left
            gone: set[str] = set()
            try:
                gone = set(tried) - remove_containers(self._client, sorted(tried)).keys()
            except OSError:  # asking an engine that is away costs a socket each time, which its client leaves open
                is_over = True
            with self._lock:
                self._left -= gone
                is_over = is_over or not self._left or time.monotonic() > deadline
                self._is_retrying = not is_over
            if not is_over:
                time.sleep(_RETRY_S)
