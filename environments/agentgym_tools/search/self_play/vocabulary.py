"""The words of self-play over the small corpus: those of Search, and what its players are told besides."""

from __future__ import annotations

from agentgym_tools.search import vocabulary
from agentgym_tools.search.self_play.game import FATES, FROM_ARTICLES, FROM_MEMORY, WORDS_ALONE

NUMBERS = vocabulary.NUMBERS
NAMES = vocabulary.NAMES


def texts() -> list[str]:
    """All texts from which the words are taken."""
    told = (
        "Ask a question whose only answer is Do not say the answer in it. First open the articles that lead to the "
        "answer. It counts if it can be answered from them, and not without. "
        "propose question Asked. The question must not say"
    )
    return [*vocabulary.texts(), told, FROM_MEMORY, FROM_ARTICLES, WORDS_ALONE, *FATES.values()]
