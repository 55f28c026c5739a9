"""The words of Search over its small corpus: those of its articles, questions, tool results and calls.

From it a tokenizer is built in which each of these words is one token; the tokenizer itself is made elsewhere.
"""

from __future__ import annotations

from agentgym.action import EXPECTED
from agentgym_tools.search.articles import all_articles, article_id
from agentgym_tools.search.env import NO_CALL, NOT_FOUND, RIGHT, WRONG
from agentgym_tools.search.grading import UNANSWERABLE
from agentgym_tools.search.names import KINDS
from agentgym_tools.search.relations import RELATIONS
from agentgym_tools.search.world import Entity, world_of

NUM_ARTICLES = 300
"""Articles of the small corpus, which the suite tools/search-small asks about."""
NUMBERS: range | None = range(1000)
"""Numbers that should be single tokens, such as days and numbers of pages, and the parts of larger ones."""
_WORLD = world_of(NUM_ARTICLES)
NAMES = (
    [_WORLD.name(Entity(kind, number)) for kind in KINDS for number in range(_WORLD.counts[kind])],
    [article_id(number) for number in range(NUM_ARTICLES)],
)
"""Names of people, towns, companies, books and schools, and ids of articles."""


def texts() -> list[str]:
    """All texts from which the words are taken."""
    articles = [part for article in all_articles(_WORLD) for part in (article.title, article.text)]
    asked = [part for one in RELATIONS for part in (one.noun, one.inverse.format(""), one.comparison)]
    talk = [
        "Who is the",
        "What is the",
        "How many",
        "are there?",
        "List all",
        "of the",
        "search open answer query k id",
    ]
    refusals = [NO_CALL, f"The tool call is not valid JSON near at character {EXPECTED}", "holds no readable needs"]
    return [*articles, *filter(None, asked), *talk, NOT_FOUND, RIGHT, WRONG, UNANSWERABLE, *refusals]
