"""How hard the environments of this distribution can be made: a table, of which `registration` makes specs.

A curriculum turns these knobs: see `EnvSpec.options_at`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Knobs = Mapping[str, Sequence[Any]]
"""Options of an environment, each with its values from the easiest to the hardest."""

_ERROR_RATES = (0.8, 0.5, 0.3, 0.1, 0.0)
_LISTED = (4, 8, 16, 32, 0)

KNOBS: Mapping[str, Knobs] = {
    "CarDealer": {"num_cars": (2, 3, 4, 5)},
    "Chess": {"odds": ("queen", "rook", "none")},
    "ChessEndgames": {"max_mate_in": (1, 2, 4, 7, None)},
    "ConnectFour": {"error_rate": _ERROR_RATES},
    "GridDrawing": {"num_strokes": (1, 2, 3), "size": (3, 5, 7)},
    "GuessMyCity": {"num_listed": _LISTED},
    "GuessNumber": {"max_numbers": (5, 8, 16, 32, 64)},
    "LiarsDice": {"num_dice": (2, 3, 4, 5)},
    "Lookup": {"hops": (1, 2, 3), "distractors": (0, 1, 2, 3)},
    "MapNavigation": {"num_rooms": (4, 6, 8)},
    "Mastermind": {"num_places": (2, 3, 4), "num_colours": (3, 4, 5, 6), "num_tries": (10, 8, 6)},
    "Maze": {"size": (5, 7, 9, 11, 15)},
    "PrivateShared": {"num_given": (3, 2, 1, 0)},
    "Python": {"level": (1, 2, 3)},
    "Taboo": {"num_tries": (5, 3, 2, 1)},
    "TextNav": {"num_rooms": (2, 3, 4, 6, 8)},
    "TextWorld": {"num_rooms": (1, 2, 3, 5), "quest_length": (1, 2, 3, 5)},
    "TicTacToe": {"error_rate": _ERROR_RATES},
    "TwentyQuestions": {"num_listed": _LISTED},
    "Wordle": {"vocabulary_size": (10, 100, 300, 1000, 2000), "num_tries": (8, 6, 4)},
    "WordleWithClue": {"num_tries": (6, 4, 3, 2)},
    "WordleWithCritic": {"num_tries": (6, 3, 2, 1)},
}
"""By the name in the environment's id, "agentgym/NAME-v0"."""
