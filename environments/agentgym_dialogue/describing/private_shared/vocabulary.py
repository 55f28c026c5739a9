"""What a tokenizer for private and shared must know, in both roles.

Building the tokenizer is the work of `agentgym.prompting.tiny`.
"""

from __future__ import annotations

from agentgym_dialogue.describing.private_shared.domains import DOMAINS
from agentgym_dialogue.describing.private_shared.game import PrivateSharedGame
from agentgym_dialogue.describing.private_shared.partners import EVASION, QUESTIONS

NUMBERS: range | None = range(31)
"""Numbers that must be single tokens: of things, questions and answers."""


def texts() -> list[str]:
    """Texts that hold every word that may occur."""
    said = []
    for domain in DOMAINS:
        game = PrivateSharedGame(domain)
        inbox = game.reset(game.make_task(0))
        said += [message["content"] for messages in inbox.values() for message in messages]
        topic = DOMAINS[domain]
        said += [word for slot, values in topic.slots.items() for word in (slot, slot.capitalize(), *values)]
        said += topic.synonyms
        said += [phrase.format(slot) for phrase in QUESTIONS for slot in topic.names]
        said += [f"Between us: was the {slot} said?" for slot in topic.names]
    said += ["Question: What", "Answer: yes", "no", EVASION, "Ask for one of: day.", "Tell only what you are asked."]
    said += ["Answer yes or no.", "Say a question of 1 to 30 words.", "Say an answer of 1 to 30 words."]
    said += ["Say an answer in plain English letters, at most 300 characters."]
    return [*said, "3 of 3 said, 8 of 8 answers between us right."]
