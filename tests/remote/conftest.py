"""A server in a thread, and clients that are closed when their test ends."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from agentgym.remote import RemoteEnv, ServerConfig
from agentgym.remote.server.app import create_app, running
from tests.toys.env import ToyEnv


@pytest.fixture
def start(tmp_path):
    """Starts a server of an environment, by default the toy, at a unix socket; returns its address and its sessions."""
    with ExitStack() as stack:

        def serve(env=ToyEnv, **settings):
            settings.setdefault("uds", "" if "port" in settings else str(tmp_path / "socket"))
            app = create_app(env, ServerConfig(**settings))
            return stack.enter_context(running(app)), app.table

        yield serve


@pytest.fixture
def connect():
    """Makes clients."""
    clients = []

    def make(url, **options):
        clients.append(RemoteEnv(url, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def url(start):
    """The address of a server of the toy."""
    return start()[0]
