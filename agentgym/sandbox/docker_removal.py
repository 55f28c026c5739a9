"""Removing containers, also those that an engine that was away, or just back, would not remove at first.

What a process leaves that has ended is removed by `sweeper`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from agentgym.sandbox.sweeper import remove_containers

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
            OSError: The engine does not answer.
        """
        refused: Iterable[str] = [container_id]
        try:
            refused = remove_containers(self._client, [container_id])
        finally:
            self._keep(refused)

    def _keep(self, containers: Iterable[str]) -> None:
        with self._lock:
            self._left.update(containers)
            if not self._left or self._is_retrying:
                return
            self._is_retrying = True
        threading.Thread(target=self._retry, name="agentgym-removal", daemon=True).start()

    def _retry(self) -> None:
        import docker

        deadline = time.monotonic() + _RETRY_FOR_S
        is_over = False
        while not is_over:
            time.sleep(_RETRY_S)
            tried = self.left
            try:
                refused = set(remove_containers(self._client, sorted(tried)))
            except (OSError, docker.errors.DockerException):
                refused = set(tried)
            with self._lock:
                self._left -= tried - refused
                is_over = not self._left or time.monotonic() > deadline
                self._is_retrying = not is_over
