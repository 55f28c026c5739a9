"""Writes the text of an article in the wiki's markup, from the facts of `atlas` and the sentences of `telling`."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter

from agentgym_web.sites.wiki.atlas import Entity, atlas, links_of, of_kind
from agentgym_web.sites.wiki.telling import ASIDES, CATEGORIES, HELP, INFOBOX, INTROS, TOLD

PARTS_OF_PERSON = {
    "lighthouse": ("architect", "designed {}"),
    "bridge": ("engineer", "built the {}"),
    "railway": ("engineer", "laid out the {}"),
    "novel": ("author", "wrote ''{}''"),
    "painting": ("painter", "painted ''{}''"),
    "opera": ("composer", "wrote the opera ''{}''"),
    "museum": ("founder", "founded the {}"),
    "company": ("founder", "founded {}"),
    "ship": ("captain", "was captain of the ''{}''"),
    "species": ("naturalist", "described the {}"),
    "mountain": ("climber", "was the first on {}"),
}
"""By kind of a thing, the fact that names its maker, and what its maker's article says of it."""
HERE = {
    "lighthouse": ("settlement", "Near by stands {}."),
    "bridge": ("settlement", "{} is in the middle of it."),
    "museum": ("settlement", "Visitors come for the {}."),
    "festival": ("settlement", "{} is held here."),
    "company": ("seat", "{} is the largest employer."),
    "dish": ("settlement", "{} is eaten here first of all."),
}
"""By kind of a thing, the fact that names its place, and what the article of the place says of it."""


@dataclass
class Article:
    """A page as it is in the end: parts in the order in which they stand, the first of them the oldest."""

    title: str
    intro: str
    sections: dict[str, list[str]]
    """Sentences by heading."""
    categories: list[str]
    entity: Entity | None = None

    def text(self, num_sentences: int | None = None) -> str:
        """The markup, with only so many sentences of the sections, or all of them."""
        parts = [self.intro]
        left = sum(map(len, self.sections.values())) if num_sentences is None else num_sentences
        for heading, sentences in self.sections.items():
            shown = sentences[: max(left, 0)]
            left -= len(sentences)
            if shown:
                parts.append(f"== {heading} ==\n{' '.join(shown) if heading != 'See also' else chr(10).join(shown)}")
        parts.append("\n".join(f"[[Category:{name}]]" for name in self.categories))
        return "\n\n".join(part for part in parts if part)

    @property
    def num_sentences(self) -> int:
        """Number of sentences of the sections."""
        return sum(map(len, self.sections.values()))


def all_articles() -> Iterator[Article]:
    """The articles of all entities, then lists and help."""
    rng = random.Random("articles")
    for entity in atlas().values():
        yield write_article(entity, rng)
    for kind, title in (
        ("island", "List of islands"),
        ("lighthouse", "List of lighthouses"),
        ("bridge", "List of bridges"),
        ("river", "List of rivers"),
        ("mountain", "List of mountains"),
        ("museum", "List of museums"),
        ("railway", "List of railways"),
    ):
        entries = [f"* [[{entity.title}]]" for entity in sorted(of_kind(kind), key=lambda one: one.title)]
        intro = f"This is a list of all {CATEGORIES[kind][0].lower()} of the Sarn Isles.\n\n" + "\n".join(entries)
        yield Article(title, intro, {}, ["Lists"])
    for title, text in HELP.items():
        yield Article(title, text, {}, ["Help"])


def write_article(entity: Entity, rng: random.Random) -> Article:
    """The article about an entity."""
    box = [f"| {key} = {fill(value, entity)}" for key, value in INFOBOX[entity.kind].items()]
    intro = "{{Infobox\n" + "\n".join(box) + "\n}}\n" + fill(rng.choice(INTROS[entity.kind]), entity)
    asides = rng.sample(ASIDES[entity.kind], min(rng.randint(2, 4), len(ASIDES[entity.kind])))
    intro = f"{intro} {asides.pop()}"
    sections: dict[str, list[str]] = {}
    for heading, ways in TOLD[entity.kind]:
        way = rng.choice(ways)
        if all(entity.facts.get(name, "") is not None for name in gaps(way)):
            sections.setdefault(heading, []).append(fill(way, entity))
    for heading, sentence in _mentions(entity):
        sections.setdefault(heading, []).append(sentence)
    while asides:
        sections.setdefault(rng.choice(["Trivia", *sections]), []).append(asides.pop())
    also = _see_also(entity, rng)
    if also:
        sections["See also"] = [f"* [[{title}]]" for title in also]
    categories = [_plural(fill(name, entity, links=False)) for name in CATEGORIES[entity.kind]]
    return Article(entity.title, intro, sections, categories, entity)


def fill(template: str, entity: Entity, *, links: bool = True) -> str:
    """A sentence with its gaps filled; titles of other entities become links."""
    words: dict[str, str] = {"title": shown_title(entity.title)}
    for name in gaps(template) - {"title"}:
        fact = entity.facts[name]
        if name == "stations":
            words[name] = ", ".join(f"[[{stop}]]" for stop in fact)
        else:
            words[name] = link(fact) if links and fact in atlas() and fact != entity.title else str(fact)
    text = re.sub(r"\ba (?=architect|engineer|orchid)", "an ", template.format(**words))
    return text[:1].upper() + text[1:]


def gaps(template: str) -> set[str]:
    """Names of the gaps of a sentence."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def link(title: str) -> str:
    """A link to a page, without what stands in brackets."""
    shown = shown_title(title)
    return f"[[{title}]]" if shown == title else f"[[{title}|{shown}]]"


def shown_title(title: str) -> str:
    """A title without what stands in brackets."""
    return re.sub(r" \(\w+\)$", "", title)


def _mentions(entity: Entity) -> Iterator[tuple[str, str]]:
    told: Mapping[str, tuple[str, str]] = {"person": PARTS_OF_PERSON, "settlement": HERE}.get(entity.kind, {})
    for other in atlas().values():
        if other.kind in told and other.facts.get(told[other.kind][0]) == entity.title:
            sentence = told[other.kind][1].format(link(other.title))
            if entity.kind == "person":
                yield "Work", f"{entity.title.split()[-1]} {sentence}."
            else:
                yield "Sights and customs", sentence


def _see_also(entity: Entity, rng: random.Random) -> list[str]:
    if rng.random() < 0.55:
        return []
    near = links_of(entity)
    same = [other.title for other in of_kind(entity.kind) if other is not entity and other.title not in near]
    return rng.sample(same, min(len(same), rng.randint(1, 3)))


def _plural(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"
