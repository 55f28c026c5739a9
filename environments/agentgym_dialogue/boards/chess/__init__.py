"""Play chess against Stockfish, positions and moves being told in words.

The rules of the game as an environment are in `board_env` and `env`, moves as text in `moves`, the engine in `engine`,
how the opponent chooses in `opponent`, players in `scripts`; `generate` writes the tasks. Needs the extra `chess`.
"""

from agentgym.errors import MissingExtraError

try:
    import chess as chess  # the library, which every module here needs
except ImportError as error:
    raise MissingExtraError("chess", "chess") from error
