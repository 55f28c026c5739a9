"""What a tokenizer for car dealer must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.bargaining.car_dealer.game import MAX_PRICE, CarDealerGame
from agentgym_dialogue.bargaining.car_dealer.market import BRANDS, DEALERS, FEATURES, KINDS, PERSONALITIES

NUMBERS: range | None = range(MAX_PRICE + 1)
"""Numbers that must be single tokens: prices and lines."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = CarDealerGame()
    inbox = game.reset(game.make_task(0))
    said = [message["content"] for messages in inbox.values() for message in messages]
    manners = [*PERSONALITIES.values(), *DEALERS.values()]
    said += [phrase for manner in manners for phrase in manner.phrases]
    said += [" ".join([*BRANDS, *KINDS, *FEATURES, *PERSONALITIES])]
    said += ["They offer the Ford for 21.", "They say: Ford is too much at 21.", "Sold: the Ford for 21."]
    said += ["The buyer leaves.", "No more lines.", "What can you offer?", "I accept.", "I leave.", "I have 20."]
    said += ["That is my business.", "I want sunroof and leather.", "offer Ford 20", "What kind of car do you want?"]
    said += ["What features do you need?", "Say one car and one price, such as: offer Ford 20."]
    said += ["Say something of 1 to 40 words.", "They have offered nothing that you could accept."]
    said += ["Make one move a message: offer, accept or leave."]
    return [*said, "Say something in plain English letters, at most 300 characters."]
