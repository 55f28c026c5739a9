"""What a tokenizer for grid drawing must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.describing.grid_drawing.game import GridDrawingGame
from agentgym_dialogue.describing.grid_drawing.strokes import LETTERS, Stroke
from agentgym_dialogue.describing.letter_grid import EMPTY

NUMBERS: range | None = range(50)
"""Numbers that must be single tokens: of rows, columns and cells."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = GridDrawingGame()
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    strokes = [Stroke(0, 1, "A"), Stroke(0, None, "B"), Stroke(None, 1, "C"), Stroke(None, None, "A")]
    said += [
        *(stroke.words() for stroke in strokes),
        *LETTERS,
        EMPTY,
        "Next?",
        "done",
        "Say an instruction of 1 to 30 words.",
    ]
    said += ["Done. 3 cells right, 1 wrong, 0 missing.", "Answer with 5 rows of 5 cells, a letter or - each."]
    return [*said, "Say an instruction in plain English letters, at most 300 characters."]
