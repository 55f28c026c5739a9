"""Questions over several articles: chains of relations, such as the river at the birthplace of a bridge's engineer."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentgym_web.sites.core.drafts import Answer
from agentgym_web.sites.core.draws import choose, require
from agentgym_web.sites.wiki.articles import shown_title
from agentgym_web.sites.wiki.atlas import Entity, atlas, of_kind

RELATIONS: Mapping[str, Sequence[tuple[str, str]]] = {
    "lighthouse": (("architect", "the architect of {}"), ("settlement", "the place next to {}")),
    "bridge": (
        ("engineer", "the engineer of {}"),
        ("settlement", "the site of {}"),
        ("river", "the river under {}"),
    ),
    "person": (("birthplace", "the birthplace of {}"), ("teacher", "the teacher of {}")),
    "settlement": (
        ("river", "the river that flows through {}"),
        ("twin", "the twin town of {}"),
        ("island", "the home island of {}"),
    ),
    "river": (("source", "the mountain that is the source of {}"), ("mouth", "the place at the mouth of {}")),
    "mountain": (("climber", "the first person on top of {}"),),
    "museum": (("founder", "the founder of {}"), ("settlement", "the place that houses {}")),
    "painting": (("painter", "the painter of {}"), ("museum", "the museum that has {}")),
    "opera": (("composer", "the composer of {}"), ("premiere", "the place of the first performance of {}")),
    "novel": (("author", "the author of {}"), ("setting", "the setting of the novel {}")),
    "ship": (("captain", "the captain of the ship {}"), ("built", "the building place of the ship {}")),
    "festival": (("settlement", "the place that holds {}"),),
    "species": (("naturalist", "the naturalist who described the {}"),),
    "dish": (("settlement", "the place of origin of {}"),),
    "company": (("founder", "the founder of {}"), ("seat", "the seat of {}")),
    "railway": (("engineer", "the engineer of the {}"), ("last", "the last station of the {}")),
    "island": (("peak", "the highest mountain of {}"), ("capital", "the largest place of {}")),
}
"""By kind the facts that lead to another article, and how one speaks of where they lead."""

ENDS: Mapping[str, Sequence[tuple[str, str]]] = {
    "person": (("born", "In which year was {} born?"), ("died", "In which year did {} die?")),
    "settlement": (
        ("population", "How many people live in {}?"),
        ("founded", "In which year was {} first mentioned?"),
    ),
    "river": (("length", "How long is {}, in kilometres?"),),
    "mountain": (
        ("height", "How high is {}, in metres?"),
        ("climbed", "In which year did somebody first stand on {}?"),
    ),
    "island": (("area", "How large is {}, in square kilometres?"),),
    "museum": (("visitors", "How many visitors a year does {} have?"), ("opened", "In which year was {} opened?")),
}
"""By kind the facts that a question can end with."""

STARTS = (
    *("lighthouse", "bridge", "museum", "painting", "opera", "novel", "ship", "festival", "species", "dish", "company"),
    "railway",
)


@dataclass(frozen=True)
class Chain:
    """A question and the way to its answer.

    Attributes:
        way: Titles of the articles from the first to the last.
        phrase: The last entity, told from the first one.
        question: The whole question.
        answer: Its answer.
    """

    way: Sequence[str]
    phrase: str
    question: str
    answer: Answer


def draw_chain(rng: random.Random, num_hops: int) -> Chain:
    """A question that leads over so many links.

    Raises:
        UnsuitableDraw: The drawn way goes in a circle or ends where nothing can be asked.
    """
    start = choose(rng, of_kind(rng.choice(STARTS)))
    entity, way, phrase = start, [start.title], f'"{shown_title(start.title)}"'
    for _ in range(num_hops):
        fact, words = choose(rng, [pair for pair in RELATIONS[entity.kind] if entity.facts[pair[0]] is not None])
        entity = atlas()[entity.facts[fact]]
        require(entity.title not in way)
        way.append(entity.title)
        phrase = words.format(phrase)
    ends = [pair for pair in ENDS[entity.kind] if pair[0] in entity.facts]
    fact, words = choose(rng, ends)
    return Chain(way, phrase, words.format(phrase), Answer("number", entity.facts[fact]))


def name_chain(rng: random.Random, num_hops: int) -> Chain:
    """A question that leads over so many links and asks for a name at their end.

    Raises:
        UnsuitableDraw: The drawn way goes in a circle.
    """
    chain = draw_chain(rng, num_hops)
    last = atlas()[chain.way[-1]]
    answer = Answer("text", shown_title(last.title), tuple(other_names(last)))
    return Chain(chain.way, chain.phrase, f"What is the name of {chain.phrase}?", answer)


def other_names(entity: Entity) -> Iterator[str]:
    """Other ways to write a name: the full title, and names without "River" or "the"."""
    yield entity.title
    yield entity.title.removeprefix("River ")
    yield f"the {entity.title}"
