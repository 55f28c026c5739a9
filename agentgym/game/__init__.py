"""Games of named roles: the protocol that rollouts play, `GameEnv` with its rules, and solo environments as games.

A game as an environment of one role is in `agentgym.wrappers.role_view`.
"""

from agentgym.game.game_env import GameEnv
from agentgym.game.protocol import Game, GameReply, Inbox, role_return
from agentgym.game.solo import SoloGame

__all__ = ["Game", "GameEnv", "GameReply", "Inbox", "SoloGame", "role_return"]
