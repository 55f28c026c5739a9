"""What a tokenizer for text-nav must know.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.navigation.text_nav.env import EXPECTED
from agentgym_dialogue.navigation.text_nav.house import CONTAINERS, DIRECTIONS, OBJECTS, ROOMS, SURFACES

NUMBERS: range | None = None
"""Numbers that must be single tokens: none occur."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    refusals = [
        "No exit north. The door is closed. No closed door there. No box to open here. No box to close here.",
        "The box is open. You hold the cup. No cup to take here. You do not hold the cup. No table here.",
    ]
    return [
        "Take the apple. Put the cup in the box and close it. Put the cup on the table. The cup is in the hall.",
        "Room: hall. Exits: north door closed to office, south to attic. Here: nothing. You hold: nothing.",
        "Here: table (empty), box (closed). All is as it should be.",
        "go north, open north door, open box, close box, take cup, put cup in box, put cup on table",
        EXPECTED,
        *refusals,
        " ".join((*DIRECTIONS, *ROOMS, *CONTAINERS, *SURFACES, *OBJECTS)),
    ]
