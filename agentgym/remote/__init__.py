"""Environments over the network, on the OpenEnv wire: a client that is an environment, and a server for any of ours.

The server (`agentgym.remote.server.app`) needs the extra `serve` and is imported from there; the client needs none.
"""

from agentgym.remote.client.env import RemoteEnv
from agentgym.remote.client.foreign import ForeignActions
from agentgym.remote.settings import ClientSettings, ServerConfig

__all__ = ["ClientSettings", "ForeignActions", "RemoteEnv", "ServerConfig"]
