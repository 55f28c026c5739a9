"""Dialogue games: a folder a room, in it a folder a game with the same file names inside.

`specs.py` lists them; what the games of one room share stands beside their folders.
"""

import agentgym  # noqa: F401 - first, since it reads `specs` of this package while it is imported
