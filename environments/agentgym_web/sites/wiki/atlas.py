"""Draws the archipelago: entities with facts that fit each other, such as a bridge, its river and its engineer.

How an article tells these facts is in `articles`. A fact whose value is the title of another entity makes a link.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from agentgym_web.sites.wiki import names

SEED = "the sarn isles"
NUM_SETTLEMENTS, NUM_PEOPLE = 58, 112
PROFESSIONS = ("architect", "engineer", "painter", "composer", "novelist", "naturalist", "sea captain", "merchant")


@dataclass(frozen=True)
class Entity:
    """What an article is about.

    Attributes:
        kind: What it is, such as "bridge".
        title: Title of its article.
        facts: By name; titles of other entities, numbers and words.
    """

    kind: str
    title: str
    facts: dict[str, Any] = field(default_factory=dict)


Atlas = Mapping[str, Entity]
"""Entities by title."""


@cache
def atlas() -> Atlas:
    """The one atlas of this site."""
    return _Cartographer(random.Random(SEED)).draw()


def of_kind(*kinds: str) -> list[Entity]:
    """All entities of some kinds, in the order of drawing."""
    return [entity for entity in atlas().values() if entity.kind in kinds]


class _Cartographer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.found: dict[str, Entity] = {}

    def draw(self) -> Atlas:
        for title in names.ISLANDS:
            self._add("island", title, area=self.rng.randint(18, 640))
        self._settlements()
        self._waters()
        self._people()
        self._buildings()
        self._railways()
        self._works()
        self._others()
        for island in self._all("island"):
            here = [one for one in self._all("settlement") if one.facts["island"] == island.title]
            peaks = [one for one in self._all("mountain") if one.facts["island"] == island.title]
            island.facts["capital"] = max(here, key=lambda one: one.facts["population"]).title
            island.facts["peak"] = max(peaks, key=lambda one: one.facts["height"]).title
        return self.found

    def _add(self, kind: str, title: str, **facts: Any) -> Entity:
        assert title not in self.found, title
        self.found[title] = entity = Entity(kind, title, facts)
        return entity

    def _all(self, kind: str) -> list[Entity]:
        return [entity for entity in self.found.values() if entity.kind == kind]

    def _some(self, kind: str, **facts: Any) -> Entity:
        return self.rng.choice(
            [one for one in self._all(kind) if all(one.facts[name] == fact for name, fact in facts.items())]
        )

    def _settlements(self) -> None:
        titles = [start + end for start in names.PLACE_STARTS for end in names.PLACE_ENDS]
        islands = [*names.ISLANDS, *names.ISLANDS, *names.ISLANDS]
        islands += self.rng.choices(names.ISLANDS, (9, 3, 6, 5, 4, 5, 4, 2, 3), k=NUM_SETTLEMENTS - len(islands))
        populations = self.rng.sample(range(90, 9800), NUM_SETTLEMENTS)
        for title, island, population in zip(
            self.rng.sample(titles, NUM_SETTLEMENTS), islands, populations, strict=True
        ):
            kind = "town" if population > 5200 else "village" if population > 900 else "hamlet"
            facts = {"island": island, "population": population, "size": kind, "river": None}
            founded = self.rng.randint(940, 1790)
            self._add("settlement", title, founded=founded, product=self.rng.choice(names.PRODUCTS), **facts)
        for one in self._all("settlement"):
            others = [two for two in self._all("settlement") if two.facts["island"] != one.facts["island"]]
            one.facts["twin"] = self.rng.choice(others).title

    def _waters(self) -> None:
        heights = self.rng.sample(range(140, 1330), len(names.MOUNTAINS))
        islands = [*names.ISLANDS, *self.rng.choices(names.ISLANDS, k=len(names.MOUNTAINS) - len(names.ISLANDS))]
        for title, height, island in zip(names.MOUNTAINS, heights, islands, strict=True):
            self._add("mountain", title, island=island, height=height)
        lengths = self.rng.sample(range(6, 95), len(names.RIVERS))
        islands = [*names.ISLANDS, *self.rng.choices(names.ISLANDS, k=len(names.RIVERS) - len(names.ISLANDS))]
        for name, length, island in zip(names.RIVERS, lengths, islands, strict=True):
            title = f"River {name}"
            source, mouth = self._some("mountain", island=island), self._dry(island)
            self._add("river", title, island=island, length=length, source=source.title, mouth=mouth.title)
            mouth.facts["river"] = title
        for one in self._all("settlement"):
            rivers = [river for river in self._all("river") if river.facts["island"] == one.facts["island"]]
            if one.facts["river"] is None and self.rng.random() < 0.75:
                one.facts["river"] = self.rng.choice(rivers).title

    def _dry(self, island: str) -> Entity:
        here = [one for one in self._all("settlement") if one.facts["island"] == island]
        return self.rng.choice([one for one in here if one.facts["river"] is None] or here)

    def _people(self) -> None:
        titles = [f"{first} {last}" for first in names.FIRST_NAMES for last in names.LAST_NAMES]
        chosen = self.rng.sample(titles, NUM_PEOPLE)
        births = self.rng.sample(range(1752, 1899), NUM_PEOPLE)
        for number, (title, born) in enumerate(zip(chosen, sorted(births), strict=True)):
            profession = PROFESSIONS[number % len(PROFESSIONS)]
            died = born + self.rng.randint(46, 91)
            facts = {"profession": profession, "born": born, "died": died, "teacher": None}
            self._add("person", title, birthplace=self._some("settlement").title, **facts)
        for one in self._all("person"):
            older = [two for two in self._all("person") if 18 <= one.facts["born"] - two.facts["born"] <= 50]
            same = [two for two in older if two.facts["profession"] == one.facts["profession"]]
            if same and self.rng.random() < 0.8:
                one.facts["teacher"] = self.rng.choice(same).title
        for mountain in self._all("mountain"):
            climber = self.rng.choice(self._all("person"))
            mountain.facts.update(climber=climber.title, climbed=climber.facts["born"] + self.rng.randint(19, 44))

    def _made_by(self, profession: str) -> tuple[str, int]:
        """Somebody of a profession, and a year in which they worked."""
        person = self._some("person", profession=profession)
        return person.title, person.facts["born"] + self.rng.randint(24, 45)

    def _buildings(self) -> None:
        heights = self.rng.sample(range(9, 66), len(names.HEADS))
        for name, height in zip(names.HEADS, heights, strict=True):
            architect, year = self._made_by("architect")
            place = self._some("settlement")
            facts = {"settlement": place.title, "island": place.facts["island"], "architect": architect, "lit": year}
            colour = self.rng.choice(("white", "red and white", "black", "yellow", "grey granite", "green and white"))
            self._add("lighthouse", f"{name} Head Light", height=height, colour=colour, **facts)
        lengths = self.rng.sample(range(14, 420), len(names.BRIDGES))
        on_rivers = [one for one in self._all("settlement") if one.facts["river"]]
        for name, length in zip(names.BRIDGES, lengths, strict=True):
            engineer, year = self._made_by("engineer")
            place = self.rng.choice(on_rivers)
            material = self.rng.choice(("granite", "wrought iron", "oak", "brick", "steel", "sandstone"))
            facts = {"river": place.facts["river"], "settlement": place.title, "engineer": engineer, "opened": year}
            self._add("bridge", f"{name} Bridge", length=length, material=material, **facts)
        for place in self.rng.sample(self._all("settlement"), 15):
            founder, year = self._made_by(self.rng.choice(("merchant", "naturalist", "painter")))
            kind = self.rng.choice(("Museum", "Gallery", "Maritime Museum", "Cabinet of Curiosities"))
            facts = {"settlement": place.title, "founder": founder, "opened": year}
            self._add("museum", f"{place.title} {kind}", visitors=self.rng.randint(14, 620) * 100, **facts)

    def _railways(self) -> None:
        by_island = {
            island: [one for one in self._all("settlement") if one.facts["island"] == island]
            for island in names.ISLANDS
        }
        islands = sorted(names.ISLANDS, key=lambda island: -len(by_island[island]))
        for title, island in zip(names.LINES, islands, strict=False):
            stops = self.rng.sample(by_island[island], min(len(by_island[island]), self.rng.randint(4, 6)))
            engineer, year = self._made_by("engineer")
            stations = [stop.title for stop in stops]
            facts = {"stations": stations, "island": island, "engineer": engineer, "opened": year}
            self._add("railway", title, length=self.rng.randint(14, 120), first=stations[0], last=stations[-1], **facts)

    def _works(self) -> None:
        for title in names.NOVELS:
            author, year = self._made_by("novelist")
            self._add("novel", title, author=author, year=year, setting=self._some("settlement").title)
        for title in names.PAINTINGS:
            painter, year = self._made_by("painter")
            museum = self._some("museum").title
            shows = self._some(self.rng.choice(("lighthouse", "bridge", "mountain", "settlement"))).title
            self._add("painting", title, painter=painter, year=year, museum=museum, shows=shows)
        for title in names.OPERAS:
            composer, year = self._made_by("composer")
            self._add(
                "opera", f"{title} (opera)", composer=composer, year=year, premiere=self._some("settlement").title
            )

    def _others(self) -> None:
        for title in names.SHIPS:
            captain, year = self._made_by("sea captain")
            length = self.rng.randint(19, 88)
            built = self._some("settlement").title
            self._add("ship", f"{title} (ship)", captain=captain, launched=year, built=built, length=length)
        for title in names.FESTIVALS:
            month, since = self.rng.choice(names.MONTHS), self.rng.randint(1601, 1921)
            self._add("festival", title, settlement=self._some("settlement").title, month=month, since=since)
        for title, sort in names.SPECIES:
            naturalist, year = self._made_by("naturalist")
            island = self._some("island").title
            self._add("species", title, sort=sort, naturalist=naturalist, described=year, island=island)
        for title, ingredient in names.DISHES:
            self._add("dish", title, ingredient=ingredient, settlement=self._some("settlement").title)
        for title, product in names.COMPANIES:
            founder, year = self._made_by("merchant")
            self._add(
                "company", title, founder=founder, seat=self._some("settlement").title, founded=year, product=product
            )


def links_of(entity: Entity) -> Sequence[str]:
    """Titles of the entities that its facts name."""
    return [fact for fact in entity.facts.values() if isinstance(fact, str) and fact in atlas()]
