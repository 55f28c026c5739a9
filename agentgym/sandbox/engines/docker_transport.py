"""The Docker SDK over a unix socket, without what it leaks: a socket for each connection that fails."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from docker.transport.unixconn import (  # type: ignore[import-untyped]
    UnixHTTPAdapter,
    UnixHTTPConnection,
    UnixHTTPConnectionPool,
)

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

_SCHEME = "http+docker://"


def close_what_fails(client: DockerClient) -> None:
    """Make a client close the sockets of connections that fail; one that does not use a unix socket stays as it is.

    The connections that it has open are closed.
    """
    adapter = client.api.adapters.get(_SCHEME)
    if isinstance(adapter, UnixHTTPAdapter):
        adapter.close()
        client.api.mount(_SCHEME, _Adapter(adapter.socket_path, adapter.timeout, max_pool_size=adapter.max_pool_size))


class _Connection(UnixHTTPConnection):  # type: ignore[misc]
    def connect(self) -> None:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(self.timeout)
            connection.connect(self.unix_socket)
        except BaseException:
            connection.close()
            raise
        self.sock = connection


class _Pool(UnixHTTPConnectionPool):  # type: ignore[misc]
    def _new_conn(self) -> _Connection:
        return _Connection(self.base_url, self.socket_path, self.timeout)


class _Adapter(UnixHTTPAdapter):  # type: ignore[misc]
    def get_connection(self, url: str, proxies: object = None) -> _Pool:
        with self.pools.lock:
            pool: _Pool | None = self.pools.get(url)
            if pool is None:
                pool = self.pools[url] = _Pool(url, self.socket_path, self.timeout, maxsize=self.max_pool_size)
        return pool
