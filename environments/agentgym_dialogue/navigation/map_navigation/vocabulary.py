"""What a tokenizer for map navigation must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.navigation.map_navigation.game import DONE, KINDS, MapNavigationGame
from agentgym_dialogue.navigation.map_navigation.partners import GO_ON
from agentgym_dialogue.navigation.map_navigation.rooms import DIRECTIONS, NAMES

NUMBERS: range | None = range(1, 41)
"""Numbers that must be single tokens: of moves."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    said = []
    for kind in KINDS:
        game = MapNavigationGame(kind)
        inbox = game.reset(game.make_task(0))
        said += [message["content"] for messages in inbox.values() for message in messages]
    said += [*NAMES, *DIRECTIONS, DONE, GO_ON, "Guide: north, then east", "Room hall. Exits north, east."]
    said += ["Explorer in the hall.", "There is no way north.", "Say one of north, south, east, west or done."]
    said += ["The goal is reached.", "All rooms are seen.", "Not there yet.", "No moves left."]
    return [*said, "Say a line of 1 to 20 words.", "Say a line in plain English letters, at most 300 characters."]
