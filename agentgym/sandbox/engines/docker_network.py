"""Networks of peers: one engine network a group, internal, with nobody on it but the group.

Sandboxes without a group have no network at all, and an allowlist is served over a socket (`proxy`), not by a network.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from agentgym.errors import SandboxStartError
from agentgym.sandbox.leasing.owner import Owner

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

# The host gets no address on the bridge, else its servers could be reached through it: the first option is what engines
# before 27 know, the second what they know since.
_NO_HOST = {
    "com.docker.network.bridge.inhibit_ipv4": "true",
    "com.docker.network.bridge.gateway_mode_ipv4": "isolated",
}
NO_NAME_SERVER = "127.0.0.1"
"""Engines before 26 pass on names that they do not know to the host's name server, from internal networks too
(CVE-2024-29018); given this one, which is the sandbox itself, nothing leaves."""
_REMOVAL_WAIT_S = 2.0


class GroupNetworks:
    """The networks of one owner's groups, made when the first member comes and removed when the last has gone.

    Args:
        client: The engine's.
        owner: Whose groups they are; two owners' groups of one name never meet.
    """

    def __init__(self, client: DockerClient, owner: Owner) -> None:
        self._client, self._owner = client, owner
        self._members: dict[str, int] = {}
        self._ids: dict[str, str] = {}
        self._lock = threading.Lock()

    def join(self, group: str) -> str:
        """Name of the group's network, for one more member.

        Raises:
            SandboxStartError: The engine could not make it.
        """
        import docker

        name = f"agentgym-{self._owner.id}-{group}"
        with self._lock:
            if group not in self._ids:
                try:
                    made = self._client.api.create_network(
                        name, driver="bridge", internal=True, options=_NO_HOST, labels=self._owner.labels()
                    )
                except docker.errors.APIError as error:
                    raise SandboxStartError(f"no network for group {group!r}: {error.explanation or error}") from error
                self._ids[group] = made["Id"]
            self._members[group] = self._members.get(group, 0) + 1
        return name

    def leave(self, group: str) -> None:
        """One member fewer; the last one takes the network with it."""
        with self._lock:
            self._members[group] -= 1
            if self._members[group] > 0:
                return
            del self._members[group]
            deadline = time.monotonic() + _REMOVAL_WAIT_S
            while not self._remove(self._ids[group]):  # a container on its way out holds it for a moment
                if time.monotonic() > deadline:
                    return  # kept for the group's next member, or the sweeper
                time.sleep(0.05)
            del self._ids[group]

    def _remove(self, network_id: str) -> bool:
        import docker

        try:
            self._client.api.remove_network(network_id)
        except docker.errors.NotFound:
            return True
        except (docker.errors.APIError, OSError):
            return False
        return True
