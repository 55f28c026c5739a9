"""The articles of a world: a title, the day on which each was written, and sentences that state its facts.

Each fact stands in one article only, except what reports change. Nothing is stored: an article is written when read.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import NamedTuple

from agentgym_tools.months import MONTHS
from agentgym_tools.search.relations import OF_KIND, Relation
from agentgym_tools.search.world import Entity, World

_KNOWN_AS = {
    "person": "this person",
    "town": "the town",
    "company": "the company",
    "book": "the book",
    "school": "the school",
}
_COLOUR = {
    "person": ("Friends speak of a calm manner.", "A portrait hangs in the public library.", "Two diaries survive."),
    "town": ("Visitors like the old market.", "The river floods in spring.", "A tram crosses the centre."),
    "company": ("Its first workshop is a museum today.", "Orders come from many countries.", "The logo is a heron."),
    "book": ("Critics praised the dialogue.", "It has been translated often.", "The cover shows a lighthouse."),
    "school": ("The garden is open on Sundays.", "Its choir travels widely.", "The roof was renewed with donations."),
}


class Hit(NamedTuple):
    """One result of a search.

    Attributes:
        id: The article's id.
        title: The article's title.
    """

    id: str
    title: str


class Article(NamedTuple):
    """One document.

    Attributes:
        id: Its id, unique in the corpus.
        title: Its title.
        text: Its text.
    """

    id: str
    title: str
    text: str


def article_id(number: int) -> str:
    """The id of the article of that number, such as "a17"."""
    return f"a{number}"


def article_number(text: str, num_articles: int) -> int | None:
    """The number of an id; None if no article has that id."""
    digits = text[1:]
    if text[:1] != "a" or not (digits.isascii() and digits.isdigit()) or len(digits) > 9 or str(int(digits)) != digits:
        return None
    number = int(digits)
    return number if number < num_articles else None


def title_of(world: World, number: int) -> str:
    """The title of the article of a number from 0."""
    subject = world.subject(number)
    if isinstance(subject, int):
        return f"Report on {world.name(world.report(subject)[0])}"
    return world.name(subject)


def write_article(world: World, number: int) -> Article:
    """The article of a number from 0."""
    subject = world.subject(number)
    if isinstance(subject, int):
        return _write_report(world, number, subject)
    title = world.name(subject)
    day = int(world.days[subject.kind][subject.number])
    stated = [relation for relation in OF_KIND[subject.kind] if world.value(subject, relation) >= 0]
    sentences = []
    for place, relation in enumerate(stated):
        words = relation.sentences[(number + place) % len(relation.sentences)]
        named = title if place == 0 else _KNOWN_AS[subject.kind]
        sentences.append(_sentence(words, named, value_text(world, relation, world.value(subject, relation))))
    sentences.insert(len(sentences) // 2, _COLOUR[subject.kind][number % 3])
    return Article(article_id(number), title, f"Written on {date_text(day)}. {' '.join(sentences)}")


def all_articles(world: World) -> Iterator[Article]:
    """All articles, in the order of their numbers."""
    return (write_article(world, number) for number in range(world.num_articles))


def value_text(world: World, relation: Relation, value: int) -> str:
    """A value as articles write it: a full name, a date such as "3 May 1987", or a number such as "12,450"."""
    if relation.target == "date":
        return date_text(value)
    if relation.target == "number":
        return str(value) if "year" in relation.noun else f"{value:,}"
    return world.name(Entity(relation.target, value))


def date_text(ordinal: int) -> str:
    """A day as articles write it."""
    day = datetime.date.fromordinal(ordinal)
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _write_report(world: World, number: int, report: int) -> Article:
    entity, relation, said = world.report(report)
    name = world.name(entity)
    news = _sentence(relation.news, name, value_text(world, relation, said.value))
    return Article(article_id(number), f"Report on {name}", f"Written on {date_text(said.day)}. {news}")


def _sentence(words: str, subject: str, value: str) -> str:
    text = words.format(s=subject, v=value)
    return text[0].upper() + text[1:]
