"""Environments over the network, with OpenEnv's protocol: a client that is an environment, and a server.

The server (`agentgym.remote.server.app`) needs the extra `serve` and is imported from there. The client needs no extra.
"""

from agentgym.remote.client.env import RemoteEnv
from agentgym.remote.client.foreign import ForeignActions
from agentgym.remote.settings import ClientSettings, ServerConfig

__all__ = ["ClientSettings", "ForeignActions", "RemoteEnv", "ServerConfig"]
