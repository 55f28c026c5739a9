"""The words of Search over its small corpus: those of its articles, questions, tool results and calls.

From it a tokenizer is built in which each of these words is one token; the tokenizer itself is made elsewhere. What
stands between the names and numbers of articles and questions is one token too: it says what the name after it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from agentgym.action import EXPECTED
from agentgym_tools.search.articles import all_articles, article_id
from agentgym_tools.search.env import NO_CALL, NOT_FOUND, RIGHT, WRONG
from agentgym_tools.search.grading import UNANSWERABLE
from agentgym_tools.search.names import KINDS
from agentgym_tools.search.relations import RELATIONS
from agentgym_tools.search.world import Entity, world_of

NUM_ARTICLES = 300
"""Articles of the small corpus, which the suite tools/search-small asks about."""
_WORLD = world_of(NUM_ARTICLES)
_ARTICLES = [part for article in all_articles(_WORLD) for part in (article.title, article.text)]
NUMBERS = sorted({*range(32), *(int(each) for text in _ARTICLES for each in re.findall(r"\d+", text))})
"""Numbers that should be single tokens: all of the articles, such as years and the parts of larger ones, and days."""
NAMES = (
    [_WORLD.name(Entity(kind, number)) for kind in KINDS for number in range(_WORLD.counts[kind])],
    [article_id(number) for number in range(NUM_ARTICLES)],
)
"""Names of people, towns, companies, books and schools, and ids of articles."""

_NAME_OR_NUMBER = re.compile(rf"\b(?:{'|'.join(re.escape(name) for group in NAMES for name in group)}|[0-9,]*[0-9])\b")
_SENTENCE = re.compile(r"\.? ?[^.]+|\. ?")
"""A sentence or a part of it, with the end of the one before."""
_ASKED = (
    *("Who is", "What is", "How many", "List all", ' "', '"?', '".', '" or "', '" are there?'),
    *(" | ", " | Report on ", "\nWritten on "),
)
"""Fixed parts of questions and of results."""
_LEAST = 3
"""How often a phrase occurs at least."""


def phrases_in(texts: Iterable[str]) -> list[str]:
    """What recurs between the names and numbers of texts, sentence by sentence, and the parts of questions."""
    counts: Counter[str] = Counter()
    for text in texts:
        for part in _NAME_OR_NUMBER.split(text):
            counts.update(found for found in _SENTENCE.findall(part) if len(found) > 1)
    recurring = (phrase for phrase, count in counts.items() if count >= _LEAST and not phrase.isspace())
    nouns = (f" the {relation.noun} of" for relation in RELATIONS)
    inverses = (f" {relation.inverse.format('')}" for relation in RELATIONS if relation.inverse)
    comparisons = (f'{relation.comparison}, "' for relation in RELATIONS if relation.comparison)
    return sorted({*recurring, *nouns, *(f'{each}"' for each in inverses), *comparisons, *_ASKED})


def texts() -> list[str]:
    """All texts from which the words are taken."""
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
    return [*_ARTICLES, *filter(None, asked), *talk, NOT_FOUND, RIGHT, WRONG, UNANSWERABLE, *refusals]
