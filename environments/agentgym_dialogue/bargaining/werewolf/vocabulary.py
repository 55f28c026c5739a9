"""What a tokenizer for werewolf must know, in all roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.bargaining.werewolf.game import KILL, QUESTIONS, WerewolfGame
from agentgym_dialogue.bargaining.werewolf.speech import NAMES

NUMBERS: range | None = range(10)
"""Numbers that must be single tokens: of days and werewolves."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = WerewolfGame(9)
    said = [message["content"] for messages in game.reset(game.make_task(0)).values() for message in messages]
    said += [*QUESTIONS.values(), KILL, " ".join(NAMES), *(f"{name}:" for name in NAMES)]
    said += ["You are Ann, a werewolf. Among them are 2 werewolves. The other werewolf is Bob.", "Ann would kill Bob."]
    said += ["You are Ann, the doctor.", "You see: Bob is a werewolf.", "Bob is no werewolf.", "Day 1.", "Say a line."]
    said += [
        "Vote for one.",
        "Votes: Ann for Bob.",
        "Nobody is out.",
        "Bob is out. Bob was a werewolf.",
        "was a villager.",
    ]
    said += [
        "Cid is dead. Cid was the seer.",
        "was the doctor.",
        "Nobody died.",
        "The werewolves win. The village wins.",
    ]
    said += ["I am the seer. Bob is a werewolf.", "I suspect Bob.", "I am a villager.", "Say one name of Ann, Bob."]
    said += ["Say a line of 1 to 40 words.", "Say a line in plain English letters, at most 200 characters."]
    return said
