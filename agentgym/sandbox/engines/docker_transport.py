"""The Docker SDK over a unix socket, without what it leaks: a socket for each connection that fails."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

_SCHEME = "http+docker://"


def close_what_fails(client: DockerClient) -> None:
    """Make a client close the sockets of connections that fail; one that does not use a unix socket stays as it is.

    The connections that it has open are closed.
    """
    adapter = client.api.adapters.get(_SCHEME)
    if adapter is not None and hasattr(adapter, "socket_path"):
        adapter.close()
        client.api.mount(_SCHEME, _closing(adapter))


def _closing(adapter: Any) -> Any:
    """An adapter to the same socket, which closes what fails to connect."""
    from docker.transport.unixconn import (  # type: ignore[import-untyped]
        UnixHTTPAdapter,
        UnixHTTPConnection,
        UnixHTTPConnectionPool,
    )

    class Connection(UnixHTTPConnection):  # type: ignore[misc]
        def connect(self) -> None:
            self.sock = _connected(self.unix_socket, self.timeout)

    class Pool(UnixHTTPConnectionPool):  # type: ignore[misc]
        def _new_conn(self) -> Connection:
            return Connection(self.base_url, self.socket_path, self.timeout)

    class Adapter(UnixHTTPAdapter):  # type: ignore[misc]
        def get_connection(self, url: str, proxies: object = None) -> Pool:
            with self.pools.lock:
                pool: Pool | None = self.pools.get(url)
                if pool is None:
                    pool = self.pools[url] = Pool(url, self.socket_path, self.timeout, maxsize=self.max_pool_size)
            return pool

    return Adapter(adapter.socket_path, adapter.timeout, max_pool_size=adapter.max_pool_size)


def _connected(path: str, timeout_s: float | None) -> socket.socket:
    """A socket connected to a path, or closed again."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout_s)
        connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection
