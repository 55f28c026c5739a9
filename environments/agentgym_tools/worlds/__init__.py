"""Worlds that tools read and change: a generated database that many episodes share, and what each episode changed.

A base is in `base`, an episode's world in `world`, the connections that worlds take turns on in `bench`.
"""

from agentgym_tools.worlds.base import Base
from agentgym_tools.worlds.bench import Bench
from agentgym_tools.worlds.changes import Change, Key, Row
from agentgym_tools.worlds.world import World

__all__ = ["Base", "Bench", "Change", "Key", "Row", "World"]
