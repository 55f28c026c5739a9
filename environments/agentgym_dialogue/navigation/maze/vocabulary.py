"""What a tokenizer for maze must know.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.navigation.maze.env import GENERATED, OBSERVATIONS, Puzzle, maze_task
from agentgym_dialogue.navigation.maze.layouts import FIXED

NUMBERS: range | None = range(1, 32)
"""Numbers that must be single tokens: rows and columns."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    mazes = {**FIXED, GENERATED: FIXED["tees"]}
    puzzles = [Puzzle(name, mazes[name], (1, 1), (1, 3), seen) for name in mazes for seen in OBSERVATIONS]
    instructions = [maze_task("maze:words", 0, puzzle).instruction for puzzle in puzzles]
    views = ["You 1, 2. Goal 5, 3. Walls up, down, left, right.", "No walls.", "Goal reached."]
    return [*instructions, *views, "Say up, down, left or right.", "up", "down", "left", "right"]
