"""Win endgames of chess against a lone king that Stockfish plays.

The environment is in `env`, what pieces an ending has in `endings`, exact distances to mate in `retrograde`, players in
`scripts`; `generate` writes the suite's tasks. Needs the extra `chess`.
"""

import agentgym_dialogue.boards.chess as chess_of_whole_games  # noqa: F401 - it refuses to load where the library is missing
