"""A reader without a model: it finds facts in the sentences of generated articles, and follows chains of them.

It reads texts alone, never the facts that they were written from.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from agentgym_tools.months import MONTHS
from agentgym_tools.search.articles import Article
from agentgym_tools.search.relations import RELATIONS

_ASKED = re.compile(r'(?:Who|What) is ((?:the [a-z ]+? of )+)"([^"]{1,100})"\?')
_WRITTEN = re.compile(r"Written on (\d{1,2}) ([A-Z][a-z]+) (\d{4})\. ")
_REPORT_ON = "Report on "


class Chain(NamedTuple):
    """A question for the end of a chain of facts.

    Attributes:
        start: The name that it starts from.
        nouns: What is asked of each name in turn, such as ("author", "mentor").
    """

    start: str
    nouns: tuple[str, ...]


def read_chain(question: str) -> Chain | None:
    """The chain of a question such as 'Who is the mentor of the author of "X"?'; None for any other text."""
    asked = _ASKED.fullmatch(question.strip())
    if asked is None:
        return None
    nouns = asked[1].removeprefix("the ").removesuffix(" of ").split(" of the ")
    return Chain(asked[2], tuple(reversed(nouns))) if _nouns().issuperset(nouns) else None


def facts_in(article: Article) -> dict[str, str]:
    """What an article states of its subject: for each noun the value, as it is written."""
    body = _WRITTEN.sub("", article.text, count=1)
    found: dict[str, str] = {}
    for sentence in re.split(r"(?<=\.) ", body):
        for noun, pattern in _patterns():
            stated = pattern.fullmatch(sentence)
            if stated is not None:
                found.setdefault(noun, stated[1])
    return found


def newest_facts(articles: Iterable[Article]) -> dict[str, dict[str, str]]:
    """For each name what articles state of it; where they differ, what the newest states."""
    found: dict[str, dict[str, str]] = {}
    for article in sorted(articles, key=_day):
        found.setdefault(article.title.removeprefix(_REPORT_ON), {}).update(facts_in(article))
    return found


def follow(chain: Chain, facts: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The names and values along a chain, the start apart; it ends early where no article states the next one."""
    here, found = chain.start, list[str]()
    for noun in chain.nouns:
        value = facts.get(here, {}).get(noun)
        if value is None:
            break
        found.append(value)
        here = value
    return found


def _day(article: Article) -> datetime.date:
    written = _WRITTEN.match(article.text)
    if written is None or written[2] not in MONTHS:
        return datetime.date.min
    return datetime.date(int(written[3]), MONTHS.index(written[2]) + 1, int(written[1]))


@cache
def _nouns() -> frozenset[str]:
    return frozenset(relation.noun for relation in RELATIONS)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for relation in RELATIONS:
        for words in (*relation.sentences, *filter(None, [relation.news])):
            text = re.escape(words[0].upper() + words[1:]).replace(r"\{v\}", "(.+)").replace(r"\{s\}", ".+")
            found.append((relation.noun, re.compile(text)))
    return tuple(found)
