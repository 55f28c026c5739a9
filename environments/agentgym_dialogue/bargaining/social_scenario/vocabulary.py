"""What a tokenizer for social scenarios must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.bargaining.social_scenario.game import SocialScenarioGame
from agentgym_dialogue.bargaining.social_scenario.scenarios import NAMES, RELATIONSHIPS, RULES, SECRETS, WISHES
from agentgym_dialogue.bargaining.social_scenario.scripts import GREETING, QUESTION, THANKS, offer, request

NUMBERS: range | None = range(41)
"""Numbers that must be single tokens: of lines."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    game = SocialScenarioGame()
    said = [message["content"] for messages in game.reset(game.make_task(0)).values() for message in messages]
    said += [" ".join(f"{name} {name}." for name in NAMES), " ".join(f"{each}." for each in RELATIONSHIPS)]
    said += [*RULES.values(), *SECRETS.values(), *(f"{secret}." for secret in SECRETS.values()), *map(offer, WISHES)]
    said += [*map(request, WISHES), *(f"{wish};" for wish in WISHES.values()), GREETING, QUESTION, THANKS]
    said += ["They say: Good day.", "That is rude.", "Yes, agreed.", "Why should I say?", "I hardly know you.", "Well."]
    said += ["What would I get?", "That would help.", "I see.", "Hello.", "You fool.", "No way.", "Yes."]
    said += ["The talk is over. Your wish is granted.", "Your wish is not granted.", "You begin.", "They begin."]
    said += ["Say a line of 1 to 30 words.", "Say a line in plain English letters, at most 300 characters."]
    return said
